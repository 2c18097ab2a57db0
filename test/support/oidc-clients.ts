// Applications that are registered for a test, and their requests.

import assert from 'node:assert/strict';
import { authorize, authRequestIdOf, codeOf, submitPassword, type Tokens, verifier } from './flow.ts';
import type { Answer, HttpsClient } from './https-client.ts';
import { type Caller, createdId, password } from './management.ts';

export const appRedirectUri = 'https://app.example/cb';

export interface TestClient {
  readonly id: string;
  readonly secret: string;
}

/** Registers a client; a confidential one gets a secret, unless it authenticates in another way. */
export async function registerClient(
  root: Caller,
  fields: Record<string, unknown> = {},
): Promise<TestClient> {
  const client = {
    name: `app ${crypto.randomUUID()}`,
    type: 'confidential',
    redirectUris: [appRedirectUri],
    ...fields,
  };
  const id = createdId(await root.call('POST', 'oidc-clients', client));
  const { data } = (await root.get(`oidc-clients/${id}`)).json;
  if (!String(data.tokenEndpointAuthMethod).startsWith('client_secret')) return { id, secret: '' };
  return { id, secret: await addSecret(root, id) };
}

export async function addSecret(root: Caller, id: string): Promise<string> {
  const answer = await root.call('POST', `oidc-clients/${id}/secrets`);
  assert.equal(answer.status, 201, answer.text);
  return answer.json.data.secret;
}

export function basic({ id, secret }: TestClient): { readonly authorization: string } {
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

type Changes = Readonly<Record<string, string | null>>;

/** A code of a login at the client. */
export async function codeFor(
  client: HttpsClient,
  { id }: TestClient,
  username: string,
  changes: Changes = {},
): Promise<string> {
  return codeOf(await loginStep(client, { id, secret: '' }, username, changes));
}

/** The answer to the password in a login at the client. */
export async function loginStep(
  client: HttpsClient,
  { id }: TestClient,
  username: string,
  changes: Changes = {},
): Promise<Answer> {
  const asked = {
    client_id: id,
    redirect_uri: appRedirectUri,
    scope: 'openid offline_access profile email groups',
  };
  const begun = await authorize(client, { ...asked, ...changes });
  return submitPassword(client, authRequestIdOf(begun), username, password);
}

/** Redeems a code as the client, with its secret in a Basic header unless headers are given. */
export function redeemAs(
  client: HttpsClient,
  app: TestClient,
  code: string,
  form: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = basic(app),
): Promise<Answer> {
  const whole = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: appRedirectUri,
    code_verifier: verifier,
  };
  return client.post('/oidc/token', { form: { ...whole, ...form }, headers });
}

export function refreshAs(
  client: HttpsClient,
  app: TestClient,
  refreshToken: string,
  form: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = basic(app),
): Promise<Answer> {
  const whole = { grant_type: 'refresh_token', refresh_token: refreshToken };
  return client.post('/oidc/token', { form: { ...whole, ...form }, headers });
}

/** The tokens of a complete login at a client with a secret. */
export async function loginAt(
  client: HttpsClient,
  app: TestClient,
  username: string,
  changes: Changes = {},
): Promise<Tokens> {
  const answer = await redeemAs(client, app, await codeFor(client, app, username, changes));
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}
