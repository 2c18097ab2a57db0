import type { CaId } from '../../model/ids.ts';
import type { ListState } from '../../model/list-state.ts';
import type { Millis } from '../../platform/clock.ts';

/** A verified list, as it came. */
export interface FetchedList extends Pick<ListState, 'url' | 'listNumber'> {
  readonly caId: CaId;
  /** As of `ListState`, as are the others. */
  readonly issuer: string;
  readonly isDelta: boolean;
  readonly thisUpdate: Millis;
  readonly nextUpdate: Millis;
  readonly entries: number;
  /** Of the authority that signed it, PEM. */
  readonly issuerPem: string;
  /** DER, base64. */
  readonly der: string;
}

/** `older` than the one that is there, or of another authority: that one stays. `gone`: the authority was deleted. */
export type KeptList = 'new' | 'known' | 'older' | 'other-issuer' | 'gone';

/** The revocation lists of third-party authorities, one for each address. */
export interface RevocationListStore {
  /** Of one authority, or of all. */
  describe(caId: CaId | null): Promise<readonly (ListState & { readonly caId: CaId })[]>;
  /** Null while none has been had from there. */
  find(caId: CaId, url: string): Promise<FetchedList | null>;
  /**
   * Keeps a list in the place of the one from the same address, and tells all nodes if it is another one. Of several
   * calls at once, the newest list stays.
   */
  keep(list: FetchedList, now: Millis): Promise<KeptList>;
  /** Notes why there is no new one. Nothing if the authority is gone. */
  noteFailure(failed: { caId: CaId; url: string; error: string }, now: Millis): Promise<void>;
  /** Forgets what came from other addresses than these. */
  keepOnly(caId: CaId, urls: readonly string[], now: Millis): Promise<void>;
}
