// legacy/ carries the shared login rules over API sessions with an opaque token (spec 3.4), a mechanism that new
// clients should not use. Rules about identification and outstanding factors stand in login/.
//
// The mechanism is this folder, sessions/zt-session.ts with its view, and http/legacy/.

import { AuthError } from '../errors/auth-error.ts';
import type { ChallengeError } from '../errors/challenge.ts';
import { refusalOfUnasked, type UnaskedRefusal } from '../login/auth-query.ts';
import { authenticatePrimary, type PrimaryResult } from '../login/authenticate-primary.ts';
import { clientProgramOf } from '../login/client-program.ts';
import { requireConfigTypes, resolveConfigTypes } from '../login/config-types.ts';
import { submitSecondaryJwt } from '../login/external-jwt/secondary-jwt.ts';
import { endOldestSessions, recordNewProgram } from '../login/opened-session.ts';
import { askedOfLogin, askedOfSessions, outstandingFactors } from '../login/outstanding-factors.ts';
import { checkedAgain, type PrimaryProof } from '../login/primary-verdict.ts';
import type { LoginServices } from '../login/services.ts';
import { provenFactors } from '../login/standing.ts';
import { forgetFailures, forgetFailuresIfAny } from '../login/throttle.ts';
import { verifyTotp } from '../login/totp/totp.ts';
import type { ApiSession } from '../model/api-session.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import type { ClientInfo } from '../model/client-info.ts';
import type { Identity } from '../model/entities/identity.ts';
import { type ApiSessionId, asId } from '../model/ids.ts';
import type { Credentials, Factor } from '../model/login.ts';
import type { OwnCall, Principal } from '../model/principal.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';
import type { Millis } from '../platform/clock.ts';
import type { OpenLegacySession } from '../store/contracts/api-sessions.ts';
import type { Store } from '../store/contracts/store.ts';
import { mintOpaqueToken } from '../tokens/opaque-token.ts';

export interface LegacyServices extends LoginServices {
  readonly store: Store;
  /** How long a session lives without being used. */
  readonly sessionTimeout: Millis;
  /** Drops a session from the memory of this node. */
  forgetSession(id: ApiSessionId): void;
}

export interface OpenedSession {
  readonly session: ApiSession;
  readonly identity: Identity;
  /** The value of the `zt-session` header; exists only here. */
  readonly token: string;
  /** Empty when fully authenticated. */
  readonly outstanding: readonly Factor[];
  /** Why the outstanding external JWT was refused, if one is outstanding. */
  readonly jwtError: ChallengeError;
}

/** Credentials that a client may send together with the primary ones. */
export interface CameWithLogin {
  /** Tokens: one of them may be the secondary proof. */
  readonly bearers: readonly string[];
  readonly configTypes: readonly string[];
  readonly origin: RequestOrigin;
  readonly clientInfo?: ClientInfo | undefined;
}

/**
 * Opens a session for primary credentials; partially authenticated when factors are outstanding.
 * @throws AuthError could_not_validate, invalid_auth, rate_limited, busy
 * @throws AuthError password_change_required, passkey_required   see below
 */
export async function authenticate(
  needs: LegacyServices,
  credentials: Credentials,
  { bearers, configTypes, origin, clientInfo }: CameWithLogin,
): Promise<OpenedSession> {
  const wanted = configTypes.length === 0 ? [] : requireConfigTypes(configTypes);
  const primary = await authenticatePrimary(needs, credentials, { mechanism: 'legacy', origin });
  refuseIfBound(needs, primary, origin);
  await requireNothingUnknown(needs, primary, origin);
  const signerId = primary.account.policy.secondary.requireExtJwt;
  const secondary =
    signerId === null
      ? null
      : await submitSecondaryJwt(needs, { signerId, primary, bearers }, { mechanism: 'legacy', origin });
  const { progress } = secondary ?? primary;
  const said = clientInfo === undefined ? {} : { clientInfo };
  const place = { ipAddress: origin.ipAddress, ...clientProgramOf(origin.userAgent, clientInfo) };
  const id = asId<ApiSessionId>(needs.random.id());
  const { text, hash } = mintOpaqueToken(needs, 'zt-session', { id, generation: 1 });
  const now = needs.clock.now();
  const proven = provenFactors(needs, progress);
  const session = await needs.store.apiSessions.openLegacy({
    id,
    tokenHash: hash,
    progress: { ...progress, ...said, place },
    issuer: origin.issuer,
    configTypes: wanted.length === 0 ? [] : await resolveConfigTypes(needs, wanted),
    ipAddress: origin.ipAddress,
    expiresAt: now + needs.sessionTimeout,
    now,
    isComplete: outstandingFactors(primary.account.policy, askedOfSessions, proven).length === 0,
    ...checkedAgain(primary.proof, secondary?.vouched ?? null),
    ...certificatesOf(primary.proof),
  });
  const account = await needs.store.identities.findAccount(progress.identityId);
  if (session === null || account === null)
    throw new AuthError('invalid_auth', {
      detail:
        'disabled, or its authenticator, external id, signer or CA removed or changed, during the login',
    });
  const asked = { ...askedOfLogin(account, now), newPassword: null };
  const outstanding = outstandingFactors(account.policy, asked, proven);
  if (outstanding.length === 0)
    await forgetFailuresIfAny(needs.store, progress.identityId, progress.authenticatorId);
  needs.audit.record({ event: 'session.opened', identityId: progress.identityId, sessionId: id }, origin);
  recordNewProgram(needs, { session, origin }, session.newProgram);
  await endOldestSessions(needs, { ...session, lacksFactors: outstanding.length > 0 }, origin);
  return {
    session,
    identity: account.identity,
    token: text,
    outstanding,
    jwtError: secondary?.error ?? 'missing',
  };
}

/**
 * The mechanism has no step to replace a password or to ask for a passkey, and its clients know none. A caller who has
 * to do either gets an error that says so, and logs in with a browser or by OIDC.
 * @throws AuthError password_change_required, passkey_required
 */
async function requireNothingUnknown(
  needs: LegacyServices,
  { proof, progress, account }: PrimaryResult,
  origin: RequestOrigin,
): Promise<void> {
  const { identityId } = progress;
  const fresh =
    proof.method === 'password'
      ? (proof.current ?? (await needs.store.identities.findAccount(identityId)))
      : null;
  const asked = fresh === null ? askedOfSessions : askedOfLogin(fresh, needs.clock.now());
  const lacking = outstandingFactors((fresh ?? account).policy, asked, provenFactors(needs, progress));
  const refusal = refusalOfUnasked(lacking);
  if (refusal === null) return;
  const step = { step: proof.method, mechanism: 'legacy', origin } as const;
  needs.attempts.refuse(step, { identityId }, ...recordedAs[refusal]);
  throw new AuthError(refusal);
}

/** The check that failed, its reason and its finding. */
const recordedAs: Readonly<
  Record<UnaskedRefusal, readonly [check: string, reason: RefusalReason, saw: string]>
> = {
  passkey_required: ['passkey', 'passkey-required', 'the policy asks for it, which this mechanism cannot'],
  password_change_required: [
    'password',
    'password-change-required',
    'it has to be replaced, which this mechanism cannot',
  ],
};

/**
 * The mechanism knows no key to which a session could be bound.
 * @throws AuthError invalid_auth   the auth policy demands one
 */
function refuseIfBound(
  { attempts }: LegacyServices,
  { proof, progress, account: { policy } }: PrimaryResult,
  origin: RequestOrigin,
): void {
  if (!policy.requireDpop) return;
  const { identityId } = progress;
  const saw = 'the auth policy of the identity demands tokens that are bound to a key';
  const step = { step: proof.method, mechanism: 'legacy', origin } as const;
  attempts.refuse(step, { identityId }, 'key', 'dpop-required', saw);
  throw new AuthError('invalid_auth', { detail: 'dpop-required: the auth policy of the identity' });
}

/** The chain against which each later call is checked: such a call may come over a connection without a certificate. */
function certificatesOf(proof: PrimaryProof): Pick<OpenLegacySession, 'certChain'> {
  if (proof.method !== 'cert') return {};
  return { certChain: proof.certificates.map((der) => der.toString('base64')) };
}

/**
 * Takes a TOTP or recovery code for a session. The same token stays in use.
 * @throws AuthError invalid_totp_code, rate_limited
 * @throws AuthError unauthorized   the session ended meanwhile
 */
export async function submitTotp(
  needs: LegacyServices,
  principal: Principal,
  { code, origin }: { code: string; origin: RequestOrigin },
): Promise<void> {
  const { identityId } = principal;
  await verifyTotp(needs, { identityId, code, mechanism: 'legacy', origin });
  needs.audit.record({ event: 'login.passed', method: 'totp', identityId }, origin);
  await totpPassed(needs, { caller: principal, origin });
  const lacksFactors = principal.outstanding.some(({ type }) => type !== 'totp');
  const passed = [...principal.passed, 'totp' as const];
  if (!lacksFactors) await endOldestSessions(needs, { identityId, passed, lacksFactors }, origin);
}

/** Records that the caller of a legacy session has proven TOTP, by a code or by enrolling it. */
export async function totpPassed(
  needs: Pick<LegacyServices, 'forgetSession' | 'clock' | 'audit'> & {
    readonly store: Pick<LegacyServices['store'], 'apiSessions' | 'attempts'>;
  },
  { caller: { apiSessionId, identityId, outstanding }, origin }: OwnCall,
): Promise<void> {
  const isComplete = outstanding.every(({ type }) => type === 'totp');
  const completedAt = isComplete && outstanding.length > 0 ? needs.clock.now() : null;
  const added = await needs.store.apiSessions.addPassed(apiSessionId, 'totp', completedAt);
  if (added === null) throw new AuthError('unauthorized');
  needs.forgetSession(apiSessionId);
  if (!isComplete) return;
  const session = await needs.store.apiSessions.find(apiSessionId);
  if (session !== null) recordNewProgram(needs, { session, origin }, added.newProgram);
  await forgetFailures(needs.store, identityId, session?.authenticatorId ?? null);
}
