// The Go SDK, as far as it speaks to a controller: its requests byte for byte where that matters, and its own checks.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { sha256 } from '../../src/platform/digest.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { basic, follow, goClient, parseJwt, tokenType } from './support.ts';

const redirectUri = 'http://localhost:8080/auth/callback';

const sdkFields: readonly (readonly [string, string])[] = [
  ['configTypes', 'all'],
  ['configTypes', 'intercept.v1'],
  ['envArch', 'amd64'],
  ['envOs', 'linux'],
  ['envOsRelease', '6.1'],
  ['envOsVersion', '#1 SMP'],
  ['sdkAppID', 'app'],
  ['sdkAppVersion', '1.2.3'],
  ['sdkBranch', ''],
  ['sdkRevision', 'abc'],
  ['sdkType', 'ziti-sdk-golang'],
  ['sdkVersion', 'v1.0.0'],
];

export interface GoTokens {
  readonly access: string;
  readonly refresh: string;
  readonly id: string;
}

export interface GoLogin {
  readonly id: string;
  /** One primary step; the form has what the SDK always sends. */
  primary(
    method: 'password' | 'cert' | 'ext-jwt',
    more?: readonly (readonly [string, string])[],
    bearers?: readonly string[],
  ): Promise<GoStep>;
  totp(code: string): Promise<GoStep>;
  enroll(): Promise<{ readonly provisioningUrl: string }>;
  verifyEnrollment(code: string): Promise<GoStep>;
}

/** Either the tokens, or what the SDK asks its user for. */
export type GoStep =
  | { readonly kind: 'code'; redeem(): Promise<GoTokens> }
  | { readonly kind: 'totp'; readonly isEnrolled: boolean };

/** The capabilities, by the only header that this request has. */
export async function goCapabilities(client: HttpsClient, api = '/edge/client/v1'): Promise<string[]> {
  const answer = await client.get(`${api}/version`, { headers: { accept: 'application/json' } });
  assert.equal(answer.status, 200, answer.text);
  return answer.json.data.capabilities;
}

export async function goLogin(client: HttpsClient): Promise<GoLogin> {
  const state = randomBytes(16).toString('base64url');
  const nonce = randomBytes(16).toString('base64url');
  const verifier = randomBytes(48).toString('base64url');
  const query = new URLSearchParams({
    client_id: goClient,
    response_type: 'code',
    scope: 'openid offline_access',
    state,
    nonce,
    code_challenge: sha256(verifier),
    code_challenge_method: 'S256',
    redirect_uri: redirectUri,
  });
  const path = `/oidc/authorize?${query}`;
  const { answer } = await follow(client, await client.get(path), path, null);
  assert.equal(answer.status, 200, answer.text);
  const id = answer.headers['auth-request-id'];
  assert.equal(typeof id, 'string', 'the last answer has the header auth-request-id');

  async function stepOf(answer: Answer, path: string): Promise<GoStep> {
    if (answer.status === 200) {
      assert.notEqual(answer.headers['totp-required'] ?? '', '', 'totp-required');
      const totp = answer.json.authQueries.find((query: { typeId: string }) => query.typeId === 'TOTP');
      return { kind: 'totp', isEnrolled: totp?.isTotpEnrolled ?? true };
    }
    const last = (await follow(client, answer, path, redirectUri)).answer;
    assert.equal(last.status, 302, last.text);
    const location = new URL(last.headers.location ?? '');
    assert.equal(location.searchParams.get('state'), state);
    const code = location.searchParams.get('code') ?? '';
    return { kind: 'code', redeem: () => redeem(client, code, verifier, nonce) };
  }

  return {
    id: String(id),
    async primary(method, more = [], bearers = []) {
      const path = `/oidc/login/${method}`;
      const form = [['id', String(id)] as const, ...more, ...sdkFields];
      const headers =
        bearers.length === 0 ? {} : { authorization: bearers.map((token) => `Bearer ${token}`) };
      return stepOf(await client.post(path, { form, headers }), path);
    },
    async totp(code) {
      const answer = await client.post('/oidc/login/totp', { json: { id, code } });
      if (answer.status === 400) throw new WrongCode(answer.text);
      return stepOf(answer, '/oidc/login/totp');
    },
    async enroll() {
      const answer = await client.post('/oidc/login/totp/enroll', { json: { id } });
      assert.equal(answer.status, 201, answer.text);
      return answer.json;
    },
    async verifyEnrollment(code) {
      const path = '/oidc/login/totp/enroll/verify';
      const answer = await client.post(path, { json: { id, code } });
      if (answer.status === 400) throw new WrongCode(answer.text);
      return stepOf(answer, path);
    },
  };
}

/** A login that asks for nothing but the password. */
export async function goLoginWithPassword(
  client: HttpsClient,
  username: string,
  password: string,
): Promise<GoTokens> {
  const step = await (await goLogin(client)).primary('password', [
    ['username', username],
    ['password', password],
  ]);
  return step.kind === 'code' ? step.redeem() : assert.fail('a code was expected');
}

/** 400 to a code, whereupon the SDK asks its user again. */
export class WrongCode extends Error {}

async function redeem(client: HttpsClient, code: string, verifier: string, nonce: string): Promise<GoTokens> {
  const answer = await client.post('/oidc/oauth/token', {
    form: {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      client_id: goClient,
      redirect_uri: redirectUri,
    },
  });
  assert.equal(answer.status, 200, answer.text);
  const { access_token, refresh_token, id_token, expires_in } = answer.json;
  assert.equal(typeof expires_in, 'number');
  const { claims } = parseJwt(id_token);
  assert.equal(claims.nonce, nonce);
  assert.equal(typeof claims.sub, 'string');
  assert.equal(typeof claims.name, 'string');
  readAccessToken(access_token);
  return { access: access_token, refresh: refresh_token, id: id_token };
}

function readAccessToken(text: string): void {
  const { claims } = parseJwt(text);
  assert.equal(typeof claims.z_asid, 'string');
  assert.equal(typeof claims.iss, 'string');
  assert.ok(Number.isInteger(claims.exp));
}

/** One exchange, as the client library encodes it: what is not used is there, and empty. */
export function goExchange(
  client: HttpsClient,
  subject: string,
  subjectType: 'access_token' | 'refresh_token',
  requested: 'access_token' | 'refresh_token' | 'id_token',
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return client.post('/oidc/oauth/token', {
    headers: { authorization: basic(goClient) },
    form: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: subject,
      subject_token_type: tokenType(subjectType),
      actor_token: '',
      actor_token_type: '',
      scope: '',
      requested_token_type: tokenType(requested),
      ...more,
    },
  });
}

/** A refresh: two exchanges of one refresh token, or of the access token where there is none. */
export async function goRefresh(client: HttpsClient, tokens: GoTokens): Promise<GoTokens> {
  const [subject, type] =
    tokens.refresh === undefined
      ? ([tokens.access, 'access_token'] as const)
      : ([tokens.refresh, 'refresh_token'] as const);
  const fresh = await goExchange(client, subject, type, 'refresh_token');
  assert.equal(fresh.status, 200, fresh.text);
  readAccessToken(fresh.json.access_token);
  const id = await goExchange(client, subject, type, 'id_token');
  assert.equal(id.status, 200, id.text);
  parseJwt(id.json.access_token);
  return { access: fresh.json.access_token, refresh: fresh.json.refresh_token, id: id.json.access_token };
}

/** An API call; the secondary JWT has a line of its own. */
export async function goCall(
  client: HttpsClient,
  tokens: GoTokens,
  path: string,
  ...secondary: readonly string[]
): Promise<Answer> {
  const authorization = [tokens.access, ...secondary].map((token) => `Bearer ${token}`);
  return client.get(path, { headers: { authorization, accept: 'application/json' } });
}

/** A list as the generated code reads it. */
export function assertList(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text);
  assert.ok(Array.isArray(answer.json.data));
  for (const name of ['limit', 'offset', 'totalCount']) {
    assert.equal(typeof answer.json.meta.pagination[name], 'number', name);
  }
}
