import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authorizationQuery, authorize, challenge, locationOf, redirectUri } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();

/** An error shown to the person, without a redirect and not cacheable. */
function assertShown(answer: Answer): void {
  assert.equal(answer.status, 400);
  assert.equal(answer.headers.location, undefined);
  assert.equal(answer.headers['cache-control'], 'no-store');
}

/** An error that goes back to the client, with `state` and `iss` (RFC 6749 4.1.2.1, RFC 9207). */
function assertSentBack(answer: Answer, error: string, state: string | null = 's1'): void {
  assert.equal(answer.status, 302, answer.text);
  const location = new URL(locationOf(answer));
  assert.equal(`${location.origin}${location.pathname}`, redirectUri);
  assert.equal(location.searchParams.get('error'), error);
  assert.equal(location.searchParams.get('state'), state);
  assert.equal(location.searchParams.get('iss'), server.issuer);
  assert.equal(location.searchParams.get('code'), null);
  assert.match(location.searchParams.get('error_description') ?? '', /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
}

describe('a valid authorization request', () => {
  test('is answered with the login URL of the hinted method', async () => {
    for (const [method, segment] of [
      ['password', 'username'],
      ['cert', 'cert'],
      ['ext-jwt', 'ext-jwt'],
    ] as const) {
      const answer = await authorize(server, { method });
      assert.equal(answer.status, 302);
      assert.match(
        locationOf(answer),
        new RegExp(`^/oidc/login/${segment}\\?authRequestID=[A-Za-z0-9_-]{100,}$`),
      );
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.equal(answer.headers['set-cookie'], undefined);
    }
  });

  test('without a hint leads to the password login when no client certificate was presented', async () => {
    assert.match(locationOf(await authorize(server)), /^\/oidc\/login\/username\?/);
  });

  test('may come by POST, with its parameters in the body or in the query', async () => {
    const inQuery = await server.post(`/oidc/authorization?${authorizationQuery()}`);
    const inBody = await server.post('/oidc/authorization', {
      body: authorizationQuery(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    for (const answer of [inQuery, inBody]) assert.match(locationOf(answer), /^\/oidc\/login\/username\?/);
  });

  test('may have unknown and empty parameters, which are ignored', async () => {
    for (const changes of [
      { foo: '1' },
      { prompt: '' },
      { nonce: null },
      { state: null },
      { ui_locales: 'se' },
      { display: 'page' },
    ]) {
      assert.match(
        locationOf(await authorize(server, changes)),
        /^\/oidc\/login\/username\?/,
        JSON.stringify(changes),
      );
    }
  });

  test('may hint at the user name, which fills in the field of the page and nothing else', async () => {
    const page = async (login_hint: string) => {
      const begun = await authorize(server, { login_hint });
      assert.equal(begun.status, 302);
      return server.get(locationOf(begun), { headers: { accept: 'text/html' } });
    };
    for (const [hint, shown] of [
      ['anna@example.com', 'anna@example.com'],
      ['"><script>alert(1)</script>', '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'],
      ['', ''],
      ['a'.repeat(101), ''],
      ['two\nlines', ''],
      ['\u202ereversed', ''],
    ] as const) {
      const { status, text } = await page(hint);
      assert.equal(status, 200);
      assert.ok(text.includes(`name="username" value="${shown}"`), JSON.stringify(hint));
    }
    const twice = await server.get(
      `/oidc/authorization?${authorizationQuery({ login_hint: 'a' }, [['login_hint', 'b']])}`,
    );
    assertSentBack(twice, 'invalid_request');
  });

  test('never gives the same id twice', async () => {
    const ids = new Set<string>();
    for (let round = 0; round < 50; round += 1) ids.add(locationOf(await authorize(server)));
    assert.equal(ids.size, 50);
  });
});

describe('before client and redirect URI are proven, an error is shown and never redirected', () => {
  const cases: readonly (readonly [string, Parameters<typeof authorize>[1]])[] = [
    ['unknown client', { client_id: 'x' }],
    ['no client', { client_id: null }],
    ['no redirect URI', { redirect_uri: null }],
    ['empty redirect URI', { redirect_uri: '' }],
    ['foreign redirect URI', { redirect_uri: 'https://evil.example/' }],
    ['foreign redirect URI and prompt=none', { redirect_uri: 'https://evil.example/', prompt: 'none' }],
    ['foreign redirect URI and no scope', { redirect_uri: 'https://evil.example/', scope: '' }],
    [
      'foreign redirect URI and a request object',
      { redirect_uri: 'https://evil.example/', request: 'x.y.z' },
    ],
    ['fragment', { redirect_uri: `${redirectUri}#x` }],
    ['encoded fragment', { redirect_uri: `${redirectUri}%23x` }],
    ['user information', { redirect_uri: 'http://a@localhost:8400/auth/callback' }],
    ['encoded twice', { redirect_uri: encodeURIComponent(redirectUri) }],
    ['other host behind a backslash', { redirect_uri: 'http://localhost:1\\@evil.example/auth/callback' }],
    ['line feed inside', { redirect_uri: 'http://loc\nalhost:1/auth/callback' }],
  ];
  for (const [name, changes] of cases) {
    test(name, async () => {
      assertShown(await authorize(server, changes));
      const page = await server.get(`/oidc/authorization?${authorizationQuery(changes)}`, {
        headers: { accept: 'text/html' },
      });
      assertShown(page);
      assert.match(String(page.headers['content-type']), /^text\/html/);
      assert.match(
        String(page.headers['content-security-policy']),
        /default-src 'none'.*frame-ancestors 'none'/,
      );
    });
  }

  test('two redirect URIs, a valid and a foreign one in either order', async () => {
    const evil = 'https://evil.example/';
    assertShown(await authorize(server, {}, [['redirect_uri', evil]]));
    assertShown(await authorize(server, { redirect_uri: evil }, [['redirect_uri', redirectUri]]));
  });

  test('parameters are not echoed as markup', async () => {
    const answer = await server.get(
      `/oidc/authorization?${authorizationQuery({ client_id: '"><script>x' })}`,
      {
        headers: { accept: 'text/html' },
      },
    );
    assertShown(answer);
    assert.ok(!answer.text.includes('<script>'));
  });
});

describe('after client and redirect URI are proven, an error goes back to the client', () => {
  const cases: readonly (readonly [string, Parameters<typeof authorize>[1], string])[] = [
    ['no response type', { response_type: null }, 'invalid_request'],
    ['implicit', { response_type: 'token' }, 'unsupported_response_type'],
    ['hybrid', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['response mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['no scope', { scope: null }, 'invalid_scope'],
    ['empty scope', { scope: '' }, 'invalid_scope'],
    ['scope without openid', { scope: 'offline_access' }, 'invalid_scope'],
    ['no challenge', { code_challenge: null }, 'invalid_request'],
    ['no challenge and no method', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['no challenge method', { code_challenge_method: null }, 'invalid_request'],
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['s256 in lower case', { code_challenge_method: 's256' }, 'invalid_request'],
    ['S512', { code_challenge_method: 'S512' }, 'invalid_request'],
    ['S256 and a space', { code_challenge_method: 'S256 ' }, 'invalid_request'],
    ['challenge of 42 characters', { code_challenge: challenge.slice(1) }, 'invalid_request'],
    ['challenge of 44 characters', { code_challenge: `${challenge}A` }, 'invalid_request'],
    ['padded challenge', { code_challenge: `${challenge}=` }, 'invalid_request'],
    ['challenge with a line feed', { code_challenge: `${challenge}\n` }, 'invalid_request'],
    ['challenge in base64', { code_challenge: `${challenge.slice(1)}+` }, 'invalid_request'],
    ['prompt=none', { prompt: 'none' }, 'login_required'],
    ['prompt=none with another', { prompt: 'none login' }, 'invalid_request'],
    ['max_age that is no number', { max_age: '-1' }, 'invalid_request'],
    ['request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['request object by reference', { request_uri: 'https://localhost:1/r' }, 'request_uri_not_supported'],
    ['registration', { registration: '{}' }, 'registration_not_supported'],
    ['unknown method', { method: '__proto__' }, 'invalid_request'],
    ['path as method', { method: '../x' }, 'invalid_request'],
    ['nonce too long', { nonce: 'n'.repeat(513) }, 'invalid_request'],
  ];
  for (const [name, changes, error] of cases) {
    test(name, async () => assertSentBack(await authorize(server, changes), error));
  }

  test('a repeated parameter', async () => {
    for (const name of [
      'scope',
      'response_type',
      'code_challenge',
      'code_challenge_method',
      'nonce',
      'prompt',
      'method',
    ]) {
      const answer = await authorize(server, { [name]: 'x' }, [[name, 'y']]);
      assertSentBack(answer, 'invalid_request');
    }
  });

  test('a repeated state, which is then not sent back', async () => {
    assertSentBack(await authorize(server, {}, [['state', 's2']]), 'invalid_request', null);
  });
});

test('any state comes back as it was sent', async () => {
  for (const state of ['\r\nSet-Cookie: x=1', 'é✓', '"><script>', 'a b+c%20&d=e#f', 'x'.repeat(4000)]) {
    const answer = await authorize(server, { state, response_type: 'token' });
    assertSentBack(answer, 'unsupported_response_type', state);
    assert.equal(answer.headers['set-cookie'], undefined);
  }
});

test('an oversized request is refused and the connection survives it', async () => {
  const huge = await server
    .get(`/oidc/authorization?${authorizationQuery({ code_challenge: 'A'.repeat(1_000_000) })}`)
    .catch((error) => error);
  assert.ok(huge instanceof Error || [400, 414, 431].includes(huge.status));
  assert.equal((await authorize(server)).status, 302);
});

test('malformed queries are refused without a failure of the server', async () => {
  for (const query of [
    '%',
    '%zz',
    'client_id=%ff',
    'client_id=%00',
    '=&=&=',
    '&'.repeat(5000),
    'a=1&'.repeat(3000),
  ]) {
    const answer = await server.get(`/oidc/authorization?${query}`);
    assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} for ${query.slice(0, 20)}`);
  }
});
