import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describedFile, type SettingNode } from '../../src/config/described-file.ts';
import { jsonSchema, renderAdjustment, renderProblems, renderShow } from '../../src/config/explain.ts';
import type { GivenSettings } from '../../src/config/settings.ts';
import { renderControllerConfig } from '../../src/config/template.ts';
import { HOUR } from '../../src/platform/clock.ts';
import { fullFile, load, minimalFile, problemsOf, replaceAt } from './fixtures.ts';

const given: GivenSettings = {
  v: 3,
  db: 'sqlite:./overlay.db',
  secrets: { keyFile: './secrets/master.key' },
  identity: {
    cert: './pki/controller.cert.pem',
    server_cert: './pki/server.chain.pem',
    key: './pki/server.key.pem',
    ca: './pki/ca.pem',
  },
  web: [
    {
      name: 'default',
      bindPoints: [{ interface: '127.0.0.1:1280', address: 'localhost:1280' }],
      apis: [{ binding: 'edge-client' }, { binding: 'edge-management' }, { binding: 'health-checks' }],
    },
    {
      name: 'metrics',
      bindPoints: [{ interface: '127.0.0.1:1290', address: 'localhost:1290' }],
      options: { clientCertificates: 'none' },
      apis: [{ binding: 'metrics' }],
    },
  ],
  edge: {
    api: { address: 'localhost:1280' },
    enrollment: { signingCert: { cert: './pki/signing.cert.pem', key: './pki/signing.key.pem' } },
  },
};

const isDangerous = (text: string) =>
  ['\u001b', '\r', '\u2028', '\u0085', '\u202e'].some((char) => text.includes(char));

describe('config validate', () => {
  test('problems are printed with place, path, sentence and hint', () => {
    const text = renderProblems(problemsOf('v: 3\nwebb: []\n'));
    assert.match(
      text,
      /^\/srv\/overlay\/controller\.yml:2:1: webb: unknown key "webb" at the top of the file\.\n {4}The nearest known key is web\. /m,
    );
    assert.match(text, /\n5 problems; nothing was started\.\n$/);
  });

  test('a hostile file cannot move the cursor or begin a line of its own', () => {
    const problems = problemsOf(replaceAt(minimalFile(), ['log', 'level'], 'x\u001b[2J\r\u2028\u0085y'));
    assert.ok(!isDangerous(renderProblems(problems)));
    const keys = problemsOf(replaceAt(minimalFile(), ['a\u001b[2J\nb\u202e'], 1));
    assert.ok(!isDangerous(renderProblems(keys)));
    assert.equal(renderProblems(keys).split('\n').length, 4);
  });
});

describe('config show', () => {
  test('the shown configuration reads back as the same one', () => {
    for (const file of [minimalFile(), fullFile(), renderControllerConfig(given)]) {
      for (const origin of [true, false]) {
        const { config, origins, warnings } = load(file);
        const again = load(renderShow(config, origins, { origin }));
        assert.deepEqual(again.config, config);
        assert.equal(again.warnings.length, warnings.length);
        assert.deepEqual(again.adjustments, []);
      }
    }
  });

  test('with --origin every value says where it comes from', () => {
    const text = `v: 3
db: sqlite:/x.db
secrets: { keyFile: /k }
identity: { cert: /a, key: /b, ca: /c }
web:
  - name: default
    bindPoints:
      - interface: 127.0.0.1:1280
        address: localhost:1280
    apis:
      - binding: edge-client
edge:
  oidc:
    accessTokenDuration: 25h
    idTokenDuration: 1s
`;
    const { config, origins, adjustments } = load(text, {
      OVERLAY_AUTH_DB: 'postgres://u:hunter2@h/x?password=hunter2',
      OVERLAY_AUTH_PROXY: 'http://u:hunter2@proxy',
    });
    const shown = renderShow(config, origins, { origin: true });
    const file = '/srv/overlay/controller.yml';
    for (const line of [
      'v: 3  # /srv/overlay/controller.yml:1',
      'db: postgres://u:***@h/x?password=***  # environment variable OVERLAY_AUTH_DB',
      '      proxy: http://u:***@proxy/  # environment variable OVERLAY_AUTH_PROXY',
      `  key: /b  # ${file}:4`,
      '  server_cert: /a  # default',
      `      - interface: 127.0.0.1:1280  # ${file}:8`,
      `      - binding: edge-client  # ${file}:11`,
      '      - binding: edge-oidc  # automatic binding',
      '      idleTimeout: 5s  # default',
      `    accessTokenDuration: 25h  # ${file}:14`,
      `    idTokenDuration: 1m  # adjusted from 1s (${file}:15)`,
      '    refreshTokenDuration: 25h1m  # adjusted from 24h (default)',
      '      clientIds: []  # default',
      '    address: localhost:1280  # default',
    ]) {
      assert.ok(shown.split('\n').includes(line), `${line}\n---\n${shown}`);
    }
    const values = shown.split('\n').filter((line) => /: \S|- \S/.test(line));
    assert.deepEqual(
      values.filter((line) => !line.includes('  # ')),
      [],
    );
    assert.deepEqual(adjustments.map(renderAdjustment), [
      'edge.oidc.idTokenDuration was changed from 1s to 1m: the least is 1m',
      'edge.oidc.refreshTokenDuration was changed from 24h to 25h1m: ' +
        'it must be at least 1m longer than accessTokenDuration (25h)',
    ]);
    assert.doesNotMatch(renderShow(config, origins, { origin: false }), / # |hunter2/);
  });
});

describe('config schema', () => {
  test('the schema is strict, explains itself and survives JSON', () => {
    const schema = JSON.parse(JSON.stringify(jsonSchema())) as Record<string, unknown>;
    assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema');
    assert.equal(schema.additionalProperties, false);
    assert.deepEqual(schema.required, ['v', 'db', 'secrets', 'identity', 'web']);
    assert.match(JSON.stringify(schema), /"default":"30m"/);
  });
});

describe('the configuration file of a first run', () => {
  test('it loads without warnings or adjustments', () => {
    const { config, warnings, adjustments } = load(renderControllerConfig(given));
    assert.deepEqual(warnings, []);
    assert.deepEqual(adjustments, []);
    assert.equal(config.listeners[0]?.bindPoints[0]?.issuer, 'https://localhost:1280/oidc');
    assert.equal(config.secrets.keyFile, '/srv/overlay/secrets/master.key');
    assert.equal(config.identity.serverCertFile, '/srv/overlay/pki/server.chain.pem');
    assert.equal(config.edge.enrollment.signingCert?.keyFile, '/srv/overlay/pki/signing.key.pem');
    assert.deepEqual(
      config.listeners[0]?.apis.map(({ binding }) => binding),
      ['edge-client', 'edge-management', 'health-checks', 'edge-oidc'],
    );
    const [, metrics, ...more] = config.listeners;
    assert.deepEqual(more, []);
    assert.deepEqual(metrics?.apis, [{ binding: 'metrics' }]);
    assert.deepEqual(metrics?.bindPoints[0]?.interface, { host: '127.0.0.1', port: 1290 });
    assert.equal(metrics?.clientCertificates, 'none');
  });

  test('every value in it that was not given is the default', () => {
    const written = load(renderControllerConfig(given)).config;
    const defaults = load(minimalFile()).config;
    assert.deepEqual(written.edge.oidc, defaults.edge.oidc);
    assert.deepEqual(written.edge.api, defaults.edge.api);
    assert.deepEqual(written.edge.externalJwtSigners, defaults.edge.externalJwtSigners);
    assert.deepEqual(written.edge.enrollment.edgeIdentity, defaults.edge.enrollment.edgeIdentity);
    assert.deepEqual(written.edge.totp, defaults.edge.totp);
    assert.deepEqual(written.listeners[0]?.readTimeout, defaults.listeners[0]?.readTimeout);
    assert.deepEqual(written.listeners[0]?.minTLSVersion, defaults.listeners[0]?.minTLSVersion);
    assert.deepEqual(written.log, defaults.log);
  });

  test('every setting that it has as a comment is accepted when it is no longer one', () => {
    const keys = new Set<string>();
    const collect = ({ properties = {}, items, oneOf = [] }: SettingNode): void => {
      for (const key of Object.keys(properties)) keys.add(key);
      for (const node of [...Object.values(properties), ...(items ? [items] : []), ...oneOf]) collect(node);
    };
    collect(describedFile());
    const { edge, ...rest } = given;
    const text = renderControllerConfig({ ...rest, edge: { api: edge?.api ?? {} } });
    const open = text.replaceAll(
      /^( *)# ((?: {2})*(?:- )?(\w+):(?: .*|))$/gm,
      (line, indent, setting, key) => (keys.has(key) ? `${indent}${setting}` : line),
    );
    const { config, warnings } = load(open);
    // The file is for localhost, which is not below the example of a domain.
    assert.deepEqual(
      warnings.map((warning) => /(edge\.\S+): /.exec(warning)?.[1]),
      ['edge.passkeys.rpId'],
    );
    assert.equal(config.node.name, 'ctrl-a');
    assert.equal(config.branding.logoFile, '/srv/overlay/logo.svg');
    assert.equal(config.telemetry?.headersFile, '/srv/overlay/otlp.headers');
    assert.equal(config.edge.enrollment.signingCert?.certFile, '/srv/overlay/ca.cert.pem');
    assert.equal(config.listeners[0]?.proxyProtocol.balancers.length, 2);
    const [, , , oidc] = config.listeners[0]?.apis ?? [];
    assert.equal(oidc?.binding === 'edge-oidc' && oidc.options.browserSession?.absolute, 12 * HOUR);
  });

  test('awkward paths and addresses survive it', () => {
    const address = '[2001:db8::5]:443';
    const awkward = [
      '/a b/#c: d.pem',
      "/it's/[x].pem",
      '/"q"/{y}.pem',
      '/\\back.pem',
      '/ünïcode.pem',
      '/x: *y &z !t.pem',
      'yes',
      '1',
    ];
    for (const path of awkward) {
      const text = renderControllerConfig({
        ...given,
        db: 'postgres://u@h/x?sslmode=require',
        secrets: { keyFile: path },
        identity: { ...given.identity, cert: path },
        web: [
          {
            name: 'default',
            bindPoints: [{ interface: '[::]:1280', address }],
            apis: [{ binding: 'edge-client' }, { binding: 'edge-management' }],
          },
        ],
        edge: { api: { address } },
      });
      const { config, warnings } = load(text);
      assert.deepEqual(warnings, []);
      assert.equal(config.secrets.keyFile, path.startsWith('/') ? path : `/srv/overlay/${path}`);
      assert.equal(config.identity.certFile, config.secrets.keyFile);
      assert.equal(config.edge.enrollment.signingCert, null);
      assert.equal(config.edge.api.address, '[2001:db8::5]:443');
    }
  });
});
