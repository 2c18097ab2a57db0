// What the grants of the token endpoint need and receive.

import { AuthError } from '../../errors/auth-error.ts';
import type { ApiSession } from '../../model/api-session.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthPolicy } from '../../model/entities/auth-policy.ts';
import type { PrimaryMethod } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';
import type { PresentedCertificates } from '../../sessions/session-certificate-view.ts';
import type { PresentedProof } from '../../tokens/dpop-proof.ts';
import type { ProofUse } from '../../tokens/dpop-verifier.ts';
import { type Client, isFapi } from '../clients.ts';
import type { Parameters } from '../parameters.ts';
import type { OidcServices } from '../services.ts';
import type { BasicCredentials } from './authenticate-client.ts';

export interface TokenRequest {
  readonly parameters: Parameters;
  readonly basic: BasicCredentials | null;
  readonly origin: RequestOrigin;
  /** Whether it says nothing of a browser. */
  readonly isFromProgram: boolean;
  /** Those on the connection, or null; called only if a code or a session may be bound to one. */
  readonly clientCertificates: () => PresentedCertificates | null;
  /** Of a key (RFC 9449); null for none. `provenKey` checks it. */
  readonly proof: PresentedProof | null;
  /** On the monotonic clock. */
  readonly arrivedAt: Millis;
}

/** What a grant receives: a known client and parameters that it reads with `required` and `optional`. */
export interface GrantRequest extends Omit<TokenRequest, 'basic'> {
  readonly client: Client;
  /** The resources that the access token is for (RFC 8707). */
  readonly resources: readonly string[];
}

// The key that a token request proves (RFC 9449 5), to which its tokens are bound.

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
