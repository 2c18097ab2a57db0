// login/ holds the rules that both mechanisms share: who is it, and is that enough? It knows neither HTTP nor
// the carriers (authorization request, legacy session).

import { AuthError } from '../errors/auth-error.ts';
import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import type { AuthPolicy } from '../model/auth-policy.ts';
import type { Identity } from '../model/identity.ts';
import type { Credentials, LoginProgress } from '../model/login.ts';
import { type PasswordLoginNeeds, verifyPassword } from './password.ts';
import { usernameKey } from './username.ts';

export interface PrimaryResult {
  readonly identity: Identity;
  readonly policy: AuthPolicy;
  readonly progress: LoginProgress;
}

export type PrimaryNeeds = PasswordLoginNeeds & { readonly audit: AuditTrail };

/**
 * Verifies primary credentials and says who it is. The progress is a fresh one: nothing that was proven before
 * is carried into it.
 * @throws AuthError invalid_auth for every cause alike; the audit trail has the reason
 */
export async function authenticatePrimary(
  needs: PrimaryNeeds,
  credentials: Credentials,
  origin: RequestOrigin,
  clientId: string,
): Promise<PrimaryResult> {
  const verdict = await verifyPassword(needs, credentials.username, credentials.password);
  if (verdict.verdict === 'refused') {
    needs.audit.record(
      {
        event: 'login.refused',
        method: credentials.method,
        reason: verdict.reason,
        identityId: verdict.identityId,
        username: usernameKey(credentials.username) ?? null,
      },
      origin,
    );
    throw new AuthError('invalid_auth', { detail: verdict.reason });
  }
  const { identity, policy, authenticatorId } = verdict;
  needs.audit.record(
    { event: 'login.succeeded', method: credentials.method, identityId: identity.id, clientId },
    origin,
  );
  return {
    identity,
    policy,
    progress: {
      identityId: identity.id,
      authenticatorId,
      passed: [credentials.method],
      authTime: needs.clock.now(),
      certThumbprint: null,
    },
  };
}
