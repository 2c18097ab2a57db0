// Pushed authorization requests (RFC 9126): who may push, what counts then, and for how long.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import { SECOND } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  authRequestIdOf,
  codeOf,
  locationOf,
  redeem,
  redirectUri,
  submitPassword,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { appRedirectUri, basic, redeemAs, registerClient } from '../support/oidc-clients.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
const root = await rootOf(server);
await server.createUser({ name: 'ada', password });

type Changes = Readonly<Record<string, string | null>>;

const push = (changes: Changes = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  server.post('/oidc/par', {
    form: Object.fromEntries(new URLSearchParams(authorizationQuery(changes))),
    headers,
  });

async function pushed(
  changes: Changes = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await push(changes, headers);
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.headers['cache-control'], 'no-store');
  return answer.json.request_uri;
}

const begin = (
  uri: string,
  clientId = 'overlay',
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  server.get(
    `/oidc/authorization?${new URLSearchParams({ client_id: clientId, request_uri: uri, ...more })}`,
  );

const logIn = async (begun: Answer): Promise<Answer> =>
  submitPassword(server, authRequestIdOf(begun), 'ada', password);

function assertRefused(answer: Answer, status: number, error: string, words: RegExp): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.json.error, error);
  assert.match(answer.json.error_description, words);
  assert.doesNotMatch(answer.json.error_description, RegExp(`^${answer.json.error}: `));
}

describe('a pushed request', () => {
  test('is announced, and leads to tokens', async () => {
    const discovery = (await server.get('/oidc/.well-known/openid-configuration')).json;
    assert.equal(discovery.pushed_authorization_request_endpoint, `${server.issuer}/par`);
    const answer = await push();
    assert.deepEqual([answer.status, answer.json.expires_in], [201, 90]);
    const code = codeOf(await logIn(await begin(answer.json.request_uri)));
    assert.equal((await redeem(server, code)).status, 200);
  });

  test('is what another implementation of a client takes', async () => {
    const app = await registerClient(root);
    const as = { issuer: server.issuer, pushed_authorization_request_endpoint: `${server.issuer}/par` };
    const parameters = new URLSearchParams(
      authorizationQuery({ client_id: app.id, redirect_uri: appRedirectUri }),
    );
    const send = async (_url: string, options: { headers?: unknown; body?: unknown }) => {
      const headers = Object.fromEntries(new Headers(options.headers as Record<string, string>));
      const form = Object.fromEntries(new URLSearchParams(String(options.body)));
      const { status, text } = await server.post('/oidc/par', { form, headers });
      return new Response(text, { status, headers: { 'content-type': 'application/json' } });
    };
    const client = { client_id: app.id };
    const response = await oauth.pushedAuthorizationRequest(
      as,
      client,
      oauth.ClientSecretBasic(app.secret),
      parameters,
      { [oauth.customFetch]: send },
    );
    const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, response);
    const code = codeOf(await logIn(await begin(request_uri, app.id)));
    assert.equal((await redeemAs(server, app, code)).status, 200);
  });

  test('leads to one code, also when a person reloads its address', async () => {
    const uri = await pushed();
    const [first, second] = [await begin(uri), await begin(uri)];
    assert.ok(codeOf(await logIn(first)));
    for (const again of [second, await begin(uri)]) {
      const refused = await logIn(again);
      assert.equal(refused.status, 400, refused.text);
      assert.equal(refused.headers.location, undefined);
    }
  });

  test('counts instead of what stands in the address', async () => {
    const uri = await pushed({ scope: 'openid', state: 'pushed' });
    const begun = await begin(uri, 'overlay', {
      redirect_uri: 'https://attacker.example/cb',
      state: 'typed',
      scope: 'openid offline_access',
      code_challenge: 'x',
    });
    const to = new URL(locationOf(await logIn(begun)));
    assert.equal(to.origin + to.pathname, redirectUri);
    assert.equal(to.searchParams.get('state'), 'pushed');
    const tokens = await redeem(server, String(to.searchParams.get('code')));
    assert.equal(tokens.json.scope, 'openid');
  });

  test('is of one client, ends after 90 seconds, and cannot be changed', async () => {
    const uri = await pushed();
    assertRefused(await begin(uri, 'wiki'), 400, 'invalid_request', /belongs to another client_id/);
    const last = uri.slice(-9, -8);
    const changed = `${uri.slice(0, -9)}${last === 'A' ? 'B' : 'A'}${uri.slice(-8)}`;
    assertRefused(await begin(changed), 400, 'invalid_request', /does not come from here/);
    clock.advance(90 * SECOND);
    assertRefused(await begin(uri), 400, 'invalid_request', /push the request again/);
    const other = await begin('https://app.example/request.jwt', 'overlay', { redirect_uri: redirectUri });
    assert.match(locationOf(other), /error=request_uri_not_supported/);
  });

  test('asks without a page like any other', async () => {
    assert.match(locationOf(await begin(await pushed({ prompt: 'none' }))), /error=login_required/);
  });
});

describe('pushing', () => {
  test('is refused with the error of the request, and never redirects', async () => {
    for (const [changes, error, words] of [
      [{ redirect_uri: 'https://attacker.example/cb' }, 'invalid_request', /redirect_uri/],
      [{ code_challenge: null }, 'invalid_request', /code challenge required/],
      [{ response_type: 'token' }, 'unsupported_response_type', /code/],
      [{ scope: 'profile' }, 'invalid_scope', /openid/],
      [{ request: 'e30.e30.' }, 'request_not_supported', /./],
      [{ request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'invalid_request', /cannot be pushed/],
      [{ state: 's'.repeat(5000) }, 'invalid_request', /state is too long/],
    ] as const)
      assertRefused(await push(changes), 400, error, words);
    assert.equal((await push({ client_id: 'nobody' })).json.error, 'invalid_client');
    assert.equal((await server.get(`/oidc/par?${authorizationQuery()}`)).status, 405);
  });

  test('takes the proof that the client has at the token endpoint, and keeps none of it', async () => {
    const app = await registerClient(root);
    const asked = { client_id: app.id, redirect_uri: appRedirectUri };
    for (const headers of [{}, basic({ ...app, secret: 'wrong' })]) {
      const refused = await push(asked, headers);
      assert.deepEqual([refused.status, refused.json.error], [401, 'invalid_client']);
    }
    const begun = await begin(await pushed(asked, basic(app)), app.id);
    assert.ok(codeOf(await logIn(begun)));
  });

  test('can be demanded of a client', async () => {
    const app = await registerClient(root, { requirePushedAuthorizationRequests: true });
    const asked = { client_id: app.id, redirect_uri: appRedirectUri };
    const typed = await server.get(`/oidc/authorization?${authorizationQuery(asked)}`);
    const back = new URL(locationOf(typed)).searchParams;
    assert.equal(back.get('error'), 'invalid_request');
    assert.match(String(back.get('error_description')), /must push/);
    const uri = await pushed(asked, basic(app));
    assert.ok(codeOf(await logIn(await begin(uri, app.id))));
    // Where that is over, nothing offers to start it again: a page cannot push.
    const over = await begin(uri, app.id);
    const { status, text } = await server.get(locationOf(over), { headers: { accept: 'text/html' } });
    assert.equal(status, 400);
    assert.match(text, /This sign-in has expired/);
    assert.doesNotMatch(text, /start-again/);
  });
});
