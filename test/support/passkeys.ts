// People with passkeys, and the steps of their logins.

import assert from 'node:assert/strict';
import { userHandle } from '../../src/login/passkey/passkey.ts';
import {
  type AuthenticatorId,
  type AuthPolicyId,
  asId,
  defaultAuthPolicyId,
  type IdentityId,
} from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { coseOf, type Json, SoftAuthenticator, type Twist } from './authenticator.ts';
import { beginLogin, codeOf, redeem, submitPassword, type Tokens } from './flow.ts';
import type { Answer, HttpsClient } from './https-client.ts';
import { type Caller, loggedIn, password } from './management.ts';
import type { TestServer } from './test-server.ts';

export const ownPath = '/edge/client/v1/current-identity/passkeys';

export interface PasskeyRules {
  readonly passkey?: {
    readonly allowed?: boolean;
    readonly userVerification?: 'required' | 'preferred' | 'discouraged';
    readonly satisfiesSecondary?: boolean;
    readonly allowedAuthenticators?: readonly string[];
  };
  readonly requirePasskey?: boolean;
  readonly requireTotp?: boolean;
}

/** A policy like the default one, with other rules for passkeys. */
export async function passkeyPolicy(server: TestServer, rules: PasskeyRules = {}): Promise<AuthPolicyId> {
  const base = await server.store.authPolicies.find(defaultAuthPolicyId);
  assert.ok(base !== null);
  const { passkey, ...secondary } = rules;
  const id = asId<AuthPolicyId>(server.random.id());
  await server.store.authPolicies.create(
    {
      id,
      name: typedName(`passkeys ${id}`),
      primary: { ...base.primary, passkey: { ...base.primary.passkey, ...passkey } },
      secondary: { ...base.secondary, ...secondary },
      assignTo: [],
      requireDpop: false,
      tags: {},
    },
    server.clock.now(),
  );
  return id;
}

export interface Person {
  readonly id: IdentityId;
  readonly name: string;
  readonly authenticator: SoftAuthenticator;
}

let people = 0;

/** A person with a password and no passkey. */
export async function person(server: TestServer, authPolicyId?: AuthPolicyId): Promise<Person> {
  people += 1;
  const name = `pat${people}`;
  const id = await server.createUser({ name, username: name, password });
  if (authPolicyId !== undefined)
    await server.store.identities.update(id, { authPolicyId }, server.clock.now());
  return { id, name, authenticator: new SoftAuthenticator(server.url) };
}

/** A person who has added a passkey on the account page. */
export async function personWithPasskey(server: TestServer, authPolicyId?: AuthPolicyId): Promise<Person> {
  const someone = await person(server, authPolicyId);
  await addOwn(await loggedIn(server, someone.name), someone.authenticator);
  return someone;
}

/** Adds a passkey as the account page does. @returns its document */
export async function addOwn(
  caller: Caller,
  authenticator: SoftAuthenticator,
  twist: Parameters<SoftAuthenticator['create']>[1] = {},
): Promise<Json> {
  const asked = await caller.call('POST', `${ownPath}/options`, { currentPassword: password });
  assert.equal(asked.status, 200, asked.text);
  const response = authenticator.create(asked.json.data, twist);
  const added = await caller.call('POST', ownPath, { response, name: 'Pixel 9' });
  assert.equal(added.status, 201, added.text);
  return added.json.data;
}

/** Gives an identity a passkey of this device, without a request. */
export async function storePasskey(
  server: TestServer,
  identityId: IdentityId,
  device: SoftAuthenticator,
  rpId = 'localhost',
): Promise<AuthenticatorId> {
  device.create({ challenge: 'AA', rp: { id: rpId }, user: { id: userHandle(identityId) } });
  const credential = device.credentials.at(-1);
  assert.ok(credential);
  const passkey = {
    id: asId<AuthenticatorId>(server.random.id()),
    identityId,
    name: 'Key',
    rpId,
    credentialId: credential.id.toString('base64url'),
    publicKey: coseOf('ES256', credential.keys.publicKey).toString('base64url'),
    counter: device.counter,
    aaguid: '00000000-0000-0000-0000-000000000000',
    isModelProven: false,
    transports: [],
    isDiscoverable: false,
    isBackupEligible: false,
    isBackedUp: false,
  };
  const now = server.clock.now();
  assert.equal(await server.store.passkeys.add(passkey, { now, mustBeFirst: false }), 'added');
  return passkey.id;
}

/** @param username what was typed; undefined: nothing */
export async function question(client: HttpsClient, id: string, username?: string): Promise<Json> {
  const named = username === undefined ? '' : `&username=${encodeURIComponent(username)}`;
  const answer = await client.get(`/oidc/login/passkey/options?id=${encodeURIComponent(id)}${named}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

export function submit(client: HttpsClient, id: string, response: Json): Promise<Answer> {
  return client.post('/oidc/login/passkey', { json: { id, response } });
}

/** Asks and answers. */
export async function usePasskey(
  client: HttpsClient,
  { authenticator }: Pick<Person, 'authenticator'>,
  { id, username, ...twist }: Twist & { readonly id?: string; readonly username?: string } = {},
): Promise<Answer> {
  const login = id ?? (await beginLogin(client));
  return submit(client, login, authenticator.get(await question(client, login, username), twist));
}

export async function tokensOf(client: HttpsClient, answer: Answer): Promise<Tokens> {
  assert.equal(answer.status, 302, answer.text);
  const tokens = await redeem(client, codeOf(answer));
  assert.equal(tokens.status, 200, tokens.text);
  return tokens.json;
}

/** A login in which the password was right. */
export async function afterPassword(client: HttpsClient, { name }: Pick<Person, 'name'>): Promise<string> {
  const id = await beginLogin(client);
  const answer = await submitPassword(client, id, name, password);
  assert.equal(answer.status, 200, answer.text);
  return id;
}
