// Whether a DPoP proof counts: for this request, fresh, and for the first time (RFC 9449 4.3, 8, 11.1). Everything that
// accepts a proof asks here. docs/decisions/dpop.md has the reasons.

import { AuthError } from '../errors/auth-error.ts';
import { fapiAlgorithms } from '../model/entities/oidc-client.ts';
import { after } from '../platform/after.ts';
import { recentMap } from '../platform/caches.ts';
import { hmacSha256, sha256 } from '../platform/digest.ts';
import { MINUTE, type Millis, SECOND } from '../platform/time-units.ts';
import { dpopNonces } from './dpop-nonce.ts';
import { type DpopProof, type PresentedProof, type ProofKey, ProofRefused, readProof } from './dpop-proof.ts';
import type { ProofMemory, ProofOnce } from './used-proofs.ts';

export type ProofVerdict =
  | { readonly verdict: 'proven'; readonly keyThumbprint: string }
  /** `reason` is for the client. */
  | { readonly verdict: 'invalid'; readonly reason: string }
  | { readonly verdict: 'needs-nonce'; readonly reason: string };

/** The request that a proof belongs to. */
export interface ProofUse {
  /** Null at the token endpoint. */
  readonly accessToken: string | null;
  /** See `PresentedOnce`; null: the proof may be used again, because it changes nothing. */
  readonly owner: string | null;
  /** Whether the time that the client states does not count alone. */
  readonly needsNonce?: boolean;
  /** Whether only the algorithms of FAPI 2.0 count. */
  readonly isFapi?: boolean;
}

export type DpopVerifier = ReturnType<typeof dpopVerifier>;

/** How old a proof may be, and how far the clock of its client ahead; with a nonce, that clock may be off by more. */
const plain = { oldest: MINUTE, ahead: 30 * SECOND };
const withNonce = { oldest: 5 * MINUTE, ahead: MINUTE };

/**
 * @param nonceKey of all that share the memory
 * @param keys     how many keys of clients are kept
 */
export function dpopVerifier(nonceKey: Buffer, memory: ProofMemory, keys = 2000) {
  const nonces = dpopNonces(hmacSha256(nonceKey, memory.epoch));
  const knownKeys = recentMap<string, ProofKey>(keys);
  const proven = new WeakMap<
    PresentedProof,
    { readonly accessToken: string | null; verdict: ProofVerdict }
  >();

  function freshness({ issuedAt, nonce }: DpopProof, needsNonce: boolean, now: Millis): ProofVerdict | null {
    const { oldest, ahead } = nonce === null ? plain : withNonce;
    if (nonce !== null && !nonces.isGood(nonce, now)) return needsNew('the nonce has expired');
    if (issuedAt <= now - withNonce.oldest || issuedAt > now + withNonce.ahead)
      return invalid('iat is too far from the time of this server');
    if (nonce !== null) return null;
    if (needsNonce) return needsNew('this request needs a nonce');
    if (issuedAt <= now - oldest || issuedAt > now + ahead)
      return needsNew('iat is too far from the time of this server to count without a nonce');
    return issuedAt - ahead < memory.startedAt ? needsNew('this server has just started') : null;
  }

  return {
    /** The nonces that the next proof of a client may contain. */
    nonces,
    /**
     * The reason for which a client has to sign a proof again, with a nonce; null when it does not, or when the proof is
     * not valid. Uses nothing up.
     */
    wantsNonce(presented: PresentedProof, needsNonce: boolean, now: Millis) {
      try {
        const objection = freshness(readProof(presented, null, knownKeys.get), needsNonce, now);
        return objection?.verdict === 'needs-nonce' ? objection.reason : null;
      } catch (error) {
        if (error instanceof ProofRefused) return null;
        throw error;
      }
    },
    /**
     * Uses the proof of a request up. Asked again for the same request, it says the same.
     * @throws AuthError busy
     */
    verify(
      presented: PresentedProof,
      { accessToken, owner, needsNonce = false, isFapi = false }: ProofUse,
      now: Millis,
    ): ProofVerdict | Promise<ProofVerdict> {
      const before = proven.get(presented);
      if (before?.accessToken === accessToken) return before.verdict;
      let proof: DpopProof;
      try {
        proof = readProof(presented, accessToken, knownKeys.get);
      } catch (error) {
        if (error instanceof ProofRefused) return invalid(error.reason);
        throw error;
      }
      if (isFapi && !fapiAlgorithms.includes(proof.key.alg))
        return invalid(`alg is none of ${fapiAlgorithms.join(', ')}, which FAPI 2.0 allows`);
      const objection = freshness(proof, needsNonce, now);
      if (objection !== null) return objection;
      const { thumbprint } = proof.key;
      const { oldest } = proof.nonce === null ? plain : withNonce;
      const settle = (once: ProofOnce): ProofVerdict => {
        if (once === 'full') throw new AuthError('busy', { detail: 'the memory for DPoP proofs is full' });
        if (once === 'used') return invalid('it was used before: each request needs a proof of its own');
        const verdict = { verdict: 'proven', keyThumbprint: thumbprint } as const;
        proven.set(presented, { accessToken, verdict });
        // Only keys to which one of our tokens is bound.
        if (accessToken !== null) knownKeys.set(proof.header, proof.key);
        return verdict;
      };
      if (owner === null) return { verdict: 'proven', keyThumbprint: thumbprint };
      const id = sha256(`${thumbprint}\0${proof.jti}`);
      return after(memory.use({ id, owner, until: proof.issuedAt + oldest }, now), settle);
    },
  };
}

function invalid(reason: string): ProofVerdict {
  return { verdict: 'invalid', reason: `the DPoP proof is not valid: ${reason}` };
}

function needsNew(reason: string): ProofVerdict {
  return { verdict: 'needs-nonce', reason: `sign again with the nonce in DPoP-Nonce: ${reason}` };
}
