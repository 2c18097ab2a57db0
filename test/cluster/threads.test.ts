// Several threads answer the requests of one controller, and clients see no difference: each thread refuses what was
// ended, disabled or used from the next request on, and all count together.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { ListenError } from '../../src/http/server/listen-error.ts';
import { sendOneProof } from '../support/dpop.ts';
import { callWith, login, obtainCode, redeem, refresh } from '../support/flow.ts';
import { type Answer, type HttpsClient, httpsClient } from '../support/https-client.ts';
import { callerWith, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { testPki } from '../support/test-pki.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

/** So many connections that they miss one of three threads only once in five thousand runs. */
const connections = 24;

const server = await startTestServer({ threads: 3 });
const root = await rootOf(server);
const clients = await connected(server);
after(async () => {
  for (const client of clients) client.closeConnections();
  await server.close();
});

/** Clients with one connection each, which stays with the thread that accepted it. */
async function connected({ url, caPem }: TestServer): Promise<readonly HttpsClient[]> {
  const all = Array.from({ length: connections }, () => httpsClient(url, caPem, { maxSockets: 1 }));
  await Promise.all(all.map((client) => client.get('/health-checks/live')));
  return all;
}

async function statuses(ask: (client: HttpsClient) => Promise<Answer>): Promise<readonly number[]> {
  return (await Promise.all(clients.map(ask))).map(({ status }) => status);
}

const all = (status: number) => Array(connections).fill(status);
const some = () => clients.filter((_, at) => at % 4 === 0);

describe('a withdrawn token is refused by every thread from the next request on', () => {
  test('a session that was ended, whichever thread ended it', async () => {
    await server.createUser({ name: 'ended', password });
    for (const client of some()) {
      const { access_token: token } = await login(client, 'ended', password);
      assert.deepEqual(await statuses((each) => callWith(each, token)), all(200));
      const { id } = (await callWith(client, token)).json.data;
      const ended = await callerWith(client, root.accessToken).call('DELETE', `api-sessions/${id}`);
      assert.equal(ended.status, 200, ended.text);
      assert.deepEqual(await statuses((each) => callWith(each, token)), all(401));
    }
  });

  test('the session as its owner sees it, whichever thread refreshes it', async () => {
    await server.createUser({ name: 'shown', password });
    let tokens = await login(server, 'shown', password);
    const lastActivity = async (): Promise<ReadonlySet<string>> => {
      const answers = clients.map((each) => callWith(each, tokens.access_token));
      return new Set((await Promise.all(answers)).map(({ json }) => json.data.lastActivityAt));
    };
    const shown = [...(await lastActivity())];
    for (const client of some()) {
      tokens = (await refresh(client, tokens.refresh_token)).json;
      shown.push(...(await lastActivity()));
    }
    assert.equal(shown.length, 1 + some().length, 'all threads show the same');
    assert.equal(new Set(shown).size, shown.length);
  });

  test('a legacy session that was ended', async () => {
    await server.createUser({ name: 'legacy', password });
    for (const client of some()) {
      const begun = await client.post('/edge/client/v1/authenticate?method=password', {
        json: { username: 'legacy', password },
      });
      assert.equal(begun.status, 200, begun.text);
      const headers = { 'zt-session': begun.json.data.token };
      const call = (each: HttpsClient) => each.get('/edge/client/v1/current-api-session', { headers });
      assert.deepEqual(await statuses(call), all(200));
      const ended = await client.request('DELETE', '/edge/client/v1/current-api-session', { headers });
      assert.equal(ended.status, 200, ended.text);
      assert.deepEqual(await statuses(call), all(401));
    }
  });

  test('the sessions of an identity, when it is disabled', async () => {
    for (const [at, client] of some().entries()) {
      const id = await server.createUser({ name: `disabled ${at}`, password });
      const { access_token: token } = await login(server, `disabled ${at}`, password);
      assert.deepEqual(await statuses((each) => callWith(each, token)), all(200));
      const disabling = callerWith(client, root.accessToken).call('POST', `identities/${id}/disable`, {});
      assert.equal((await disabling).status, 200);
      assert.deepEqual(await statuses((each) => callWith(each, token)), all(401));
    }
  });

  test('the sessions of an identity, when an auth policy with a further factor is assigned to its role attribute', async () => {
    const id = await server.createUser({ name: 'assigned', password });
    const { access_token: token } = await login(server, 'assigned', password);
    const changing = { roleAttributes: ['assigned'] };
    assert.equal((await root.call('PATCH', `identities/${id}`, changing)).status, 200);
    const policy = { name: 'code too', secondary: { requireTotp: true } };
    const path = `auth-policies/${createdId(await root.call('POST', 'auth-policies', policy))}`;
    const call = (each: HttpsClient) =>
      each.get('/edge/client/v1/current-identity', { headers: { authorization: `Bearer ${token}` } });
    for (const client of some()) {
      for (const [assignTo, status] of [
        [['assigned'], 401],
        [[], 200],
      ] as const) {
        const changed = await callerWith(client, root.accessToken).call('PATCH', path, { assignTo });
        assert.equal(changed.status, 200, changed.text);
        assert.deepEqual(await statuses(call), all(status));
      }
    }
  });

  test('and the rights of a former administrator', async () => {
    const id = await server.createUser({ name: 'former', password, isAdmin: true });
    const { access_token: token } = await login(server, 'former', password);
    const list = (each: HttpsClient) => callerWith(each, token).get('identities?limit=1');
    assert.deepEqual(await statuses(list), all(200));
    const [client] = clients as [HttpsClient];
    const changed = await callerWith(client, root.accessToken).call('PATCH', `identities/${id}`, {
      isAdmin: false,
    });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(await statuses(list), all(403));
  });
});

describe('single-use items work only once, however many threads are asked at the same moment', () => {
  before(async () => void (await server.createUser({ name: 'once', password })));

  test('a code', async () => {
    for (let race = 0; race < 5; race += 1) {
      const code = await obtainCode(server, 'once', password);
      const won = (await statuses((each) => redeem(each, code))).filter((status) => status === 200);
      assert.equal(won.length, 1);
    }
  });

  test('a refresh token', async () => {
    for (let race = 0; race < 5; race += 1) {
      const { refresh_token: token } = await login(server, 'once', password);
      const won = (await statuses((each) => refresh(each, token))).filter((status) => status === 200);
      assert.equal(won.length, 1);
    }
  });

  test('a DPoP proof', async () => {
    await server.createUser({ name: 'proven', password });
    const [first, ...rest] = clients;
    assert.ok(first);
    const answers = await sendOneProof(server.url, [first, ...rest], { username: 'proven', password });
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(connections - 1).fill(401)]);
    const refused = answers.filter(({ status }) => status === 401);
    for (const { headers } of refused) assert.match(String(headers['www-authenticate']), /used before/);
  });
});

describe('records and counts cover all threads', () => {
  async function answered(): Promise<number> {
    const { text } = await server.controller.services.readMetrics();
    const count = /duration_seconds_count\{api="edge-client",status_class="2xx"\} (\d+)/.exec(text);
    return Number(count?.[1] ?? 0);
  }

  test('metrics', async () => {
    const before = await answered();
    assert.deepEqual(await statuses((each) => each.get('/edge/client/v1/version')), all(200));
    assert.equal((await answered()) - before, connections);
  });

  test('decision records and the audit trail, at once and whichever thread is asked', async () => {
    await server.createUser({ name: 'refused', password });
    const attempt = { json: { username: 'refused', password: 'not it' } };
    const refusedBy = async (client: HttpsClient): Promise<string> => {
      const refused = await client.post('/edge/client/v1/authenticate?method=password', attempt);
      assert.equal(refused.status, 401);
      return String(refused.headers['x-request-id']);
    };
    const explain = async (client: HttpsClient, reference: string): Promise<void> => {
      const explained = await callerWith(client, root.accessToken).get(`login-attempts/${reference}`);
      assert.equal(explained.status, 200, explained.text);
    };
    const audited = (reference: string): readonly unknown[] =>
      server.log.entries
        .filter(({ message, fields }) => message === 'audit' && fields.requestId === reference)
        .map(({ fields }) => fields.event);
    for (const [at, client] of some().entries()) {
      // The log takes so many refusals a second; those of the tests before this one may have filled the current one.
      await until(3_000, async () => {
        const reference = await refusedBy(client);
        await explain(clients[(at * 5 + 3) % connections] as HttpsClient, reference);
        // Its lines are in the log before an answer that the refusing thread asked the first thread for.
        await explain(client, reference);
        return isDeepStrictEqual(audited(reference), ['login.refused']);
      });
    }
  });

  test('audit events, whichever thread is asked, even while another one has still to store them', async (t) => {
    const id = await server.createUser({ name: 'copied', password });
    const codes: string[] = [];
    for (const _ of clients) codes.push(await obtainCode(server, 'copied', password));
    const { auditEvents } = server.store;
    const { append } = auditEvents;
    const gate = Promise.withResolvers<void>();
    // Of the first thread.
    const held = t.mock.method(auditEvents, 'append', async (...events: Parameters<typeof append>) => {
      await gate.promise;
      return append(...events);
    });
    const twice = async (client: HttpsClient, at: number): Promise<number> => {
      const code = codes[at] as string;
      assert.equal((await redeem(client, code)).status, 200);
      return (await redeem(client, code)).status;
    };
    assert.deepEqual(await Promise.all(clients.map(twice)), all(400));
    assert.notEqual(held.mock.callCount(), 0);
    const filter = encodeURIComponent(`event="code.refused" and identityId="${id}"`);
    const lists = clients.map((client) =>
      callerWith(client, root.accessToken).get(`audit-events?limit=${connections}&filter=${filter}`),
    );
    // Lists that do not wait are answered meanwhile.
    const other = httpsClient(server.url, server.caPem);
    t.after(() => other.closeConnections());
    for (let request = 0; request < connections; request += 1)
      await callerWith(other, root.accessToken).get('identities?limit=1');
    gate.resolve();
    const counts = (await Promise.all(lists)).map(({ json }) => json.data.length);
    assert.deepEqual(counts, all(connections));
  });
});

describe('TLS', () => {
  function begin({ url, caPem: ca }: TestServer, session?: Buffer): Promise<TLSSocket> {
    const port = Number(new URL(url).port);
    return new Promise((resolve, reject) => {
      const options = { port, host: '127.0.0.1', servername: 'localhost', ca };
      const socket = connect(session === undefined ? options : { ...options, session }, () =>
        resolve(socket),
      );
      socket.on('error', reject);
    });
  }

  async function assertResumedByAll(of: TestServer): Promise<void> {
    const first = await begin(of);
    const ticket = await new Promise<Buffer>((resolve) => first.once('session', resolve));
    first.destroy();
    for (let at = 0; at < connections; at += 1) {
      const socket = await begin(of, ticket);
      assert.equal(socket.isSessionReused(), true, `connection ${at}`);
      socket.destroy();
    }
  }

  test('a session that began on one thread continues on another', () => assertResumedByAll(server));

  test('and also if the keys of tickets change while a thread is starting', async (t) => {
    const { setInterval } = globalThis;
    const changeKeys: (() => void)[] = [];
    t.mock.method(globalThis, 'setInterval', (work: () => void, pause: number) => {
      if (pause === 6 * 3_600_000) changeKeys.push(work);
      return setInterval(work, pause);
    });
    let started = 0;
    const own = await startTestServer({
      threads: 2,
      onThread() {
        started += 1;
        // Not at the first start: then the first thread's keys cannot be older than the others'.
        if (started === 2) setImmediate(() => changeKeys.forEach((change) => void change()));
      },
    });
    t.after(() => own.close());
    assert.notEqual(changeKeys.length, 0);
    await own.workers[0]?.terminate();
    await until(30_000, async () => own.log.entries.some(({ fields }) => fields.event === 'thread.replaced'));
    await assertResumedByAll(own);
  });

  test('every thread presents the certificate that was read again', async (t) => {
    const files = ['server.pem', 'server.key'].map((name) => join(server.home, name));
    const before = files.map((file) => readFileSync(file));
    t.after(async () => {
      files.forEach((file, at) => void writeFileSync(file, before[at] as Buffer));
      await server.controller.reload();
    });
    const { signing } = await testPki();
    writeFileSync(files[0] as string, signing.certPem);
    writeFileSync(files[1] as string, signing.keyPem);
    await server.controller.reload();
    const { url } = server;
    const port = Number(new URL(url).port);
    const presented = Array.from({ length: connections }, async () => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
      await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      return signing.certPem.replaceAll('\n', '').includes(raw.toString('base64'));
    });
    assert.deepEqual(await Promise.all(presented), Array(connections).fill(true));
  });
});

test('a second controller on the same port is refused, as it is with one thread', async () => {
  const { port } = new URL(server.url);
  const onSamePort = (yaml: string) =>
    yaml.replaceAll('localhost:0', `localhost:${port}`).replaceAll('127.0.0.1:0', `127.0.0.1:${port}`);
  await assert.rejects(startTestServer({ threads: 2, configure: onSamePort }), (error) => {
    assert.ok(error instanceof ListenError);
    assert.match(error.message, /another program uses this port/);
    return true;
  });
});

describe('a thread that dies', () => {
  let own: TestServer;
  before(async () => {
    own = await startTestServer({ threads: 2 });
  });
  after(() => own.close());

  test('loses its connections and nothing else, and another one replaces it', async () => {
    await own.createUser({ name: 'alice', password });
    const { access_token: ended } = await login(own, 'alice', password);
    const { access_token: token } = await login(own, 'alice', password);
    const admin = await rootOf(own);
    const { id } = (await callWith(own, ended)).json.data;
    assert.equal((await admin.call('DELETE', `api-sessions/${id}`)).status, 200);

    const held = await connected(own);
    await own.workers[0]?.terminate();
    const asked = await Promise.allSettled(held.map((client) => callWith(client, token)));
    for (const outcome of asked) if (outcome.status === 'fulfilled') assert.equal(outcome.value.status, 200);
    for (const client of held) client.closeConnections();
    await until(30_000, async () => own.log.entries.some(({ fields }) => fields.event === 'thread.replaced'));
    const died = own.log.entries.filter(({ fields }) => fields.event === 'thread.died');
    assert.deepEqual(
      died.map(({ level, fields }) => [level, fields.thread]),
      [['error', 1]],
    );
    assert.equal(own.workers.length, 2);

    const fresh = await connected(own);
    const answers = await Promise.all(
      fresh.flatMap((client) => [callWith(client, token), callWith(client, ended)]),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      fresh.flatMap(() => [200, 401]),
    );
    for (const client of fresh) client.closeConnections();
    const { text } = await own.controller.services.readMetrics();
    assert.match(text, /^overlay_auth_request_threads_replaced_total 1$/m);
  });

  test('does not delay the end of a session while it is starting', async () => {
    const admin = await loggedIn(own, 'root');
    const { access_token: token } = await login(own, 'alice', password);
    await callWith(own, token);
    // A client that is just connecting to it loses its connection too.
    await own.workers.at(-1)?.terminate();
    const created = createdId(
      await admin.call('POST', 'identities', { name: 'somebody', type: 'User', isAdmin: false }),
    );
    assert.equal((await admin.call('DELETE', `identities/${created}`)).status, 200);
    const replaced = () => own.log.entries.filter(({ fields }) => fields.event === 'thread.replaced');
    await until(30_000, async () => replaced().length === 2);
  });
});
