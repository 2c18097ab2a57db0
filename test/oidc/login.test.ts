import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
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
import { listOf } from '../support/list-budget.ts';
import { serverOfFile } from '../support/test-server.ts';

const password = 'seven quiet lanterns';
const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
await server.createUser({ name: 'alice', password });
await server.createUser({ name: 'disabled', password });
const { items } = await server.store.identities.list(listOf({ op: '=', field: 'name', value: 'disabled' }));
const disabled = items[0];
assert.ok(disabled);
await server.store.identities.update(disabled.id, { disabledAt: clock.now() }, clock.now());

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

describe('a refused login', () => {
  test('has the same answer for every cause', async () => {
    const causes = [
      ['alice', 'wrong'],
      ['ghost', password],
      ['disabled', password],
      ['', password],
      ['alice', ''],
      ['x'.repeat(5000), password],
      ['alice', 'p'.repeat(5000)],
      ["' or 1=1--", password],
      ['\u202Ealice', password],
    ] as const;
    const answers = [];
    for (const [username, secret] of causes) {
      answers.push(await submitPassword(server, await beginLogin(server), username, secret));
    }
    const bodies = answers.map(({ json }) => ({ ...json, error: { ...json.error, requestId: '' } }));
    for (const [at, answer] of answers.entries()) {
      assert.equal(answer.status, 401, String(causes[at]));
      assert.deepEqual(bodies[at], bodies[0]);
      assert.deepEqual(Object.keys(answer.headers).sort(), Object.keys(answers[0]?.headers ?? {}).sort());
    }
    assert.equal(bodies[0]?.error.code, 'INVALID_AUTH');
  });

  test('carries a reference id under which the decision record has the reason', async () => {
    const answer = await submitPassword(server, await beginLogin(server), 'alice', 'wrong');
    const { requestId } = answer.json.error;
    assert.equal(answer.headers['x-request-id'], requestId);
    await server.controller.services.attempts.flush();
    const [attempt] = await server.store.loginAttempts.findByReference(requestId);
    assert.equal(attempt?.outcome, 'refused');
    assert.equal(attempt?.reason, 'wrong-password');
    assert.equal(attempt?.subject, 'alice');
    assert.deepEqual(
      attempt?.checks.map(({ check, verdict }) => `${check}: ${verdict}`),
      ['user name known: passed', 'authenticator unlocked: passed', 'password: failed'],
    );
    assert.ok(!JSON.stringify(server.log.entries).includes(password));
  });

  test('can be tried again on the same request', async () => {
    const id = await beginLogin(server);
    assert.equal((await submitPassword(server, id, 'alice', 'wrong')).status, 401);
    assert.equal((await submitPassword(server, id, 'alice', password)).status, 302);
  });
});

test('many right passwords at once lock no person out', async () => {
  await server.createUser({ name: 'busy', password });
  const ids: string[] = [];
  while (ids.length < 40) ids.push(await beginLogin(server));
  const answers = await Promise.all(ids.map((id) => submitPassword(server, id, 'busy', password)));
  assert.ok(answers.some(({ status }) => status === 302));
  assert.equal((await submitPassword(server, await beginLogin(server), 'busy', password)).status, 302);
});

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

  test('expires after ten minutes', async () => {
    const id = await beginLogin(server);
    clock.advance(10 * MINUTE - 1);
    const inTime = await beginLogin(server);
    assert.equal((await submitPassword(server, id, 'alice', password)).status, 302);
    clock.advance(10 * MINUTE);
    assert.equal((await submitPassword(server, inTime, 'alice', password)).status, 400);
  });
});

describe('hostile bodies', () => {
  test('of the wrong shape are refused and name the field', async () => {
    const authRequestId = await beginLogin(server);
    for (const username of [1, true, null, [], {}, { $ne: null }, { toString: 1 }]) {
      const answer = await server.post('/oidc/login/username', {
        json: { authRequestId, username, password },
      });
      assert.equal(answer.status, 400, JSON.stringify(username));
      assert.equal(answer.json.error.code, 'COULD_NOT_VALIDATE');
      assert.equal(answer.json.error.cause.field, 'username');
    }
  });

  test('that are not JSON, repeat a name or have another media type are refused', async () => {
    const id = await beginLogin(server);
    const twice = `{"authRequestId":"${id}","username":"alice","username":"root","password":"x"}`;
    const json = { 'content-type': 'application/json' };
    for (const body of [
      twice,
      '{',
      '[]',
      'null',
      '"x"',
      `{"a":${'['.repeat(100)}`,
      '\ufeff{}',
      '{"__proto__":{}}',
    ]) {
      const answer = await server.post('/oidc/login/username', { body, headers: json });
      assert.equal(answer.status, 400, body.slice(0, 30));
    }
    for (const contentType of [
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/json; charset=utf-16',
      'x',
    ]) {
      const answer = await server.post('/oidc/login/username', {
        body: twice,
        headers: { 'content-type': contentType },
      });
      assert.equal(answer.status, 415, contentType);
    }
  });

  test('never echo a password', async () => {
    const answer = await server.post('/oidc/login/username', {
      json: { authRequestId: 'x', username: 1, password: 'canary-4711' },
    });
    assert.ok(!answer.text.includes('canary-4711'));
  });

  test('over the limit are refused before they are read', async () => {
    const answer = await server.post('/oidc/login/username', { json: { password: 'x'.repeat(20_000) } });
    assert.equal(answer.status, 413);
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

  test('the page is a form that works without scripts', async () => {
    const { id, cookie } = await begin();
    const page = await server.get(`/oidc/login/username?authRequestID=${id}`, {
      headers: { ...html, cookie: cookie.split(';')[0] ?? '' },
    });
    assert.equal(page.status, 200);
    assert.equal(page.headers['auth-request-id'], id);
    assert.match(
      String(page.headers['content-security-policy']),
      /form-action 'self' http:\/\/localhost:8400;/,
    );
    for (const part of [
      '<html lang="en" dir="ltr">',
      'method="post"',
      `value="${id}"`,
      'id="username"',
      'autocomplete="current-password"',
      'id="login"',
    ]) {
      assert.ok(page.text.includes(part), part);
    }
    assert.ok(!/<script(?! src="\/assets\/)/.test(page.text), 'no script in the page itself');
    assert.match(String(page.headers['content-security-policy']), /script-src 'self'(?:;|$)/);
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

  test('a step without the cookie, or with that of another browser, is refused', async () => {
    const { id } = await begin();
    const other = (await begin()).cookie.split(';')[0] ?? '';
    for (const headers of [html, { ...html, cookie: other }, {}]) {
      const answer = await server.post('/oidc/login/username', {
        form: { authRequestId: id, username: 'alice', password },
        headers,
      });
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.location, undefined);
    }
  });

  test('typed values are shown again as text, never as markup', async () => {
    const { id, cookie } = await begin();
    const answer = await server.post('/oidc/login/username', {
      form: { authRequestId: id, username: '"><script>alert(1)</script>', password: 'x' },
      headers: { ...html, cookie: cookie.split(';')[0] ?? '' },
    });
    assert.ok(!answer.text.includes('<script>'));
    assert.ok(answer.text.includes('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"'));
  });
});

test('a finished login has no login address any more, for any method', async () => {
  const id = await beginLogin(server);
  assert.equal((await submitPassword(server, id, 'alice', password)).status, 302);
  for (const segment of ['username', 'cert', 'ext-jwt']) {
    const answer = await server.get(`/oidc/login/${segment}?authRequestID=${id}`);
    assert.equal(answer.status, 400, segment);
    assert.equal(answer.json.error.code, 'INVALID_AUTH_REQUEST');
  }
});
