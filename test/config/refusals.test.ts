import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stringify } from 'yaml';
import { formatPath } from '../../src/config/config-error.ts';
import { describedFile, type SettingNode } from '../../src/config/described-file.ts';
import { type FileValue, leafPaths } from '../../src/config/file-shape.ts';
import { fullFile, load, minimalFile, problemsOf, replaceAt, type Tree } from './fixtures.ts';

type Path = readonly (string | number)[];

/** Wrong values for each field, by its path with indices left out. Every field of the file is listed. */
const wrongValues: Readonly<Record<string, readonly unknown[]>> = {
  v: [2, 4, '3', 3.5],
  db: [
    '',
    'overlay.db',
    'sqlite:',
    'sqlite::memory:',
    'sqlite:x?mode=ro',
    'mysql://h/x',
    'postgres://',
    'sqlite:a/',
  ],
  'secrets.keyFile': ['', ' ', 'a\0b'],
  'identity.cert': [''],
  'identity.server_cert': [''],
  'identity.key': [''],
  'identity.ca': [''],
  'web.name': ['', 'a b', '-a', 'x'.repeat(64), 'a\u001b[2J'],
  'web.bindPoints.interface': [
    '127.0.0.1',
    ':1280',
    'https://127.0.0.1:1280',
    '::1:1280',
    'a:65536',
    '127.1:80',
  ],
  'web.bindPoints.address': [
    'localhost',
    'https://localhost:1280',
    '0.0.0.0:1280',
    '[::]:1280',
    'localhost:0',
  ],
  'web.identity.cert': [''],
  'web.identity.server_cert': [''],
  'web.identity.key': [''],
  'web.identity.ca': [''],
  'web.identity.acme.directory': [
    '',
    'http://ca.example.com/dir',
    'ca.example.com',
    'https://a:b@ca.example.com/',
  ],
  'web.identity.acme.email': ['', 'operator', 'a@b', 'a@example.com\nb'],
  'web.identity.acme.hosts': ['*.example.com', '.example.com', '192.0.2.1', 'é.example', ''],
  'web.identity.acme.trustedRoots': [''],
  'web.identity.acme.externalAccount.keyId': ['', 'a\nb', ' '],
  'web.identity.acme.externalAccount.hmacKeyFile': ['', 'a\0b'],
  'web.identity.acme.folder': ['', 'a\0b'],
  'web.options.minTLSVersion': ['TLS1.0', 'TLS1.1', 'SSL3', '1.2', 'tls1.2'],
  'web.options.maxTLSVersion': ['TLS1.0', 'TLS1.4', 1.3],
  'web.options.idleTimeout': ['0s', '5', '999ms', '-5s', '25h', 'never'],
  'web.options.readTimeout': ['0s', '5', '999ms', '-5s', '25h', 'never'],
  'web.options.writeTimeout': ['0s', '5', '999ms', '-5s', '25h', 'never'],
  'web.options.clientCertificates': ['require', 'optional', ''],
  'web.options.strictTransportSecurity': ['always', true, ''],
  'web.options.proxyProtocol.balancers': [
    '0.0.0.0/0',
    '::/0',
    '::ffff:0:0/96',
    '::/1',
    '10.0.0.1/8',
    '10.0.0.0/33',
    'balancer.example.com',
    '192.0.2.5:443',
    '[2001:db8::5]',
    '',
  ],
  'web.apis.binding': ['edge', 'EDGE-CLIENT', '', 'fabric', '__proto__'],
  'web.apis.options.redirectURIs': [
    '*',
    'https://*.example.com/cb',
    'http://app.example.com/cb',
    'javascript:x',
    '/cb',
  ],
  'web.apis.options.postLogoutURIs': [
    '*',
    'https://app.example.com/*',
    'http://app.example.com/',
    'data:x',
    '#',
  ],
  'web.apis.options.browserSession.idle': ['59s', '0s', '30', 'soon', '13h'],
  'web.apis.options.browserSession.absolute': ['59s', '0s', '-1m'],
  'edge.api.sessionTimeout': ['0s', '30ms', '30', '-1m', 'soon', '9999999h'],
  'edge.api.address': [
    'localhost',
    'other.example.com:443',
    'https://ctrl.example.com:443',
    'login.example.com:1290',
  ],
  'edge.api.disableOidcAutoBinding': ['true', 'no', 0],
  'edge.enrollment.signingCert.cert': [''],
  'edge.enrollment.signingCert.key': [''],
  'edge.enrollment.edgeIdentity.duration': ['0', '180', '180ms', '-1m'],
  'edge.oidc.accessTokenDuration': ['30', '-1m', 'x', '9999999h'],
  'edge.oidc.idTokenDuration': ['30', '-1m', 'x', '9999999h'],
  'edge.oidc.refreshTokenDuration': ['30', '-1m', 'x', '9999999h'],
  'edge.oidc.refreshFamilyDuration': ['30', '-1m', 'x', '1h', '720ms'],
  'edge.oidc.refreshTokenGrace': ['30', '-1s', 'x', '61s', '2m'],
  'edge.oidc.idTokenSigningAlg': ['none', 'HS256', 'es256', 'RS512', ''],
  'edge.oidc.compatibility.clientIds': ['', 'overlay', 'a b', 'é', 'x'.repeat(129)],
  threads: [0, -1, 65, 1.5, '2', 'all', ''],
  'edge.passwordHash.memory': ['', '46', 46, '18MiB', '19455KiB', '2GiB', '46MB'],
  'edge.passwordHash.passes': [0, 1, 33, 2.5, '2'],
  'edge.passwordHash.lanes': [0, 17, 1.5, '1'],
  'edge.loginAttempts.keep': ['', '0s', 30, '30', '720ms', '-1h'],
  'edge.loginAttempts.keepAtMost': [0, 999, 1.5, '5000', 1e12],
  'edge.auditEvents.keep': ['', '0s', 30, '30', '876ms', '-1h'],
  'edge.auditEvents.keepAtMost': [0, 999, 1.5, '5000', 1e12],
  'edge.oidc.compatibility.refreshTokenGrace': ['30', '-1s', 'x', '61s'],
  'edge.oidc.compatibility.freshProofForFactors': ['true', 1],
  'edge.sessions.maxPerIdentity': [0, 1.5, '7', 1_000_001],
  'branding.name': ['', ' ', 'x'.repeat(61), 'a\nb'],
  'branding.logo': ['', 'a\0b'],
  'branding.logoDark': [' '],
  'branding.color': ['red', '#12345', '#ffffff'],
  'branding.colorDark': ['#000000', 'abcdef'],
  'branding.help.text': ['', ' ', 'x'.repeat(201), 'a\nb'],
  'branding.help.url': [
    '',
    'help.example.com',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://help.example.com',
  ],
  'edge.totp.issuer': ['', ' ', 'a:b', 'a\nb', 'x'.repeat(65)],
  'edge.passkeys.rpId': ['', 'a b', 'https://example.com', 'example.com:443', '*.example.com', '192.0.2.1'],
  'edge.passkeys.trustedRoots': ['', 'a\0b'],
  'edge.externalJwtSigners.jwksFetch.timeout': ['0s', '5', '5ms', '2h'],
  'edge.externalJwtSigners.maxNewIdentities': [0, -1, 1.5, '5', 1e12],
  'edge.externalJwtSigners.jwksFetch.maxRedirects': [-1, 21, 1.5, '5'],
  'edge.externalJwtSigners.jwksFetch.blockPrivateAddresses': ['true', 1],
  'edge.externalJwtSigners.jwksFetch.allowedHostnames': [
    '*',
    '*.example.com',
    'https://idp.example.com',
    'a:443',
    '',
  ],
  'edge.externalJwtSigners.jwksFetch.deniedHostnames': ['*', '.example.com', '10.0.0.1', 'é.example'],
  'edge.externalJwtSigners.jwksFetch.allowedIPs': ['10.0.0.1/8', 'localhost', '10.0.0.0/33', ''],
  'edge.externalJwtSigners.jwksFetch.deniedIPs': ['::/129', '10.0.0', '2001:db8::1/32'],
  'edge.externalJwtSigners.jwksFetch.additionalHostnames': ['*', '.example.com', '10.0.0.1'],
  'edge.externalJwtSigners.jwksFetch.trustedRoots': ['', 'a\0b'],
  'edge.externalJwtSigners.jwksFetch.proxy': [
    '',
    'proxy.example.com:3128',
    'socks5://proxy.example.com',
    'http://',
    'http://proxy.example.com/path',
    'http://proxy.example.com/?x=1',
    'http://user:100%@proxy.example.com',
  ],
  'edge.externalJwtSigners.jwksFetch.noProxy': ['*', '*.example.com', 'a:443', '10.0.0.1/8', ''],
  'log.format': ['xml', 'JSON', ''],
  'mail.smtp.host': ['', '127.0.0.1', 'smtp.example.com:25', '*.example.com'],
  'mail.smtp.port': [0, 65_536, 25.5, '25'],
  'mail.smtp.tls': ['optional', 'starttls', true, ''],
  'mail.smtp.user': ['', 'x'.repeat(257), 'a\nb'],
  'mail.smtp.passwordFile': ['', 'a\0b'],
  'mail.smtp.trustedRoots': [''],
  'mail.smtp.timeout': ['0s', '999ms', '51s', '30'],
  'mail.from': ['', 'Example', 'a@b, c@d', 'Example <a@b> x', '<>', 'Ada\nBcc: <a@b>', 'a b@c'],
  'mail.language': ['', 'fr', 'EN'],
  'mail.notices': ['no', 0],
  'mail.passwordReset.allowed': ['yes', 1],
  'mail.passwordReset.administrators': ['no', 0],
  'mail.passwordReset.lifetime': ['4m59s', '25h', '30'],
  'telemetry.endpoint': [
    '',
    'collector:4318',
    'grpc://collector:4317',
    'https://user:secret@collector:4318',
    'https://collector:4318/?token=x',
    'https://collector:4318/#x',
    // The headers would go in the clear.
    'http://collector:4318',
  ],
  'telemetry.headersFile': ['', ' ', 'a\0b'],
  'telemetry.ca': [''],
  'telemetry.serviceName': ['', 'two words', 'x'.repeat(101)],
  'telemetry.traces.sampling': [-0.1, 1.1, '0.5', '10%'],
  'telemetry.traces.callersPerSecond': [-1, 0.5, 10_001, '1'],
  'telemetry.metrics.interval': ['999ms', '-1s', '60', '25h'],
  'node.name': ['', 'two words', '-dash', 'x'.repeat(129), 7],
  'log.level': ['trace', 'verbose', ''],
};
/** Wrong for every field, because no field takes them. */
const wrongEverywhere: readonly unknown[] = [null, { a: 1 }, [[]]];

const withoutIndices = (path: Path) => path.filter((segment) => typeof segment === 'string').join('.');

/** Maps and lists of the file, which are also fields that can be wrong. */
function innerPaths(value: unknown, path: Path = []): readonly Path[] {
  if (value === null || typeof value !== 'object') return [];
  const below = Object.entries(value).flatMap(([key, child]) =>
    innerPaths(child, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return path.length === 0 ? below : [path, ...below];
}

/** The settings of the file, as they are described. */
function describedSettings(node: SettingNode, path = ''): readonly string[] {
  if (node.items?.oneOf !== undefined || node.items?.properties !== undefined) {
    return (node.items.oneOf ?? [node.items]).flatMap((entry) => describedSettings(entry, path));
  }
  if (node.properties === undefined) return [path];
  return Object.entries(node.properties).flatMap(([key, child]) =>
    describedSettings(child, path === '' ? key : `${path}.${key}`),
  );
}

describe('each configuration field set to an invalid value in turn', () => {
  const fields = leafPaths(fullFile() as FileValue);

  test('the table of wrong values covers every field of the file', () => {
    const known = [...new Set(fields.map(withoutIndices))].sort();
    const settings = [...new Set(describedSettings(describedFile()))].sort();
    assert.deepEqual(settings, known, 'give each setting another value in fullFile of fixtures.ts');
    assert.deepEqual(
      Object.keys(wrongValues).sort(),
      known,
      'name wrong values of each setting in wrongValues',
    );
  });

  for (const field of fields) {
    test(`a wrong ${formatPath(field)} is refused, and named`, () => {
      for (const wrong of [...(wrongValues[withoutIndices(field)] ?? []), ...wrongEverywhere]) {
        const problems = problemsOf(replaceAt(fullFile(), field, wrong));
        const label = `${JSON.stringify(wrong)}: ${JSON.stringify(problems)}`;
        assert.ok(
          problems.some(({ path }) => path === formatPath(field) || path.startsWith(`${formatPath(field)}[`)),
          label,
        );
        for (const problem of problems) {
          assert.equal(problem.file, '/srv/overlay/controller.yml', label);
          assert.ok((problem.line ?? 0) >= 1 && (problem.column ?? 0) >= 1, label);
          assert.ok(problem.message.length > 10 && problem.message.length < 400, label);
        }
      }
    });
  }

  test('a map or a list replaced by something else is refused, and named', () => {
    for (const path of innerPaths(fullFile())) {
      for (const wrong of ['text', 5, true, ...(path.length === 1 && path[0] === 'edge' ? [] : [null])]) {
        const problems = problemsOf(replaceAt(fullFile(), path, wrong));
        assert.ok(
          problems.some((problem) => problem.path.startsWith(formatPath(path))),
          `${formatPath(path)} = ${String(wrong)}: ${JSON.stringify(problems)}`,
        );
      }
    }
  });

  test('an unknown key in any map is refused, with the known keys', () => {
    const maps = [[], ...innerPaths(fullFile())].filter((path) => {
      const at = path.reduce<unknown>(
        (tree, key) => (tree as Record<string | number, unknown>)[key],
        fullFile(),
      );
      return !Array.isArray(at);
    });
    for (const path of maps) {
      for (const key of ['zzz', '<<', '__proto__', 'constructor']) {
        const file = fullFile();
        const at = path.reduce<unknown>(
          (tree, segment) => (tree as Record<string | number, unknown>)[segment],
          file,
        );
        Object.defineProperty(at, key, { value: 1, enumerable: true });
        const [problem] = problemsOf(file);
        assert.match(problem?.message ?? '', /unknown key/, `${formatPath(path)} ${key}`);
        assert.match(problem?.hint ?? '', /Known here: \w|no key is known/);
        if (key === 'zzz') assert.doesNotMatch(problem?.hint ?? '', /nearest/);
      }
    }
  });

  test('a required key that is missing is named', () => {
    const required: readonly Path[] = [
      ['v'],
      ['db'],
      ['secrets'],
      ['secrets', 'keyFile'],
      ['identity'],
      ['identity', 'cert'],
      ['identity', 'key'],
      ['identity', 'ca'],
      ['web'],
      ['web', 0, 'name'],
      ['web', 0, 'bindPoints'],
      ['web', 0, 'bindPoints', 0, 'interface'],
      ['web', 0, 'bindPoints', 0, 'address'],
      ['web', 0, 'apis'],
      ['web', 0, 'apis', 0, 'binding'],
    ];
    for (const path of required) {
      const problems = problemsOf(replaceAt(minimalFile(), path, undefined));
      assert.deepEqual(
        problems.map((problem) => problem.path),
        [formatPath(path)],
      );
      assert.match(problems[0]?.message ?? '', /the required key .* is missing/);
    }
    for (const list of [['web'], ['web', 0, 'bindPoints'], ['web', 0, 'apis']]) {
      assert.equal(problemsOf(replaceAt(minimalFile(), list, []))[0]?.path, formatPath(list));
    }
  });
});

describe('rules between values', () => {
  const secondListener = (change: Tree) => {
    const file = minimalFile();
    const [first] = file.web as Tree[];
    const second = {
      ...structuredClone(first),
      name: 'second',
      bindPoints: [{ interface: '127.0.0.1:1281', address: 'localhost:1281' }],
      ...change,
    };
    return { ...file, web: [first, second] };
  };

  test('listener names, interfaces and bindings are unique', () => {
    assert.equal(problemsOf(secondListener({ name: 'default' }))[0]?.path, 'web[1].name');
    const taken = [{ interface: '127.0.0.1:1280', address: 'other.example.com:443' }];
    assert.equal(
      problemsOf(secondListener({ bindPoints: taken }))[0]?.path,
      'web[1].bindPoints[0].interface',
    );
    const twice = [{ binding: 'metrics' }, { binding: 'metrics' }];
    assert.equal(problemsOf(secondListener({ apis: twice }))[0]?.path, 'web[1].apis[1].binding');
    const spelledDifferently = secondListener({
      bindPoints: [
        { interface: '[::1]:1281', address: 'a.example:1' },
        { interface: '[0:0::1]:1281', address: 'A.example:1' },
      ],
    });
    assert.equal(problemsOf(spelledDifferently)[0]?.path, 'web[1].bindPoints[1].interface');
  });

  test('one listener may give an interface several addresses', () => {
    const bindPoints = [
      { interface: '0.0.0.0:1281', address: 'a.example:443' },
      { interface: '0.0.0.0:1281', address: 'b.example:443' },
    ];
    const { config, warnings } = load(secondListener({ bindPoints }));
    assert.deepEqual(
      config.listeners[1]?.bindPoints.map(({ issuer }) => issuer),
      ['https://a.example/oidc', 'https://b.example/oidc'],
    );
    assert.deepEqual(warnings, []);
  });

  test('port 0 may be listened on any number of times', () => {
    const any = [
      { interface: '127.0.0.1:0', address: 'localhost:0' },
      { interface: '127.0.0.1:0', address: 'localhost:0' },
    ];
    assert.deepEqual(load(secondListener({ bindPoints: any })).warnings, []);
  });

  test('edge.api.address is a bind point address of a listener with edge-client', () => {
    const file = secondListener({ apis: [{ binding: 'edge-management' }] });
    for (const address of ['localhost:1281', 'localhost:1282', '127.0.0.1:1280']) {
      const [problem] = problemsOf({ ...file, edge: { api: { address } } });
      assert.equal(problem?.path, 'edge.api.address');
      assert.match(problem?.hint ?? '', /localhost:1280/);
    }
    assert.equal(
      load({ ...file, edge: { api: { address: 'LOCALHOST:1280' } } }).config.edge.api.address,
      'localhost:1280',
    );
  });

  test('the oldest TLS version is not newer than the newest', () => {
    const options = { minTLSVersion: 'TLS1.3', maxTLSVersion: 'TLS1.2' };
    assert.equal(
      problemsOf(replaceAt(minimalFile(), ['web', 0, 'options'], options))[0]?.path,
      'web[0].options.minTLSVersion',
    );
  });

  test('a compatibility client id is listed once', () => {
    const [problem] = problemsOf(
      replaceAt(minimalFile(), ['edge', 'oidc', 'compatibility', 'clientIds'], ['a', 'b', 'a']),
    );
    assert.equal(problem?.path, 'edge.oidc.compatibility.clientIds');
  });
});

describe('the texts of the problems', () => {
  test('all problems are reported together, in the order of the file, with line and column', () => {
    const text = `v: 3
db: sqlite:./overlay.db
secret: { keyFile: ./master.key }
identity: { cert: a.pem, key: b.pem, ca: c.pem }
web:
  - name: default
    bindPoints:
      - { interface: 127.0.0.1:1280, address: https://localhost:1280 }
    apis:
      - binding: edge-client
      - binding: edge-oidc
        options:
          redirectUris: []
          postLogoutURIs: ["https://*/"]
  - name: default
    bindPoints:
      - interface: 127.0.0.1:1281
        address: localhost:1281
    apis:
      - binding: metrics
      - binding: metrics
edge:
  oidc:
    accessTokenDuration: 30
    disableOidcAutoBinding: true
`;
    const problems = problemsOf(text).map(({ line, column, path }) => [line, column, path]);
    assert.deepEqual(problems, [
      [1, 1, 'secrets'],
      [3, 1, 'secret'],
      [8, 47, 'web[0].bindPoints[0].address'],
      [13, 11, 'web[0].apis[1].options.redirectUris'],
      [14, 28, 'web[0].apis[1].options.postLogoutURIs[0]'],
      [21, 18, 'web[1].apis[1].binding'],
      [24, 26, 'edge.oidc.accessTokenDuration'],
      [25, 5, 'edge.oidc.disableOidcAutoBinding'],
    ]);
  });

  test('the hint for an unknown key names the nearest known one', () => {
    const table: readonly [Path, string, RegExp][] = [
      [[], 'secret', /nearest known key is secrets\./],
      [[], 'Web', /nearest known key is web\./],
      [[], 'ctrl', /no such section: remove it/],
      [['edge'], 'oicd', /nearest known key is oidc\./],
      [['edge', 'oidc'], 'access_token_duration', /nearest known key is accessTokenDuration\./],
      [['edge', 'oidc'], 'disableOidcAutoBinding', /belongs at edge\.api\.disableOidcAutoBinding/],
      [['edge', 'totp'], 'hostname', /^Known here: issuer/],
      [['web', 0, 'options'], 'minTlsVersion', /nearest known key is minTLSVersion\./],
      [['web', 0, 'bindPoints', 0], 'adress', /nearest known key is address\./],
      [['web', 0, 'apis', 0, 'options'], 'redirectURIs', /no key is known here/],
    ];
    for (const [parent, key, hint] of table) {
      const [problem] = problemsOf(replaceAt(minimalFile(), [...parent, key], {}));
      assert.equal(problem?.path, formatPath([...parent, key]));
      assert.match(problem?.hint ?? '', hint);
    }
  });

  test('a wrong choice is answered with the nearest valid one, a number with its missing unit', () => {
    const table: readonly [Path, unknown, RegExp][] = [
      [['web', 0, 'apis', 0, 'binding'], 'edge-cleint', /nearest is edge-client\./],
      [['web', 0, 'options', 'minTLSVersion'], '1.2', /nearest is TLS1\.2\./],
      [['log', 'level'], 'warning', /nearest is warn\./],
      [['edge', 'oidc', 'idTokenSigningAlg'], 'RS512', /nearest is RS256\./],
      [['log', 'level'], 'trace', /^The least important lines/],
      [['web', 0, 'options', 'clientCertificates'], 'required', /nearest is request\. .*do not require one/],
      [['v'], '3', /without quotation marks/],
      [['edge', 'oidc', 'accessTokenDuration'], 30, /for example 30s or 30m\./],
      [['web', 0, 'options', 'idleTimeout'], 5, /for example 5s or 5m\./],
    ];
    for (const [path, wrong, hint] of table) {
      assert.match(problemsOf(replaceAt(minimalFile(), path, wrong))[0]?.hint ?? '', hint);
    }
  });

  test('mails in the clear are never suggested for another word', () => {
    for (const wrong of ['starttls', 'STARTTLS', 'tls', 'TLS1.2', 'ssl', 'on', 'yes', 'optional']) {
      const file = {
        ...minimalFile(),
        mail: { smtp: { host: 'smtp.example.com', tls: wrong }, from: 'a@b.example' },
      };
      const [problem] = problemsOf(file);
      assert.equal(problem?.path, 'mail.smtp.tls', wrong);
      assert.doesNotMatch(problem?.hint ?? '', /nearest is none/, wrong);
    }
  });

  test('a colour without quotation marks is a comment, and the problem says so', () => {
    const [problem] = problemsOf(`${stringify(minimalFile())}branding:\n  color: #1f5fd0\n`);
    assert.equal(problem?.path, 'branding.color');
    assert.match(
      problem?.message ?? '',
      /found nothing \(give it a value, in quotation marks if it begins with #/,
    );
  });

  test('text that is not acceptable YAML is refused with the place', () => {
    const hostile: readonly [string, RegExp][] = [
      ['', /empty/],
      ['# nothing\n', /empty/],
      ['- 1\n', /expected a map/],
      ['hello', /expected a map/],
      ['null', /expected a map/],
      ['v: 3\nv: 3\n', /appears twice/],
      ['v: 3\n---\nv: 3\n', /several documents/],
      ['v: !!js/function 3\n', /tags/],
      ['v: !env 3\n', /tags/],
      ['v: [\n', /not valid YAML/],
      ['v:\n\t- 3\n', /not valid YAML/],
      ['? [a]\n: 1\n', /key must be text/],
      [
        'a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c]\n',
        /aliases/,
      ],
      ['v: *nowhere\n', /not valid YAML|aliases/],
      [`v: ${'['.repeat(100_000)}`, /./],
      [`v: ${'x'.repeat(2_000_000)}`, /larger than 1 MiB/],
    ];
    for (const [text, message] of hostile) {
      const [problem] = problemsOf(text);
      assert.match(problem?.message ?? '', message, JSON.stringify(text.slice(0, 40)));
      assert.ok((problem?.line ?? 0) >= 1);
    }
  });

  test('an unquoted IPv6 address is refused with how to quote it', () => {
    const [problem] = problemsOf('web:\n  - bindPoints:\n    - interface: [::1]:1280\n');
    assert.match(problem?.hint ?? '', /quotes/);
    assert.equal(problem?.line, 3);
  });

  test('anchors and aliases are supported, and located where the value is', () => {
    const text = `v: 3
db: sqlite:x.db
secrets: { keyFile: k }
identity: { cert: a, key: b, ca: c }
web:
  - name: one
    bindPoints: [{ interface: "127.0.0.1:1", address: "localhost:1" }]
    options: &timeouts { idleTimeout: 5s, readTimeout: 0s }
    apis: [{ binding: edge-client }]
  - name: two
    bindPoints: [{ interface: "127.0.0.1:2", address: "localhost:2" }]
    options: *timeouts
    apis: [{ binding: metrics }]
edge: {}
`;
    assert.deepEqual(
      problemsOf(text).map(({ line, path }) => [line, path]),
      [
        [8, 'web[0].options.readTimeout'],
        [8, 'web[1].options.readTimeout'],
      ],
    );
    assert.equal(load(text.replace('0s', '7s')).config.listeners[1]?.readTimeout, 7000);
  });
});
