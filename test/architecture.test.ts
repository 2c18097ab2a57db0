// The import rules of docs/architecture.md: layers import downwards only.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, test } from 'node:test';
import { sharedWithPages } from '../src/pages/web-files.ts';

/** What each folder of src/, and the package of the importer, may import besides itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  model: ['platform'],
  errors: ['platform', 'model'],
  config: ['platform', 'model'],
  'store/contracts': ['errors', 'platform', 'model'],
  'store/sql': ['store/contracts', 'errors', 'platform', 'model'],
  'store/migrations': ['store/sql', 'platform', 'model'],
  'store/sqlite': ['store/migrations', 'store/sql', 'store/contracts', 'errors', 'platform', 'model'],
  'store/postgres': ['store/migrations', 'store/sql', 'store/contracts', 'errors', 'platform', 'model'],
  login: ['store/contracts', 'errors', 'platform', 'model'],
  tokens: ['store/contracts', 'errors', 'platform', 'model'],
  events: ['store/contracts', 'platform', 'model'],
  explain: ['events', 'store/contracts', 'errors', 'platform', 'model'],
  certificates: ['store/contracts', 'errors', 'platform', 'model'],
  sessions: ['certificates', 'login', 'tokens', 'store/contracts', 'errors', 'platform', 'model'],
  oidc: ['sessions', 'certificates', 'login', 'tokens', 'store/contracts', 'errors', 'platform', 'model'],
  legacy: ['sessions', 'certificates', 'login', 'tokens', 'store/contracts', 'errors', 'platform', 'model'],
  enrollment: ['admin', 'certificates', 'login', 'tokens', 'store/contracts', 'errors', 'platform', 'model'],
  admin: [
    'sessions',
    'certificates',
    'login',
    'tokens',
    'explain',
    'events',
    'store/contracts',
    'errors',
    'platform',
    'model',
  ],
  account: ['admin', 'explain', 'login', 'store/contracts', 'errors', 'platform', 'model'],
  tasks: ['sessions', 'login', 'tokens', 'store/contracts', 'errors', 'platform', 'model'],
  telemetry: ['config', 'store/contracts', 'errors', 'platform', 'model'],
  pages: ['errors', 'platform', 'model'],
  mail: ['pages', 'enrollment', 'login', 'tokens', 'store/contracts', 'errors', 'platform', 'model'],
  http: [
    'pages',
    'oidc',
    'legacy',
    'enrollment',
    'account',
    'admin',
    'explain',
    'sessions',
    'certificates',
    'login',
    'tokens',
    'config',
    'store/contracts',
    'errors',
    'platform',
    'model',
  ],
  // Wires everything; what runs it hangs below cli.
  controller: [
    'store/sql',
    'store/migrations',
    'store/sqlite',
    'store/postgres',
    'http',
    'oidc',
    'legacy',
    'enrollment',
    'account',
    'admin',
    'explain',
    'events',
    'mail',
    'tasks',
    'telemetry',
    'sessions',
    'certificates',
    'login',
    'tokens',
    'config',
    'store/contracts',
    'errors',
    'platform',
    'model',
  ],
  // What works on the host and what is a client of a running server share the terminal only.
  'cli/terminal': ['platform'],
  'cli/host': [
    'cli/terminal',
    'controller',
    'import-ziti',
    'http',
    'admin',
    'explain',
    'events',
    'tasks',
    'login',
    'tokens',
    'config',
    'errors',
    'platform',
    'model',
  ],
  'cli/client': ['cli/terminal', 'http', 'config', 'model', 'platform', 'client library'],
  cli: ['cli/host', 'cli/client', 'cli/terminal', 'config'],
  // Its command is one of the command line: see `doorOfImporter`.
  'import-ziti': [
    'cli/host',
    'cli/terminal',
    'controller',
    'admin',
    'certificates',
    'config',
    'login',
    'tokens',
    'store/contracts',
    'errors',
    'platform',
    'model',
  ],
  main: ['cli', 'cli/terminal'],
};

/** What the importer may use of cli/ and controller/. */
const doorOfImporter = [
  'src/cli/host/load-config.ts',
  'src/cli/host/open-host.ts',
  'src/cli/terminal/output.ts',
  'src/cli/terminal/ports.ts',
  'src/controller/overlay-pki.ts',
];

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly specifier: string;
}

const layers = Object.keys(mayImport).sort((one, other) => other.length - one.length);

function layerOf(path: string): string {
  if (path.startsWith('packages/client/')) return 'client library';
  if (path.startsWith('packages/import-ziti/')) return 'import-ziti';
  const inside = relative('src', path);
  if (inside === 'main.ts') return 'main';
  return layers.find((layer) => inside.startsWith(`${layer}/`)) ?? `(unknown: ${inside})`;
}

const sources = globSync(['src/**/*.ts', 'packages/import-ziti/src/**/*.ts']).filter(
  (file) => !file.endsWith('.test.ts'),
);

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(file, 'utf8');
  const specifiers = [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g,
    ),
  ];
  return specifiers.map(([, plain, dynamic, effect]) => {
    const specifier = plain ?? dynamic ?? effect ?? '';
    const isOurs = specifier.startsWith('.');
    const to = isOurs ? layerOf(normalize(join(dirname(file), specifier))) : specifier;
    return { file, from: layerOf(file), to, specifier };
  });
}

const imports = sources.flatMap(importsOf);

/** Small files with a single importer that stay, and why. */
const standsApart: readonly (readonly [RegExp, string])[] = [
  [/^src\/http\/(?:oidc|edge|management)\//, 'one file for each resource, which routes.ts lists'],
  [
    /^src\/store\/sql\/(?:bulk-jobs|device-logins|event-subscriptions|setup-links)\.ts$/,
    'one file for each concern, which store.ts lists',
  ],
  [/\/hash-worker\.ts$/, 'the entry of a thread'],
  [/^src\/controller\/build\.ts$/, 'which build runs is no part of the wiring'],
];

/** Whether a file is imported only when it is needed. */
function isLoadedLate(importer: string, file: string): boolean {
  const specifier = relative(dirname(importer), file);
  return readFileSync(importer, 'utf8').includes(
    `import('${specifier.startsWith('.') ? '' : './'}${specifier}')`,
  );
}

/** The wings of http/, each with those it may import besides itself. */
const mayImportInHttp: Readonly<Record<string, readonly string[]>> = {
  request: [],
  documents: ['request'],
  pages: ['request'],
  oidc: ['request', 'documents', 'pages'],
  legacy: ['request', 'documents'],
  edge: ['request', 'documents', 'legacy'],
  management: ['request', 'documents', 'legacy', 'edge'],
  openapi: ['request', 'documents', 'pages'],
  server: ['request', 'documents', 'pages'],
};

describe('the import rules', () => {
  test('every folder is a layer', () => {
    const unknown = sources.filter((file) => layerOf(file).startsWith('(unknown'));
    assert.deepEqual(unknown, []);
  });

  test('layers import downwards only', () => {
    const wrong = imports
      .filter(({ specifier }) => specifier.startsWith('.') && !specifier.endsWith('package.json'))
      .filter(({ from, to }) => from !== to && !mayImport[from]?.includes(to))
      .map(({ file, specifier }) => `${file} imports ${specifier}`);
    assert.deepEqual(wrong, []);
  });

  test('the importer is loaded by its command only, and uses a few files of the command line', () => {
    const path = ({ file, specifier }: Import) => normalize(join(dirname(file), specifier));
    const loading = imports.filter(({ from, to }) => to === 'import-ziti' && from !== to);
    assert.deepEqual([...new Set(loading.map(({ file }) => file))], ['src/cli/host/commands.ts']);
    const command = readFileSync('src/cli/host/commands.ts', 'utf8');
    assert.ok(!/^import (?!type)[^;]*import-ziti/m.test(command));
    const used = imports.filter(
      ({ from, to, specifier }) =>
        from === 'import-ziti' && specifier.startsWith('.') && (to.startsWith('cli/') || to === 'controller'),
    );
    assert.deepEqual([...new Set(used.map(path))].sort(), doorOfImporter);
  });

  test('no file imports itself by way of others, not even for types', () => {
    const pages = globSync('web/**/*.{ts,tsx}');
    const targetsOf = Map.groupBy(
      [...imports, ...pages.flatMap(importsOf)]
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ file, specifier }) => ({ file, target: normalize(join(dirname(file), specifier)) })),
      ({ file }) => file,
    );
    const left = new Set([...sources, ...pages]);
    for (let before = Number.POSITIVE_INFINITY; left.size < before; ) {
      before = left.size;
      const imported = new Set(
        [...left].flatMap((file) => (targetsOf.get(file) ?? []).map(({ target }) => target)),
      );
      for (const file of left) {
        const importsSome = (targetsOf.get(file) ?? []).some(({ target }) => left.has(target));
        if (!importsSome || !imported.has(file)) left.delete(file);
      }
    }
    assert.deepEqual([...left], []);
  });

  test('the wings of http/ share what request/ and documents/ offer', () => {
    const wingOf = (path: string) => path.split('/').at(2) ?? '';
    const wrong = imports
      .filter(({ from, to, specifier }) => from === 'http' && to === 'http' && specifier.startsWith('.'))
      .map(({ file, specifier }) => ({ file, specifier, target: normalize(join(dirname(file), specifier)) }))
      .filter(({ file, target }) => {
        const [own, other] = [wingOf(file), wingOf(target)];
        return own !== other && !mayImportInHttp[own]?.includes(other);
      })
      .map(({ file, specifier }) => `${file} imports ${specifier}`);
    assert.deepEqual(wrong, []);
  });

  test('every folder says in a few lines what it owns and where to start', () => {
    const folders = [...new Set(sources.map((file) => dirname(file)))];
    const wrong = folders.filter((folder) => {
      const path = join(folder, 'README.md');
      if (!existsSync(path)) return true;
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
      const start = lines.at(-1)?.match(/^Start with `([^`]+)`/)?.[1];
      return lines.length > 12 || start === undefined || !existsSync(join(folder, start));
    });
    assert.deepEqual(wrong, []);
  });

  test('a small file with a single importer belongs into that file', () => {
    const importersOf = Map.groupBy(
      imports.filter(({ specifier }) => specifier.startsWith('.')),
      ({ file, specifier }) => normalize(join(dirname(file), specifier)),
    );
    const wrong = sources.flatMap((file) => {
      const [only, ...others] = new Set((importersOf.get(file) ?? []).map((one) => one.file));
      if (only === undefined || others.length > 0 || layerOf(only) !== layerOf(file)) return [];
      const isShort = readFileSync(file, 'utf8').split('\n').length <= 45;
      const isApart = standsApart.some(([pattern]) => pattern.test(file)) || isLoadedLate(only, file);
      return isShort && !isApart ? [`${file} belongs into ${only}`] : [];
    });
    assert.deepEqual(wrong, []);
  });

  test('only http/ knows the HTTP framework', () => {
    const wrong = imports.filter(({ from, to }) => to.startsWith('fastify') && from !== 'http');
    assert.deepEqual(
      wrong.map(({ file }) => file),
      [],
    );
  });

  test('only Sender reads cookies and client certificates', () => {
    const readers: readonly (readonly [RegExp, readonly string[]])[] = [
      [
        /\bheaders(?:\.cookie|\['cookie'\])|\{[^}]*(?<![-\w])cookie\b[^}]*\} = [\w.#]*headers\b/,
        ['sender.ts'],
      ],
      [/['"]sec-fetch-/, ['sender.ts']],
      [/\bpeerCertificates\(/, ['sender.ts', 'peer-certificates.ts']],
      [/\.getPeer(?:X509)?Certificate\(/, ['peer-certificates.ts']],
      [/\bheaders\.origin\b|\{[^}]*\borigin\b[^}]*\} = [\w.#]*headers\b/, ['sender.ts']],
    ];
    const wrong = sources
      // It is a client.
      .filter((file) => !file.startsWith('src/cli/'))
      .flatMap((file) =>
        readers
          .filter(
            ([words, mayRead]) =>
              words.test(readFileSync(file, 'utf8')) &&
              !mayRead.some((name) => file === `src/http/request/${name}`),
          )
          .map(([words]) => `${file}: ${words}`),
      );
    assert.deepEqual(wrong, []);
  });

  test('only http/ knows the library of the metrics, and nothing waits for it at the start', () => {
    const users = imports.filter(({ to }) => to === 'prom-client');
    assert.deepEqual([...new Set(users.map(({ file }) => file))], ['src/http/server/metrics.ts']);
    const text = readFileSync('src/http/server/metrics.ts', 'utf8');
    assert.ok(!/^import (?!type).*'prom-client'/m.test(text));
  });

  test('only telemetry/ knows OpenTelemetry', () => {
    const users = imports.filter(({ to }) => to.startsWith('@opentelemetry/'));
    assert.ok(users.length > 0);
    assert.deepEqual(
      users.filter(({ from }) => from !== 'telemetry').map(({ file }) => file),
      [],
    );
  });

  test('only store/ knows the database, and platform/ a use of it as a lock', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        ['node:sqlite', 'pg'].includes(to) &&
        !from.startsWith('store/') &&
        !(from === 'platform' && to === 'node:sqlite'),
    );
    assert.deepEqual(
      wrong.map(({ file }) => file),
      [],
    );
  });

  test('the client library stands alone, and only its folder for Node needs Node', () => {
    const library = globSync('packages/client/src/**/*.ts').flatMap(importsOf);
    assert.notEqual(library.length, 0);
    const { dependencies } = JSON.parse(readFileSync('packages/client/package.json', 'utf8'));
    const wrong = library.filter(({ file, to, specifier }) => {
      const isOfNode = file.startsWith('packages/client/src/node/');
      if (to !== specifier) return to !== 'client library';
      return !(specifier in dependencies) && !(isOfNode && specifier.startsWith('node:'));
    });
    const intoNode = library.filter(
      ({ file, specifier }) => !file.startsWith('packages/client/src/node/') && specifier.includes('node/'),
    );
    assert.deepEqual([...wrong, ...intoNode], []);
  });

  test('the pages import only data from the server, and they are built again when it changes', () => {
    const target = ({ file, specifier }: { readonly file: string; readonly specifier: string }) =>
      normalize(join(dirname(file), specifier));
    const ofServer = new Set(
      globSync('web/**/*.{ts,tsx}')
        .flatMap((file) =>
          [...readFileSync(file, 'utf8').matchAll(/from '(\.\.\/[^']*\/src\/[^']+)'/g)].map(
            ([, specifier = '']) => target({ file, specifier }),
          ),
        )
        .filter((file) => file.startsWith('src/')),
    );
    assert.notEqual(ofServer.size, 0);
    // Everything that one of them imports gets into a browser too.
    for (const file of ofServer) for (const found of importsOf(file)) ofServer.add(target(found));
    const shared = globSync([...sharedWithPages]);
    assert.deepEqual(
      [...ofServer].filter((file) => !shared.includes(file)),
      [],
    );
  });

  test('the clock and the random source are read in platform/ only', () => {
    const direct = /\bDate\.now\(\)|\bnew Date\(\)|\bMath\.random\(\)|\brandomBytes\(|\brandomUUID\(/;
    const wrong = sources.filter(
      (file) => layerOf(file) !== 'platform' && direct.test(readFileSync(file, 'utf8')),
    );
    assert.deepEqual(wrong, []);
  });

  test('there are no default exports and no files that only collect others', () => {
    const wrong = sources.filter(
      (file) => /\bexport default\b/.test(readFileSync(file, 'utf8')) || file.endsWith('/index.ts'),
    );
    assert.deepEqual(wrong, []);
  });

  test('constants are named like everything else, but the units of time', () => {
    const capital = /^\s*(?:export )?const ([A-Z][A-Z0-9_]+)\b/gm;
    const wrong = sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(capital)].map(([, name]) => `${file}: ${name}`),
    );
    const units = ['SECOND', 'MINUTE', 'HOUR', 'DAY'].map((unit) => `src/platform/time-units.ts: ${unit}`);
    assert.deepEqual(wrong, units);
  });

  test('no function is longer than 80 lines', () => {
    const script = 'scripts/function-lengths.mjs';
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '80'], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.equal(stdout, '');
  });
});

test('API sessions and browser sessions end in one place each, which has their applications told', () => {
  const statements = {
    'SET ended_at = ': 'src/store/sql/session-ends.ts',
    'DELETE FROM browser_sessions': 'src/store/sql/browser-sessions.ts',
  };
  for (const [statement, place] of Object.entries(statements)) {
    const files = globSync('{src,packages/*/src}/**/*.ts').filter((file) =>
      readFileSync(file, 'utf8').includes(statement),
    );
    assert.deepEqual(files, [place]);
  }
});
