import { AuthError } from '../errors/auth-error.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import type { Credentials, LoginProgress } from '../model/login.ts';
import type { AttemptRecorder, StepOrigin } from '../model/login-attempt.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import { quoted } from '../platform/formats/quoted.ts';
import { verifyCertificate } from './certificate/certificate.ts';
import { verifyPrimaryJwt } from './external-jwt/external-jwt.ts';
import { verifyPasskey } from './passkey/passkey.ts';
import { verifyPassword } from './password/password.ts';
import type { LoginAccount, PrimaryProof, PrimaryVerdict } from './primary-verdict.ts';
import type { LoginServices } from './services.ts';
import { countRefusal, requireOpenSource } from './throttle.ts';

export interface PrimaryResult {
  readonly account: LoginAccount;
  readonly progress: LoginProgress;
  readonly proof: PrimaryProof;
}

/** Longer than a refusal usually takes, hash included. A person who has mistyped does not notice it. */
const refusalStep: Millis = 50;

/** For the record of an attempt. */
export function droppedScopesNote(scopes: readonly string[]): string {
  return `asked for, and not among those of the application: ${quoted(scopes)}`;
}

/**
 * Verifies primary credentials and says who it is. The progress is new: nothing proven earlier carries over. A refused
 * password is answered at a whole step of time after the request was complete.
 * @param step.droppedScopes those that an application asked for in vain, for the record
 * @throws AuthError invalid_auth   for every cause alike; the decision record has the reason
 * @throws AuthError rate_limited, busy
 */
export async function authenticatePrimary(
  needs: LoginServices,
  credentials: Credentials,
  { mechanism, origin, droppedScopes = [] }: StepOrigin & { droppedScopes?: readonly string[] },
): Promise<PrimaryResult> {
  const begunAt = needs.clock.monotonic();
  // For passwords, verifyPassword does this, where they are proven during a session too.
  if (credentials.method !== 'password') await requireOpenSource(needs, origin.ipAddress);
  const step = { step: credentials.method, mechanism, origin };
  const verdict = await needs.attempts.decide(step, async (attempt) => {
    const decided = await verify(needs, credentials, { attempt, origin });
    if (droppedScopes.length > 0) attempt.passed('scopes', droppedScopesNote(droppedScopes));
    return decided;
  });
  if (verdict.verdict === 'refused') {
    if (isPresentedProof(credentials)) await countRefusal(needs, origin.ipAddress);
    needs.audit.record({ event: 'login.refused', method: credentials.method }, origin);
    if (credentials.method === 'password') await nextStepOfTime(needs.clock, begunAt);
    throw new AuthError('invalid_auth', { challenges: verdict.challenges ?? [] });
  }
  const { account, proof } = verdict;
  const { identity } = account;
  needs.audit.record({ event: 'login.passed', method: proof.method, identityId: identity.id }, origin);
  const progress: LoginProgress = {
    ...restsOn(proof),
    identityId: identity.id,
    passed: proof.method === 'passkey' ? [proof.method, ...proof.marks] : [proof.method],
    authTime: authTimeOf(proof, needs.clock.now()),
  };
  return { account, proof, progress };
}

/**
 * Resolves a whole number of steps after `begunAt`, so that work shorter than a step does not show in the time of the
 * answer: a name that can be guessed must not be confirmed by a time. Other proofs cannot be guessed, so their refusals
 * do not wait. It counts from when the request is complete: its sender decides when the rest arrives, and could
 * otherwise place a step where the work ends.
 */
function nextStepOfTime(clock: Clock, begunAt: Millis): Promise<void> {
  const steps = Math.max(1, Math.ceil((clock.monotonic() - begunAt) / refusalStep));
  return clock.waitUntil(begunAt + steps * refusalStep);
}

/** A provider that knew the person already may have authenticated them long before, which makes the login no fresh proof. */
function authTimeOf(proof: PrimaryProof, now: Millis): Millis {
  return proof.method === 'ext-jwt' && proof.authTime !== null ? Math.min(proof.authTime, now) : now;
}

type RestsOn = Pick<LoginProgress, 'authenticatorId' | 'signerId' | 'caId' | 'certThumbprint'>;

/** The records on which the login, and later the session, depends. */
function restsOn(proof: PrimaryProof): RestsOn {
  const nothing = { authenticatorId: null, signerId: null, caId: null, certThumbprint: null };
  switch (proof.method) {
    case 'password':
    case 'passkey':
      return { ...nothing, authenticatorId: proof.authenticatorId };
    case 'cert': {
      const { authenticatorId, caId, certThumbprint } = proof;
      return { ...nothing, authenticatorId, caId, certThumbprint };
    }
    case 'ext-jwt':
      return { ...nothing, signerId: proof.signerId };
  }
}

/** Whether a certificate, token or passkey had to be checked; without one there was no work. */
function isPresentedProof(credentials: Credentials): boolean {
  switch (credentials.method) {
    case 'password':
      return false;
    case 'cert':
      return credentials.chain !== null;
    case 'ext-jwt':
      return credentials.tokens.length > 0;
    case 'passkey':
      return true;
  }
}

function verify(
  needs: LoginServices,
  credentials: Credentials,
  { attempt, origin }: { attempt: AttemptRecorder; origin: RequestOrigin },
): Promise<PrimaryVerdict> {
  switch (credentials.method) {
    case 'password':
      return verifyPassword(
        needs,
        { username: credentials.username, password: credentials.password, origin },
        attempt,
      );
    case 'cert':
      return verifyCertificate(needs, credentials.chain, attempt);
    case 'ext-jwt':
      return verifyPrimaryJwt(needs, { credentials, origin }, attempt);
    case 'passkey':
      return verifyPasskey(needs, { ...credentials, origin }, attempt);
  }
}
