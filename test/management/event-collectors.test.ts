// Event subscriptions of syslog (RFC 5424 over TLS) and of a collector of OTLP logs.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { MINUTE, systemClock } from '../../src/platform/clock.ts';
import { createRootCa, issueServerCertificate } from '../../src/platform/x509/pki.ts';
import { authority, client } from '../support/chains.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { assertRefused, createdId, rootOf } from '../support/management.ts';
import { startMessageReceiver } from '../support/message-receiver.ts';
import { parseSyslog } from '../support/syslog-parser.ts';
import { testPki } from '../support/test-pki.ts';
import { serverOfFile } from '../support/test-server.ts';
import { eventually } from '../support/until.ts';

const clock = fixedClock('2026-01-31T12:00:00Z');
const server = await serverOfFile({ clock });
const root = await rootOf(server);

async function subscribe(t: TestContext, fields: Record<string, unknown>) {
  const answer = await root.call('POST', 'event-subscriptions', { events: ['admin.changed'], ...fields });
  const path = `event-subscriptions/${createdId(answer)}`;
  t.after(() => root.call('DELETE', path));
  return { path, secret: answer.json.data.secret, read: async () => (await root.get(path)).json.data };
}

async function something(): Promise<string> {
  return createdId(await root.call('POST', 'config-types', { name: `ü ☃ ${crypto.randomUUID()}` }));
}

/** Keeps what each connection has said. */
async function syslogReceiver(t: TestContext, options: TlsOptions = {}) {
  const { server: identity } = await testPki();
  const connections: Buffer[] = [];
  let meet: (socket: TLSSocket) => void = (socket) => {
    const chunks: Buffer[] = [];
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => connections.push(Buffer.concat(chunks)));
  };
  const receiver = createServer({ cert: identity.certPem, key: identity.keyPem, ...options }, (socket) =>
    meet(socket),
  );
  const sockets = new Set<{ destroy(): void }>();
  receiver.on('connection', (socket) => sockets.add(socket));
  receiver.on('tlsClientError', () => {});
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.after(async () => {
    receiver.close();
    for (const socket of sockets) socket.destroy();
    await once(receiver, 'close');
  });
  return {
    url: `tls://localhost:${(receiver.address() as AddressInfo).port}`,
    messages: () => connections.flatMap(parseSyslog),
    meet(how: (socket: TLSSocket) => void) {
      const usual = meet;
      meet = how;
      return () => {
        meet = usual;
      };
    },
  };
}

test('syslog gets each event as a message of RFC 5424, in order, over TLS', async (t) => {
  const receiver = await syslogReceiver(t);
  const of = await subscribe(t, { type: 'syslog', url: receiver.url });
  assert.equal(of.secret, undefined);
  const ids = [await something(), await something()];
  const messages = await eventually(receiver.messages, (found) => found.length === 3);
  assert.deepEqual(
    messages.slice(1).map(({ parameters }) => parameters.entityId),
    ids,
  );
  const [, message] = messages;
  assert.ok(message);
  const data = JSON.parse(message.text);
  assert.deepEqual(
    [message.priority, message.app, message.process, message.messageId, message.element],
    [85, 'overlay-auth', '-', 'admin.changed', 'overlayAuth@32473'],
  );
  assert.equal(message.host, 'localhost');
  assert.deepEqual([message.timestamp, message.parameters.id], ['2026-01-31T12:00:00.000Z', data.id]);
  assert.match(data.changes.find(({ field }: { field: string }) => field === 'name').to, /^ü ☃ /);
  assertRefused(await root.call('POST', `${of.path}/secrets`, {}), 409, 'CONFLICT');
});

test('syslog counts as delivered only what the receiver has read to its end', async (t) => {
  const receiver = await syslogReceiver(t);
  const of = await subscribe(t, { type: 'syslog', url: receiver.url });
  await eventually(receiver.messages, (found) => found.length === 1);
  const asUsual = receiver.meet((socket) => {
    socket.on('error', () => {});
    socket.destroy();
  });
  const id = await something();
  await eventually(of.read, ({ failures }) => failures > 0);
  asUsual();
  clock.advance(MINUTE);
  await something();
  const messages = await eventually(receiver.messages, (found) => found.length === 3);
  assert.equal(messages[1]?.parameters.entityId, id);
});

test('syslog leaves a receiver that sends without end', async (t) => {
  const receiver = await syslogReceiver(t);
  receiver.meet((socket) => {
    const more = () => {
      while (socket.writable && socket.write(Buffer.alloc(16_384)));
    };
    socket.on('error', () => {});
    socket.on('drain', more);
    more();
  });
  const of = await subscribe(t, { type: 'syslog', url: receiver.url });
  const deliveries = async () => (await root.get(`${of.path}/deliveries`)).json.data;
  const [first] = await eventually(deliveries, ([one]) => one?.result != null);
  assert.match(first.result, /it sent what is no answer/);
});

test('syslog proves itself with a client certificate, and trusts the roots of the subscription', async (t) => {
  const { server: other, client: own, roots, clients } = await otherPki();
  const receiver = await syslogReceiver(t, {
    ...{ cert: other.certPem, key: other.keyPem, ca: clients, requestCert: true, rejectUnauthorized: true },
  });
  const run = async (fields: Record<string, unknown>) => {
    const of = await subscribe(t, { type: 'syslog', url: receiver.url, events: ['key.rotated'], ...fields });
    return (await root.call('POST', `${of.path}/test`)).json.data;
  };
  assert.match((await run({ name: 'a' })).result, /not trusted/);
  assert.equal((await run({ name: 'b', trustedRoots: roots })).isDelivered, false);
  const proof = { clientCertPem: own.certPem, clientKey: own.keyPem };
  assert.deepEqual(await run({ name: 'c', trustedRoots: roots, ...proof }), {
    isDelivered: true,
    result: 'read',
  });
  assert.equal(receiver.messages()[0]?.messageId, 'test');
  const wrong = { type: 'syslog', url: receiver.url, ...proof, clientKey: other.keyPem };
  assertRefused(await root.call('POST', 'event-subscriptions', wrong), 'clientKey');
  assert.ok(!(await root.get('event-subscriptions')).text.includes('PRIVATE KEY'));
});

async function otherPki() {
  const needs = { clock: systemClock };
  const ca = await createRootCa(needs, { commonName: 'Other root', days: 2 });
  const other = await issueServerCertificate(needs, { dnsNames: ['localhost'], ips: [], days: 1, ca });
  const clients = authority();
  return { server: other, client: client({ issuer: clients }), roots: ca.certPem, clients: clients.certPem };
}

test('addresses of syslog are tls only, and follow the rules of all outbound requests', async () => {
  for (const url of [
    'https://logs.example:6514',
    'tcp://logs.example:514',
    'tls://logs.example/path',
    'tls://169.254.169.254:6514',
    'tls://user@logs.example',
    'tls://',
  ]) {
    const answer = await root.call('POST', 'event-subscriptions', { type: 'syslog', url });
    assertRefused(answer, 'url');
  }
});

// Distributions have TLS for it in a package of its own, and without that it starts but does not listen.
const installed = globSync('/usr/lib/*/rsyslog/lmnsd_ossl.so').length > 0 ? '/usr/sbin/rsyslogd' : undefined;
const rsyslogd = [installed, process.env.RSYSLOGD].find((file) => file && existsSync(file));

test('rsyslog takes them', { skip: rsyslogd === undefined && 'there is no rsyslogd with TLS' }, async (t) => {
  const { ca, server: identity } = await testPki();
  const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-syslog-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text = '') => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const config = file(
    'rsyslog.conf',
    `global(workDirectory="${folder}" defaultNetstreamDriver="ossl"
      defaultNetstreamDriverCAFile="${file('ca.pem', ca.certPem)}"
      defaultNetstreamDriverCertFile="${file('cert.pem', identity.certPem)}"
      defaultNetstreamDriverKeyFile="${file('key.pem', identity.keyPem)}")
    module(load="imtcp" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon")
    template(name="fields" type="string" string="%pri%|%app-name%|%msgid%|%structured-data%|%msg%\\n")
    input(type="imtcp" address="127.0.0.1" port="0" listenPortFileName="${join(folder, 'port')}")
    action(type="omfile" file="${file('out')}" template="fields")\n`,
  );
  const checked = spawnSync(rsyslogd ?? '', ['-N1', '-f', config], { encoding: 'utf8' });
  assert.equal(checked.status, 0, checked.stderr);
  const child: ChildProcess = spawn(rsyslogd ?? '', ['-n', '-f', config, '-i', join(folder, 'pid')]);
  t.after(async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  });
  const port = await eventually(
    () => (existsSync(join(folder, 'port')) ? readFileSync(join(folder, 'port'), 'utf8') : ''),
    (text) => text !== '',
  );
  const of = await subscribe(t, { type: 'syslog', url: `tls://localhost:${port.trim()}` });
  const id = await something();
  const lines = await eventually(
    () => readFileSync(join(folder, 'out'), 'utf8').split('\n'),
    (found) => found.some((line) => line.includes(id)),
  );
  const line = lines.find((each) => each.includes(id)) ?? '';
  assert.match(line, /^85\|overlay-auth\|admin\.changed\|\[overlayAuth@32473 id="[^|]*\]\| ?\{/);
  assert.equal(JSON.parse(line.slice(line.indexOf('{'))).entityId, id);
  await eventually(of.read, ({ waiting }) => waiting === 0);
});

test('a collector of OTLP logs gets several events in one request', async (t) => {
  const collector = await startMessageReceiver();
  t.after(() => collector.close());
  collector.answer(503);
  const of = await subscribe(t, { type: 'otlp', url: `${collector.url}/v1/logs` });
  const ids = [await something(), await something()];
  await eventually(of.read, ({ failures }) => failures > 0);
  collector.answer(200);
  clock.advance(MINUTE);
  ids.push(await something());
  await eventually(of.read, ({ waiting }) => waiting === 0);
  const last = collector.received.at(-1);
  assert.deepEqual([last?.path, last?.headers['content-type']], ['/v1/logs', 'application/json']);
  const records = collector.received.slice(1).flatMap(({ body }) => {
    const [{ resource, scopeLogs }] = JSON.parse(body).resourceLogs;
    assert.deepEqual(resource.attributes, [{ key: 'service.name', value: { stringValue: 'overlay-auth' } }]);
    return scopeLogs[0].logRecords;
  });
  const entities = records.map((record) => JSON.parse(record.body.stringValue).entityId);
  assert.deepEqual(
    entities.filter((id) => ids.includes(id)),
    ids,
  );
  const { eventName, severityNumber, timeUnixNano, attributes } = records.at(-1);
  assert.deepEqual([eventName, severityNumber, timeUnixNano], ['admin.changed', 9, `${clock.now()}000000`]);
  assert.ok(
    attributes.some(
      ({ key, value }: { key: string; value: { stringValue: string } }) =>
        key === 'entityId' && value.stringValue === ids[2],
    ),
  );
});
