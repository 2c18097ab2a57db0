// Identity providers, signers and policies on a running test server.

import assert from 'node:assert/strict';
import type { AuthPolicy } from '../../src/model/entities/auth-policy.ts';
import {
  type AuthPolicyId,
  asId,
  defaultAuthPolicyId,
  type IdentityId,
  type SignerId,
} from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { beginLogin, codeOf, redeem, type Tokens } from './flow.ts';
import type { Answer } from './https-client.ts';
import { type Caller, createdId, password } from './management.ts';
import { goodClaims, type TestIdp, type TokenOptions } from './test-idp.ts';
import type { TestServer } from './test-server.ts';

export const audience = 'overlay';

/** Creates an enabled signer with the keys of a provider, and returns its id. */
export async function createSigner(
  admin: Caller,
  idp: Pick<TestIdp, 'issuer' | 'jwksEndpoint'>,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { issuer, jwksEndpoint } = idp;
  const signer = { name, enabled: true, issuer, audience, jwksEndpoint, useExternalId: true, ...more };
  return createdId(await admin.call('POST', 'external-jwt-signers', signer));
}

/** An identity without any authenticator of its own. */
export async function createIdentity(
  server: TestServer,
  name: string,
  more: { readonly externalId?: string | null; readonly authPolicyId?: AuthPolicyId } = {},
): Promise<IdentityId> {
  const id = asId<IdentityId>(server.random.id());
  const identity = {
    id,
    name: typedName(name),
    type: 'User' as const,
    externalId: `${name}@idp`,
    authPolicyId: null,
    isAdmin: false,
    roleAttributes: [],
    tags: {},
    ...more,
  };
  await server.store.identities.create(identity, null, server.clock.now());
  return id;
}

/** A person with a password, the external id `NAME@idp`, and a policy. */
export async function createUserWithPolicy(
  server: TestServer,
  name: string,
  authPolicyId: AuthPolicyId,
): Promise<IdentityId> {
  const id = await server.createUser({ name, password });
  await server.store.identities.update(id, { externalId: `${name}@idp`, authPolicyId }, server.clock.now());
  return id;
}

/** A policy like the default one, with changed rules. */
export async function createPolicy(
  server: TestServer,
  name: string,
  changes: {
    readonly primary?: Partial<AuthPolicy['primary']>;
    readonly secondary?: {
      readonly requireTotp?: boolean;
      readonly requireExtJwt?: string | null;
      readonly requirePasskey?: boolean;
    };
    readonly requireDpop?: boolean;
  },
): Promise<AuthPolicyId> {
  const standard = await server.store.authPolicies.find(defaultAuthPolicyId);
  assert.ok(standard);
  const id = asId<AuthPolicyId>(server.random.id());
  const { requireTotp = false, requireExtJwt = null, requirePasskey = false } = changes.secondary ?? {};
  const rules = {
    name: typedName(name),
    primary: { ...standard.primary, ...changes.primary },
    secondary: {
      requireTotp,
      requireExtJwt: requireExtJwt === null ? null : asId<SignerId>(requireExtJwt),
      requirePasskey,
    },
    assignTo: [],
    requireDpop: changes.requireDpop ?? false,
    tags: {},
  };
  await server.store.authPolicies.create({ ...rules, id }, server.clock.now());
  return id;
}

/** A token of a provider, valid for ten minutes, with changed claims. */
export function tokenOf(
  server: TestServer,
  idp: TestIdp,
  subject: string,
  changes: Readonly<Record<string, unknown>> = {},
  options?: TokenOptions,
): Promise<string> {
  const wanted = { issuer: idp.issuer, audience, subject };
  return idp.sign({ ...goodClaims(wanted, server.clock), ...changes }, options);
}

export function bearer(...tokens: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return { authorization: tokens.map((token) => `Bearer ${token}`) };
}

/** One primary login by external JWT on a new authorization request. */
export async function submitJwt(server: TestServer, ...tokens: readonly string[]): Promise<Answer> {
  const authRequestId = await beginLogin(server);
  const headers = tokens.length === 0 ? {} : bearer(...tokens);
  return server.post('/oidc/login/ext-jwt', { json: { authRequestId }, headers });
}

/** A login with a password, and further tokens. */
export async function submitPasswordAnd(
  server: TestServer,
  username: string,
  password: string,
  ...tokens: readonly string[]
): Promise<Answer> {
  const authRequestId = await beginLogin(server);
  const json = { authRequestId, username, password };
  return server.post('/oidc/login/username', { json, headers: tokens.length === 0 ? {} : bearer(...tokens) });
}

/** The tokens of a login that has ended in a code. */
export async function redeemed(server: TestServer, answer: Answer): Promise<Tokens> {
  assert.equal(answer.status, 302, answer.text);
  const tokens = await redeem(server, codeOf(answer));
  assert.equal(tokens.status, 200, tokens.text);
  return tokens.json;
}

/** The reason in the decision record of the step that refused a request. */
export async function reasonOf(server: TestServer, answer: Answer): Promise<string | null> {
  await server.controller.services.attempts.flush();
  const records = await server.store.loginAttempts.findByReference(String(answer.headers['x-request-id']));
  return records.findLast(({ reason }) => reason !== null)?.reason ?? null;
}

/** The outcomes of the steps of a request, as administrators see them. */
export async function outcomesOf(server: TestServer, answer: Answer): Promise<readonly string[]> {
  await server.controller.services.attempts.flush();
  const records = await server.store.loginAttempts.findByReference(String(answer.headers['x-request-id']));
  return records.map(({ outcome }) => outcome);
}

/** Asserts a 401 with one challenge of an external JWT realm. */
export function assertChallenged(
  answer: Answer,
  which: 'primary' | 'secondary',
  error: 'missing' | 'invalid' | 'expired',
  signers: { readonly id: string; readonly issuer: string },
  status = 401,
): void {
  assert.equal(answer.status, status, answer.text);
  const description = {
    missing: 'no matching token was provided',
    invalid: 'token is invalid',
    expired: 'token is expired',
  };
  assert.deepEqual(answer.lines('www-authenticate'), [
    `Bearer realm="overlay-${which}-ext-jwt", error="${error}", error_description="${description[error]}", ` +
      `id="${signers.id}", issuer="${signers.issuer}"`,
  ]);
}
