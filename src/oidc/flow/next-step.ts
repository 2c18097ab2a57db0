// The next step of a login: the code, or the factors that are outstanding. Only this file decides. It reads identity,
// policy and authenticator again, because the steps of a login are minutes apart.

import { AuthError, AuthorizationError } from '../../errors/auth-error.ts';
import type { Challenge, ChallengeError } from '../../errors/challenge.ts';
import { authQueryOf, refusalOfUnasked, type UnaskedRefusal } from '../../login/auth-query.ts';
import { secondaryChallenge } from '../../login/external-jwt/external-jwt-challenge.ts';
import { askedOfLogin, outstandingFactors } from '../../login/outstanding-factors.ts';
import { isEnabled, stillHasAuthenticator } from '../../login/primary-verdict.ts';
import { type OpeningObjection, openingObjection, provenFactors } from '../../login/standing.ts';
import { failureKeys } from '../../login/throttle.ts';
import type { Account } from '../../model/account.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import { clientScopes } from '../../model/entities/oidc-client.ts';
import type { AuthQuery, Factor, LoginProgress } from '../../model/login.ts';
import { openingStep, type StepResult } from '../../model/login-attempt.ts';
import type { RefusalReason } from '../../model/refusal-reason.ts';
import type { PrimaryRecorded, StoredCode } from '../../store/contracts/auth-requests.ts';
import { mintOpaqueToken } from '../../tokens/opaque-token.ts';
import { mayUse } from '../clients.ts';
import { denyWaitingDevice } from '../device/device-login.ts';
import { isForDevice } from '../redirect-uri.ts';
import type { OidcServices } from '../services.ts';
import { newBrowserSession, noteOpened } from './browser-session.ts';
import { type Handover, handOver, wayBack } from './callback.ts';
import { codeLifetime, deviceCodeLifetime } from './open-auth-request.ts';

/** The answer to a login step. */
export type LoginStep =
  /** Finished: the client gets the code, and the browser the cookie of its new session, if any. */
  | (Handover & { readonly cookie?: string })
  /** Partially authenticated: these factors remain. */
  | {
      readonly kind: 'queries';
      readonly outstanding: readonly Factor[];
      /** As a client is asked for them. */
      readonly authQueries: readonly AuthQuery[];
      /** With what programs are refused, because this client's SDKs cannot ask the question; people see a page. */
      readonly refusesPrograms: UnaskedRefusal | null;
      /** Nothing remains, but the person wants to set up the authenticator app anew; null: does not. */
      readonly newApp: { readonly recoveryCodesLeft: number } | null;
      /** Says which external JWT is missing; empty when no such token is required. */
      readonly challenges: readonly Challenge[];
    };

/** Path at which TOTP codes are submitted during an OIDC login. */
const totpUrl = '/oidc/login/totp';

const laterStep = { error: 'missing', current: null } as const;

/**
 * Records the proof, and answers with the code when nothing is outstanding. Identity, policy, authenticator,
 * signers and enrollment are read again for this decision, and a failed read refuses. Only this answer contains the
 * code: no endpoint returns it again (RFC 9700 4.5).
 * @param primary.error   of the challenge, when an external JWT is outstanding
 * @param primary.current the account as the primary step has just read it, without a later wait for anything but the
 *                        store; it is not read again then
 */
export async function nextStep<Outcome extends PrimaryRecorded | 'superseded' | 'outdated'>(
  needs: OidcServices,
  authRequest: AuthRequest,
  {
    progress,
    origin,
    record,
    primary = laterStep,
  }: {
    progress: LoginProgress;
    origin: RequestOrigin;
    record: (code: StoredCode | null) => Promise<Outcome>;
    primary?: { error: ChallengeError; current: Account | null };
  },
): Promise<LoginStep | Extract<Outcome, 'outdated'>> {
  const account = primary.current ?? (await requireStillAllowed(needs, progress, origin));
  const outstanding = outstandingFor(needs, account, progress);
  // Only once everything is proven: a thief of a password must not learn who may use which application.
  if (outstanding.length === 0) await requireMayUse(needs, authRequest, { origin, account, progress });
  const isComplete = outstanding.length === 0 && progress.offersNewApp !== true;
  const code = isComplete ? mintOpaqueToken(needs, 'code', { id: authRequest.key, generation: 1 }) : null;
  const wanted = authRequest.browserSession;
  const opened =
    code === null || wanted === undefined ? null : newBrowserSession(needs, { authRequest, wanted }, origin);
  const recorded = await record(
    code === null
      ? null
      : {
          hash: code.hash,
          expiresAt: needs.clock.now() + (isForDevice(authRequest) ? deviceCodeLifetime : codeLifetime),
          forgetFailures: failureKeys(progress.identityId, progress.authenticatorId),
          ...(opened === null ? {} : { browserSession: opened.stored }),
        },
  );
  if (isOutdated(recorded)) return recorded;
  if (recorded === 'changed') {
    // Says so if the identity was disabled.
    await requireStillAllowed(needs, progress, origin);
    throw proofChanged(needs, progress, origin);
  }
  if (recorded !== 'recorded')
    throw new AuthError('auth_request_unknown', { detail: `the login is ${recorded}` });
  if (code === null) return queriesStep(needs, authRequest, { outstanding, progress, error: primary.error });
  await noteDroppedScopes(needs, authRequest);
  const handover = handOver(needs, authRequest, code.text);
  if (opened === null) return handover;
  noteOpened(
    needs,
    { browserSessionId: opened.stored.id, authRequest, identityId: progress.identityId },
    origin,
  );
  return { ...handover, cookie: opened.cookie };
}

/**
 * Tells administrators which supported scopes an application asks for and does not have. Only for a finished login, so
 * that strangers write nothing; an application that asks for the same again writes nothing either.
 */
export async function noteDroppedScopes(
  { clients, store, clock }: OidcServices,
  { clientId, droppedScopes = [] }: AuthRequest,
): Promise<void> {
  const client = clients.find(clientId)?.registered;
  if (!client) return;
  const known = [...client.scopes, ...client.droppedScopes];
  const missing = clientScopes.filter((scope) => droppedScopes.includes(scope) && !known.includes(scope));
  if (missing.length > 0) await store.oidcClients.noteDroppedScopes(client.id, missing, clock.now());
}

/** @typeParam Outcome the possible outcomes of recording; not every recording can be outdated */
function isOutdated<Outcome extends string>(outcome: Outcome): outcome is Extract<Outcome, 'outdated'> {
  return outcome === 'outdated';
}

/** The refusal of a login whose proof was taken away or changed between verifying and recording it. */
function proofChanged(needs: OidcServices, progress: LoginProgress, origin: RequestOrigin): AuthError {
  const saw = `${whatChanged(progress)} during the login`;
  const { identityId } = progress;
  needs.attempts.refuse(openingStep(progress, origin), { identityId }, 'unchanged', 'changed-meanwhile', saw);
  return new AuthError('invalid_auth');
}

function whatChanged({ authenticatorId, caId, passed }: LoginProgress): string {
  if (authenticatorId === null) return 'the external id, its signer or its CA was changed';
  if (passed.some((method) => method.startsWith('ejs:'))) return 'a credential or the signer was changed';
  if (caId !== null) return 'the authenticator was deleted, or its CA changed,';
  return passed[0] === 'password' ? 'the password was changed' : 'the authenticator was deleted';
}

/** @throws AuthError invalid_auth   the identity was deleted */
export async function outstandingNow(
  needs: OidcServices,
  progress: LoginProgress,
): Promise<readonly Factor[]> {
  const account = await needs.store.identities.findAccount(progress.identityId);
  if (account === null) throw new AuthError('invalid_auth', { detail: 'the identity was deleted' });
  return outstandingFor(needs, account, progress);
}

/** The outstanding factors, by the one rule. */
export function outstandingFor(
  needs: OidcServices,
  account: Account,
  progress: LoginProgress,
): readonly Factor[] {
  const asked = askedOfLogin(account, needs.clock.now());
  return outstandingFactors(account.policy, asked, provenFactors(needs, progress));
}

/** Whether everything is proven, and the person wants to set up the authenticator app anew. */
export function isNewAppOffered(progress: LoginProgress, outstanding: readonly Factor[]): boolean {
  return progress.offersNewApp === true && outstanding.length === 0;
}

/** The answer that asks for the outstanding factors. */
export async function queriesStep(
  { clients, signers, store }: OidcServices,
  { clientId }: AuthRequest,
  {
    outstanding,
    progress,
    error,
  }: { outstanding: readonly Factor[]; progress: LoginProgress; error: ChallengeError },
): Promise<Extract<LoginStep, { kind: 'queries' }>> {
  // Existing SDKs look for this word only.
  const isExistingSdk = clients.find(clientId)?.profile === 'compatibility';
  const totpType = isExistingSdk ? 'TOTP' : 'MFA';
  const isOffered = isNewAppOffered(progress, outstanding);
  const enrolled = isOffered ? await store.totp.find(progress.identityId) : null;
  return {
    kind: 'queries',
    outstanding,
    authQueries: outstanding.map((factor) => authQueryOf(factor, { totpUrl, signers, totpType })),
    newApp: isOffered ? { recoveryCodesLeft: enrolled?.recoveryCodesLeft ?? 0 } : null,
    refusesPrograms: isExistingSdk ? refusalOfUnasked(outstanding) : null,
    challenges: outstanding
      .filter((factor) => factor.type === 'ext-jwt')
      .map((factor) => secondaryChallenge(signers, factor.signerId, error)),
  };
}

/** @throws AuthError invalid_auth   the identity, its policy or its authenticator no longer allows this login */
export async function requireStillAllowed(
  needs: OidcServices,
  progress: LoginProgress,
  origin: RequestOrigin,
): Promise<Account> {
  const account = await stillAllowed(needs, progress, origin);
  if (account === null) throw new AuthError('invalid_auth');
  return account;
}

/** The account of a login; null, and recorded, when the identity, its policy or its authenticator no longer allows it. */
export async function stillAllowed(
  needs: OidcServices,
  progress: LoginProgress,
  origin: RequestOrigin,
): Promise<Account | null> {
  const account = await needs.store.identities.findAccount(progress.identityId);
  const step = openingStep(progress, origin);
  const { verdict } = await needs.attempts.decide(step, async (attempt): Promise<StepResult> => {
    if (account === null) attempt.failed('identity exists', 'changed-meanwhile', 'the identity was deleted');
    else if (isEnabled(account, attempt, needs.clock.now())) {
      const objection = openingObjection(needs, account.policy, progress);
      if (objection !== null) attempt.failed(...recordedAs[objection]);
      else if (await stillHasAuthenticator(needs, progress)) return { verdict: 'unrecorded' };
      else attempt.failed('authenticator exists', 'changed-meanwhile', 'the authenticator was deleted');
    }
    return { verdict: 'refused' };
  });
  return verdict === 'refused' ? null : account;
}

/** The check that failed, its reason and its finding. */
const recordedAs: Readonly<
  Record<OpeningObjection, readonly [name: string, reason: RefusalReason, saw: string]>
> = {
  'method-not-allowed': ['method allowed', 'method-not-allowed', 'the policy was changed during the login'],
  'signer-disabled': ['signer enabled', 'signer-disabled', 'the signer was disabled or deleted'],
  'signer-not-allowed': ['signer allowed', 'signer-not-allowed', 'the policy was changed during the login'],
  'signer-not-independent': [
    'signer independent',
    'signer-not-independent',
    'the policy was changed during the login',
  ],
  'passkey-not-independent': [
    'passkey independent',
    'passkey-not-independent',
    'the policy was changed during the login',
  ],
  'passkey-unverified': ['user verified', 'passkey-unverified', 'the policy was changed during the login'],
  'authority-disabled': ['authority enabled', 'changed-meanwhile', 'the authority was disabled'],
};

/**
 * Whether the person who logged in may use the application, and is the one it asked for. Checked only once everything
 * is proven: a thief of a password must not learn who may use which application.
 * @throws AuthorizationError client_not_allowed   the identity may not use the application, which is told so
 * @throws AuthError client_not_allowed            the same on a page, for a device: its code no longer works
 * @throws AuthorizationError login_required       the client has named another person (OIDC 3.1.2.1, id_token_hint)
 */
export async function requireMayUse(
  needs: OidcServices,
  authRequest: AuthRequest,
  { origin, account, progress }: { origin: RequestOrigin; account: Account; progress: LoginProgress },
): Promise<void> {
  const { identity } = account;
  const { clientId } = authRequest;
  const meant = authRequest.meant?.identityId ?? identity.id;
  if (meant !== identity.id) throw new AuthorizationError('login_required', wayBack(authRequest));
  const client = needs.clients.find(clientId);
  if (client === undefined || mayUse(client, identity)) return;
  const wanted = client.registered?.allowedRoleAttributes.join(', ') ?? '';
  const saw = `${clientId} is for ${wanted}`;
  const who = { identityId: identity.id };
  const step = openingStep(progress, origin);
  needs.attempts.refuse(step, who, 'application allowed', 'client-not-allowed', saw);
  const detail = `the client ${clientId} is not for this identity`;
  if (!isForDevice(authRequest))
    throw new AuthorizationError('client_not_allowed', wayBack(authRequest), { detail });
  await denyWaitingDevice(needs, authRequest);
  throw new AuthError('client_not_allowed', { detail });
}
