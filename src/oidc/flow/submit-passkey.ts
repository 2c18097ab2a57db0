// Passkeys in a login: as the first proof, as the one that the policy asks for in addition, and a new one where the policy
// asks for it and the identity has none.

import { AuthError } from '../../errors/auth-error.ts';
import { mayAddFactor } from '../../login/outstanding-factors.ts';
import {
  askForPasskey,
  type RequestOptions,
  secondProof,
  verifySecondPasskey,
} from '../../login/passkey/passkey.ts';
import { isAnswerTo, passkeySiteOf } from '../../login/passkey/question.ts';
import {
  addPasskey,
  askForNewPasskey,
  type CreationOptions,
  requireSite,
} from '../../login/passkey/register-passkey.ts';
import { recordedAttempt } from '../../login/recorded-attempt.ts';
import { countRefusal, requireOpenSource } from '../../login/throttle.ts';
import type { Account } from '../../model/account.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { AskedIn, Factor } from '../../model/login.ts';
import { type Assertion, type Attestation, clientDataOf } from '../../platform/webauthn.ts';
import type { LoginRecord } from '../../store/contracts/auth-requests.ts';
import type { OidcServices } from '../services.ts';
import {
  anotherFirst,
  type CameWithLogin,
  factorPassed,
  loginInProgress,
  requireOpen,
  submitPrimary,
} from './login-flow.ts';
import { type LoginStep, outstandingFor, requireStillAllowed } from './next-step.ts';
import { authRequestMaxLifetime, isSamePlace } from './open-auth-request.ts';

function askedIn(needs: OidcServices, { key, issuer, browserBinding }: AuthRequest): AskedIn {
  return { site: passkeySiteOf(needs, issuer), flow: key, browser: browserBinding };
}

/**
 * Asks for the passkey that this login lacks, or for one to begin it with.
 * @param username as typed; undefined: none
 * @throws AuthError auth_request_unknown
 * @throws AuthError conflict   no passkey works at this address
 */
export async function passkeyQuestion(
  needs: OidcServices,
  authRequest: AuthRequest,
  username: string | undefined,
): Promise<RequestOptions> {
  await requireOpen(needs, authRequest);
  const asked = requireSite(askedIn(needs, authRequest));
  const awaited = await awaitedPasskey(needs, authRequest);
  return askForPasskey(needs, { asked, of: awaited?.account ?? null, username });
}

/**
 * Takes the answer of a passkey. Its purpose is sealed in the question.
 * @throws AuthError as submitPrimary
 * @throws AuthError invalid_passkey   as the second proof
 */
export async function submitPasskey(
  needs: OidcServices,
  authRequest: AuthRequest,
  { answer, ...came }: CameWithLogin & { answer: Assertion },
): Promise<LoginStep> {
  const asked = askedIn(needs, authRequest);
  const awaited = await awaitedPasskey(needs, authRequest);
  const clientData = clientDataOf(answer);
  if (awaited === null || clientData === undefined)
    return submitPrimary(needs, authRequest, { ...came, credentials: { method: 'passkey', answer, asked } });
  const { login, account } = awaited;
  const identityId = account.identity.id;
  if (!isAnswerTo(needs, { ...asked, purpose: 'secondary', identityId }, clientData))
    return submitPrimary(needs, authRequest, { ...came, credentials: { method: 'passkey', answer, asked } });
  const { origin } = came;
  await requireOpenSource(needs, origin.ipAddress);
  const step = { step: 'secondary-passkey', mechanism: 'oidc', origin } as const;
  const factors = await recordedAttempt(needs, step, async (attempt) => {
    attempt.about({ identityId });
    const verified = await verifySecondPasskey(needs, { answer, asked, origin, identityId }, attempt);
    if (verified !== null) return verified;
    await countRefusal(needs, origin.ipAddress);
    throw new AuthError('invalid_passkey');
  });
  needs.audit.record({ event: 'login.passed', method: 'secondary-passkey', identityId }, origin);
  return factorPassed(needs, login, { factors, origin });
}

interface Awaited {
  readonly login: LoginRecord;
  readonly account: Account;
}

/** The login in progress here that lacks a passkey of its identity, which has one; null: none. */
async function awaitedPasskey(needs: OidcServices, authRequest: AuthRequest): Promise<Awaited | null> {
  const login = await needs.store.authRequests.findLogin(authRequest.key, needs.clock.now());
  if (login === null || login.hasCode) return null;
  if (!isSamePlace(login.authRequest.browserBinding, authRequest.browserBinding)) return null;
  const account = await needs.store.identities.findAccount(login.progress.identityId);
  if (account === null) return null;
  const lacking = outstandingFor(needs, account, login.progress).find(isPasskey);
  return lacking?.isEnrolled ? { login, account } : null;
}

const isPasskey = (factor: Factor) => factor.type === 'passkey';

/**
 * Asks for a new passkey, which the policy requires and the identity lacks. The login stays open meanwhile.
 * @throws AuthError auth_request_unknown, invalid_auth
 * @throws AuthError conflict   nothing asks for one in this login, or not before another factor; and as askForNewPasskey
 */
export async function askToRegister(
  needs: OidcServices,
  authRequest: AuthRequest,
  origin: RequestOrigin,
): Promise<CreationOptions> {
  const { account } = await lackingPasskey(needs, authRequest, origin);
  const options = await askForNewPasskey(needs, {
    account,
    asked: askedIn(needs, authRequest),
    purpose: 'register',
  });
  await needs.store.authRequests.extend(authRequest.key, authRequest.createdAt + authRequestMaxLifetime);
  return options;
}

/**
 * Takes the new passkey, which counts as this login's second proof.
 * @throws AuthError as askToRegister
 * @throws AuthError invalid_passkey
 * @throws AuthError could_not_validate   the name
 */
export async function registerInLogin(
  needs: OidcServices,
  authRequest: AuthRequest,
  { answer, name, origin }: { answer: Attestation; name: string | undefined; origin: RequestOrigin },
): Promise<LoginStep> {
  const { login, account } = await lackingPasskey(needs, authRequest, origin);
  const registration = {
    account,
    asked: askedIn(needs, authRequest),
    purpose: 'register',
    answer,
    name,
    origin,
  } as const;
  const added = await addPasskey(needs, registration, 'oidc');
  return factorPassed(needs, login, { factors: secondProof(added), origin });
}

/** A login that has to add a passkey now, once everything else is proven. */
async function lackingPasskey(
  needs: OidcServices,
  authRequest: AuthRequest,
  origin: RequestOrigin,
): Promise<Awaited> {
  const login = await loginInProgress(needs, authRequest);
  const account = await requireStillAllowed(needs, login.progress, origin);
  const outstanding = outstandingFor(needs, account, login.progress);
  const lacking = outstanding.find(isPasskey);
  if (lacking === undefined || lacking.isEnrolled)
    throw new AuthError('conflict', { description: 'Nothing asks for a new passkey in this login' });
  if (!mayAddFactor('passkey', outstanding)) throw anotherFirst();
  return { login, account };
}
