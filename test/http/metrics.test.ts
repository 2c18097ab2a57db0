import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { answerTimes } from '../../src/http/server/answer-times.ts';
import { refusalReasons } from '../../src/model/login-attempt.ts';
import { beginLogin, login, submitPassword } from '../support/flow.ts';
import { withMetrics } from '../support/metrics.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

/** Samples by name with labels, as they are written. */
function samplesOf(text: string): ReadonlyMap<string, number> {
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const [, series, value] = /^([a-z_0-9]+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      assert.ok(series !== undefined, line);
      return [series, Number(value)];
    }),
  );
}

describe('metrics', () => {
  let server: TestServer;
  const scrape = async () => (await server.get('/metrics')).text;
  const sampleOf = async (series: string) => samplesOf(await scrape()).get(series) ?? 0;

  before(async () => {
    server = await startTestServer({ configure: withMetrics });
    await server.createUser({ name: 'alice', password: 'correct horse battery' });
  });
  after(() => server.close());

  test('are served to anybody, whatever Host was dialled, as Prometheus asks for them', async () => {
    const accept =
      'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1';
    const answer = await server.get('/metrics', { headers: { host: '10.0.0.7:9090', accept } });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    assert.equal(answer.headers['cache-control'], 'no-store');
    const head = await server.request('HEAD', '/metrics');
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal((await server.post('/metrics')).status, 405);
    assert.equal((await server.get('/metrics', { headers: { accept: 'text/html' } })).status, 406);
  });

  test('follow the text format: help and type once before the samples, no series twice, units and _total', async () => {
    await login(server, 'alice', 'correct horse battery');
    const text = await scrape();
    assert.ok(text.endsWith('\n'));
    const types = new Map<string, string>();
    const helped = new Set<string>();
    const seen = new Set<string>();
    for (const line of text.split('\n').filter((one) => one !== '')) {
      const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
      if (keyword === 'HELP') {
        assert.ok(!helped.has(name), `help twice: ${name}`);
        helped.add(name);
      } else if (keyword === 'TYPE') {
        assert.ok(!types.has(name), `type twice: ${name}`);
        assert.match(rest, /^(counter|gauge|histogram)$/);
        types.set(name, rest);
      } else {
        const [, series = '', metric = ''] =
          /^(([a-z_0-9]+)(?:\{(?:[a-z_]+="[^"\\\n]*",?)+\})?) [-+0-9.eInf]+$/.exec(line) ?? [];
        assert.ok(series !== '', line);
        assert.ok(!seen.has(series), `series twice: ${series}`);
        seen.add(series);
        const family = types.has(metric) ? metric : metric.replace(/_(bucket|sum|count)$/, '');
        assert.ok(types.has(family), `no type before ${line}`);
        assert.equal([...types.keys()].at(-1), family, 'samples of one metric stand together');
      }
    }
    assert.deepEqual([...types.keys()], [...helped]);
    for (const [name, type] of types) {
      assert.match(name, /^(overlay_auth|process)_/);
      assert.equal(name.endsWith('_total'), type === 'counter', name);
    }
  });

  test('a login moves what it should, and a refusal is counted with its reason', async () => {
    const passed =
      'overlay_auth_login_attempts_total{step="password",mechanism="oidc",outcome="passed",reason="none"}';
    const wrong =
      'overlay_auth_login_attempts_total{step="password",mechanism="oidc",outcome="refused",reason="wrong-password"}';
    const events = [
      'overlay_auth_audit_events_total{event="login.passed",method="password"}',
      'overlay_auth_audit_events_total{event="token.issued",method="none"}',
    ];
    const refused = 'overlay_auth_audit_events_total{event="login.refused",method="password"}';
    const before = samplesOf(await scrape());
    await login(server, 'alice', 'correct horse battery');
    await submitPassword(server, await beginLogin(server), 'alice', 'not it');
    const now = samplesOf(await scrape());
    for (const series of [passed, wrong, ...events, refused]) {
      assert.equal((now.get(series) ?? 0) - (before.get(series) ?? 0), 1, series);
    }
  });

  test('requests are counted by API and class, those without an endpoint and foreign hosts too', async () => {
    const count = (api: string, statusClass: string) =>
      sampleOf(
        `overlay_auth_http_request_duration_seconds_count{api="${api}",status_class="${statusClass}"}`,
      );
    const requests: [api: string, statusClass: string, send: () => Promise<unknown>][] = [
      ['oidc', '2xx', () => server.get('/oidc/.well-known/openid-configuration')],
      ['oidc', '4xx', () => server.request('DELETE', '/oidc/.well-known/openid-configuration')],
      ['oidc', '2xx', () => server.request('OPTIONS', '/oidc/.well-known/openid-configuration')],
      ['edge-client', '4xx', () => server.get('/edge/client/v1/current-api-session')],
      ['none', '4xx', () => server.get('/nowhere')],
      ['none', '4xx', () => server.get('/nowhere', { headers: { host: 'evil.test' } })],
      ['health', '2xx', () => server.get('/health-checks/live')],
    ];
    for (const [api, statusClass, send] of requests) {
      const before = await count(api, statusClass);
      await send();
      assert.equal((await count(api, statusClass)) - before, 1, `${api} ${statusClass}`);
    }
  });

  test('nothing that a client sends becomes a label: the series stay the same, whoever tries to log in', async () => {
    await submitPassword(server, await beginLogin(server), 'nobody', 'x');
    const before = new Set(samplesOf(await scrape()).keys());
    for (let at = 0; at < 5; at += 1) {
      const name = `user-${server.random.id()}"}\n evil 1`;
      await submitPassword(server, await beginLogin(server), name, 'x');
      await server.get(`/metrics/${encodeURIComponent(name)}`);
      await beginLogin(server, { client_id: name }).catch(() => undefined);
    }
    const text = await scrape();
    assert.ok(!/user-|evil|alice|nobody/.test(text));
    const added = [...samplesOf(text).keys()].filter((series) => !before.has(series));
    assert.ok(
      added.every((series) => /_duration_seconds_\w+\{.*api="(oidc|none|pages)"/.test(series)),
      `${added}`,
    );
    for (const [, reason = ''] of text.matchAll(/reason="([^"]*)"/g)) {
      assert.ok(['none', ...refusalReasons].includes(reason), reason);
    }
  });

  test('the depth of queues, the deny set, and the process are there', async () => {
    const samples = samplesOf(await scrape());
    assert.ok((samples.get('overlay_auth_password_hash_threads') ?? 0) >= 1);
    for (const name of [
      'overlay_auth_password_hash_running',
      'overlay_auth_password_hash_waiting',
      'overlay_auth_password_hash_refused_total',
      'overlay_auth_ended_sessions',
      'overlay_auth_decision_records_dropped_total',
      'overlay_auth_change_feed_behind',
    ]) {
      assert.equal(samples.get(name), 0, name);
    }
    assert.ok((samples.get('overlay_auth_decision_records_waiting') ?? -1) >= 0);
    assert.ok((samples.get('overlay_auth_event_loop_delay_p99_seconds') ?? -1) >= 0);
    assert.ok((samples.get('process_resident_memory_bytes') ?? 0) > 1e7);
    assert.ok((samples.get('process_cpu_seconds_total') ?? 0) > 0);
    const startedAt = samples.get('process_start_time_seconds') ?? 0;
    assert.ok(Math.abs(server.clock.now() / 1000 - startedAt) < 600);
    assert.ok([...samples.keys()].some((series) => series.startsWith('overlay_auth_build_info{version="')));
  });
});

test('a listener that does not bind metrics does not serve them', async (t) => {
  const server = await startTestServer();
  t.after(() => server.close());
  assert.equal((await server.get('/metrics')).status, 404);
});

test('an answer counts in every bucket from its own on', () => {
  const times = answerTimes();
  for (const duration of [0.4, 1, 30, 20_000]) times.observe('oidc', 200, duration);
  const [series] = times.list();
  assert.deepEqual(series?.cumulative, [2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4]);
  assert.equal(series?.sumSeconds, 20.0314);
});
