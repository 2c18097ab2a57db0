// What most tests of the store need: a store on a file of its own, and values to put into it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthRequest } from '../../src/model/auth-request.ts';
import {
  type ApiSessionId,
  type AuthenticatorId,
  type AuthRequestKey,
  asId,
  type IdentityId,
} from '../../src/model/ids.ts';
import type { LoginProgress } from '../../src/model/login.ts';
import { DAY, HOUR, MINUTE, type Millis } from '../../src/platform/clock.ts';
import { sha256 } from '../../src/platform/digest.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { RotateRefreshToken } from '../../src/store/contracts/api-sessions.ts';
import type { RedeemCode } from '../../src/store/contracts/auth-requests.ts';
import type { NewIdentity } from '../../src/store/contracts/identities.ts';
import type { Store } from '../../src/store/contracts/store.ts';

/** When tests begin. */
export const start: Millis = Date.UTC(2026, 0, 1);

export interface Folder {
  path(name: string): string;
  remove(): void;
}

export function temporaryFolder(): Folder {
  const home = mkdtempSync(join(tmpdir(), 'overlay-auth-store-'));
  return { path: (name) => join(home, name), remove: () => rmSync(home, { recursive: true, force: true }) };
}

export function newIdentity(name: string, more: Partial<NewIdentity> = {}): NewIdentity {
  return {
    id: asId<IdentityId>(systemRandom.id()),
    name,
    type: 'User',
    externalId: null,
    authPolicyId: null,
    isAdmin: false,
    roleAttributes: [],
    tags: {},
    ...more,
  };
}

/** A password authenticator for `name`. */
export function newPassword(name: string) {
  return {
    id: systemRandom.id(),
    username: name,
    usernameKey: name.toLowerCase(),
    passwordHash: `hash of ${name}`,
  };
}

/** An identity with a password. */
export async function createUser(
  store: Store,
  name: string,
  more: Partial<NewIdentity> = {},
): Promise<{ readonly id: IdentityId; readonly authenticatorId: AuthenticatorId }> {
  const identity = newIdentity(name, more);
  const password = newPassword(name);
  await store.identities.create(identity, password, start);
  return { id: identity.id, authenticatorId: asId(password.id) };
}

export function newAuthRequest(more: Partial<AuthRequest> = {}): AuthRequest {
  return {
    key: asId<AuthRequestKey>(systemRandom.id()),
    clientId: 'overlay',
    redirectUri: 'http://localhost:9000/auth/callback',
    scopes: ['openid', 'offline_access'],
    state: 'state',
    nonce: 'nonce',
    codeChallenge: 'challenge',
    issuer: 'https://localhost:1280/oidc',
    requestedMethod: null,
    configTypes: [],
    browserBinding: null,
    createdAt: start,
    ...more,
  };
}

/** A finished login whose code has not been redeemed yet. */
export async function finishLogin(
  store: Store,
  identityId: IdentityId,
  options: {
    readonly at?: Millis;
    readonly authRequest?: AuthRequest;
    readonly progress?: Partial<LoginProgress>;
  } = {},
): Promise<{ readonly key: AuthRequestKey; readonly codeHash: string }> {
  const at = options.at ?? start;
  const authRequest = options.authRequest ?? newAuthRequest();
  const codeHash = sha256(`code of ${authRequest.key}`);
  const recorded = await store.authRequests.recordPrimaryLogin({
    authRequest,
    progress: {
      identityId,
      authenticatorId: null,
      signerId: null,
      caId: null,
      passed: ['password'],
      authTime: at,
      certThumbprint: null,
      ...options.progress,
    },
    code: { hash: codeHash, expiresAt: at + MINUTE, forgetFailures: [] },
    expiresAt: at + 10 * MINUTE,
    now: at,
  });
  if (recorded !== 'recorded') throw new Error(`the login was not recorded: ${recorded}`);
  return { key: authRequest.key, codeHash };
}

/** What a client with the right bindings sends. */
export function redemption(
  code: { readonly key: AuthRequestKey; readonly codeHash: string },
  more: Partial<RedeemCode> = {},
): RedeemCode {
  const { clientId, redirectUri, codeChallenge, issuer } = newAuthRequest();
  const now = more.now ?? start;
  const id = asId<ApiSessionId>(systemRandom.id());
  return {
    ...code,
    clientId,
    redirectUri,
    codeChallenge,
    issuer,
    certThumbprint: null,
    keyThumbprint: null,
    now,
    session: {
      id,
      ipAddress: '192.0.2.1',
      program: null,
      isForProgram: true,
      toldUntil: null,
      expiresAt: now + DAY,
      refresh: { hash: refreshHash(id, 1), expiresAt: now + DAY, familyExpiresAt: now + 30 * DAY },
    },
    ...more,
  };
}

/** Hash of the refresh token of a generation, as the tests make them. */
function refreshHash(session: ApiSessionId, generation: number): string {
  return sha256(`refresh ${session} ${generation}`);
}

/** Logs in and redeems; the session has a refresh token of generation 1. */
export async function openSession(store: Store, identityId: IdentityId, at: Millis = start) {
  const outcome = await store.authRequests.redeemCode(
    redemption(await finishLogin(store, identityId, { at }), { now: at }),
  );
  if (outcome.outcome !== 'redeemed') throw new Error(`no session: ${outcome.reason}`);
  return outcome.session;
}

/** The rotation of the token of a generation by the client that holds it. */
export function rotation(
  sessionId: ApiSessionId,
  generation: number,
  more: Partial<RotateRefreshToken> = {},
): RotateRefreshToken {
  const { clientId, issuer } = newAuthRequest();
  const now = more.now ?? start;
  return {
    sessionId,
    presentedHash: refreshHash(sessionId, generation),
    presentedGeneration: generation,
    nextGeneration: generation + 1,
    clientId,
    issuer,
    certThumbprint: null,
    keyThumbprint: null,
    nextHash: refreshHash(sessionId, generation + 1),
    nextExpiresAt: now + DAY,
    sessionExpiresAt: now + DAY,
    ipAddress: '192.0.2.1',
    now,
    duplicateWindow: 2000,
    ...more,
  };
}

export { DAY, HOUR, MINUTE };
