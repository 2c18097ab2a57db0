// The key that a token request proves (RFC 9449 5), to which its tokens are bound.

import { AuthError } from '../../errors/auth-error.ts';
import type { ApiSession } from '../../model/api-session.ts';
import type { AuthPolicy } from '../../model/entities/auth-policy.ts';
import type { PrimaryMethod } from '../../model/login.ts';
import type { ProofUse } from '../../tokens/dpop-verifier.ts';
import { isFapi } from '../clients.ts';
import type { OidcServices } from '../services.ts';
import type { GrantRequest } from './grant.ts';

/**
 * The thumbprint of the key that the request proves; null without a proof. Asked only once the request has presented
 * something that this service gave out: a stranger can make a proof, but not have it checked.
 * @throws AuthError invalid_dpop_proof, use_dpop_nonce   nothing but the proof is used up
 */
export async function provenKey(
  { proofs, clock }: Pick<OidcServices, 'proofs' | 'clock'>,
  { proof, client }: Pick<GrantRequest, 'proof' | 'client'>,
  use: Pick<ProofUse, 'owner' | 'needsNonce'>,
): Promise<string | null> {
  if (proof === null) return null;
  const verdict = await proofs.verify(
    proof,
    { accessToken: null, isFapi: isFapi(client), ...use },
    clock.now(),
  );
  if (verdict.verdict === 'proven') return verdict.keyThumbprint;
  const { reason: description } = verdict;
  throw new AuthError(verdict.verdict === 'invalid' ? 'invalid_dpop_proof' : 'use_dpop_nonce', {
    description,
  });
}

/** A session that is to get tokens, and whether they are bound to a key. */
interface Binding {
  readonly session: Pick<ApiSession, 'identityId' | 'passed'>;
  readonly policy: Pick<AuthPolicy, 'requireDpop'>;
  readonly isBound: boolean;
}

/**
 * The refusal of tokens that anybody could use, where the application or the auth policy demands a key; null where
 * nothing demands one. Records what demands it.
 */
export function keyObjection(
  { attempts }: Pick<OidcServices, 'attempts'>,
  { client, origin }: Pick<GrantRequest, 'client' | 'origin'>,
  { session, policy, isBound }: Binding,
): AuthError | null {
  const isOfClient = client.registered?.requireDpop === true;
  if (isBound || !(isOfClient || policy.requireDpop)) return null;
  const attempt = attempts.begin(session.passed[0] as PrimaryMethod, 'oidc', origin);
  attempt.about({ identityId: session.identityId });
  const demanding = isOfClient ? `the application ${client.clientId}` : 'the auth policy of the identity';
  attempt.failed('key', 'dpop-required', `${demanding} demands tokens that are bound to a key`);
  attempt.conclude();
  return new AuthError('invalid_dpop_proof', {
    description: 'tokens must be bound to a key here: log in with a client that sends DPoP proofs (RFC 9449)',
    detail: `dpop-required: ${demanding}`,
  });
}
