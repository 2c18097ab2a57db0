import { AuthError } from '../errors/auth-error.ts';
import { freshProofChallenge } from '../errors/challenge.ts';
import type { OwnCall, Principal } from '../model/principal.ts';
import { MINUTE, type Millis } from '../platform/clock.ts';
import { proveCurrentPassword } from './password/current-password.ts';
import type { LoginServices } from './services.ts';

/** How old a login may be to count as a fresh proof. */
const freshFor: Millis = 5 * MINUTE;

/** The proof that a call presents in addition to its token. */
export interface OfferedProof {
  readonly currentPassword: string | undefined;
  /** SHA-256 of the client certificate on the connection, base64url; null when there is none. */
  readonly leafThumbprint: string | null;
}

/**
 * Makes the caller prove again who they are before a factor of their account is added or removed: a stolen token or an
 * abandoned session must not be enough. Accepted are the current password, a login of the last five minutes (of another
 * provider too, if that says when it was), or the certificate that opened the session.
 * @throws AuthError unauthorized    with a challenge that says so (RFC 9470)
 * @throws AuthError invalid_field, rate_limited, busy   the current password was sent and refused
 */
export async function requireFreshProof(
  needs: LoginServices,
  call: OwnCall,
  { currentPassword, leafThumbprint }: OfferedProof,
): Promise<void> {
  const { caller } = call;
  if (currentPassword !== undefined) {
    await proveCurrentPassword(needs, call, currentPassword);
    return;
  }
  if (needs.clock.now() - caller.authTime <= freshFor) return;
  if (await isOpeningCertificate(needs, caller, leafThumbprint)) return;
  throw freshProofNeeded(
    caller,
    'A fresh proof is needed: send the current password as currentPassword, or log in again',
  );
}

export function freshProofNeeded(caller: Principal, description: string): AuthError {
  return new AuthError('unauthorized', { description, challenges: [freshProofChallenge(caller, freshFor)] });
}

/** Looked up for a bound token too: a certificate that was issued for the session may have proven that one. */
async function isOpeningCertificate(
  { store }: LoginServices,
  { apiSessionId }: Principal,
  leafThumbprint: string | null,
): Promise<boolean> {
  if (leafThumbprint === null) return false;
  return (await store.apiSessions.find(apiSessionId))?.certThumbprint === leafThumbprint;
}

/**
 * The same for the authenticator app. Existing programs use its endpoints and know no fresh proof. They know no passkeys,
 * so those are not exempt: the thief of a token could add one and keep the account.
 * @throws AuthError as requireFreshProof
 */
export async function requireFreshProofForApp(
  needs: LoginServices,
  call: OwnCall,
  proof: OfferedProof,
): Promise<void> {
  const { apiSessionId, clientId } = call.caller;
  // Anybody may name the client id of a program, so it counts only where no browser had a part in the login.
  const mayBeExempt = proof.currentPassword === undefined && needs.clientsWithoutFreshProof.has(clientId);
  const session = mayBeExempt ? await needs.store.apiSessions.find(apiSessionId) : null;
  if (session?.openedByProgram) return;
  await requireFreshProof(needs, call, proof);
}
