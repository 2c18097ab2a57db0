// A server that lies, or an attacker in between: each answer is refused by name, and nothing of it is used.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { ProtocolError, type ProtocolProblem, Refusal } from '../../packages/client/src/errors.ts';
import { startDeviceLogin } from '../../packages/client/src/login/device-login.ts';
import { startDirectLogin } from '../../packages/client/src/login/direct-login.ts';
import {
  authorizationUrl,
  finishLogin,
  type LoginAttempt,
  newLoginAttempt,
} from '../../packages/client/src/oidc/code-flow.ts';
import { discover } from '../../packages/client/src/oidc/provider.ts';
import { refreshTokens } from '../../packages/client/src/oidc/refresh.ts';

const baseUrl = 'https://auth.example:1280';
const issuer = `${baseUrl}/oidc`;
const redirectUri = 'http://127.0.0.1:8400/auth/callback';

const ours = await generateKeyPair('ES256');
const stranger = await generateKeyPair('ES256');
const jwk = { ...(await exportJWK(ours.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };

const honest = {
  issuer,
  authorization_endpoint: `${issuer}/authorization`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  device_authorization_endpoint: `${issuer}/device_authorization`,
  authorization_response_iss_parameter_supported: true,
  id_token_signing_alg_values_supported: ['ES256'],
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
};

type Answers = Readonly<Record<string, () => Response | Promise<Response>>>;

/** A server by path; every other request fails the test. */
function serverWith(answers: Answers, document: object = honest) {
  const all: Answers = {
    '/.well-known/openid-configuration': () => Response.json(document),
    '/oidc/keys': () => Response.json({ keys: [jwk] }),
    ...answers,
  };
  return async (request: Request): Promise<Response> => {
    const { origin, pathname } = new URL(request.url);
    assert.equal(origin, baseUrl, 'nothing is sent elsewhere');
    const answer = all[pathname];
    assert.ok(answer, `nobody asks for ${pathname}`);
    return answer();
  };
}

async function providerWith(answers: Answers) {
  return discover({ baseUrl, transport: serverWith(answers) });
}

const refused = (code: ProtocolProblem) => (error: unknown) => {
  assert.ok(error instanceof ProtocolError, String(error));
  assert.equal(error.code, code, `${error.message} ${String(error.cause)}`);
  assert.ok(error.message.length > 10);
  return true;
};

describe('discovery', () => {
  const cases: readonly (readonly [string, object, ProtocolProblem])[] = [
    ['of another issuer', { ...honest, issuer: 'https://evil.example/oidc' }, 'issuer_mismatch'],
    ['of another port', { ...honest, issuer: 'https://auth.example/oidc' }, 'issuer_mismatch'],
    ['without TLS', { ...honest, issuer: 'http://auth.example:1280/oidc' }, 'issuer_mismatch'],
    ['without issuer', { ...honest, issuer: undefined }, 'discovery_failed'],
    ['with an issuer that is no text', { ...honest, issuer: ['x'] }, 'discovery_failed'],
    ['that is no document', [], 'discovery_failed'],
    ['without a token endpoint', { ...honest, token_endpoint: undefined }, 'discovery_failed'],
    ...[
      'token_endpoint',
      'authorization_endpoint',
      'jwks_uri',
      'end_session_endpoint',
      'revocation_endpoint',
    ].flatMap((name) =>
      ['https://evil.example/x', 'http://auth.example:1280/x', 'javascript:alert(1)'].map(
        (url) => [`with ${name} ${url}`, { ...honest, [name]: url }, 'endpoint_elsewhere'] as const,
      ),
    ),
  ];
  for (const [what, document, code] of cases) {
    test(`${what} is refused`, async () => {
      await assert.rejects(discover({ baseUrl, transport: serverWith({}, document) }), refused(code));
    });
  }

  test('that redirects, or does not answer well, is refused', async () => {
    const path = '/.well-known/openid-configuration';
    const moved = () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } });
    for (const [answer, status] of [
      [moved, 302],
      [() => new Response('gone', { status: 404 }), 404],
    ] as const) {
      const transport = serverWith({ [path]: answer });
      await assert.rejects(discover({ baseUrl, transport }), { kind: 'refused', status });
    }
    const page = serverWith({ [path]: () => new Response('<html>') });
    await assert.rejects(discover({ baseUrl, transport: page }), refused('discovery_failed'));
  });

  test('without https is not even attempted', async () => {
    const transport = async () => assert.fail('nothing is sent');
    const attempt = discover({ baseUrl: 'http://auth.example:1280', transport });
    await assert.rejects(attempt, refused('not_https'));
  });
});

describe('completing a login', () => {
  const attempt = newLoginAttempt(redirectUri);
  const callback = (changes: Readonly<Record<string, string | null>> = {}) => {
    const url = new URL(redirectUri);
    const answer = { code: 'c0de', state: attempt.state, iss: issuer, ...changes };
    for (const [name, value] of Object.entries(answer)) {
      if (value !== null) url.searchParams.set(name, value);
    }
    return url;
  };
  const cases: readonly (readonly [string, Readonly<Record<string, string | null>>, ProtocolProblem])[] = [
    ['with the state of another login', { state: 'x' }, 'state_mismatch'],
    ['without a state', { state: null }, 'state_mismatch'],
    ['of another issuer', { iss: 'https://evil.example/oidc' }, 'issuer_mismatch'],
    ['without an issuer', { iss: null }, 'issuer_mismatch'],
    ['without a code', { code: null }, 'code_missing'],
    ['that brings tokens in the address', { id_token: 'x.y.z', response: 'x' }, 'answer_invalid'],
  ];
  for (const [what, changes, code] of cases) {
    test(`${what} is refused before anything is sent`, async () => {
      const provider = await providerWith({});
      await assert.rejects(finishLogin(provider, attempt, callback(changes)), refused(code));
    });
  }

  test('with an error is what the server said', async () => {
    const provider = await providerWith({});
    const url = callback({ code: null, error: 'access_denied', error_description: 'not today' });
    await assert.rejects(finishLogin(provider, attempt, url), (error) => {
      assert.ok(error instanceof Refusal);
      return error.code === 'access_denied' && error.message === 'not today';
    });
    // Another server's error is not even that.
    const foreign = callback({ code: null, error: 'access_denied', state: 'x' });
    await assert.rejects(finishLogin(provider, attempt, foreign), refused('state_mismatch'));
  });

  describe('the ID token', () => {
    const now = Math.floor(Date.now() / 1000);
    const good = { iss: issuer, aud: 'overlay', sub: 'ada', iat: now, exp: now + 600, nonce: attempt.nonce };
    const sign = (claims: object, key = ours.privateKey, header: object = {}) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header }).sign(key);
    const answerWith = (idToken: unknown, more: object = {}) =>
      Response.json({
        access_token: 'at',
        token_type: 'Bearer',
        expires_in: 1800,
        refresh_token: 'rt',
        id_token: idToken,
        ...more,
      });
    const finish = async (answer: () => Response | Promise<Response>, current: LoginAttempt = attempt) =>
      finishLogin(await providerWith({ '/oidc/token': answer }), current, callback());

    test('is as good without the keys of a server that is just then out of order: the code is used up', async () => {
      const keys = (status: number) => () => Response.json({}, { status });
      const finishWith = async (status: number) => {
        const idToken = await sign(good);
        const answers = { '/oidc/token': () => answerWith(idToken), '/oidc/keys': keys(status) };
        return finishLogin(await providerWith(answers), attempt, callback());
      };
      for (const status of [500, 503, 429]) assert.equal((await finishWith(status)).refreshToken, 'rt');
      await assert.rejects(finishWith(404), { kind: 'refused', status: 404 });
    });

    test('that matches is accepted', async () => {
      const tokens = await finish(async () => answerWith(await sign(good)));
      assert.equal(tokens.identityId, 'ada');
    });

    const bad: readonly (readonly [string, object])[] = [
      ['of another issuer', { iss: 'https://evil.example/oidc' }],
      ['for another audience', { aud: 'somebody-else' }],
      ['for several audiences and another party', { aud: ['overlay', 'other'], azp: 'other' }],
      ['with another nonce', { nonce: 'n' }],
      ['without a nonce', { nonce: undefined }],
      ['that has ended', { exp: now - 3600, iat: now - 7200 }],
      ['without a subject', { sub: undefined }],
      ['without an end', { exp: undefined }],
    ];
    for (const [what, changes] of bad) {
      test(`${what} is refused`, async () => {
        const answer = async () => answerWith(await sign({ ...good, ...changes }));
        await assert.rejects(finish(answer), (error) => {
          assert.ok(error instanceof ProtocolError);
          return ['id_token_invalid', 'answer_invalid'].includes(error.code);
        });
      });
    }

    test('signed by another server, or unsigned, is refused', async () => {
      const forged = async () => answerWith(await sign(good, stranger.privateKey));
      await assert.rejects(finish(forged), refused('id_token_invalid'));
      const unknownKey = async () => answerWith(await sign(good, stranger.privateKey, { kid: 'k2' }));
      await assert.rejects(finish(unknownKey), refused('id_token_invalid'));
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const unsigned = () => answerWith(`${encode({ alg: 'none' })}.${encode(good)}.`);
      await assert.rejects(finish(unsigned), { kind: 'protocol' });
      const [header, , signature] = (await sign(good)).split('.');
      const changed = () => answerWith(`${header}.${encode({ ...good, sub: 'root' })}.${signature}`);
      await assert.rejects(finish(changed), refused('id_token_invalid'));
    });

    test('that is missing, or an answer of another kind, is refused', async () => {
      const idToken = await sign(good);
      for (const answer of [
        () => answerWith(undefined),
        () => answerWith(7),
        () => answerWith(idToken, { token_type: 'mac' }),
        () => answerWith(idToken, { access_token: undefined }),
        () => answerWith(idToken, { expires_in: 'soon' }),
        () => answerWith(idToken, { expires_in: undefined }),
        () => answerWith(idToken, { expires_in: -1 }),
        () => new Response('<html>'),
        () => Response.json([]),
        () => new Response(null, { status: 204 }),
        () => new Response(null, { status: 307, headers: { location: 'https://evil.example' } }),
      ]) {
        await assert.rejects(finish(answer), { kind: 'protocol', code: 'answer_invalid' });
      }
    });

    test('of a refresh has to be of the same person', async () => {
      const provider = await providerWith({
        '/oidc/token': async () => answerWith(await sign({ ...good, sub: 'root' })),
      });
      const attemptToRefresh = refreshTokens(provider, { refreshToken: 'rt', identityId: 'ada' });
      await assert.rejects(attemptToRefresh, refused('subject_changed'));
    });
  });
});

describe('a login without a browser', () => {
  const to = (location: string, status = 302) => new Response(null, { status, headers: { location } });
  const started = `${issuer}/login/username?authRequestID=r1`;
  const credentials = { username: 'ada', password: 'seven quiet lanterns' };

  test('that is led to another server gets no password', async () => {
    for (const location of [
      'https://evil.example/login?authRequestID=r1',
      'http://auth.example:1280/x?authRequestID=r1',
    ]) {
      const provider = await providerWith({ '/oidc/authorization': () => to(location) });
      await assert.rejects(startDirectLogin(provider), refused('redirect_elsewhere'));
    }
    const provider = await providerWith({ '/oidc/authorization': () => to(`${issuer}/login/username`) });
    await assert.rejects(startDirectLogin(provider), refused('answer_invalid'));
  });

  test('ends at the redirect URI with our state, or not at all', async () => {
    for (const [location, code] of [
      ['https://evil.example/auth/callback?code=c', 'redirect_elsewhere'],
      ['http://127.0.0.1:1/other?code=c', 'redirect_elsewhere'],
      [`http://127.0.0.1:1/auth/callback?code=c&state=x&iss=${issuer}`, 'state_mismatch'],
    ] as const) {
      const provider = await providerWith({
        '/oidc/authorization': () => to(started),
        '/oidc/login/username': () => to(location),
      });
      const asked = await startDirectLogin(provider);
      await assert.rejects(asked.password(credentials), refused(code));
    }
  });

  test('says what it cannot answer, and refuses what makes no sense', async () => {
    const answering = async (body: unknown) => {
      const provider = await providerWith({
        '/oidc/authorization': () => to(started),
        '/oidc/login/username': () => Response.json(body),
        '/oidc/login/passkey/options': () => Response.json({ challenge: 7 }),
      });
      return (await startDirectLogin(provider)).password(credentials);
    };
    assert.deepEqual(await answering({ authQueries: [{ typeId: 'RETINA' }, {}] }), {
      kind: 'unsupported',
      queries: ['RETINA', 'undefined'],
    });
    for (const body of [{}, [], null, { authQueries: {} }, { authQueries: [] }, 'text']) {
      await assert.rejects(answering(body), refused('answer_invalid'));
    }
    const asked = await answering({ authQueries: [{ typeId: 'PASSKEY' }] });
    assert.ok(asked.kind === 'passkey');
    await assert.rejects(
      asked.submit(() => assert.fail('there is no question')),
      refused('answer_invalid'),
    );
  });

  test('notices a platform that hides redirects', async () => {
    const provider = await providerWith({
      '/oidc/authorization': () => Object.defineProperty(new Response(), 'type', { value: 'opaqueredirect' }),
    });
    await assert.rejects(startDirectLogin(provider), (error) => {
      return error instanceof ProtocolError && error.message.includes('browser');
    });
  });
});

test('a device gets no codes from an answer that makes no sense', async () => {
  for (const body of [{}, { device_code: 'd' }, { device_code: 'd', user_code: 'u', verification_uri: 7 }]) {
    const provider = await providerWith({ '/oidc/device_authorization': () => Response.json(body) });
    await assert.rejects(startDeviceLogin(provider), refused('answer_invalid'));
  }
});

test('a login asks for exactly what was meant', async () => {
  const provider = await providerWith({});
  const attempt = newLoginAttempt(redirectUri);
  const url = await authorizationUrl(provider, attempt, { prompt: 'login', maxAge: 60, method: 'cert' });
  const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(url.searchParams);
  assert.deepEqual([state, nonce], [attempt.state, attempt.nonce]);
  assert.equal(challenge?.length, 43);
  assert.deepEqual(rest, {
    response_type: 'code',
    client_id: 'overlay',
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    code_challenge_method: 'S256',
    method: 'cert',
    prompt: 'login',
    max_age: '60',
  });
});
