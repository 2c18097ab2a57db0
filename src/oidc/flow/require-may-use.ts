// Whether the person who logged in may use the application, and is the one it asked for. Checked only once everything
// is proven: somebody who has only a password must not learn who may use what.

import { AuthError, AuthorizationError } from '../../errors/auth-error.ts';
import type { Account } from '../../model/account.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { LoginProgress, PrimaryMethod } from '../../model/login.ts';
import { mayUse } from '../clients.ts';
import { denyWaitingDevice, isForDevice } from '../device/device-login.ts';
import { wayBack } from './callback.ts';
import type { LoginFlowNeeds } from './next-step.ts';

/**
 * @throws AuthorizationError client_not_allowed   the identity may not use the application, which is told so
 * @throws AuthError client_not_allowed            the same on a page, for a device: its code no longer works
 * @throws AuthorizationError login_required       the client has named somebody else (OIDC Core 3.1.2.1, id_token_hint)
 */
export async function requireMayUse(
  needs: LoginFlowNeeds,
  authRequest: AuthRequest,
  {
    origin,
    account,
    progress,
  }: { readonly origin: RequestOrigin; readonly account: Account; readonly progress: LoginProgress },
): Promise<void> {
  const { identity } = account;
  const { clientId } = authRequest;
  const meant = authRequest.browserSession?.wish.identityId ?? identity.id;
  if (meant !== identity.id) throw new AuthorizationError('login_required', wayBack(authRequest));
  const client = needs.clients.find(clientId);
  if (client === undefined || mayUse(client, identity)) return;
  const attempt = needs.attempts.begin(progress.passed[0] as PrimaryMethod, 'oidc', origin);
  attempt.about({ identityId: identity.id });
  const wanted = client.registered?.allowedRoleAttributes.join(', ') ?? '';
  attempt.failed('application allowed', 'client-not-allowed', `${clientId} is for ${wanted}`);
  attempt.conclude();
  const detail = `the client ${clientId} is not for this identity`;
  if (!isForDevice(authRequest)) {
    throw new AuthorizationError('client_not_allowed', wayBack(authRequest), { detail });
  }
  await denyWaitingDevice(needs, authRequest);
  throw new AuthError('client_not_allowed', { detail });
}
