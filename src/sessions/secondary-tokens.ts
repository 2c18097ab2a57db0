// The external JWT that must come with every call when the caller's policy names a signer (spec 5.1). A verified token
// is remembered, so that the next call with it costs only a hash, until it expires or something changes: the signer's
// record, or the keys that verified it.

import { namesIdentity } from '../login/external-jwt/external-jwt.ts';
import { readForeignJwt } from '../login/external-jwt/foreign-jwt.ts';
import { type SecondaryVerdict, verifySecondaryJwt } from '../login/external-jwt/secondary-jwt.ts';
import { enabledSigner } from '../login/external-jwt/signer-directory.ts';
import type { ExternalJwtServices } from '../login/services.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { SignerId } from '../model/ids.ts';
import type { PassedMethod } from '../model/login.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import type { LackingJwt } from '../model/principal.ts';
import { recentMap } from '../platform/caches.ts';
import { type Millis, SECOND } from '../platform/clock.ts';
import { sha256 } from '../platform/digest.ts';
import type { VerificationKey } from '../platform/jwk/jws-signature.ts';

export type SecondaryTokens = ReturnType<typeof secondaryTokens>;

interface ProvenByCall {
  readonly passed: readonly PassedMethod[];
  readonly lackingJwt?: LackingJwt;
}

interface CallWithTokens {
  /** The proofs of the login. */
  readonly passed: readonly PassedMethod[];
  readonly identity: Pick<Identity, 'id' | 'externalId'>;
  /** The tokens of the request, without the one that identifies the caller. */
  readonly tokens: readonly string[];
  /** When the tokens count. */
  readonly now: Millis;
}

interface SeenToken {
  readonly signer: ExternalJwtSigner;
  readonly claim: string;
  /** The published keys for its `kid` (without one: all) when it was verified; null: the signer has a certificate. */
  readonly keys: readonly VerificationKey[] | null;
  readonly kid: string | null;
  /** Invalid from this point on. */
  readonly until: Millis;
}

/** @param threads number of request threads: together they remember 10,000 tokens */
export function secondaryTokens(needs: ExternalJwtServices, threads = 1) {
  const seen = recentMap<string, SeenToken>(Math.ceil(10_000 / threads));

  function isStillGood({ signer, keys, kid, until }: SeenToken, now: Millis): boolean {
    if (now >= until) return false;
    return keys === null || needs.jwks.peek(signer.id, kid) === keys;
  }

  /** Read before verifying a token: a key set that changes during the verification would spoil the comparison. */
  function keysOf(signer: ExternalJwtSigner, token: string): Pick<SeenToken, 'keys' | 'kid'> | undefined {
    if (signer.certPem !== null) return { keys: null, kid: null };
    const kid = headerOf(token)?.kid ?? null;
    const keys = needs.jwks.peek(signer.id, kid);
    return keys === undefined ? undefined : { keys, kid };
  }

  async function verify(
    signerId: SignerId,
    { identity, tokens, now }: Omit<CallWithTokens, 'passed'>,
  ): Promise<LackingJwt | undefined> {
    const signer = enabledSigner(needs.signers, signerId);
    const keys = new Map(signer === undefined ? [] : tokens.map((token) => [token, keysOf(signer, token)]));
    const { record, failures } = failureNotes();
    const verdict = await verifySecondaryJwt(
      { ...needs, clock: { ...needs.clock, now: () => now } },
      { signerId, identity, tokens },
      record,
    );
    if (verdict.verdict === 'refused')
      return {
        signerId,
        issuer: needs.signers.find(signerId)?.issuer ?? null,
        error: verdict.error,
        detail: `secondary external JWT: ${failures.join('; ')}`,
      };
    const remembered = keys.get(verdict.token);
    if (remembered !== undefined) seen.set(sha256(verdict.token), { ...remembered, ...factsOf(verdict) });
    return undefined;
  }

  return {
    /**
     * The proofs of a call whose policy requires a token of the signer: it must name the identity, and the proof that came
     * with the login no longer counts. The guard decides what its absence means: a session may always be ended.
     * Answers without a promise if the token is remembered.
     */
    proven(signerId: SignerId, { passed, ...call }: CallWithTokens): ProvenByCall | Promise<ProvenByCall> {
      const proof = `ejs:${signerId}` as const;
      const own = passed.filter((method) => method !== proof);
      const complete = { passed: [...own, proof] };
      const signer = enabledSigner(needs.signers, signerId);
      for (const token of call.tokens) {
        const known = seen.get(sha256(token));
        if (known === undefined || known.signer !== signer || !isStillGood(known, call.now)) continue;
        if (namesIdentity(known.signer, known.claim, call.identity)) return complete;
      }
      return verify(signerId, call).then((lackingJwt) =>
        lackingJwt === undefined ? complete : { passed: own, lackingJwt },
      );
    },
    /** Whether a token claims to be from a signer, and so is not a token of this service. Nothing is verified. */
    isForeign(token: string) {
      const issuer = headerOf(token)?.issuer;
      return needs.signers.all().some((signer) => signer.enabled && signer.issuer === issuer);
    },
  };
}

function factsOf(
  verdict: Extract<SecondaryVerdict, { verdict: 'passed' }>,
): Pick<SeenToken, 'signer' | 'claim' | 'until'> {
  const { signer, claim, claims } = verdict.jwt;
  const expiry = (Number(claims.exp) + signer.leewaySeconds) * SECOND;
  return { signer, claim, until: Math.min(expiry, signer.notAfter ?? expiry) };
}

function headerOf(token: string): { readonly kid: string | null; readonly issuer: string } | undefined {
  try {
    return readForeignJwt(token);
  } catch {
    // Not a JWT. The verifier will refuse it.
    return undefined;
  }
}

/** Calls leave no decision record: the reasons of a refusal go to the log with the request. */
function failureNotes(): { readonly record: AttemptRecorder; readonly failures: readonly string[] } {
  const failures: string[] = [];
  const record: AttemptRecorder = {
    passed() {},
    failed(check, reason, saw) {
      failures.push(`${check}: ${reason}${saw === undefined ? '' : `, ${saw}`}`);
      return null;
    },
    seen() {},
    about() {},
  };
  return { record, failures };
}
