// Disabling an identity, permanently or until a time.

import { AuthError } from '../errors/auth-error.ts';
import { isDisabled } from '../model/account.ts';
import type { Identity } from '../model/entities/identity.ts';
import { DAY, MINUTE, type Millis } from '../platform/clock.ts';
import type { IdentityPatch } from '../store/contracts/identities.ts';
import { refusedField } from './acceptable-values.ts';

/** Anything longer is a typing mistake. */
const longest: Millis = 10 * 366 * DAY;
export const longestMinutes = longest / MINUTE;

/** Whether an identity is disabled, and until when. Absent members stay unchanged. */
export interface Disabling {
  readonly disabled?: boolean | undefined;
  /** Null: until an administrator enables it. A time disables even without `disabled`. */
  readonly disabledUntil?: Millis | null | undefined;
}

/**
 * The change that `wanted` makes to an identity; null for none. `disabledAt` of a disabled identity does not change.
 * @param options.field the name of the time in a refusal
 * @throws AuthError could_not_validate   the time has passed, is too far away, or contradicts `disabled`
 */
export function disablingPatch(
  identity: Pick<Identity, 'disabledAt' | 'disabledUntil'>,
  wanted: Disabling,
  { now, field = 'disabledUntil' }: { readonly now: Millis; readonly field?: string },
): Required<Pick<IdentityPatch, 'disabledAt' | 'disabledUntil'>> | null {
  const wasDisabled = isDisabled(identity, now);
  const wasUntil = wasDisabled ? identity.disabledUntil : null;
  const until =
    wanted.disabledUntil === undefined ? (wanted.disabled === false ? null : wasUntil) : wanted.disabledUntil;
  const isDisabling = wanted.disabled ?? (wasDisabled || until !== null);
  // Clients may send a document back as they read it.
  if (isDisabling === wasDisabled && until === wasUntil) return null;
  if (!isDisabling && until !== null) throw refusedField(field, 'is for an identity that is disabled');
  if (!isDisabling) return { disabledAt: null, disabledUntil: null };
  if (until !== null && until <= now) throw refusedField(field, 'must be in the future');
  if (until !== null && until > now + longest) throw refusedField(field, 'must be within ten years');
  return { disabledAt: wasDisabled ? identity.disabledAt : now, disabledUntil: until };
}

/**
 * Refuses a whole document that would enable a disabled identity earlier. It may have been read before the identity was
 * disabled, and its sender only wants to change a name.
 * @param patch the change that the document makes
 * @throws AuthError conflict
 */
export function refuseEarlierEnd(
  identity: Pick<Identity, 'disabledAt' | 'disabledUntil'>,
  patch: Required<Pick<IdentityPatch, 'disabledAt' | 'disabledUntil'>>,
  now: Millis,
): void {
  if (!isDisabled(identity, now)) return;
  const isKeptAsLong =
    patch.disabledAt !== null &&
    (patch.disabledUntil ?? Number.POSITIVE_INFINITY) >= (identity.disabledUntil ?? Number.POSITIVE_INFINITY);
  if (isKeptAsLong) return;
  throw new AuthError('conflict', {
    description:
      'The identity is disabled, and this document would let it in earlier: it may be an older one. If that is meant, enable the identity first, or send its etag as If-Match',
    fields: [{ field: 'disabled', reason: 'has changed since, or is not to be changed by a whole document' }],
  });
}
