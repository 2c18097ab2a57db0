// Values for the store's suites: every call makes new ones, so that tests can share a database.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthRequest } from '../../src/model/auth-request.ts';
import type { Identity } from '../../src/model/entities/identity.ts';
import {
  type ApiSessionId,
  type AuthenticatorId,
  type AuthRequestKey,
  asId,
  type IdentityId,
  type StoredName,
} from '../../src/model/ids.ts';
import type { Filter, ListQuery } from '../../src/model/list-query.ts';
import type { LoginProgress } from '../../src/model/login.ts';
import { typedName } from '../../src/model/names.ts';
import { DAY, HOUR, MINUTE, type Millis, SECOND } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { RenewSession, RotateRefreshToken } from '../../src/store/contracts/api-sessions.ts';
import type { RedeemCode } from '../../src/store/contracts/auth-requests.ts';
import type { NewIdentity } from '../../src/store/contracts/identities.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import { listOf } from '../support/list-budget.ts';
import { userNamed } from '../support/names.ts';

/** When the stories of the tests begin. */
export const t0: Millis = Date.parse('2026-03-01T12:00:00Z');
export const sessionLifetime = DAY;

export interface Folder {
  path(name: string): string;
  remove(): void;
}

export function temporaryFolder(): Folder {
  const home = mkdtempSync(join(tmpdir(), 'overlay-auth-store-'));
  return { path: (name) => join(home, name), remove: () => rmSync(home, { recursive: true, force: true }) };
}

export function newId<Id extends string>(): Id {
  return systemRandom.id() as Id;
}

export function uniqueName(prefix = 'name'): StoredName {
  return typedName(`${prefix}-${systemRandom.bytes(6).toString('hex')}`);
}

export function newIdentity(changes: Partial<NewIdentity> = {}): NewIdentity {
  return {
    id: newId<IdentityId>(),
    name: uniqueName('user'),
    type: 'User',
    externalId: null,
    authPolicyId: null,
    isAdmin: false,
    roleAttributes: [],
    tags: {},
    ...changes,
  };
}

export function newPassword(username: string = uniqueName('login')) {
  return { id: newId<string>(), ...userNamed(username), passwordHash: '$argon2id$1' };
}

/** An identity with a password. */
export async function createUser(store: Store, changes: Partial<NewIdentity> = {}) {
  const identity = newIdentity(changes);
  const password = newPassword();
  await store.identities.create(identity, password, t0);
  return { id: identity.id, identity, password, authenticatorId: asId<AuthenticatorId>(password.id) };
}

export type User = Awaited<ReturnType<typeof createUser>>;

export function newAuthRequest(changes: Partial<AuthRequest> = {}): AuthRequest {
  return {
    key: newId<AuthRequestKey>(),
    clientId: 'overlay',
    redirectUri: 'http://localhost:8400/auth/callback',
    scopes: ['openid', 'offline_access'],
    state: 's1',
    nonce: 'n1',
    codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    issuer: 'https://localhost:1280/oidc',
    requestedMethod: null,
    configTypes: [],
    browserBinding: null,
    createdAt: t0,
    ...changes,
  };
}

export function progressOf(user: User, changes: Partial<LoginProgress> = {}): LoginProgress {
  return {
    identityId: user.id,
    authenticatorId: user.authenticatorId,
    signerId: null,
    caId: null,
    passed: ['password'],
    authTime: t0,
    certThumbprint: null,
    ...changes,
  };
}

/** A login that has reached its code. */
export async function loginWithCode(
  store: Store,
  user: User,
  changes: { request?: Partial<AuthRequest>; progress?: Partial<LoginProgress>; codeExpiresAt?: Millis } = {},
) {
  const authRequest = newAuthRequest(changes.request);
  const codeHash = uniqueName('code');
  const outcome = await store.authRequests.recordPrimaryLogin({
    authRequest,
    progress: progressOf(user, changes.progress),
    code: { hash: codeHash, expiresAt: changes.codeExpiresAt ?? t0 + MINUTE, forgetFailures: [] },
    expiresAt: t0 + 10 * MINUTE,
    now: t0,
  });
  if (outcome !== 'recorded') throw new Error(outcome);
  return { authRequest, codeHash };
}

export type Login = Awaited<ReturnType<typeof loginWithCode>>;

export function redemption({ authRequest, codeHash }: Login, changes: Partial<RedeemCode> = {}): RedeemCode {
  const id = newId<ApiSessionId>();
  return {
    key: authRequest.key,
    codeHash,
    clientId: authRequest.clientId,
    redirectUri: authRequest.redirectUri,
    codeChallenge: authRequest.codeChallenge,
    issuer: authRequest.issuer,
    certThumbprint: null,
    keyThumbprint: null,
    now: t0 + SECOND,
    session: {
      id,
      ipAddress: '192.0.2.1',
      program: null,
      isForProgram: true,
      toldUntil: null,
      expiresAt: t0 + sessionLifetime,
      refresh: { hash: `${id}-1`, expiresAt: t0 + sessionLifetime, familyExpiresAt: t0 + 30 * DAY },
    },
    ...changes,
  };
}

/** An open session, with a refresh token of generation 1. */
export async function openSession(
  store: Store,
  user: User,
  changes: Parameters<typeof loginWithCode>[2] & {
    session?: Partial<RedeemCode['session']>;
    keyThumbprint?: string;
  } = {},
): Promise<ApiSessionId> {
  const certThumbprint = changes.progress?.certThumbprint ?? null;
  const { keyThumbprint = null } = changes;
  const redeem = redemption(await loginWithCode(store, user, changes), { certThumbprint, keyThumbprint });
  const session = { ...redeem.session, ...changes.session };
  const outcome = await store.authRequests.redeemCode({ ...redeem, session });
  if (outcome.outcome !== 'redeemed') throw new Error(outcome.reason);
  return session.id;
}

/** Presents the refresh token of `generation`, as `openSession` and earlier rotations have made it. */
export function rotation(
  sessionId: ApiSessionId,
  generation: number,
  changes: Partial<RotateRefreshToken> = {},
): RotateRefreshToken {
  const now = changes.now ?? t0 + MINUTE * generation;
  return {
    sessionId,
    presentedHash: `${sessionId}-${generation}`,
    presentedGeneration: generation,
    nextGeneration: generation + 1,
    clientId: 'overlay',
    issuer: 'https://localhost:1280/oidc',
    certThumbprint: null,
    keyThumbprint: null,
    nextHash: `${sessionId}-${generation + 1}`,
    nextExpiresAt: now + sessionLifetime,
    sessionExpiresAt: now + sessionLifetime,
    ipAddress: '192.0.2.1',
    duplicateWindow: 2 * SECOND,
    ...changes,
    now,
  };
}

export function renewal(sessionId: ApiSessionId, changes: Partial<RenewSession> = {}): RenewSession {
  return {
    sessionId,
    clientId: 'overlay',
    issuer: 'https://localhost:1280/oidc',
    certThumbprint: null,
    keyThumbprint: null,
    expiresAt: t0 + 2 * sessionLifetime,
    ipAddress: '192.0.2.8',
    now: t0 + MINUTE,
    ...changes,
  };
}

export async function isAlive(store: Store, id: ApiSessionId): Promise<boolean> {
  const session = await store.apiSessions.find(id);
  return session !== null && session.endedAt === null;
}

export function query(changes: Partial<ListQuery> & { filter?: Filter } = {}): ListQuery {
  return { ...listOf({ op: 'true' }), ...changes };
}

export function namesOf(page: { readonly items: readonly Pick<Identity, 'name'>[] }): readonly string[] {
  return page.items.map(({ name }) => name);
}

export { DAY, HOUR, MINUTE, SECOND };
