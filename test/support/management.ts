// Calls of the Edge APIs as a logged-in caller.

import assert from 'node:assert/strict';
import { login } from './flow.ts';
import type { Answer, HttpsClient, RequestInit } from './https-client.ts';
import type { TestServer } from './test-server.ts';

export const password = 'seven quiet lanterns';

/** A caller with an access token. Paths are below `/edge/management/v1/` unless they begin with a slash. */
export interface Caller {
  readonly accessToken: string;
  readonly refreshToken: string;
  call(method: string, path: string, json?: unknown): Promise<Answer>;
  get(path: string): Promise<Answer>;
}

export async function loggedIn(client: HttpsClient, username: string, secret = password): Promise<Caller> {
  const tokens = await login(client, username, secret);
  return callerWith(client, tokens.access_token, tokens.refresh_token);
}

export function callerWith(client: HttpsClient, accessToken: string, refreshToken = ''): Caller {
  const call: Caller['call'] = (method, path, json) => {
    const headers = { authorization: `Bearer ${accessToken}` };
    const init: RequestInit = json === undefined ? { headers } : { headers, json };
    return client.request(method, path.startsWith('/') ? path : `/edge/management/v1/${path}`, init);
  };
  return { accessToken, refreshToken, call, get: (path) => call('GET', path) };
}

/** An administrator `root`, and a caller logged in as that. */
export async function rootOf(server: TestServer): Promise<Caller> {
  await server.createUser({ name: 'root', password, isAdmin: true });
  return loggedIn(server, 'root');
}

/** The answer to a table of new identities. */
export function imported(
  client: HttpsClient,
  { accessToken }: Caller,
  { csv, query = '' }: { readonly csv: string | Buffer; readonly query?: string },
): Promise<Answer> {
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'text/csv' };
  return client.post(`/edge/management/v1/identities/import${query}`, { headers, body: csv });
}

/** The id in the answer to a creation. */
export function createdId(answer: Answer): string {
  assert.equal(answer.status, 201, answer.text);
  return answer.json.data.id;
}

/** Asserts a refusal in the envelope of the Edge APIs: of a value, by its field, or by status and code. */
export function assertRefused(answer: Answer, field: string): void;
export function assertRefused(answer: Answer, status: number, code: string, field?: string): void;
export function assertRefused(answer: Answer, by: number | string, code?: string, ofField?: string): void {
  const field = typeof by === 'string' ? by : ofField;
  assert.equal(answer.status, typeof by === 'string' ? 400 : by, answer.text);
  const { error, meta } = answer.json;
  assert.equal(error.code, code ?? 'COULD_NOT_VALIDATE', answer.text);
  assert.equal(typeof error.message, 'string');
  assert.equal(error.requestId, answer.headers['x-request-id']);
  assert.deepEqual(meta, {});
  if (field !== undefined) assert.equal(error.cause.field, field, answer.text);
}
