// Searches for every secret of whole flows where none may be: log, database, write-ahead log and refusals.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { Secret } from 'otpauth';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  beginLogin,
  callWith,
  codeOf,
  login,
  redeem,
  refresh,
  submitPassword,
  verifier,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { createdId, loggedIn, rootOf } from '../support/management.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';
import {
  createTotpUser,
  partialLogin,
  password,
  scan,
  startEnrollment,
  step,
  submitCode,
  totpPolicy,
  verifyEnrollment,
} from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });

/** The keys of the listener and of the test are in files of their own. */
const ownFiles = /\.(?:key|pem|yml)$/;

function everyFile(): ReadonlyMap<string, Buffer> {
  const names = readdirSync(server.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !ownFiles.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(names.map((name) => [name, readFileSync(name)]));
}

describe('after logins, enrollment, refresh, logout and everything that can be refused', () => {
  const secrets = new Map<string, string | Buffer>();
  const refusals: Answer[] = [];

  before(async () => {
    const admin = await rootOf(server);
    secrets.set('password of root', password);
    secrets.set('access token of root', admin.accessToken);
    secrets.set('refresh token of root', admin.refreshToken);

    const chosen = 'canary-Quokka-4711-new';
    secrets.set('password that an administrator set', chosen);
    const id = createdId(
      await admin.call('POST', 'identities', { name: 'new', type: 'User', isAdmin: false }),
    );
    const authenticator = { method: 'updb', identityId: id, username: 'newbie', password: chosen };
    const authenticatorId = createdId(await admin.call('POST', 'authenticators', authenticator));
    secrets.set('password that was refused', 'kiwi#7');
    refusals.push(await admin.call('PATCH', `authenticators/${authenticatorId}`, { password: 'kiwi#7' }));
    await loggedIn(server, 'newbie', chosen);

    await createTotpUser(server, await totpPolicy(server), 'bob');
    const begun = await partialLogin(server, 'bob');
    const started = await startEnrollment(server, begun);
    const app = scan(clock, started.json.provisioningUrl);
    secrets.set('TOTP seed as text', app.secret);
    secrets.set('TOTP seed', Buffer.from(Secret.fromBase32(app.secret).bytes));
    for (const code of started.json.recoveryCodes as string[]) {
      secrets.set(`recovery code ${code}`, code);
      secrets.set(`recovery code ${code} without its dash`, code.replace('-', ''));
    }
    refusals.push(await verifyEnrollment(server, begun, app.wrongCode()));
    const code = codeOf(await verifyEnrollment(server, begun, app.code()));
    secrets.set('authorization code', code);
    secrets.set('random part of the code', Buffer.from(code, 'base64url').subarray(20, 52));
    refusals.push(await redeem(server, code, { code_verifier: verifier.replace('d', 'e') }));
    secrets.set('code verifier', verifier);
    const tokens = (await redeem(server, code)).json;
    const next = (await refresh(server, tokens.refresh_token)).json;
    for (const [name, value] of [...Object.entries(tokens), ...Object.entries(next)]) {
      if (/_token$/.test(name)) secrets.set(`${name} ${String(value).slice(-6)}`, String(value));
    }
    secrets.set(
      'random part of a refresh token',
      Buffer.from(next.refresh_token, 'base64url').subarray(20, 52),
    );
    clock.advance(step);
    const recovery = String(started.json.recoveryCodes[0]);
    refusals.push(await submitCode(server, await partialLogin(server, 'bob'), `${recovery}X`));
    await submitCode(server, await partialLogin(server, 'bob'), recovery);

    secrets.set('wrong password', 'canary-wrong-Pelican');
    refusals.push(await submitPassword(server, await beginLogin(server), 'bob', 'canary-wrong-Pelican'));
    refusals.push(await submitPassword(server, await beginLogin(server), 'nobody', 'canary-wrong-Pelican'));
    const { refresh_token, access_token } = next;
    refusals.push(
      await redeem(server, code),
      await refresh(server, tokens.refresh_token),
      await refresh(server, refresh_token, { client_id: access_token }),
      await redeem(server, refresh_token, { code_verifier: refresh_token }),
      await callWith(server, `${access_token}x`),
      await callWith(server, refresh_token),
      await server.get(`/oidc/end_session?id_token_hint=${access_token}`),
      await server.get(`/oidc/authorization?client_id=${refresh_token}&state=${access_token}`),
      await server.get(`/nowhere/${refresh_token}?access_token=${access_token}`),
      await server.post('/oidc/token', { json: { refresh_token, access_token } }),
      await server.post('/oidc/login/username', {
        form: { password: 'canary-wrong-Pelican', username: 'x' },
      }),
      await server.post('/oidc/token', {
        form: { grant_type: 'refresh_token', refresh_token },
        headers: {
          authorization: `Basic ${Buffer.from(`x:${access_token.slice(0, 100)}`).toString('base64')}`,
        },
      }),
      await server.get('/edge/client/v1/current-identity', { headers: { 'zt-session': refresh_token } }),
    );
    await server.get(`/oidc/end_session?id_token_hint=${next.id_token}`);
    for (const alg of ['ES256'] as const) {
      const { material } = server.controller.services.ring.signer(alg, 'at+jwt', clock.now());
      const { d = '' } = material.privateKey.export({ format: 'jwk' });
      secrets.set('private signing key as text', d);
      secrets.set('private signing key', Buffer.from(d, 'base64url'));
    }
    await server.controller.services.attempts.flush();
  });

  test('no refusal repeats one', () => {
    for (const answer of refusals) {
      assert.ok(answer.status >= 400, `${answer.status} ${answer.text}`);
      const whole = answer.text + JSON.stringify(answer.headers);
      for (const [name, secret] of secrets) assert.ok(!whole.includes(String(secret)), `${name}: ${whole}`);
    }
  });

  test('no log entry contains one', () => {
    const log = JSON.stringify(server.log.entries);
    assert.ok(server.log.entries.length > 20);
    for (const [name, secret] of secrets) assert.ok(!log.includes(String(secret)), name);
  });

  test('no file of the database contains one, in any encoding', () => {
    const files = everyFile();
    assert.ok([...files.keys()].some((name) => name.endsWith('overlay.db')));
    for (const [file, bytes] of files) {
      for (const [name, secret] of secrets) {
        const raw = Buffer.from(secret);
        for (const form of [raw, raw.toString('base64'), raw.toString('base64url'), raw.toString('hex')]) {
          assert.ok(!bytes.includes(form), `${name} in ${file}`);
        }
      }
    }
  });

  test('no value of the database is a token that works', async () => {
    const texts = new Set<string>();
    for (const bytes of everyFile().values()) {
      for (const [text] of bytes.toString('latin1').matchAll(/[A-Za-z0-9_-]{43,140}/g)) texts.add(text);
    }
    assert.ok(texts.size > 5);
    for (const text of [...texts].slice(0, 150)) {
      assert.equal((await refresh(server, text)).status, 400);
      assert.equal((await redeem(server, text)).status, 400);
      assert.equal((await callWith(server, text)).status, 401);
    }
  });
});

test('successful logins, refreshes and logouts leave no warning', async () => {
  await using quiet = await startTestServer();
  await quiet.createUser({ name: 'alice', password });
  const first = await login(quiet, 'alice', password);
  const { json } = await refresh(quiet, first.refresh_token);
  assert.equal((await callWith(quiet, json.access_token)).status, 200);
  assert.equal((await quiet.get(`/oidc/end_session?id_token_hint=${json.id_token}`)).status, 200);
  const loud = quiet.log.entries.filter(({ level }) => level === 'warn' || level === 'error');
  assert.deepEqual(loud, []);
  assert.ok(!quiet.log.entries.some(({ message }) => /refused|failed/.test(message)));
});

test('requests that fail at the same time learn nothing about each other', async () => {
  const markers = Array.from({ length: 60 }, (_, at) => `canary-${at}-${'z'.repeat(at % 7)}-end`);
  const answers = await Promise.all(
    markers.map((marker, at) => {
      const mine = encodeURIComponent(marker);
      if (at % 4 === 0) return server.get(`/oidc/authorization?client_id=${mine}`);
      if (at % 4 === 1)
        return server.post('/oidc/login/username', { json: { id: marker, username: marker, password: 1 } });
      if (at % 4 === 2) return server.get(`/${mine}`, { headers: { accept: 'text/html' } });
      return server.get(`/oidc/end_session?state=${mine}&post_logout_redirect_uri=${mine}`);
    }),
  );
  const references = new Set(answers.map((answer) => answer.headers['x-request-id']));
  assert.equal(references.size, markers.length);
  answers.forEach((answer, at) => {
    const whole = answer.text + JSON.stringify(answer.headers);
    for (const [other, marker] of markers.entries()) {
      if (other !== at) assert.ok(!whole.includes(marker), `${at} shows ${marker}`);
    }
  });
});
