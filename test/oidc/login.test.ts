import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  authRequestIdOf,
  beginLogin,
  codeOf,
  locationOf,
  obtainCode,
  redeem,
  redirectUri,
  submitPassword,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { serverOfFile } from '../support/test-server.ts';

const password = 'seven quiet lanterns';
const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
await server.createUser({ name: 'alice', password });

describe('the right password', () => {
  test('answers with a redirect to the client: code, then state, then iss', async () => {
    const answer = await submitPassword(server, await beginLogin(server), 'alice', password);
    assert.equal(answer.status, 302);
    const pattern = /^http:\/\/localhost:8400\/auth\/callback\?code=[A-Za-z0-9_-]{43,}&state=s1&iss=[^&]+$/;
    assert.match(locationOf(answer), pattern);
    assert.equal(new URL(locationOf(answer)).searchParams.get('iss'), server.issuer);
    assert.equal(answer.headers['cache-control'], 'no-store');
  });

  test('is accepted as JSON or form, with the id under each of its names, in body or query', async () => {
    for (const name of ['authRequestId', 'authRequestID', 'id']) {
      const fields = { username: 'alice', password };
      const id = async () => beginLogin(server);
      const path = '/oidc/login/username';
      const answers = [
        await server.post(path, { json: { [name]: await id(), ...fields } }),
        await server.post(path, { form: { [name]: await id(), ...fields } }),
        await server.post(`${path}?${name}=${await id()}`, { json: fields }),
        await server.post(`${path}?${name}=${await id()}`, { form: fields }),
      ];
      for (const answer of answers) assert.equal(answer.status, 302, `${name}: ${answer.text}`);
    }
  });

  test('is the same under every spelling of the user name', async () => {
    const spaced = ['alice ', ' alice', 'alice\u00a0', '\talice\n', 'Alice\u3000'];
    for (const username of ['Alice', 'ALICE', 'ａｌｉｃｅ', ...spaced]) {
      const answer = await submitPassword(server, await beginLogin(server), username, password);
      assert.equal(answer.status, 302, JSON.stringify(username));
    }
    for (const [username, typed] of [
      ['ali ce', password],
      ['alice', `${password} `],
      ['alice', ` ${password}`],
    ] as const) {
      const answer = await submitPassword(server, await beginLogin(server), username, typed);
      assert.equal(answer.status, 401, JSON.stringify([username, typed]));
    }
  });
});

describe('a refused login', () => {});

test('by another person than the client names is refused where browsers do not stay signed in, too', async () => {
  const tokens = await redeem(server, await obtainCode(server, 'alice', password));
  const id_token_hint: string = tokens.json.id_token;
  await server.createUser({ name: 'bob', password });
  const errorOf = (answer: Answer) => new URL(locationOf(answer), server.url).searchParams.get('error');
  for (const headers of [
    {},
    { accept: 'text/html', 'user-agent': 'Mozilla/5.0', 'sec-fetch-site': 'same-origin' },
  ]) {
    const log = async (name: string, hint = id_token_hint) => {
      const begun = await server.get(`/oidc/authorization?${authorizationQuery({ id_token_hint: hint })}`, {
        headers,
      });
      if (errorOf(begun) !== null) return errorOf(begun);
      const cookie = begun.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      const json = { authRequestId: authRequestIdOf(begun), username: name, password };
      return errorOf(await server.post('/oidc/login/username', { json, headers: { ...headers, cookie } }));
    };
    assert.equal(await log('alice'), null);
    assert.equal(await log('bob'), 'login_required');
    assert.equal(await log('bob', tokens.json.access_token), null, 'no ID token');
  }
});

describe('an auth request id', () => {
  test('that is missing, foreign or altered is refused', async () => {
    const id = await beginLogin(server);
    for (const wrong of ['', 'x', `${id}A`, id.slice(0, -1), '__proto__', '../../x', 'A'.repeat(9000)]) {
      const answer = await submitPassword(server, wrong, 'alice', password);
      assert.equal(answer.status, 400, wrong.slice(0, 20));
    }
  });

  test('that is given twice with different values is refused', async () => {
    const [one, other] = [await beginLogin(server), await beginLogin(server)];
    const inBoth = await server.post(`/oidc/login/username?id=${one}`, {
      json: { authRequestId: other, username: 'alice', password },
    });
    const twoNames = await server.post('/oidc/login/username', {
      json: { authRequestId: one, id: other, username: 'alice', password },
    });
    for (const answer of [inBoth, twoNames]) assert.equal(answer.status, 400);
  });

  test('is useless once the code was issued: the code cannot be got again', async () => {
    const id = await beginLogin(server);
    const first = await submitPassword(server, id, 'alice', password);
    assert.equal(first.status, 302);
    const second = await submitPassword(server, id, 'alice', password);
    assert.equal(second.status, 400);
    assert.equal(second.headers.location, undefined);
    assert.equal((await redeem(server, codeOf(first))).status, 200);
  });
});

describe('in a browser', () => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-site': 'same-origin' };
  async function begin(): Promise<{ id: string; cookie: string }> {
    const answer = await server.get(`/oidc/authorization?${authorizationQuery()}`, { headers: html });
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    return { id: authRequestIdOf(answer), cookie };
  }

  test('the login is bound by a cookie that only this host gets', async () => {
    const { cookie } = await begin();
    assert.match(
      cookie,
      /^__Host-overlay-auth-login-([A-Za-z0-9_-]{4})=\1[A-Za-z0-9_-]{39}; Path=\/; Secure; HttpOnly; SameSite=Lax/,
    );
  });

  test('the form leads to the client, and a wrong password back to the form, with the status that JSON gets', async () => {
    const { id, cookie } = await begin();
    const headers = { ...html, cookie: cookie.split(';')[0] ?? '' };
    const wrong = await server.post('/oidc/login/username', {
      form: { authRequestId: id, username: 'alice', password: 'no' },
      headers,
    });
    assert.equal(wrong.status, 401);
    assert.match(wrong.text, /role="alert"/);
    assert.match(wrong.text, /value="alice"/);
    assert.ok(wrong.text.includes(String(wrong.headers['x-request-id'])));
    const right = await server.post('/oidc/login/username', {
      form: { authRequestId: id, username: 'alice', password },
      headers,
    });
    assert.equal(right.status, 302);
    assert.ok(locationOf(right).startsWith(`${redirectUri}?code=`));
  });
});
