// The caller's own passkeys.

import { AuthError, existing } from '../errors/auth-error.ts';
import { foreseePath } from '../login/certificate/trusted-path.ts';
import { freshProofNeeded, type OfferedProof, requireFreshProof } from '../login/fresh-proof.ts';
import { wouldPasskeyReplace } from '../login/outstanding-factors.ts';
import { passkeySiteOf } from '../login/passkey/question.ts';
import {
  addPasskey,
  askForNewPasskey,
  type CreationOptions,
  passkeyName,
  type Registration,
} from '../login/passkey/register-passkey.ts';
import type { LoginServices } from '../login/services.ts';
import { type Account, mayPasskeyOpen } from '../model/account.ts';
import { canLogIn } from '../model/administrator.ts';
import type { CertificateAuthenticator } from '../model/authenticator.ts';
import { notedRecord } from '../model/noted-record.ts';
import type { Passkey } from '../model/passkey.ts';
import { type OwnCall, ownerOf, type Principal } from '../model/principal.ts';
import type { Attestation } from '../platform/webauthn.ts';
import { parseCertificate } from '../platform/x509/x509.ts';

export function listOwnPasskeys(
  needs: Pick<LoginServices, 'store'>,
  { identityId }: Principal,
): Promise<readonly Passkey[]> {
  return needs.store.passkeys.listOf([identityId]);
}

/**
 * Asks for a new passkey of the caller. The fresh proof counts for the answer, which only this session can send.
 * @throws AuthError as requireFreshProof, askForNewPasskey
 */
export async function askForOwnPasskey(
  needs: LoginServices,
  call: OwnCall,
  proof: OfferedProof,
): Promise<CreationOptions> {
  await requireFreshProof(needs, call, proof);
  return askForNewPasskey(needs, await registrationOf(needs, call));
}

/** Adds it. @throws AuthError invalid_passkey, conflict, could_not_validate */
export async function addOwnPasskey(
  needs: LoginServices,
  call: OwnCall,
  { answer, name }: { readonly answer: Attestation; readonly name: string | undefined },
): Promise<Passkey> {
  const { caller, origin } = call;
  const registration = { ...(await registrationOf(needs, call)), answer, name, origin };
  const { passkey: added } = await addPasskey(actingFor(needs, caller), registration, caller.mechanism);
  const theirs = await listOwnPasskeys(needs, caller);
  return existing(theirs.find((passkey) => passkey.id === added.id) ?? null);
}

async function registrationOf(needs: LoginServices, { caller, origin }: OwnCall): Promise<Registration> {
  const account = existing(await needs.store.identities.findAccount(caller.identityId));
  // The session may be older than the authenticator app, and a thief of the password may have it.
  if (wouldPasskeyReplace(account, needs.clock.now(), caller.passed))
    throw freshProofNeeded(
      caller,
      'This session has not proven every factor that the account has by now: log in again',
    );
  const site = passkeySiteOf(needs, origin.issuer);
  return { account, asked: { site, flow: caller.apiSessionId, browser: null }, purpose: 'add' };
}

/** @throws AuthError not_found, could_not_validate */
export async function renameOwnPasskey(
  needs: LoginServices,
  { caller }: OwnCall,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> {
  const { passkeys } = actingFor(needs, caller).store;
  if (!(await passkeys.rename(caller.identityId, id, passkeyName(name)))) throw new AuthError('not_found');
}

/**
 * Removes a passkey. The sessions that it opened end, perhaps that of the call too.
 * @param wish.evenIfLast whether it may be the last way to log in
 * @throws AuthError as requireFreshProof
 * @throws AuthError not_found
 * @throws AuthError conflict   no way to log in would be left
 */
export async function removeOwnPasskey(
  needs: LoginServices,
  call: OwnCall,
  { id, evenIfLast, ...proof }: OfferedProof & { readonly id: string; readonly evenIfLast: boolean },
): Promise<void> {
  const { caller, origin } = call;
  const { identityId } = caller;
  await requireFreshProof(needs, call, proof);
  const account = existing(await needs.store.identities.findAccount(identityId));
  const mayBeLast = evenIfLast || !mayPasskeyOpen(account.policy) || (await hasOtherMeans(needs, account));
  const now = needs.clock.now();
  const outcome = await actingFor(needs, caller).store.passkeys.delete(identityId, id, { now, mayBeLast });
  if (outcome === 'unknown') throw new AuthError('not_found');
  if (outcome === 'last')
    throw new AuthError('conflict', {
      description:
        'It is the last way to sign in to this account. Add another one first, or say that you mean it',
      fields: [{ field: 'evenIfLast', reason: 'is missing, and no way to sign in would be left' }],
    });
  needs.audit.record({ event: 'passkey.removed', identityId, passkeyId: id }, origin);
}

/** Whether the identity could log in without a passkey. */
async function hasOtherMeans(needs: LoginServices, { identity, policy }: Account): Promise<boolean> {
  const authenticators = await needs.store.authenticators.listOf([identity.id]);
  const password = authenticators.find(({ method }) => method === 'updb');
  const ends = authenticators.flatMap((each) =>
    each.method === 'cert' && leadsSomewhere(needs, each) ? (each.certExpiresAt ?? []) : [],
  );
  const means = {
    identity,
    policy,
    hasPassword: password !== undefined,
    lockedUntil: password?.lockedUntil ?? null,
    certificateUntil: ends.length === 0 ? null : Math.max(...ends),
    hasPasskey: false,
    signers: needs.signers.all().filter(({ enabled }) => enabled),
  };
  return canLogIn(means, needs.clock.now()) === 'yes';
}

/** Checks before a change that the caller's session still counts. */
function actingFor(needs: LoginServices, caller: Principal) {
  return { ...needs, store: needs.store.onBehalfOf(ownerOf(caller), needs.clock.now()) };
}

/** Whether an authority that is trusted now has issued it, as far as can be known without its holder. */
function leadsSomewhere(needs: LoginServices, { certPem }: CertificateAuthenticator): boolean {
  const search = { attempt: notedRecord(), allowExpired: true };
  return foreseePath(needs, parseCertificate(certPem).raw, search) !== null;
}
