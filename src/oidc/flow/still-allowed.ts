// Whether what was proven in a login still lets its identity in: asked again before each code is given, since steps of a
// login lie minutes apart. What refuses is in the decision record.

import { AuthError } from '../../errors/auth-error.ts';
import { type LoginAccount, mayLogIn, stillHasAuthenticator } from '../../login/account.ts';
import { maySignerLogIn } from '../../login/external-jwt/external-jwt.ts';
import type { Account } from '../../model/account.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { LoginProgress, PrimaryMethod } from '../../model/login.ts';
import type { AttemptRecorder } from '../../model/login-attempt.ts';
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
  else if (
    mayLogIn(account, method, attempt, needs.clock.now()) &&
    maySignerStillLogIn(needs, account, progress, attempt) &&
    isAuthorityStillTrusted(needs, progress, attempt)
  ) {
    if (await stillHasAuthenticator(needs, progress.authenticatorId)) return account;
    attempt.failed(
      'authenticator exists',
      'changed-meanwhile',
      'the authenticator was deleted during the login',
    );
  }
  attempt.conclude();
  throw new AuthError('invalid_auth');
}

/** Whether the signer whose token opened a login is still enabled and allowed; other logins have none. */
function maySignerStillLogIn(
  needs: LoginFlowNeeds,
  account: LoginAccount,
  { signerId, passed }: LoginProgress,
  attempt: AttemptRecorder,
): boolean {
  if (!passed.includes('ext-jwt')) return true;
  const signer = signerId === null ? undefined : needs.signers.find(signerId);
  if (signer !== undefined) return maySignerLogIn(needs, account, signer, attempt);
  attempt.failed('signer enabled', 'signer-disabled', 'the signer was deleted during the login');
  return false;
}

/** Whether the third-party authority behind the certificate that opened a login still counts. */
function isAuthorityStillTrusted(
  { authorities }: LoginFlowNeeds,
  { caId }: LoginProgress,
  attempt: AttemptRecorder,
): boolean {
  if (caId === null || authorities.find(caId) !== undefined) return true;
  attempt.failed('authority enabled', 'changed-meanwhile', 'the authority was disabled during the login');
  return false;
}
