import type { Millis } from '../platform/time-units.ts';

/** How a revocation list stands that is fetched from an address. What follows `fetchedAt` is null while there is none. */
export interface ListState {
  readonly url: string;
  readonly triedAt: Millis;
  /** Why the last attempt brought none; null: it did. */
  readonly error: string | null;
  readonly fetchedAt: Millis | null;
  /** The name of the authority that signed it, for display. */
  readonly issuer: string | null;
  /** Whether it only adds to another one. */
  readonly isDelta: boolean | null;
  /** The CRL number, hex without leading zeros; null also where it has none. */
  readonly listNumber: string | null;
  readonly thisUpdate: Millis | null;
  readonly nextUpdate: Millis | null;
  readonly entries: number | null;
}

/** Whether a list is older than another of the same authority: by its number, then by its date. */
export function isOlderList(
  list: { readonly listNumber: string | null; readonly thisUpdate: Millis },
  other: { readonly listNumber: string | null; readonly thisUpdate: Millis },
): boolean {
  const [number, known] = [list.listNumber, other.listNumber];
  if (known !== null && number === null) return true;
  if (known !== null && number !== null && number !== known) return isLower(number, known);
  return list.thisUpdate < other.thisUpdate;
}

/** Of CRL numbers: hex without leading zeros. */
function isLower(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}
