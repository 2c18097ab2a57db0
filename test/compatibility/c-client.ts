// The C SDK, as far as it speaks to a controller. It takes the endpoints from discovery, sends the parameters of the
// authorization in the query of an empty POST, follows redirects by hand and only on the controller, and takes for
// the code all that follows `code=`.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { sha256 } from '../../src/platform/digest.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { basic, cClient, parseJwt, pathOf } from './support.ts';

const redirectUri = 'http://localhost:20314/auth/callback';
const emptyForm = { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } } as const;

export interface CTokens {
  readonly access: string;
  /** Undefined when it is no JWT: the client drops such a token. */
  readonly refresh: string | undefined;
}

export type CStep =
  | { readonly kind: 'code'; redeem(): Promise<CTokens> }
  | { readonly kind: 'totp'; readonly providers: readonly string[] };

export interface CLogin {
  readonly id: string;
  cert(): Promise<CStep>;
  extJwt(...tokens: readonly string[]): Promise<CStep>;
  totp(code: string): Promise<CStep>;
  /** DELETE, POST, and the provisioning address. */
  enroll(): Promise<string>;
  verifyEnrollment(code: string): Promise<CStep>;
}

/** Whether the client uses OIDC, and the endpoints that discovery names. */
export async function cEndpoints(
  client: HttpsClient,
): Promise<{ readonly authorization: string; readonly token: string } | undefined> {
  const version = json(
    await client.get('/edge/client/v1/version', { headers: { accept: 'application/json' } }),
  );
  const oidc = version.data.apiVersions['edge-oidc'];
  if (!version.data.capabilities.includes('OIDC_AUTH') || oidc?.v1 === undefined) return undefined;
  assert.equal(oidc.v1.path, '/oidc');
  assert.ok(oidc.v1.apiBaseUrls.length > 0);
  const discovery = json(
    await client.get(`${oidc.v1.path}/.well-known/openid-configuration`, {
      headers: { accept: 'application/json' },
    }),
  );
  return {
    authorization: pathOf(discovery.authorization_endpoint),
    token: pathOf(discovery.token_endpoint),
  };
}

export async function cLogin(client: HttpsClient): Promise<CLogin> {
  const endpoints = await cEndpoints(client);
  assert.ok(endpoints, 'OIDC is advertised');
  const verifier = randomBytes(40).toString('base64url');
  const state = randomBytes(16).toString('hex');
  const query = new URLSearchParams({
    client_id: cClient,
    scope: 'openid offline_access',
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge: sha256(verifier),
    code_challenge_method: 'S256',
    state,
    audience: cClient,
  });
  const begun = await client.post(`${endpoints.authorization}?${query}`, emptyForm);
  assert.ok(begun.status >= 300 && begun.status < 400, `${begun.status} ${begun.text}`);
  const id = /authRequestID=([^&]+)/.exec(begun.headers.location ?? '')?.[1];
  assert.ok(id, 'authRequestID in the Location');

  async function stepOf(answer: Answer): Promise<CStep> {
    if (answer.status === 200) {
      const { authQueries } = json(answer);
      const totp = authQueries.filter(({ typeId }: { typeId: string }) => ['MFA', 'TOTP'].includes(typeId));
      assert.ok(totp.length > 0 || answer.headers['totp-required']?.toString().startsWith('t'));
      const providers = totp.map(({ provider }: { provider: string }) => provider);
      for (const provider of providers) assert.ok(['ziti', 'url'].includes(provider));
      return { kind: 'totp', providers };
    }
    assert.ok(answer.status >= 300 && answer.status < 400, `${answer.status} ${answer.text}`);
    // Wherever it leads, the path is asked of the controller.
    const second = await client.get(pathOf(answer.headers.location ?? ''));
    assert.ok(second.status >= 300 && second.status < 400, `${second.status} ${second.text}`);
    const location = second.headers.location ?? '';
    const at = location.indexOf('code=');
    assert.notEqual(at, -1, location);
    return {
      kind: 'code',
      redeem: () => redeem(endpoints?.token ?? '', location.slice(at + 'code='.length)),
    };
  }

  async function redeem(path: string, codeAndMore: string): Promise<CTokens> {
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code_verifier: verifier,
      client_id: cClient,
      redirect_uri: redirectUri,
    });
    // Unescaped, with all that followed the code.
    const body = `state=${state}&code=${codeAndMore}&${form}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    return tokensIn(await client.post(path, { body, headers }));
  }

  const primary = async (method: string, tokens: readonly string[]) => {
    const headers = tokens.length === 0 ? {} : { authorization: tokens.map((token) => `Bearer ${token}`) };
    const answer = await client.post(`/oidc/login/${method}?id=${id}`, {
      json: { sdkInfo: { type: 'ziti-sdk-c', version: '1.0.0' }, envInfo: { os: 'Linux' } },
      headers,
    });
    return stepOf(answer);
  };
  return {
    id,
    cert: () => primary('cert', []),
    extJwt: (...tokens) => primary('ext-jwt', tokens),
    totp: async (code) => stepOf(await client.post('/oidc/login/totp', { form: { id, code } })),
    async enroll() {
      await client.request('DELETE', `/oidc/login/totp/enroll?id=${id}`, emptyForm);
      const answer = await client.post('/oidc/login/totp/enroll', { form: { id } });
      assert.ok(answer.status >= 200 && answer.status < 300, answer.text);
      return json(answer).provisioningUrl;
    },
    verifyEnrollment: async (code) =>
      stepOf(await client.post('/oidc/login/totp/enroll/verify', { form: { id, code } })),
  };
}

/** The refresh_token grant, with the client both in the form and in Basic. */
export async function cRefresh(client: HttpsClient, refreshToken: string): Promise<CTokens> {
  return tokensIn(await cRefreshAnswer(client, refreshToken));
}

export async function cRefreshAnswer(client: HttpsClient, refreshToken: string): Promise<Answer> {
  const endpoints = await cEndpoints(client);
  return client.post(endpoints?.token ?? '', {
    headers: { authorization: basic(cClient, 'base64url') },
    form: { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: cClient },
  });
}

function tokensIn(answer: Answer): CTokens {
  assert.equal(answer.status, 200, answer.text);
  const { access_token, refresh_token } = json(answer);
  const { claims } = parseJwt(access_token);
  assert.equal(typeof claims.iss, 'string');
  assert.ok(Number.isInteger(claims.exp));
  return { access: access_token, refresh: isJwt(refresh_token) ? refresh_token : undefined };
}

function isJwt(text: unknown): boolean {
  return typeof text === 'string' && text.split('.').length === 3;
}

/** The body of an answer whose content type the client accepts. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary documents
function json(answer: Answer): any {
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
  return answer.json;
}
