// External JWTs that a program sends to a login: as the primary proof, or alone as the secondary proof that a policy
// requires after the primary one was accepted (spec 3.1).

import { enabledSigner } from '../../login/external-jwt/signer-directory.ts';
import { verifyExternalJwt } from '../../login/external-jwt/verify-external-jwt.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { OidcServices } from '../services.ts';
import { type CameWithLogin, submitPrimary, submitSecondary } from './login-flow.ts';
import type { LoginStep } from './next-step.ts';
import { isSamePlace } from './open-auth-request.ts';

/**
 * Takes the bearer tokens of a login. Several tokens always mean a primary login, with the secondary proof among them.
 * @throws AuthError as submitPrimary
 */
export async function submitExternalJwts(
  needs: OidcServices,
  authRequest: AuthRequest,
  came: CameWithLogin,
): Promise<LoginStep> {
  const { bearers: tokens, origin } = came;
  const [token, ...others] = tokens;
  if (others.length === 0 && (await isAwaited(needs, authRequest, token)))
    return submitSecondary(needs, authRequest, { tokens, origin });
  const credentials = { method: 'ext-jwt', tokens } as const;
  return submitPrimary(needs, authRequest, { ...came, credentials });
}

/**
 * Whether this is the missing secondary token of a login in progress. True also for an expired, invalid or absent
 * token and for one of another identity, so that the refusal names the missing factor and logs in no other person
 * instead. False for one of another signer.
 */
async function isAwaited(
  needs: OidcServices,
  authRequest: AuthRequest,
  token: string | undefined,
): Promise<boolean> {
  const login = await needs.store.authRequests.findLogin(authRequest.key, needs.clock.now());
  if (login === null || login.hasCode) return false;
  if (!isSamePlace(login.authRequest.browserBinding, authRequest.browserBinding)) return false;
  const { identityId, passed } = login.progress;
  const account = await needs.store.identities.findAccount(identityId);
  const signerId = account?.policy.secondary.requireExtJwt ?? null;
  if (signerId === null || passed.includes(`ejs:${signerId}`)) return false;
  if (enabledSigner(needs.signers, signerId) === undefined) return false;
  if (token === undefined) return true;
  const verdict = await verifyExternalJwt(needs, needs.signers.all(), token);
  if (verdict.verdict === 'valid') return verdict.signer.id === signerId;
  // What is no JWT at all belongs to no other signer.
  return verdict.outward !== 'missing' && (verdict.signerId ?? signerId) === signerId;
}
