// The steps of a login on an authorization request. Each ends in `nextStep`; steps never call each other.

import { keptKey } from '../../certificates/client-certificate-issuer.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { authenticatePrimary } from '../../login/authenticate-primary.ts';
import { clientProgramOf } from '../../login/client-program.ts';
import { requireConfigTypes, resolveConfigTypes } from '../../login/config-types.ts';
import { submitSecondaryJwt } from '../../login/external-jwt/secondary-jwt.ts';
import { hashNewPassword } from '../../login/password/new-password.ts';
import { checkNewPassword, samePassword } from '../../login/password/password-rules.ts';
import { checkedAgain } from '../../login/primary-verdict.ts';
import type { LoginServices } from '../../login/services.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { ClientInfo } from '../../model/client-info.ts';
import type { PasswordPolicy } from '../../model/entities/auth-policy.ts';
import type { Identity } from '../../model/entities/identity.ts';
import type { AuthenticatorId, SignerId } from '../../model/ids.ts';
import type { Credentials, PassedMethod, Vouched } from '../../model/login.ts';
import type { LoginRecord, StoredCode } from '../../store/contracts/auth-requests.ts';
import type { OidcServices } from '../services.ts';
import { type LoginStep, nextStep, outstandingNow, queriesStep, requireStillAllowed } from './next-step.ts';
import {
  authRequestLifetime,
  requireSameBrowser,
  requireSamePlace,
  signInOver,
} from './open-auth-request.ts';

/** Values that a primary login may contain together with its credentials. */
export interface CameWithLogin {
  /** Added to those of the authorization request. */
  readonly configTypes: readonly string[];
  /** Tokens; one of them may be the secondary proof. */
  readonly bearers: readonly string[];
  readonly origin: RequestOrigin;
  /** PEM of a certificate request, which asks for a session certificate with the tokens. */
  readonly csrPem?: string | undefined;
  readonly clientInfo?: ClientInfo | undefined;
}

/**
 * Takes primary credentials for an authorization request.
 * @throws AuthError auth_request_unknown, invalid_auth, rate_limited, busy
 * @throws AuthError csr_not_acceptable   after the credentials were accepted; nothing is recorded
 * @throws AuthError could_not_validate   too many or too long configTypes
 */
export async function submitPrimary(
  needs: OidcServices,
  authRequest: AuthRequest,
  { credentials, ...came }: CameWithLogin & { credentials: Credentials },
): Promise<LoginStep> {
  const { configTypes, bearers, origin, csrPem, clientInfo } = came;
  await requireOpen(needs, authRequest);
  const wanted = withConfigTypes(authRequest, configTypes);
  const { droppedScopes = [] } = authRequest;
  const primary = await authenticatePrimary(needs, credentials, { mechanism: 'oidc', origin, droppedScopes });
  // Not earlier: strangers must not make us read or verify a certificate request.
  const certified =
    csrPem === undefined ? {} : { certificateKey: keptKey(needs.certificateIssuer.readRequest(csrPem)) };
  const merged = await asStored(needs, wanted);
  const signerId = primary.account.policy.secondary.requireExtJwt;
  const secondary =
    signerId === null
      ? null
      : await submitSecondaryJwt(needs, { signerId, primary, bearers }, { mechanism: 'oidc', origin });
  const said = clientInfo === undefined ? {} : { clientInfo };
  const place = { ipAddress: origin.ipAddress, ...clientProgramOf(origin.userAgent, clientInfo) };
  const progress = { ...(secondary ?? primary).progress, ...certified, ...said, place };
  const record = (code: StoredCode | null) =>
    needs.store.authRequests.recordPrimaryLogin({
      authRequest: merged,
      progress,
      code,
      expiresAt: authRequest.createdAt + authRequestLifetime,
      now: needs.clock.now(),
      ...checkedAgain(primary.proof, secondary?.vouched ?? null),
    });
  // A foreign key may have been fetched for the second token, which takes time.
  const current = signerId === null && primary.proof.method === 'password' ? primary.proof.current : null;
  return nextStep(needs, merged, {
    progress,
    origin,
    record,
    primary: { error: secondary?.error ?? 'missing', current },
  });
}

function withConfigTypes(authRequest: AuthRequest, more: readonly string[]): AuthRequest {
  if (more.length === 0) return authRequest;
  return { ...authRequest, configTypes: requireConfigTypes([...authRequest.configTypes, ...more]) };
}

/** The request as it is stored: with the ids of its configuration types, and without a token. */
export async function asStored(needs: LoginServices, authRequest: AuthRequest): Promise<AuthRequest> {
  const tokenless = withoutToken(authRequest);
  if (tokenless.configTypes.length === 0) return tokenless;
  return { ...tokenless, configTypes: await resolveConfigTypes(needs, tokenless.configTypes) };
}

function withoutToken({ meant, ...request }: AuthRequest): AuthRequest {
  return meant === undefined ? request : { ...request, meant: { identityId: meant.identityId } };
}

/**
 * Takes the external JWT that the policy requires in addition, for a login whose primary step is done. A wrong one ends
 * nothing: the factor stays outstanding, and the challenge has the reason.
 * @param sent.signerId the signer at whose provider the person signed in; any unless given
 * @throws AuthError auth_request_unknown   no primary login on this request
 * @throws AuthError invalid_auth           no such token is required
 */
export async function submitSecondary(
  needs: OidcServices,
  authRequest: AuthRequest,
  sent: { tokens: readonly string[]; signerId?: SignerId; origin: RequestOrigin },
): Promise<LoginStep> {
  const { tokens, origin } = sent;
  const login = await loginInProgress(needs, authRequest);
  const account = await needs.store.identities.findAccount(login.progress.identityId);
  if (account === null) throw new AuthError('invalid_auth', { detail: 'the identity was deleted' });
  const signerId = account.policy.secondary.requireExtJwt;
  if (signerId === null) throw new AuthError('invalid_auth', { detail: 'no second token is asked for' });
  const primary = { account, progress: login.progress };
  const bearers = (sent.signerId ?? signerId) === signerId ? tokens : [];
  const { progress, vouched, error } = await submitSecondaryJwt(
    needs,
    { signerId, primary, bearers },
    { mechanism: 'oidc', origin },
  );
  const factors = progress.passed.filter((method) => !login.progress.passed.includes(method));
  if (factors.length > 0) return factorPassed(needs, login, { factors, vouched, origin });
  const outstanding = await outstandingNow(needs, login.progress);
  return queriesStep(needs, authRequest, { outstanding, progress, error });
}

/** The outstanding factors. @throws AuthError auth_request_unknown   no primary login on this request */
export async function outstandingQueries(
  needs: OidcServices,
  authRequest: AuthRequest,
): Promise<Extract<LoginStep, { kind: 'queries' }>> {
  const { progress } = await loginInProgress(needs, authRequest);
  const outstanding = await outstandingNow(needs, progress);
  return queriesStep(needs, authRequest, { outstanding, progress, error: 'missing' });
}

/**
 * Where the login of a browser stands: the outstanding factors, or the code if there are none, which happens when a
 * policy is relaxed between two steps. The page of a login must not end there.
 * @throws AuthError auth_request_unknown   no primary login on this request
 * @throws AuthError invalid_auth           nothing is outstanding, but the login is no longer allowed
 */
export async function resumeLogin(
  needs: OidcServices,
  authRequest: AuthRequest,
  origin: RequestOrigin,
): Promise<LoginStep> {
  const queries = await outstandingQueries(needs, authRequest);
  if (queries.authQueries.length > 0 || queries.newApp !== null) return queries;
  return factorPassed(needs, await loginInProgress(needs, authRequest), { origin });
}

/**
 * Checks that a primary login is still possible: within ten minutes of the start, or as long as an enrollment keeps the
 * request open (spec 3.2), not after the code was issued, and not while another browser continues with it.
 * @throws AuthError auth_request_unknown
 */
export async function requireOpen(needs: OidcServices, authRequest: AuthRequest): Promise<void> {
  const now = needs.clock.now();
  const login = await needs.store.authRequests.findLogin(authRequest.key, now);
  const isOpen = login === null ? now < authRequest.createdAt + authRequestLifetime : !login.hasCode;
  if (login !== null) {
    const { browserBinding } = authRequest;
    requireSameBrowser(login.authRequest.browserBinding, browserBinding === null ? [] : [browserBinding]);
  }
  if (!isOpen) throw signInOver(needs, authRequest);
}

/**
 * The record of a request that has a primary login and no code yet.
 * @throws AuthError auth_request_unknown
 */
export async function loginInProgress(needs: OidcServices, authRequest: AuthRequest): Promise<LoginRecord> {
  const login = await needs.store.authRequests.findLogin(authRequest.key, needs.clock.now());
  if (login !== null) requireSamePlace(login.authRequest.browserBinding, authRequest.browserBinding);
  if (login === null || login.hasCode) throw signInOver(needs, authRequest);
  return login;
}

/**
 * Takes the new password that has to replace the one used for this login. Everything else was proven before, so
 * a person who only knows the old password cannot set one. Ends the identity's other sessions and logins.
 * @throws AuthError auth_request_unknown       no primary login on this request, or it is superseded
 * @throws AuthError invalid_auth               the login is no longer allowed
 * @throws AuthError conflict                   no new password is required, or another factor is outstanding
 * @throws AuthError password_not_acceptable    with every reason; the login stays
 */
export async function replacePassword(
  needs: OidcServices,
  authRequest: AuthRequest,
  { password, origin }: { password: string; origin: RequestOrigin },
): Promise<LoginStep> {
  const login = await loginInProgress(needs, authRequest);
  const { key } = login.authRequest;
  const { authenticatorId } = login.progress;
  const { identity } = await requireStillAllowed(needs, login.progress, origin);
  const [first] = await outstandingNow(needs, login.progress);
  if (first?.type !== 'password-change' || authenticatorId === null) {
    // Another login that has replaced the password meanwhile has ended this one.
    await loginInProgress(needs, authRequest);
    if (first !== undefined) throw anotherFirst();
    throw new AuthError('conflict', { description: 'Nothing asks for a new password in this login' });
  }
  const passwordHash = await hashOfReplacement(
    needs,
    { authenticatorId, identity, rules: first.rules },
    password,
  );
  const { generation } = login;
  const now = needs.clock.now();
  const change = { key, generation, authenticatorId, passwordHash, now };
  if (!(await needs.store.authRequests.replacePassword(change)))
    throw new AuthError('auth_request_unknown', { detail: 'the login is superseded' });
  needs.audit.record({ event: 'account.changed', change: 'password', identityId: identity.id }, origin);
  return factorPassed(needs, login, { origin });
}

/** The refusal of a step that comes too early. */
export function anotherFirst(): AuthError {
  return new AuthError('conflict', { description: 'Another query of this login has to be answered before' });
}

async function hashOfReplacement(
  needs: OidcServices,
  {
    authenticatorId,
    identity,
    rules,
  }: { authenticatorId: AuthenticatorId; identity: Identity; rules: PasswordPolicy },
  password: string,
): Promise<string> {
  const { authenticators } = needs.store;
  const authenticator = await authenticators.find(authenticatorId);
  const present =
    authenticator?.method === 'updb'
      ? await authenticators.findPasswordLogin(authenticator.usernameKey)
      : null;
  if (present === null) throw new AuthError('invalid_auth', { detail: 'the password was deleted' });
  const ownNames = [present.authenticator.username, identity.name];
  // A password that breaks the rules costs no hash.
  checkNewPassword(password, rules, ownNames);
  if (await needs.hasher.matches(present.passwordHash, password, identity.id)) throw samePassword();
  return hashNewPassword(needs, password, { policy: rules, ownNames, source: identity.id });
}

/**
 * Records a proven factor, and answers with the next step.
 * @param passed.factors      none unless given
 * @param passed.vouched      the claim of the token that proved it
 * @param passed.offersNewApp whether the login leads through setting up the app anew; as before unless given
 */
export async function factorPassed(
  needs: OidcServices,
  login: LoginRecord,
  passed: {
    factors?: readonly PassedMethod[];
    vouched?: Vouched | null;
    origin: RequestOrigin;
    offersNewApp?: boolean;
  },
): Promise<LoginStep> {
  const {
    factors = [],
    vouched = null,
    origin,
    offersNewApp = login.progress.offersNewApp === true,
  } = passed;
  const { generation, progress: known, expiresAt } = login;
  const { key } = login.authRequest;
  // Another answer of a passkey takes the place of one that did not prove its owner.
  const replaced = factors.some((factor) => factor.startsWith('passkey:')) ? ['user'] : [];
  const progress = {
    ...known,
    passed: [...new Set([...known.passed.filter((one) => !replaced.includes(one)), ...factors])],
    offersNewApp,
  };
  const step = await nextStep(needs, login.authRequest, {
    progress,
    origin,
    record: (code) =>
      needs.store.authRequests.recordFactor({
        key,
        generation,
        known,
        progress,
        vouched,
        code,
        expiresAt,
        now: needs.clock.now(),
      }),
  });
  if (step !== 'outdated') return step;
  // Two factors came at once, and the other one was faster: add this one to it.
  const current = await loginInProgress(needs, login.authRequest);
  if (current.generation !== generation)
    throw new AuthError('auth_request_unknown', { detail: 'the login is superseded' });
  return factorPassed(needs, current, passed);
}
