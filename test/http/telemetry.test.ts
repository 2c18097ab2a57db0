// Traces and metrics, as a collector receives them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/config/load.ts';
import { createIdentity, createSigner, submitJwt, tokenOf } from '../support/external-jwt.ts';
import { readNamedFile } from '../support/files.ts';
import { authorize, beginLogin, callWith, codeOf, login, redeem, submitPassword } from '../support/flow.ts';
import type { HttpsClient } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { withMetrics } from '../support/metrics.ts';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  sendingTo,
  startOtlpReceiver,
} from '../support/otlp-receiver.ts';
import { startTestIdp, type TestIdp } from '../support/test-idp.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { promised } from '../support/until.ts';

const traceOf = (digit: string) => digit.repeat(32);
const callerSpan = 'b'.repeat(16);

/** The same client, whose requests belong to a trace of the caller. */
function inTrace(client: HttpsClient, traceId: string, flags = '01'): HttpsClient {
  const traceparent = `00-${traceId}-${callerSpan}-${flags}`;
  const request: HttpsClient['request'] = (method, path, init = {}) =>
    client.request(method, path, { ...init, headers: { traceparent, ...init.headers } });
  return {
    request,
    get: (path, init) => request('GET', path, init),
    post: (path, init) => request('POST', path, init),
    closeConnections: client.closeConnections,
  };
}

const inOrder = (spans: readonly ReceivedSpan[]) => spans.map(({ name }) => name).sort();

describe('telemetry', () => {
  let receiver: OtlpReceiver;
  let server: TestServer;
  let idp: TestIdp;
  const headerSecret = 'canary-header-6f2d';
  const sendingMetrics = (interval: string) => (yaml: string) =>
    `${withMetrics(yaml)}
${sendingTo(receiver, ['headersFile: otlp.headers', 'serviceName: login', 'traces: { sampling: 1 }', `metrics: { interval: ${interval} }`])}`;
  const addFiles = (home: string) =>
    writeFileSync(join(home, 'otlp.headers'), `# for the collector\nAuthorization: Bearer ${headerSecret}\n`);

  before(async () => {
    receiver = await startOtlpReceiver();
    idp = await startTestIdp();
    server = await startTestServer({ configure: sendingMetrics('1s'), addFiles });
    await server.createUser({ name: 'alice-canary', password });
  });
  after(async () => {
    await server.close();
    await idp.close();
    await receiver.close();
  });

  const spansOf = (traceId: string) => receiver.spans.filter((span) => span.traceId === traceId);
  /** The spans of a trace once this one is there; parts come before the request that they belong to. */
  const spansWith = async (traceId: string, name: string) => {
    await receiver.until(() => spansOf(traceId).some((span) => span.name === name));
    return spansOf(traceId);
  };

  test('a login is a trace: its requests under the caller, their store operations under them', async () => {
    const client = inTrace(server, traceOf('1'));
    const { access_token } = await login(client, 'alice-canary', password);
    const called = await callWith(client, access_token);
    assert.equal(called.status, 200);
    const wanted = [
      'GET /edge/client/v1/current-api-session',
      'GET /oidc/authorization',
      'POST /oidc/login/username',
      'POST /oidc/token',
    ];
    // They may have been answered by different threads.
    for (const name of wanted) await spansWith(traceOf('1'), name);
    const spans = spansOf(traceOf('1'));
    const requests = spans.filter(({ kind }) => kind === 2);
    assert.deepEqual(inOrder(requests), wanted);
    for (const { parentSpanId, resource, nanoseconds } of requests) {
      assert.equal(parentSpanId, callerSpan);
      assert.equal(resource['service.name'], 'login');
      assert.ok(nanoseconds >= 0n);
    }
    const token = requests.find(({ name }) => name === 'POST /oidc/token');
    assert.ok(token);
    assert.deepEqual(
      [
        token.attributes['http.request.method'],
        token.attributes['http.route'],
        token.attributes['http.response.status_code'],
      ],
      ['POST', '/oidc/token', 200],
    );
    const request = requests.find(({ name }) => name.endsWith('current-api-session'));
    assert.equal(request?.attributes['overlay_auth.request_id'], called.headers['x-request-id']);
    const parts = spans.filter(({ parentSpanId }) => parentSpanId === token.spanId);
    assert.ok(inOrder(parts).includes('store authRequests.redeemCode'), inOrder(parts).join(', '));
    for (const { attributes, name } of parts) {
      assert.deepEqual(Object.keys(attributes).sort(), ['db.operation.name', 'db.system.name']);
      assert.equal(name, `store ${attributes['db.operation.name']}`);
    }
  });

  test('a fetch from a signer is a part of the login that needs it, and tells the signer nothing', async (t) => {
    // With several threads, the one that fetches may be another one, and has no part in the trace.
    const server = await startTestServer({ threads: 1, configure: sendingMetrics('0s'), addFiles });
    t.after(() => server.close());
    const root = await rootOf(server);
    await createIdentity(server, 'bob');
    await createSigner(root, idp, 'provider');
    const client = inTrace(server, traceOf('2'));
    const traced = { ...server, ...client };
    const answer = await submitJwt(traced, await tokenOf(server, idp, 'bob@idp'));
    assert.equal(answer.status, 302, answer.text);
    const spans = await spansWith(traceOf('2'), 'POST /oidc/login/ext-jwt');
    const fetched = spans.find(({ name, kind }) => name === 'GET' && kind === 3);
    assert.ok(fetched, inOrder(spans).join(', '));
    assert.deepEqual(fetched.attributes, {
      'http.request.method': 'GET',
      'url.scheme': 'https',
      'server.address': 'localhost',
      'server.port': idp.port,
      'url.path': '/jwks',
    });
    const request = spans.find(({ name }) => name === 'POST /oidc/login/ext-jwt');
    assert.equal(fetched.parentSpanId, request?.spanId);

    // One that fails, at an address with a secret in it.
    const other = {
      issuer: 'https://other.example',
      jwksEndpoint: `${receiver.endpoint}/keys?key=canary-query-77`,
    };
    await createSigner(root, other, 'other provider');
    const token = await tokenOf(server, { ...idp, issuer: other.issuer }, 'bob@idp');
    await submitJwt({ ...server, ...inTrace(server, traceOf('3')) }, token);
    const failed = (await spansWith(traceOf('3'), 'POST /oidc/login/ext-jwt')).find(({ kind }) => kind === 3);
    assert.equal(failed?.attributes['url.path'], '/keys');
    const asked = receiver.requests.find(({ path }) => path.startsWith('/keys'));
    assert.ok(asked);
    assert.deepEqual(
      Object.keys(asked.headers).filter((name) =>
        /^(traceparent|tracestate|baggage|authorization)$/.test(name),
      ),
      [],
    );
  });

  test('nothing secret is exported: no password, code, token, cookie, name, query or header', async () => {
    const client = inTrace(server, traceOf('4'));
    const cookie = 'canary-cookie-3c';
    const authRequestId = await beginLogin(client);
    const wrong = 'canary wrong password 91';
    await submitPassword(client, authRequestId, 'alice-canary', wrong);
    const code = codeOf(await submitPassword(client, authRequestId, 'alice-canary', password));
    const { json: tokens } = await redeem(client, code);
    const unknown = await client.get('/nowhere/canary-path-12?code=canary-query-55', { headers: { cookie } });
    assert.equal(unknown.status, 404);
    await client.request('DELETE', '/oidc/token?code=canary-query-56');
    await client.get(`/edge/management/v1/identities/canary-id-41?filter=canary-filter-8`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    await client.get('/edge/client/v1/current-identity', { headers: { 'zt-session': 'canary-session-2' } });
    await spansWith(traceOf('4'), 'GET /edge/client/v1/current-identity');
    await spansWith(traceOf('4'), 'GET /edge/management/v1/identities/:id');
    const notFound = (await spansWith(traceOf('4'), 'GET')).find(({ name }) => name === 'GET');
    assert.equal(notFound?.attributes['http.route'], undefined);
    await receiver.until(({ metrics }) => metrics.length > 0);
    const sent = receiver.bytes().toString('latin1');
    const secrets = [
      password,
      wrong,
      authRequestId,
      code,
      ...Object.values(tokens),
      headerSecret,
      cookie,
      'canary',
    ];
    for (const secret of secrets.filter((value) => typeof value === 'string' && value.length > 8)) {
      assert.ok(!sent.includes(secret as string), `${secret} was sent`);
    }
    assert.ok(!sent.includes('canary'));
    assert.ok(!JSON.stringify(server.log.entries).includes(headerSecret));
    const own = receiver.requests.filter(({ path }) => path === '/v1/traces' || path === '/v1/metrics');
    assert.ok(own.every(({ headers }) => headers.authorization === `Bearer ${headerSecret}`));
  });

  test('the trace id is beside the reference id: in error bodies, in the log and in the audit trail', async () => {
    const traceId = traceOf('5');
    const refused = await inTrace(server, traceId).get('/edge/client/v1/current-identity');
    assert.equal(refused.status, 401);
    assert.equal(refused.json.error.traceId, traceId);
    const requestId = refused.json.error.requestId;
    const line = server.log.entries.find(({ fields }) => fields.requestId === requestId);
    assert.equal(line?.fields.traceId, traceId);
    const [span] = await spansWith(traceId, 'GET /edge/client/v1/current-identity');
    assert.equal(span?.attributes['error.type'], 'unauthorized');
    assert.equal(span?.status, 0, 'a refusal is no failure of ours');

    await login(inTrace(server, traceId), 'alice-canary', password);
    const audited = server.log.entries.filter(
      ({ message, fields }) => message === 'audit' && fields.traceId === traceId,
    );
    assert.ok(audited.some(({ fields }) => fields.event === 'login.passed'));

    // The caller knows the id, although nothing is kept.
    const untraced = await inTrace(server, traceOf('6'), '00').get('/edge/client/v1/current-identity');
    assert.equal(untraced.json.error.traceId, traceOf('6'));
    for (const broken of [
      '',
      '00-0',
      `00-${'0'.repeat(32)}-${callerSpan}-01`,
      `ff-${traceId}-${callerSpan}-01`,
    ]) {
      const answer = await server.get('/edge/client/v1/current-identity', {
        headers: { traceparent: broken },
      });
      const own = answer.json.error.traceId;
      assert.match(own, /^[0-9a-f]{32}$/);
      assert.ok(own !== traceId && !/^0+$/.test(own));
    }
    await receiver.until(({ spans }) => spans.at(-1)?.name === 'GET /edge/client/v1/current-identity');
    assert.deepEqual(spansOf(traceOf('6')), []);
  });

  test('the metrics are those of /metrics: the same names, kinds and numbers', async () => {
    const text = (await server.get('/metrics')).text;
    const [, count = ''] =
      /^overlay_auth_login_attempts_total\{step="password"[^}]*outcome="passed"[^}]*\} (\d+)$/m.exec(text) ??
      [];
    const before = receiver.metrics.length;
    // One may already be under way.
    const sent = await receiver.until(({ metrics }) => metrics[before + 1]);
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
    assert.deepEqual(
      sent.map(({ name }) => name),
      [...types.keys()],
    );
    for (const { name, type, isMonotonic } of sent) {
      assert.equal(type, types.get(name) === 'counter' ? 'sum' : types.get(name), name);
      assert.equal(isMonotonic, type === 'sum');
    }
    assert.ok(count !== '', text);
    const attempts = sent.find(({ name }) => name === 'overlay_auth_login_attempts_total');
    const passed = attempts?.points.find(
      ({ attributes }) => attributes.step === 'password' && attributes.outcome === 'passed',
    );
    assert.equal(passed?.value, Number(count));
    const durations = sent.find(({ type }) => type === 'histogram');
    assert.ok(durations && durations.points.length > 0);
    durations.points.forEach(({ value }, at) => {
      assert.equal(
        durations.buckets[at]?.reduce((sum, one) => sum + one, 0),
        value,
      );
    });
  });

  test('machines that ask all the time are not traced', async () => {
    const client = inTrace(server, traceOf('7'));
    await client.get('/health-checks');
    await client.get('/metrics');
    await authorize(client);
    const spans = await spansWith(traceOf('7'), 'GET /oidc/authorization');
    assert.deepEqual(inOrder(spans.filter(({ kind }) => kind === 2)), ['GET /oidc/authorization']);
  });
});

test('with two threads every request has one span, and the metrics count both, once', async () => {
  const receiver = await startOtlpReceiver({ isPlain: true });
  const server = await startTestServer({
    threads: 2,
    configure: (yaml) => `${yaml}\n${sendingTo(receiver)}`,
  });
  try {
    const answers = await Promise.all(Array.from({ length: 24 }, () => authorize(server)));
    const ids = new Set(answers.map(({ headers }) => headers['x-request-id']));
    const seen = () => receiver.spans.map(({ attributes }) => attributes['overlay_auth.request_id']);
    await receiver.until(() => seen().filter((id) => ids.has(String(id))).length >= ids.size);
    assert.deepEqual(seen().sort(), [...ids].sort());
    const oidc = await receiver.until(({ metrics }) => {
      const durations = metrics.at(-1)?.find(({ type }) => type === 'histogram');
      const counted = durations?.points.find(({ attributes }) => attributes.api === 'oidc')?.value ?? 0;
      return counted >= ids.size ? counted : undefined;
    });
    assert.equal(oidc, ids.size);
    // The last ones are sent when it stops, from both threads.
    const last = await authorize(server);
    await server.stop();
    assert.ok(seen().includes(String(last.headers['x-request-id'])));
  } finally {
    await server.close();
    await receiver.close();
  }
});

test('a reload sets a collector, and one that does not answer delays no request', async () => {
  const receiver = await startOtlpReceiver();
  const server = await startTestServer({ configure: withMetrics });
  const configFile = join(server.home, 'controller.yml');
  const written = readNamedFile(configFile);
  const reloadWith = (section: string) => {
    writeFileSync(configFile, `${written}\n${section}`);
    return server.controller.reload(loadConfig(configFile, { readFile: readNamedFile, env: {} }).config);
  };
  const said = () => server.log.entries.filter(({ fields }) => String(fields.event).startsWith('telemetry.'));
  const sample = async (name: string) => {
    const { text } = await server.get('/metrics');
    return Number(new RegExp(`^overlay_auth_telemetry_${name}_total (\\d+)$`, 'm').exec(text)?.[1]);
  };
  try {
    const { changed } = await reloadWith(sendingTo(receiver));
    assert.ok(
      changed.some(({ path, after: value }) => path === 'telemetry.endpoint' && value === receiver.endpoint),
    );
    const { headers } = await authorize(server);
    await receiver.until(({ spans }) =>
      spans.some(({ attributes }) => attributes['overlay_auth.request_id'] === headers['x-request-id']),
    );
    // Holders of a part of the store since the start use it within the trace too.
    await submitPassword(server, await beginLogin(server), 'nobody', 'wrong');
    await receiver.until(({ spans }) =>
      spans.some(({ name }) => name === 'store authenticators.findPasswordLogin'),
    );
    assert.ok((await sample('spans_sent')) > 0);
    assert.deepEqual(said(), []);

    writeFileSync(join(server.home, 'wrong.headers'), 'canary without a colon\n');
    await assert.rejects(
      reloadWith(sendingTo(receiver, ['headersFile: wrong.headers'])),
      (error: Error) =>
        /wrong\.headers:1 is not NAME: VALUE/.test(error.message) && !/canary/.test(error.message),
    );

    receiver.answerWith(503);
    const asked = receiver.requests.length;
    await authorize(server);
    await receiver.until(({ requests }) => requests.length >= asked + 4);
    assert.ok((await sample('failures')) >= 2);
    const complaints = said().filter(({ level }) => level === 'warn');
    assert.deepEqual(
      complaints.map(({ fields }) => fields.event),
      ['telemetry.failed'],
    );
    assert.match(String(complaints[0]?.fields.why), /\/v1\/(?:traces|metrics): it answered with status 503$/);
    assert.equal(
      (await server.get('/health-checks')).status,
      200,
      'no collector takes a node out of service',
    );
    receiver.answerWith(200);
    const before = receiver.metrics.length;
    await receiver.until(({ metrics }) => metrics.length > before + 1);
    assert.deepEqual(
      said().map(({ fields }) => fields.event),
      ['telemetry.failed', 'telemetry.delivered'],
    );

    // It accepts the connection and never answers.
    receiver.answerWith('silence');
    await authorize(server);
    const began = performance.now();
    await server.stop();
    assert.ok(performance.now() - began < promised(8000), 'the end waits for the collector');
  } finally {
    await server.close();
    await receiver.close();
  }
});

test('without a collector nothing of OpenTelemetry is loaded', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { startTestServer } = await import(${JSON.stringify(new URL('../support/test-server.ts', import.meta.url).href)});
    const { login } = await import(${JSON.stringify(new URL('../support/flow.ts', import.meta.url).href)});
    const server = await startTestServer();
    await server.createUser({ name: 'alice', password: 'seven quiet lanterns' });
    await login(server, 'alice', 'seven quiet lanterns');
    await server.close();
    process.stdout.write(JSON.stringify({
      modules: loaded.length,
      telemetry: loaded.filter((url) => /opentelemetry|open-telemetry|telemetry.collector/.test(url)),
    }));
    process.exit(0);`;
  const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-loaded-'));
  try {
    const file = join(folder, 'loaded.mjs');
    writeFileSync(file, script);
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    const { modules, telemetry } = JSON.parse(stdout);
    assert.ok(modules > 300, stdout);
    assert.deepEqual(telemetry, []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
