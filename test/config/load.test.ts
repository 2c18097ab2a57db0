import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stringify } from 'yaml';
import { ConfigError } from '../../src/config/config-error.ts';
import { dbText } from '../../src/config/file-shape.ts';
import { loadConfig } from '../../src/config/load.ts';
import { formatRedirectUri } from '../../src/model/redirect-uri-pattern.ts';
import { HOUR, MINUTE } from '../../src/platform/clock.ts';
import { configFile, fullFile, load, minimalFile, problemsOf, replaceAt, type Tree } from './fixtures.ts';

function oidcDurations(oidc: Tree) {
  const { config, adjustments } = load(replaceAt(minimalFile(), ['edge', 'oidc'], oidc));
  const { accessTokenDuration, idTokenDuration, refreshTokenDuration, refreshFamilyDuration } =
    config.edge.oidc;
  return {
    minutes: [accessTokenDuration, idTokenDuration, refreshTokenDuration, refreshFamilyDuration].map(
      (millis) => millis / MINUTE,
    ),
    adjustments,
  };
}

describe('loading the configuration', () => {
  test('the smallest file gets every default', () => {
    const { config, adjustments, warnings } = load(minimalFile());
    assert.deepEqual(adjustments, []);
    assert.deepEqual(warnings, []);
    const [listener] = config.listeners;
    const identity = {
      certFile: '/srv/overlay/pki/cert.pem',
      serverCertFile: '/srv/overlay/pki/cert.pem',
      keyFile: '/srv/overlay/pki/key.pem',
      caFile: '/srv/overlay/pki/ca.pem',
    };
    assert.deepEqual(config.db, { engine: 'sqlite', file: '/srv/overlay/overlay.db' });
    assert.equal(config.secrets.keyFile, '/srv/overlay/secrets/master.key');
    assert.deepEqual(config.identity, identity);
    assert.deepEqual(listener?.identity, identity);
    assert.deepEqual(listener?.bindPoints, [
      {
        interface: { host: '127.0.0.1', port: 1280 },
        address: 'localhost:1280',
        issuer: 'https://localhost:1280/oidc',
      },
    ]);
    assert.deepEqual([listener?.minTLSVersion, listener?.maxTLSVersion], ['TLS1.2', 'TLS1.3']);
    const { idleTimeout, readTimeout, writeTimeout } = listener ?? {};
    assert.deepEqual([idleTimeout, readTimeout, writeTimeout], [5000, 10_000, 10_000]);
    assert.equal(listener?.clientCertificates, 'request');
    assert.deepEqual(listener?.proxyProtocol, { balancers: [] });
    assert.deepEqual(config.edge, {
      present: true,
      api: { sessionTimeout: 30 * MINUTE, address: 'localhost:1280', disableOidcAutoBinding: false },
      enrollment: { signingCert: null, edgeIdentity: { duration: 3 * HOUR } },
      oidc: {
        accessTokenDuration: 30 * MINUTE,
        idTokenDuration: 30 * MINUTE,
        refreshTokenDuration: 24 * HOUR,
        refreshFamilyDuration: 720 * HOUR,
        refreshTokenGrace: 0,
        idTokenSigningAlg: 'ES256',
        compatibility: { clientIds: [], refreshTokenGrace: 10_000, freshProofForFactors: false },
      },
      totp: { issuer: 'localhost' },
      passkeys: { rpId: null, trustedRoots: [] },
      sessions: { maxPerIdentity: 100 },
      passwordHash: { memoryKiB: 46 * 1024, passes: 2, lanes: 1 },
      loginAttempts: { keep: 720 * HOUR, keepAtMost: 100_000 },
      auditEvents: { keep: 8760 * HOUR, keepAtMost: 100_000 },
      externalJwtSigners: {
        maxNewIdentities: 1000,
        jwksFetch: {
          timeout: 5000,
          maxRedirects: 5,
          blockPrivateAddresses: true,
          allowedHostnames: [],
          deniedHostnames: [],
          additionalHostnames: [],
          allowedIPs: [],
          deniedIPs: [],
          trustedRoots: [],
          proxy: null,
          noProxy: [],
        },
      },
    });
    assert.equal(config.threads, 'auto');
    assert.deepEqual(config.log, { format: 'text', level: 'info' });
    assert.equal(config.telemetry, null);
  });

  test('every key of the full file reaches the configuration', () => {
    const { config, adjustments, warnings } = load(fullFile());
    assert.deepEqual(adjustments, []);
    // Its second listener has an address instead of a name, for which there are no passkeys.
    assert.match(
      warnings.join('\n'),
      /^\S+: edge\.passkeys\.rpId: \S+ does not contain \[2001:db8::5\], so no passkey works there$/,
    );
    assert.deepEqual(config.db, { engine: 'postgres', url: 'postgres://overlay@db.example/overlay' });
    assert.equal(config.secrets.keyFile, '/etc/overlay/master.key');
    const [first, second] = config.listeners;
    assert.deepEqual(
      first?.bindPoints.map(({ address, issuer }) => [address, issuer]),
      [
        ['ctrl.example.com:443', 'https://ctrl.example.com/oidc'],
        ['[2001:db8::5]:1281', 'https://[2001:db8::5]:1281/oidc'],
      ],
    );
    assert.deepEqual([first?.minTLSVersion, first?.maxTLSVersion], ['TLS1.3', 'TLS1.3']);
    const { idleTimeout, readTimeout, writeTimeout } = first ?? {};
    assert.deepEqual([idleTimeout, readTimeout, writeTimeout], [6000, 11_000, 90_000]);
    assert.equal(first?.clientCertificates, 'none');
    assert.deepEqual(first?.proxyProtocol, {
      balancers: [
        { address: '192.0.2.5', prefixLength: 32, family: 'ipv4' },
        { address: '10.1.0.0', prefixLength: 24, family: 'ipv4' },
        { address: '2001:db8:5::', prefixLength: 64, family: 'ipv6' },
      ],
    });
    assert.equal(first?.identity.serverCertFile, '/srv/overlay/pki/server.pem');
    assert.equal(second?.identity.keyFile, '/srv/overlay/login/key.pem');
    assert.deepEqual(
      first?.apis.map(({ binding }) => binding),
      ['edge-client', 'edge-management', 'health-checks'],
    );
    assert.deepEqual(second?.apis[0], {
      binding: 'edge-oidc',
      options: {
        redirectURIs: [
          { kind: 'any-port', prefix: 'http://localhost', suffix: '/auth/callback' },
          { kind: 'exact', uri: 'https://console.example.com/auth/callback' },
        ],
        postLogoutURIs: [{ kind: 'exact', uri: 'https://console.example.com/' }],
        browserSession: { idle: 30 * MINUTE, absolute: 12 * 60 * MINUTE },
      },
    });
    assert.equal(config.edge.api.sessionTimeout, 45 * MINUTE);
    assert.equal(config.edge.enrollment.signingCert?.keyFile, '/srv/overlay/pki/signing.key');
    assert.deepEqual(config.edge.oidc.compatibility.clientIds, ['native', 'sdk']);
    assert.deepEqual(config.edge.externalJwtSigners.jwksFetch.allowedIPs, [
      { address: '192.0.2.0', prefixLength: 24, family: 'ipv4' },
      { address: '2001:db8::', prefixLength: 32, family: 'ipv6' },
    ]);
    assert.equal(config.edge.totp.issuer, 'Example Corp');
    assert.deepEqual(config.node, { name: 'ctrl-1' });
    assert.deepEqual(config.edge.passwordHash, { memoryKiB: 64 * 1024, passes: 3, lanes: 2 });
    assert.deepEqual(config.edge.loginAttempts, { keep: 48 * HOUR, keepAtMost: 5000 });
    assert.deepEqual(config.edge.auditEvents, { keep: 96 * HOUR, keepAtMost: 6000 });
    assert.deepEqual(config.log, { format: 'json', level: 'warn' });
    assert.deepEqual(config.telemetry, {
      endpoint: 'https://collector.example.com:4318',
      headersFile: '/srv/overlay/otlp.headers',
      ca: '/etc/overlay/collector-ca.pem',
      serviceName: 'login',
      traces: { sampling: 0.5, callersPerSecond: 3 },
      metrics: { interval: 15_000 },
    });
  });

  test('authenticator apps show the name of the operator, where there is one', () => {
    for (const [name, issuer] of [
      ['Acme Networks', 'Acme Networks'],
      // An issuer cannot hold a colon.
      ['Acme: Networks', 'Acme  Networks'],
    ]) {
      const file = replaceAt(minimalFile(), ['branding'], { name });
      assert.equal(load(file).config.edge.totp.issuer, issuer);
      const given = replaceAt(file, ['edge', 'totp'], { issuer: 'Example Corp' });
      assert.equal(load(given).config.edge.totp.issuer, 'Example Corp');
    }
  });

  test('a collector needs only its address; without secrets it may be called in plain text', () => {
    const file = replaceAt(minimalFile(), ['telemetry'], { endpoint: 'http://collector:4318/otlp/' });
    assert.deepEqual(load(file).config.telemetry, {
      endpoint: 'http://collector:4318/otlp',
      headersFile: null,
      ca: null,
      serviceName: 'overlay-auth',
      traces: { sampling: 0.1, callersPerSecond: 1 },
      metrics: { interval: 60_000 },
    });
    const local = {
      endpoint: 'http://127.0.0.1:4318',
      headersFile: 'otlp.headers',
      metrics: { interval: '0s' },
    };
    assert.equal(load(replaceAt(minimalFile(), ['telemetry'], local)).config.telemetry?.metrics.interval, 0);
  });

  test('tracing.otlp stands for the traces of telemetry, at its place in the file', () => {
    const otlp = { endpoint: 'https://collector.example.com:4318', headers: {}, sample: 0.3 };
    const { config, origins } = load({ ...minimalFile(), tracing: { otlp } });
    assert.deepEqual(config.telemetry, {
      endpoint: 'https://collector.example.com:4318',
      headersFile: null,
      ca: null,
      serviceName: 'overlay-auth',
      traces: { sampling: 0.3, callersPerSecond: 1 },
      metrics: { interval: 0 },
    });
    const kindAt = (path: string) => origins.get(path)?.kind;
    assert.equal(kindAt('telemetry.endpoint'), 'file');
    assert.equal(kindAt('telemetry.traces.sampling'), 'file');
    assert.equal(kindAt('telemetry.serviceName'), 'default');
    const lines = stringify({ ...minimalFile(), tracing: { otlp: { ...otlp, sample: 7 } } });
    const [problem] = problemsOf(lines);
    assert.equal(lines.split('\n')[(problem?.line ?? 0) - 1], '    sample: 7');
    const secret = { ...otlp, headers: { authorization: 'Bearer x' } };
    const [refused] = problemsOf({ ...minimalFile(), tracing: { otlp: secret } });
    assert.match(refused?.hint ?? '', /The nearest known key is headersFile/);
    const both = { ...minimalFile(), tracing: { otlp }, telemetry: { endpoint: otlp.endpoint } };
    assert.equal(problemsOf(both)[0]?.path, 'tracing');
    assert.equal(problemsOf({ ...minimalFile(), tracing: { otpl: otlp } })[0]?.path, 'tracing');
  });

  test('the configuration cannot be changed, at any depth', () => {
    const check = (value: unknown): void => {
      if (value === null || typeof value !== 'object') return;
      assert.ok(Object.isFrozen(value));
      for (const child of Object.values(value)) check(child);
    };
    check(load(fullFile()).config);
  });

  test('browsers do not stay signed in unless the file says for how long, and idle must not exceed absolute', () => {
    const given = (options?: unknown) => {
      const apis = [
        { binding: 'edge-client' },
        { binding: 'edge-oidc', ...(options === undefined ? {} : { options }) },
      ];
      return replaceAt(minimalFile(), ['web', 0, 'apis'], apis);
    };
    for (const options of [undefined, {}]) {
      const api = load(given(options)).config.listeners[0]?.apis[1];
      assert.ok(api?.binding === 'edge-oidc');
      assert.equal(api.options.browserSession, null);
    }
    const [problem] = problemsOf(given({ browserSession: { idle: '2h', absolute: '1h' } }));
    assert.match(problem?.message ?? '', /idle 2h is longer than absolute 1h/);
    assert.notEqual(problemsOf(given({ browserSession: { idle: '30m' } })).length, 0);
  });

  test('an absent or empty list of redirect URIs means loopback callbacks, at any port', () => {
    const loopback = ['http', 'https'].flatMap((scheme) =>
      ['localhost', '127.0.0.1', '[::1]'].map((host) => `${scheme}://${host}:*/auth/callback`),
    );
    const logout = loopback.map((uri) => uri.replace('callback', 'logout'));
    const options = [undefined, {}, { redirectURIs: [] }, { redirectURIs: [], postLogoutURIs: [] }];
    for (const given of options) {
      const apis = [{ binding: 'edge-client' }, { binding: 'edge-oidc', ...(given && { options: given }) }];
      const { config } = load(replaceAt(minimalFile(), ['web', 0, 'apis'], apis));
      const api = config.listeners[0]?.apis[1];
      assert.ok(api?.binding === 'edge-oidc');
      assert.deepEqual(api.options.redirectURIs.map(formatRedirectUri), loopback);
      assert.deepEqual(api.options.postLogoutURIs.map(formatRedirectUri), logout);
    }
    const automatic = load(minimalFile()).config.listeners[0]?.apis.at(-1);
    assert.ok(automatic?.binding === 'edge-oidc');
    assert.deepEqual(automatic.options.redirectURIs.map(formatRedirectUri), loopback);
  });

  test('listed redirect URIs replace the defaults', () => {
    const options = { redirectURIs: ['https://app.example.com/cb'] };
    const apis = [{ binding: 'edge-client' }, { binding: 'edge-oidc', options }];
    const api = load(replaceAt(minimalFile(), ['web', 0, 'apis'], apis)).config.listeners[0]?.apis[1];
    assert.ok(api?.binding === 'edge-oidc');
    assert.deepEqual(api.options.redirectURIs, [{ kind: 'exact', uri: 'https://app.example.com/cb' }]);
  });

  test('without a section edge there is no OIDC provider and no edge API', () => {
    const file = replaceAt(minimalFile(), ['edge'], undefined);
    for (const binding of ['edge-client', 'edge-management', 'edge-oidc']) {
      const [problem] = problemsOf(replaceAt(structuredClone(file), ['web', 0, 'apis'], [{ binding }]));
      assert.equal(problem?.path, 'web[0].apis[0].binding');
      assert.match(problem?.message ?? '', /needs the section edge/);
    }
    const { config } = load(replaceAt(file, ['web', 0, 'apis'], [{ binding: 'metrics' }]));
    assert.equal(config.edge.present, false);
    assert.deepEqual(config.listeners[0]?.apis, [{ binding: 'metrics' }]);
  });

  test('a bare edge: turns the OIDC provider on', () => {
    const { config } = load(replaceAt(minimalFile(), ['edge'], null));
    assert.equal(config.edge.present, true);
    assert.equal(config.listeners[0]?.apis.at(-1)?.binding, 'edge-oidc');
  });

  test('the database of the environment replaces that of the file, also when the file has none', () => {
    const env = { OVERLAY_AUTH_DB: 'postgres://u:secret@db.example/x' };
    assert.equal(load(minimalFile(), { OVERLAY_AUTH_DB: '' }).config.db.engine, 'sqlite');
    for (const file of [minimalFile(), replaceAt(minimalFile(), ['db'], undefined)]) {
      const { config, origins } = load(file, env);
      assert.deepEqual(config.db, { engine: 'postgres', url: env.OVERLAY_AUTH_DB });
      assert.deepEqual(origins.get('db'), { kind: 'environment', variable: 'OVERLAY_AUTH_DB' });
    }
    const [problem] = problemsOf(minimalFile(), { OVERLAY_AUTH_DB: 'mysql://u:secret@db.example/x' });
    assert.equal(problem?.file, 'environment variable OVERLAY_AUTH_DB');
    assert.equal(problem?.line, null);
  });

  test('the proxy of the environment replaces that of the file, and those of other programs count if the runtime uses them', () => {
    const fetchOf = (file: Tree, env: Record<string, string>) =>
      load(file, env).config.edge.externalJwtSigners.jwksFetch;
    const at = ['edge', 'externalJwtSigners', 'jwksFetch', 'proxy'];
    const named = (url: string) => replaceAt(replaceAt(minimalFile(), ['edge'], {}), at, url);
    const ours = { OVERLAY_AUTH_PROXY: 'http://u:secret@ours.example:3128' };
    const theirs = {
      HTTPS_PROXY: 'http://theirs.example:8080',
      NO_PROXY: 'localhost, *.corp.example,a.example:8443 10.0.0.0/8',
    };
    const used = { ...theirs, NODE_USE_ENV_PROXY: '1' };
    const file = () => replaceAt(minimalFile(), ['edge'], null);
    for (const [tree, env, proxy] of [
      [file(), {}, null],
      [file(), theirs, null],
      [file(), { ...used, NO_PROXY: '*' }, null],
      [file(), used, 'http://theirs.example:8080/'],
      [file(), { ...used, ...ours }, 'http://u:secret@ours.example:3128/'],
      [named('http://file.example'), used, 'http://file.example/'],
      [named('http://file.example'), ours, 'http://u:secret@ours.example:3128/'],
    ] as const)
      assert.equal(fetchOf(tree, env).proxy, proxy, JSON.stringify(env));
    const spared = [
      'localhost',
      '.corp.example',
      'a.example',
      { address: '10.0.0.0', prefixLength: 8, family: 'ipv4' },
    ];
    assert.deepEqual(fetchOf(file(), used).noProxy, spared);
    assert.deepEqual(fetchOf(file(), { ...used, ...ours }).noProxy, []);
    const { origins } = load(file(), used);
    const origin = (path: string) => origins.get(`edge.externalJwtSigners.jwksFetch.${path}`);
    assert.deepEqual(origin('proxy'), { kind: 'environment', variable: 'HTTPS_PROXY' });
    assert.deepEqual(origin('noProxy[3]'), { kind: 'environment', variable: 'NO_PROXY' });
    const [problem] = problemsOf(file(), { OVERLAY_AUTH_PROXY: 'u:secret@ours' });
    assert.equal(problem?.file, 'environment variable OVERLAY_AUTH_PROXY');
    assert.doesNotMatch(JSON.stringify(problem), /secret/);
  });

  test('a database URL names one host or several, each with its port', () => {
    const several = 'postgres://u:hunter2@a:5432,b:5433,[::1]/x?sslmode=verify-full';
    const { db } = load(replaceAt(minimalFile(), ['db'], several)).config;
    const url = 'postgres://u:hunter2@a:5432/x?sslmode=verify-full&hosts=b:5433,[::1]';
    assert.deepEqual(db, { engine: 'postgres', url });
    assert.deepEqual(load(replaceAt(minimalFile(), ['db'], url)).config.db, db);
    assert.equal(dbText(db), several.replace('hunter2', '***'), 'shown as it was written');
    const { db: byParameter } = load(
      replaceAt(minimalFile(), ['db'], 'postgres://a,b/x?password=hunter2'),
    ).config;
    assert.equal(dbText(byParameter), 'postgres://a,b/x?password=***');
    for (const wrong of [
      'postgres://u:hunter2@a,,b/x',
      'postgres://u:hunter2@a,b:99999/x',
      'postgres://u:hunter2@a,b:5432:5433/x',
      'postgres://u:hunter2@a,b c/x',
      'postgres://u:hunter2@a,b/x?pooler=transaction',
      'postgres://u:hunter2@h/x?host=a,b',
      'postgres://u:hunter2@h,g/x?host=/run',
    ]) {
      const [problem] = problemsOf(replaceAt(minimalFile(), ['db'], wrong));
      assert.match(problem?.message ?? '', /host/i, wrong);
      assert.doesNotMatch(JSON.stringify(problem), /hunter2/);
    }
    const withComma = 'postgres://u:a,b@db.example/x';
    assert.deepEqual(load(replaceAt(minimalFile(), ['db'], withComma)).config.db, {
      engine: 'postgres',
      url: withComma,
    });
  });

  test('time limits in a database URL have the units of PostgreSQL, and are milliseconds without one', () => {
    const at = (query: string) => replaceAt(minimalFile(), ['db'], `postgres://u:hunter2@h/x?${query}`);
    const read = (query: string) => new URL((load(at(query)).config.db as { readonly url: string }).url);
    const url = read('statement_timeout=30s&lock_timeout=1min&query_timeout=500&options=-c%20a%3D1%2B1');
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      statement_timeout: '30000',
      lock_timeout: '60000',
      query_timeout: '500',
      options: '-c a=1+1',
    });
    assert.equal(read('statement_timeout=9000').href, 'postgres://u:hunter2@h/x?statement_timeout=9000');
    for (const wrong of ['30m', '1.5s', 'soon', '', '-1'])
      assert.match(
        problemsOf(at(`idle_in_transaction_session_timeout=${wrong}`))[0]?.message ?? '',
        /^idle_in_transaction_session_timeout in the PostgreSQL URL .* 30s/,
        wrong,
      );
  });

  test('a database URL whose password has unescaped characters is explained', () => {
    const urls = [
      '#hunter2@h/x',
      '@hunter2#x@h/x',
      '/hunter2@h/x',
      '?hunter2@h/x',
      '1/hunter2@h/x',
      '%hunter2@h/x',
    ];
    for (const password of urls) {
      const [problem] = problemsOf(replaceAt(minimalFile(), ['db'], `postgres://u:top${password}`));
      assert.match(problem?.message ?? '', /percent-encoded: # as %23/, password);
      assert.doesNotMatch(JSON.stringify(problem), /hunter2|top/, password);
    }
    const escaped = 'postgres://u:%23%2f%3F%40%25:@h:5432/x?sslmode=disable&options=-c%20a%3D1';
    assert.equal(load(replaceAt(minimalFile(), ['db'], escaped)).config.db.engine, 'postgres');
  });

  test('no message repeats a database URL', () => {
    for (const db of ['mysql://u:hunter2@h/x', 'postgres://u:hunter2@:x:/', 'postgres://u:hunter2@/x']) {
      assert.doesNotMatch(JSON.stringify(problemsOf(replaceAt(minimalFile(), ['db'], db))), /hunter2/);
    }
  });

  test('SQLite files are relative to the configuration file', () => {
    const table = [
      ['sqlite:overlay.db', '/srv/overlay/overlay.db'],
      ['sqlite:../data/overlay.db', '/srv/data/overlay.db'],
      ['sqlite:/var/lib/overlay.db', '/var/lib/overlay.db'],
      ['sqlite:///var/lib/overlay.db', '/var/lib/overlay.db'],
    ] as const;
    for (const [db, file] of table) {
      assert.deepEqual(load(replaceAt(minimalFile(), ['db'], db)).config.db, { engine: 'sqlite', file });
    }
  });

  test('a missing or unreadable file is a problem with a sentence', () => {
    const failing = (code: string) => () => {
      throw Object.assign(new Error('x'), { code });
    };
    for (const [code, message] of [
      ['ENOENT', /does not exist/],
      ['EACCES', /cannot be read: this user may not access it/],
    ] as const) {
      assert.throws(
        () => loadConfig(configFile, { readFile: failing(code), env: {} }),
        (error: unknown) => error instanceof ConfigError && message.test(error.problems[0]?.message ?? ''),
      );
    }
  });
});

describe('adjustments of spec section 5.7', () => {
  test('access and ID tokens live at least one minute', () => {
    const { minutes, adjustments } = oidcDurations({ accessTokenDuration: '30s', idTokenDuration: '0' });
    assert.deepEqual(minutes, [1, 1, 1440, 43_200]);
    assert.deepEqual(
      adjustments.map(({ path, oldValue, newValue }) => [path, oldValue, newValue]),
      [
        ['edge.oidc.accessTokenDuration', '30s', '1m'],
        ['edge.oidc.idTokenDuration', '0s', '1m'],
      ],
    );
  });

  test('refresh tokens outlive access tokens by a minute, whichever of the two is given', () => {
    const table: readonly [Tree, number, string, string][] = [
      [{ refreshTokenDuration: '10m' }, 31, '10m', '31m'],
      [{ refreshTokenDuration: '30m' }, 31, '30m', '31m'],
      [{ refreshTokenDuration: '30m59.999s' }, 31, '30m59.999s', '31m'],
      [{ accessTokenDuration: '24h' }, 24 * 60 + 1, '24h', '24h1m'],
      [{ accessTokenDuration: '25h' }, 25 * 60 + 1, '24h', '25h1m'],
      [{ accessTokenDuration: '10s', refreshTokenDuration: '30s' }, 2, '30s', '2m'],
    ];
    for (const [oidc, minutes, oldValue, newValue] of table) {
      const result = oidcDurations(oidc);
      assert.equal(result.minutes[2], minutes);
      const made = result.adjustments.find(({ path }) => path === 'edge.oidc.refreshTokenDuration');
      assert.deepEqual([made?.oldValue, made?.newValue], [oldValue, newValue], JSON.stringify(oidc));
    }
  });

  test('durations at the bound are left alone', () => {
    const { minutes, adjustments } = oidcDurations({
      accessTokenDuration: '1m',
      idTokenDuration: '1m',
      refreshTokenDuration: '2m',
      refreshFamilyDuration: '2m',
    });
    assert.deepEqual(minutes, [1, 1, 2, 2]);
    assert.deepEqual(adjustments, []);
  });

  test('the default end of a family is moved behind a longer refresh token; a given one is not', () => {
    assert.equal(oidcDurations({ refreshTokenDuration: '1000h' }).minutes[3], 60_000);
    for (const oidc of [
      { refreshTokenDuration: '1000h', refreshFamilyDuration: '999h' },
      { refreshFamilyDuration: '23h' },
      { accessTokenDuration: '25h', refreshFamilyDuration: '25h' },
    ]) {
      const [problem] = problemsOf(replaceAt(minimalFile(), ['edge', 'oidc'], oidc));
      assert.equal(problem?.path, 'edge.oidc.refreshFamilyDuration');
    }
  });

  test('an unparsable duration is refused, never adjusted', () => {
    for (const key of [
      'accessTokenDuration',
      'idTokenDuration',
      'refreshTokenDuration',
      'refreshFamilyDuration',
    ]) {
      for (const wrong of ['30', 30, 'soon', '-1m', '', null, true, '1w', ['30m']]) {
        const [problem] = problemsOf(replaceAt(minimalFile(), ['edge', 'oidc', key], wrong));
        assert.equal(problem?.path, `edge.oidc.${key}`);
      }
    }
  });
});

describe('automatic binding through the file', () => {
  const bindingsOf = (file: Tree) =>
    load(file).config.listeners.map(({ apis }) => apis.map(({ binding }) => binding));
  const twoListeners = (first: readonly string[], second: readonly string[], disable: boolean): Tree => {
    const listener = (name: string, port: number, bindings: readonly string[]) => ({
      name,
      bindPoints: [{ interface: `127.0.0.1:${port}`, address: `localhost:${port}` }],
      apis: bindings.map((binding) => ({ binding })),
    });
    return {
      ...minimalFile(),
      web: [listener('a', 1280, first), listener('b', 1281, second)],
      edge: { api: { disableOidcAutoBinding: disable } },
    };
  };

  test('every listener with edge-client gets the provider', () => {
    assert.deepEqual(bindingsOf(twoListeners(['edge-client'], ['edge-client', 'metrics'], false)), [
      ['edge-client', 'edge-oidc'],
      ['edge-client', 'metrics', 'edge-oidc'],
    ]);
  });

  test('an explicit listing anywhere suppresses it', () => {
    assert.deepEqual(bindingsOf(twoListeners(['edge-client'], ['edge-oidc'], false)), [
      ['edge-client'],
      ['edge-oidc'],
    ]);
  });

  test('disabled auto-binding leaves the provider off, with a warning', () => {
    const file = twoListeners(['edge-client'], ['metrics'], true);
    assert.deepEqual(bindingsOf(file), [['edge-client'], ['metrics']]);
    assert.match(load(file).warnings.join('\n'), /bound nowhere/);
  });
});

describe('warnings', () => {
  const managed = { binding: 'edge-management' };

  test('a star as the port of a host other than this machine gets a warning, also after logout', () => {
    const options = {
      redirectURIs: ['http://localhost:*/cb', 'https://app.example.com:*/cb', 'https://app.example.com/cb'],
      postLogoutURIs: ['https://127.0.0.1:*/out', 'https://app.example.com:*/out'],
    };
    const apis = [managed, { binding: 'edge-oidc', options }, { binding: 'edge-client' }];
    const { warnings } = load(replaceAt(minimalFile(), ['web', 0, 'apis'], apis));
    assert.equal(warnings.length, 2);
    assert.match(warnings[0] ?? '', /web\[0\]\.apis\[1\]\.options\.redirectURIs\[1\]: .*name the port/);
    assert.match(warnings[1] ?? '', /postLogoutURIs\[1\]: https:\/\/app\.example\.com:\*\/out lets/);
  });

  test('an application at the host name of the service is pointed out, because cookies ignore the port', () => {
    const options = {
      redirectURIs: [
        'https://ctrl.example.com:8443/cb',
        'https://ctrl.example.com/cb',
        'https://app.example.com/cb',
        'https://x.ctrl.example.com/cb',
        'com.example.app:/cb',
      ],
      postLogoutURIs: ['https://ctrl.example.com/out'],
    };
    const apis = [managed, { binding: 'edge-oidc', options }, { binding: 'edge-client' }];
    const file = replaceAt(minimalFile(), ['web', 0, 'apis'], apis);
    replaceAt(file, ['web', 0, 'bindPoints', 0, 'address'], 'ctrl.example.com:443');
    const { warnings } = load(file);
    assert.equal(warnings.length, 3, warnings.join('\n'));
    assert.match(warnings[0] ?? '', /redirectURIs\[0\]: .*cookies of logins.*host name that no other/s);
    assert.match(warnings[1] ?? '', /redirectURIs\[1\]: /);
    assert.match(warnings[2] ?? '', /postLogoutURIs\[0\]: /);
  });

  test('metrics beside the client API are pointed out', () => {
    const apis = [{ binding: 'edge-client' }, { binding: 'metrics' }, managed];
    const { warnings } = load(replaceAt(minimalFile(), ['web', 0, 'apis'], apis));
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /web\[0\]\.apis\[1\]\.binding: .*metrics.*a separate listener/s);
    const elsewhere = [managed, { binding: 'metrics' }];
    const file = replaceAt(fullFile(), ['web', 1, 'apis'], elsewhere);
    assert.doesNotMatch(load(file).warnings.join(), /metrics/);
  });

  test('an address in capitals is used in lower case, with a warning', () => {
    const { config, warnings } = load(
      replaceAt(minimalFile(), ['web', 0, 'bindPoints', 0, 'address'], 'Ctrl.Example.COM:1280'),
    );
    assert.equal(config.listeners[0]?.bindPoints[0]?.issuer, 'https://ctrl.example.com:1280/oidc');
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /controller\.yml:\d+: web\[0\]\.bindPoints\[0\]\.address: /);
  });

  test('key servers that may be anywhere are pointed out, with what to do instead', () => {
    const path = ['edge', 'externalJwtSigners', 'jwksFetch', 'blockPrivateAddresses'];
    const all = load(replaceAt(fullFile(), path, false)).warnings;
    const warnings = all.filter((warning) => warning.includes('jwksFetch'));
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? '',
      /blockPrivateAddresses: .*private networks.*additionalHostnames or allowedIPs/s,
    );
  });

  test('one address on two listeners, and an API that no listener has, are pointed out', () => {
    const file = fullFile();
    replaceAt(file, ['web', 1, 'bindPoints', 0, 'address'], 'ctrl.example.com:443');
    assert.match(load(file).warnings.join('\n'), /address of two listeners/);
    for (const [binding, lacking] of [
      ['edge-management', 'edge-client'],
      ['edge-client', 'edge-management'],
    ]) {
      const alone = replaceAt(minimalFile(), ['web', 0, 'apis'], [{ binding }]);
      assert.match(load(alone).warnings.join('\n'), new RegExp(`no listener has ${lacking}`));
    }
  });
});
