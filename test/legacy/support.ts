// Calls of the legacy mechanism, as a client makes them.

import assert from 'node:assert/strict';
import type { Answer, HttpsClient, RequestInit } from '../support/https-client.ts';
import { password } from '../support/totp.ts';

export const clientRoot = '/edge/client/v1';
export const managementRoot = '/edge/management/v1';

export function authenticate(
  client: HttpsClient,
  username: string,
  secret = password,
  root = clientRoot,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const json = { username, password: secret };
  return client.post(`${root}/authenticate?method=password`, { json, headers });
}

/** A caller with a session token. Paths are relative to `/edge/client/v1/` unless they begin with a slash. */
export interface Session {
  readonly token: string;
  readonly id: string;
  readonly opened: Answer;
  call(method: string, path: string, init?: RequestInit): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, json?: unknown): Promise<Answer>;
}

export async function openSession(
  client: HttpsClient,
  username: string,
  root = clientRoot,
): Promise<Session> {
  const opened = await authenticate(client, username, password, root);
  assert.equal(opened.status, 200, opened.text);
  return sessionOf(client, opened, root);
}

export function sessionOf(client: HttpsClient, opened: Answer, root = clientRoot): Session {
  const { token, id } = opened.json.data;
  const call: Session['call'] = (method, path, init = {}) =>
    client.request(method, path.startsWith('/') ? path : `${root}/${path}`, {
      ...init,
      headers: { 'zt-session': token, ...init.headers },
    });
  return {
    token,
    id,
    opened,
    call,
    get: (path) => call('GET', path),
    post: (path, json) => call('POST', path, json === undefined ? {} : { json }),
  };
}

export function assertDeprecated(answer: Answer): void {
  assert.match(String(answer.headers.deprecation), /^@\d+$/);
  assert.match(String(answer.headers.link), /rel="deprecation successor-version"/);
}

/** 401 with the mechanism's only challenge. */
export function assertNoSession(answer: Answer): void {
  assert.equal(answer.status, 401, answer.text);
  assert.deepEqual(answer.lines('www-authenticate'), [
    'zt-session realm="zt-session", error="invalid", error_description="token is invalid"',
  ]);
  assertDeprecated(answer);
}
