import { encodeBase64url, sha256 } from '../../platform/digest.ts';
import type { Random } from '../../platform/random.ts';

/** What only the program that began an authorization request knows until the tokens are there. */
export interface AuthorizationAttempt {
  readonly codeVerifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** Fresh secrets, 256 bits each. @see RFC 7636 section 4.1 */
export function newAttempt(random: Random): AuthorizationAttempt {
  const secret = () => encodeBase64url(random.bytes(32));
  return { codeVerifier: secret(), state: secret(), nonce: secret() };
}

/** The `S256` code challenge of a verifier. @see RFC 7636 section 4.2 */
export function codeChallenge(codeVerifier: string): string {
  return sha256(codeVerifier);
}
