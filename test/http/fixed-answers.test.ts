// Answers that do not depend on the caller are made once, as bytes.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AuthError } from '../../src/errors/auth-error.ts';
import { json } from '../../src/http/request/answer.ts';
import { fixedRoute, type Place } from '../../src/http/request/fixed-route.ts';
import type { RequestContext } from '../../src/http/request/request-context.ts';
import { HOUR } from '../../src/platform/clock.ts';
import { keyVault, vaultKey } from '../../src/platform/secrets/key-vault.ts';
import { makeSigningKey } from '../../src/tokens/key-ring.ts';
import { httpsClient } from '../support/https-client.ts';
import { rootOf } from '../support/management.ts';
import { registerClient } from '../support/oidc-clients.ts';
import { masterKey, startTestServer as startServer, type TestServer } from '../support/test-server.ts';
import { send, startTestListener } from './support.ts';

/** An endpoint that counts how often its answer is made. */
function counted(text: string, madeOf?: () => readonly unknown[]) {
  const made: string[] = [];
  const fixed = fixedRoute('/fixed', {
    api: 'edge-client',
    errors: 'edge',
    summary: 'For a test',
    answers: {},
    ...(madeOf === undefined ? {} : { madeOf }),
    make({ issuer }: Place) {
      made.push(issuer);
      return json({ issuer, text });
    },
  });
  return { made, fixed };
}

describe('a fixed answer', () => {
  test('is made once, also when many ask at once', async (t) => {
    const { made, fixed } = counted('x'.repeat(50_000));
    const { port } = await startTestListener(t, { routes: [fixed] });
    for (let round = 0; round < 2; round += 1) {
      const codings = ['identity', 'gzip', 'br', 'gzip, br'].flatMap((coding) => [coding, coding, coding]);
      const answers = await Promise.all(
        codings.map((coding) => send(port, '/fixed', { headers: { 'accept-encoding': coding } })),
      );
      assert.deepEqual(
        answers.map(({ headers }) => headers['content-encoding'] ?? 'identity'),
        codings.map((coding) => coding.replace('gzip, ', '')),
      );
    }
    assert.equal(made.length, 1);
  });

  test('that could not be made is tried again by the next one who asks', async (t) => {
    let isBroken = true;
    const fixed = fixedRoute('/fixed', {
      api: 'edge-client',
      errors: 'edge',
      summary: 'For a test',
      answers: {},
      make() {
        if (isBroken) throw new AuthError('unavailable');
        return json({});
      },
    });
    const { port } = await startTestListener(t, { routes: [fixed] });
    assert.equal((await send(port, '/fixed')).status, 503);
    isBroken = false;
    assert.equal((await send(port, '/fixed')).status, 200);
  });

  test('is made for each listener, also of those with one address on different networks', async () => {
    const fixed = fixedRoute('/fixed', {
      api: 'edge-client',
      errors: 'edge',
      summary: 'For a test',
      answers: {},
      make: ({ listener }) => json(listener.name),
    });
    const bindPoint = { address: 'controller.example:443' };
    for (const name of ['inside', 'outside', 'inside']) {
      const asked = { listener: { name }, bindPoint, issuer: '', params: {}, headers: {} };
      const { body } = await fixed.handler(asked as unknown as RequestContext, {} as never);
      assert.equal(String(body), JSON.stringify(name));
    }
  });

  test('is made again when what it is made of changes', async (t) => {
    let version = {};
    const { made, fixed } = counted('x', () => [version]);
    const { port } = await startTestListener(t, { routes: [fixed] });
    await send(port, '/fixed');
    await send(port, '/fixed');
    assert.equal(made.length, 1);
    version = {};
    await send(port, '/fixed');
    assert.equal(made.length, 2);
  });

  test('is not sent to a client that has it', async (t) => {
    const { fixed } = counted('x'.repeat(50_000));
    const { port } = await startTestListener(t, { routes: [fixed] });
    const tags = new Set<string>();
    for (const coding of ['identity', 'gzip', 'br']) {
      const ask = (tag: string) =>
        send(port, '/fixed', { headers: { 'accept-encoding': coding, 'if-none-match': tag } });
      const { headers } = await ask('"another"');
      const etag = String(headers.etag);
      tags.add(etag);
      assert.match(etag, /^"[\w-]+"$/, 'a strong tag');
      assert.equal(headers.vary, 'origin, accept-encoding');
      for (const named of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const answer = await ask(named);
        assert.deepEqual([answer.status, answer.text, answer.headers.etag], [304, '', etag], named);
        assert.equal(answer.headers['content-type'], undefined);
      }
      for (const other of ['"x"', etag.replaceAll('"', ''), '', '"'])
        assert.equal((await ask(other)).status, 200);
    }
    assert.equal(tags.size, 3);
  });

  test('is compressed for clients that ask for it, and small ones are not compressed', async (t) => {
    const { fixed } = counted('x'.repeat(50_000));
    const { port } = await startTestListener(t, { routes: [fixed] });
    const codingFor = async (accepted: string) =>
      (await send(port, '/fixed', { headers: { 'accept-encoding': accepted } })).headers['content-encoding'];
    const table = {
      br: ['br', 'BR', 'gzip, deflate, br, zstd', 'br;q=0.1', 'br ; q=1.0', 'x,br'],
      gzip: ['gzip', 'gzip;q=1', 'br;q=0, gzip', 'br;q=0.000,gzip;q=0.001'],
      none: ['', 'identity', '*', 'brx', 'gzip;q=0', 'gzip;q=0.0, br;q=0', 'gzip;q=x', 'deflate'],
    };
    for (const [coding, lines] of Object.entries(table)) {
      for (const line of lines) assert.equal((await codingFor(line)) ?? 'none', coding, line);
    }
    const small = counted('x');
    const other = await startTestListener(t, { routes: [small.fixed] });
    const answer = await send(other.port, '/fixed', { headers: { 'accept-encoding': 'br' } });
    assert.deepEqual([answer.headers['content-encoding'], answer.headers.vary], [undefined, 'origin']);
  });
});

describe('the answer to all clients', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  const paths = [
    '/edge/client/v1/docs',
    '/edge/client/v1/docs/getVersion',
    '/edge/management/v1/openapi.json',
    '/oidc/openapi.json',
    '/oidc/keys',
    '/oidc/.well-known/openid-configuration',
    '/version',
    '/edge/client/v1/network-jwts',
    '/.well-known/est/cacerts',
    '/account',
    '/console/identities/x',
    '/',
  ];

  test('has a tag, and the same bytes in every form', async (t) => {
    // On one connection: each thread makes a signature of its own.
    const connection = httpsClient(server.url, server.caPem, { maxSockets: 1 });
    t.after(() => connection.closeConnections());
    for (const path of paths) {
      const plain = await connection.get(path);
      assert.equal(plain.status, 200, path);
      assert.match(String(plain.headers.etag), /^"[\w-]+"$/, path);
      const again = await connection.get(path, { headers: { 'if-none-match': String(plain.headers.etag) } });
      assert.deepEqual([again.status, again.text], [304, ''], path);
    }
  });

  test('differs by language only where people read it', async () => {
    const german = { headers: { 'accept-language': 'de' } };
    for (const path of ['/account', '/']) {
      const tags = [await server.get(path), await server.get(path, german)].map(
        ({ headers }) => headers.etag,
      );
      assert.notEqual(tags[0], tags[1], path);
    }
    const one = await server.get('/oidc/keys');
    assert.equal((await server.get('/oidc/keys', german)).headers.etag, one.headers.etag);
  });

  test('is also there without its body', async () => {
    for (const path of ['/edge/management/v1/docs', '/oidc/openapi.json', '/version']) {
      const whole = await server.get(path);
      const head = await server.request('HEAD', path);
      assert.deepEqual([head.status, head.text], [200, ''], path);
      assert.equal(head.headers['content-length'], String(Buffer.byteLength(whole.text)), path);
    }
  });

  test('changes with the keys, the registered clients and the configuration', async (t) => {
    const connection = httpsClient(server.url, server.caPem, { maxSockets: 1 });
    t.after(() => connection.closeConnections());
    const changedAfter = async (change: () => Promise<unknown>) => {
      const former = await Promise.all(paths.map((path) => connection.get(path)));
      await change();
      const now = await Promise.all(paths.map((path) => connection.get(path)));
      return paths.filter((_path, at) => former[at]?.headers.etag !== now[at]?.headers.etag);
    };
    const { ring } = server.controller.services;
    assert.deepEqual(await changedAfter(() => ring.reload()), [], 'the same keys again');
    const times = { createdAt: server.clock.now(), activeFrom: server.clock.now() };
    const next = await makeSigningKey(keyVault(vaultKey(masterKey)), 'ES256', times);
    const newestSeen = ring.list().findLast(({ alg }) => alg === 'ES256')?.kid ?? null;
    const now = server.clock.now();
    const rotation = { next, newestSeen, retireOldAt: now, removeOldAt: now + HOUR };
    const rotated = await changedAfter(() => server.store.keys.rotateSigningKey(rotation));
    assert.deepEqual(rotated, ['/oidc/keys']);
    const root = await rootOf(server);
    const client = {
      name: 'app',
      type: 'public',
      redirectUris: ['https://app.example/cb'],
      scopes: ['openid', 'email'],
    };
    const created = await changedAfter(() => registerClient(root, client));
    assert.deepEqual(created, ['/oidc/.well-known/openid-configuration']);
  });
});
