// Whether what was proven in a login still lets its identity in: asked again before each code is given, since steps of a
// login lie minutes apart. What refuses is in the decision record.

import { AuthError } from '../../errors/auth-error.ts';
import { isEnabled, stillHasAuthenticator } from '../../login/account.ts';
import { type OpeningObjection, openingObjection } from '../../login/standing.ts';
import type { Account } from '../../model/account.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { LoginProgress, PrimaryMethod } from '../../model/login.ts';
import type { RefusalReason } from '../../model/login-attempt.ts';
import type { LoginFlowNeeds } from './login-flow.ts';

/** @throws AuthError invalid_auth   the identity, its policy or its authenticator no longer allows this login */
export async function requireStillAllowed(
  needs: LoginFlowNeeds,
  progress: LoginProgress,
  origin: RequestOrigin,
): Promise<Account> {
  const method = progress.passed[0] as PrimaryMethod;
  const account = await needs.store.identities.findAccount(progress.identityId);
  const attempt = needs.attempts.begin(method, 'oidc', origin);
  if (account === null) attempt.failed('identity exists', 'changed-meanwhile', 'the identity was deleted');
  else if (isEnabled(account, attempt, needs.clock.now())) {
    const objection = openingObjection(needs, account.policy, progress);
    if (objection !== null) attempt.failed(...recordedAs[objection]);
    else if (await stillHasAuthenticator(needs, progress.authenticatorId)) return account;
    else attempt.failed('authenticator exists', 'changed-meanwhile', 'the authenticator was deleted');
  }
  attempt.conclude();
  throw new AuthError('invalid_auth');
}

/** The check that failed, why, and what was seen. */
const recordedAs: Readonly<
  Record<OpeningObjection, readonly [name: string, reason: RefusalReason, saw: string]>
> = {
  'method-not-allowed': ['method allowed', 'method-not-allowed', 'the policy was changed during the login'],
  'signer-disabled': ['signer enabled', 'signer-disabled', 'the signer was disabled or deleted'],
  'signer-not-allowed': ['signer allowed', 'signer-not-allowed', 'the policy was changed during the login'],
  'authority-disabled': ['authority enabled', 'changed-meanwhile', 'the authority was disabled'],
};
