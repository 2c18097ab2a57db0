// The key that a token request proves (RFC 9449 5), to which its tokens are bound.

import { AuthError } from '../../errors/auth-error.ts';
import type { ProofUse } from '../../tokens/dpop-verifier.ts';
import type { OidcServices } from '../services.ts';
import type { GrantRequest } from './grant.ts';

/**
 * The thumbprint of the key that the request proves; null without a proof. Asked only once the request has presented
 * something that this service gave out: a stranger can make a proof, but not have it checked.
 * @throws AuthError invalid_dpop_proof, use_dpop_nonce   nothing but the proof is used up
 */
export async function provenKey(
  { proofs, clock }: Pick<OidcServices, 'proofs' | 'clock'>,
  { proof }: Pick<GrantRequest, 'proof'>,
  use: Pick<ProofUse, 'owner' | 'needsNonce'>,
): Promise<string | null> {
  if (proof === null) return null;
  const verdict = await proofs.verify(proof, { accessToken: null, ...use }, clock.now());
  if (verdict.verdict === 'proven') return verdict.keyThumbprint;
  const { reason: description } = verdict;
  throw new AuthError(verdict.verdict === 'invalid' ? 'invalid_dpop_proof' : 'use_dpop_nonce', {
    description,
  });
}
