import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { controllerReload } from '../../src/cli/host/run/reload.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { answerTimes } from '../../src/explain/counts.ts';
import { refusalReasons } from '../../src/model/refusal-reason.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { forwardingLogger } from '../../src/platform/log/logger.ts';
import { certificateFacts, parseCertificate } from '../../src/platform/x509/x509.ts';
import { readNamedFile } from '../support/files.ts';
import { beginLogin, login, submitPassword } from '../support/flow.ts';
import { withMetrics } from '../support/metrics.ts';
import { afterPassword, passkeyPolicy, personWithPasskey, usePasskey } from '../support/passkeys.ts';
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

/** The metrics of docs/monitoring/metrics.md. After a whole name, a cell may give others by their ends. */
function documentedMetrics(): readonly RegExp[] {
  const page = readFileSync(new URL('../../docs/monitoring/metrics.md', import.meta.url), 'utf8');
  return [...page.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) => {
    const [first = '', ...others] = [...cell.matchAll(/`([a-z_0-9]+)`/g)].map(([, name = '']) => name);
    const beginning = first.split('_').slice(0, 3).join('_');
    const whole = (name: string) => new RegExp(`^${name}$`);
    return [whole(first), ...others.map((end) => whole(end.startsWith('_') ? `${beginning}.*${end}` : end))];
  });
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

  test('are served to anybody, for any Host, in the format that Prometheus requests', async () => {
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

  test('logins and refusals by passkey are counted like those of other proofs, as first and as second step', async () => {
    const requiring = await passkeyPolicy(server, { requirePasskey: true });
    const pat = await personWithPasskey(server);
    const attempt = (step: string, outcome: string, reason: string) =>
      `overlay_auth_login_attempts_total{step="${step}",mechanism="oidc",outcome="${outcome}",reason="${reason}"}`;
    const event = (name: string, method: string) =>
      `overlay_auth_audit_events_total{event="login.${name}",method="${method}"}`;
    const before = samplesOf(await scrape());
    assert.equal((await usePasskey(server, pat)).status, 302);
    assert.equal((await usePasskey(server, pat, { isVerified: false })).status, 401);
    await server.store.identities.update(pat.id, { authPolicyId: requiring }, server.clock.now());
    const id = await afterPassword(server, pat);
    assert.equal((await usePasskey(server, pat, { id, isVerified: false })).status, 400);
    assert.equal((await usePasskey(server, pat, { id })).status, 302);
    const now = samplesOf(await scrape());
    for (const step of ['passkey', 'secondary-passkey']) {
      for (const series of [
        attempt(step, 'passed', 'none'),
        attempt(step, 'refused', 'passkey-unverified'),
        event('passed', step),
        event('refused', step),
      ]) {
        assert.equal((now.get(series) ?? 0) - (before.get(series) ?? 0), 1, series);
      }
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

  test('nothing that a client sends becomes a label: the series stay the same, for all attempts of strangers', async () => {
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

  test('say when the last backup was begun, and 0 while none is known', async () => {
    const series = 'overlay_auth_last_backup_timestamp_seconds';
    assert.equal(samplesOf(await scrape()).get(series), 0);
    await server.store.restores.noteBackup(1_790_000_000_000);
    assert.equal(await sampleOf(series), 1_790_000_000);
  });

  test('named by alerts and the dashboard all exist, with their labels', async () => {
    await login(server, 'alice', 'correct horse battery');
    await submitPassword(server, await beginLogin(server), 'alice', 'wrong');
    const labelsOf = new Map<string, Set<string>>();
    for (const series of samplesOf(await scrape()).keys()) {
      const labels = labelsOf.get(series.replace(/\{.*/, '')) ?? new Set();
      for (const [, label = ''] of series.matchAll(/([a-z_]+)="/g)) labels.add(label);
      labelsOf.set(series.replace(/\{.*/, ''), labels);
    }
    // What Prometheus adds to the metrics it has scraped.
    const added = ['instance', 'job'];
    for (const expression of expressions()) {
      const names = [...expression.matchAll(/\b(?:overlay_auth|process)_[a-z_0-9]+/g)].map(([name]) => name);
      assert.ok(names.length > 0 || /^up\{/.test(expression), expression);
      for (const name of names) assert.ok(labelsOf.has(name), `${name} in ${expression}`);
      const known = new Set([...added, 'le', ...names.flatMap((name) => [...(labelsOf.get(name) ?? [])])]);
      const used = [
        ...[...expression.matchAll(/([a-z_]+)\s*=~?\s*"/g)].map(([, label = '']) => label),
        ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
      ];
      for (const label of used) assert.ok(known.has(label), `${label} in ${expression}`);
      for (const [, value = ''] of expression.matchAll(/status_class="([^"]*)"/g))
        assert.match(value, /^[1-5]xx$/);
      for (const [, value = ''] of expression.matchAll(/outcome="([^"]*)"/g)) {
        assert.ok(['passed', 'refused'].includes(value), value);
      }
    }
    // Only metrics that are read are measured.
    const all = expressions().join(' ');
    const families = [...labelsOf.keys()].map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    assert.deepEqual(
      [...new Set(families)].filter((name) => !all.includes(name)),
      [],
      'show each in docs/monitoring/dashboard.json, or alert by it in alerts.yaml',
    );
    assert.deepEqual(
      [...new Set(families)].filter((name) => !documentedMetrics().some((form) => form.test(name))),
      [],
      'explain each in a row of docs/monitoring/metrics.md',
    );
  });

  test('the end of certificates, the checks of readiness and the limit of open files are there to be alarmed by', async () => {
    const { notAfter } = certificateFacts(
      parseCertificate(readFileSync(join(server.home, 'server.pem'), 'utf8')),
    );
    assert.equal(
      await sampleOf('overlay_auth_certificate_end_timestamp_seconds{use="server"}'),
      notAfter / 1000,
    );
    for (const check of ['store.read', 'store.write', 'store.changes', 'store.clock'])
      assert.equal(await sampleOf(`overlay_auth_health_check{check="${check}"}`), 1, check);
    const open = await sampleOf('process_open_fds');
    assert.ok(open > 5 && open < (await sampleOf('process_max_fds')), `${open}`);
  });

  test('a log that cannot be written shows until it can be', async (t) => {
    let isWritten = true;
    const log = forwardingLogger({ level: () => 'error', written: async () => isWritten }, () => undefined);
    const other = await startTestServer({ configure: withMetrics, log });
    t.after(() => other.close());
    for (const [written, sample] of [
      [true, 1],
      [false, 0],
      [true, 1],
    ] as const) {
      isWritten = written;
      const { text } = await other.get('/metrics');
      assert.equal(samplesOf(text).get('overlay_auth_log_written'), sample);
    }
  });

  test('a refused reload shows until one succeeds', async () => {
    const { log, controller, clock } = server;
    const openLog = { ...log, lostLines: () => 0, setLevel() {}, reopen() {}, flush: async () => {} };
    const reload = async (reloadConfig: () => Promise<LoadedConfig>) =>
      (await controllerReload({ controller, clock, log: openLog, reloadConfig })()).outcome;
    const path = join(server.home, 'controller.yml');
    const loaded = loadConfig(path, { readFile: readNamedFile, env: {} });
    const isRefused = () => sampleOf('overlay_auth_config_reload_refused');
    assert.equal(await isRefused(), 0);
    const refusals: (() => Promise<LoadedConfig>)[] = [
      // The file itself, and a file that it names.
      async () => loadConfig(path, { readFile: () => 'v: 9', env: {} }),
      async () => ({
        ...loaded,
        config: { ...loaded.config, branding: { ...loaded.config.branding, logoFile: '/nowhere.svg' } },
      }),
    ];
    for (const refused of refusals) {
      assert.equal(await reload(refused), 'refused');
      assert.equal(await isRefused(), 1);
      assert.equal(await reload(async () => loaded), 'reloaded');
      assert.equal(await isRefused(), 0);
    }
  });

  test('include the depth of queues, the deny set, and the process', async () => {
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
    const sinceStart = systemClock.now() / 1000 - startedAt;
    assert.ok(Math.abs(sinceStart - process.uptime()) < 60, String(sinceStart));
    assert.ok([...samples.keys()].some((series) => series.startsWith('overlay_auth_build_info{version="')));
  });
});

const monitoring = new URL('../../docs/monitoring/', import.meta.url);
const namedFile = (name: string) => readFileSync(new URL(name, monitoring), 'utf8');

describe('the metrics of the monitoring files', () => {
  test('the dashboard has each panel once, in its place', () => {
    const { panels, uid } = JSON.parse(namedFile('dashboard.json')) as Dashboard;
    assert.equal(uid, 'overlay-auth');
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    for (const [at, { gridPos, title }] of panels.entries()) {
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (const { gridPos: other, title: otherTitle } of panels.slice(at + 1)) {
        const isApart =
          gridPos.x + gridPos.w <= other.x ||
          other.x + other.w <= gridPos.x ||
          gridPos.y + gridPos.h <= other.y ||
          other.y + other.h <= gridPos.y;
        assert.ok(isApart, `${title} and ${otherTitle}`);
      }
    }
  });

  test('promtool accepts the alert rules, and they fire when they should', (t) => {
    const cwd = fileURLToPath(monitoring);
    for (const args of [
      ['check', 'rules', 'alerts.yaml'],
      ['test', 'rules', 'alerts.test.yaml'],
    ]) {
      const { error, status, stdout, stderr } = spawnSync('promtool', args, { cwd, encoding: 'utf8' });
      if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
        t.skip('there is no promtool here; the Debian package prometheus has it');
        return;
      }
      assert.equal(status, 0, stdout + stderr);
    }
  });

  test('each alert says what to do, and the tests of the rules name it', () => {
    for (const { alert, annotations, labels } of rules()) {
      assert.match(labels.severity, /^(critical|warning|info)$/);
      assert.ok(annotations.summary !== '' && annotations.description.length > 40, alert);
      assert.ok(namedFile('alerts.test.yaml').includes(`alertname="${alert}"`), alert);
    }
  });
});

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

function rules(): readonly Rule[] {
  const file = parse(namedFile('alerts.yaml')) as { groups: { rules: Rule[] }[] };
  return file.groups.flatMap((group) => group.rules);
}

function expressions(): readonly string[] {
  const { panels } = JSON.parse(namedFile('dashboard.json')) as Dashboard;
  return [
    ...rules().map(({ expr }) => expr),
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ];
}

test('a listener that does not bind metrics does not serve them', async (t) => {
  const server = await startTestServer();
  t.after(() => server.close());
  assert.equal((await server.get('/metrics')).status, 404);
});

test('an answer counts in its own bucket and every larger one', () => {
  const times = answerTimes();
  for (const duration of [0.4, 1, 30, 20_000]) times.observe('oidc', 200, duration);
  const [series] = times.list();
  assert.deepEqual(series?.cumulative, [2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4]);
  assert.equal(series?.sumSeconds, 20.0314);
});
