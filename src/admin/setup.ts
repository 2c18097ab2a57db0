// The first administrator, created with a link that works once: a person who can read the terminal or the files of the
// host makes the link, and the person who opens it chooses name and password. There is never a default password.

import { shortestPassword } from '../login/password/password-rules.ts';
import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import { defaultAuthPolicyId, type IdentityId } from '../model/ids.ts';
import { type Clock, isoTime, MINUTE, type Millis } from '../platform/clock.ts';
import { decodeBase64url, sha256 } from '../platform/digest.ts';
import type { Random } from '../platform/random.ts';
import type { SetupLinkStore } from '../store/contracts/setup-links.ts';
import type { Store } from '../store/contracts/store.ts';
import { type AdministratorNeeds, asConflict, policyOf, prepareAdministrator } from './administrators.ts';

/** How long a set-up link works. */
const setupLinkLifetime: Millis = 30 * MINUTE;
const tokenBytes = 32;

interface LinkNeeds {
  readonly store: Pick<Store, 'setupLinks'>;
  readonly clock: Clock;
  readonly random: Random;
}

export type SetupLinkState = Awaited<ReturnType<SetupLinkStore['check']>>;

/**
 * Makes a link. Earlier unused links stop working.
 * @returns `token`: 256 bits, base64url. Only its hash is stored, so it cannot be read again
 */
export async function createSetupLink(needs: LinkNeeds & { readonly audit: AuditTrail }) {
  const token = needs.random.bytes(tokenBytes).toString('base64url');
  const now = needs.clock.now();
  const expiresAt = now + setupLinkLifetime;
  await needs.store.setupLinks.create({ id: needs.random.id(), tokenHash: sha256(token), expiresAt, now });
  needs.audit.record({ event: 'setup.link-created', expiresAt: isoTime(expiresAt) }, null);
  return { token, expiresAt };
}

/** Ends every unused link: a newer one replaces them, which is shown to no person and has already ended. */
export async function withdrawSetupLinks(needs: LinkNeeds): Promise<void> {
  const now = needs.clock.now();
  const tokenHash = sha256(needs.random.bytes(tokenBytes));
  await needs.store.setupLinks.create({ id: needs.random.id(), tokenHash, expiresAt: now, now });
}

/** Whether a link works, or why not. Does not use it up. */
export async function checkSetupLink(
  needs: Pick<LinkNeeds, 'clock' | 'store'>,
  token: string,
): Promise<SetupLinkState> {
  // Anything that cannot be a token is refused without a query.
  if (decodeBase64url(token)?.length !== tokenBytes) return 'unknown';
  return needs.store.setupLinks.check(sha256(token), needs.clock.now());
}

/** The rules for the first administrator's password, to show before one is typed. */
export async function setupPasswordRules(needs: Pick<AdministratorNeeds, 'store'>) {
  const { updb } = (await policyOf(needs, defaultAuthPolicyId)).primary;
  return { policy: updb, shortest: shortestPassword(updb) };
}

export type SetupOutcome =
  | { readonly outcome: 'created'; readonly identityId: IdentityId; readonly username: string }
  | { readonly outcome: Exclude<SetupLinkState, 'usable'> };

/**
 * Uses a link up and creates the administrator in one step. A link that does not work causes no password hash.
 * @throws AuthError password_not_acceptable   with every reason; the link keeps working, as with the next two
 * @throws AuthError invalid_field             `username` cannot be a user name
 * @throws AuthError conflict                  `username` is taken, or the default policy allows no passwords
 */
export async function completeSetup(
  needs: AdministratorNeeds & LinkNeeds & { readonly audit: AuditTrail },
  setup: { readonly token: string; readonly username: string; readonly password: string },
  origin: RequestOrigin,
): Promise<SetupOutcome> {
  const state = await checkSetupLink(needs, setup.token);
  if (state !== 'usable') return { outcome: state };
  const { identity, password } = await prepareAdministrator(needs, setup);
  const now = needs.clock.now();
  const outcome = await needs.store.setupLinks
    .redeem({ tokenHash: sha256(setup.token), admin: identity, password, now })
    .catch(asConflict);
  if (outcome !== 'created') return { outcome };
  needs.audit.record({ event: 'setup.completed', identityId: identity.id }, origin);
  return { outcome, identityId: identity.id, username: password.username };
}
