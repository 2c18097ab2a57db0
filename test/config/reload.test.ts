import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { stringify } from 'yaml';
import type { Config, Listener } from '../../src/config/config.ts';
import { ConfigError, type ConfigPath, formatPath } from '../../src/config/config-error.ts';
import { valueAt } from '../../src/config/described-file.ts';
import { type FileValue, leafPaths, toFile } from '../../src/config/file-shape.ts';
import { loadConfig } from '../../src/config/load.ts';
import { settingChanges, takeOver } from '../../src/config/reload.ts';
import { fullFile, load, minimalFile, problemsOf, replaceAt, type Tree } from './fixtures.ts';

/** Another value for a setting, such as one of the same key elsewhere; some it cannot have. */
function otherValues(file: Tree, path: ConfigPath): readonly unknown[] {
  const value = valueAt(file, path);
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 1, value / 2, value - 1];
  if (/^[\d.]+(h|m|s)/.test(String(value))) return ['31m', '29s', '300h'];
  const keyOf = (leaf: ConfigPath) => leaf.findLast((segment) => typeof segment === 'string');
  const ofSameKey = leafPaths(file as FileValue).filter((leaf) => keyOf(leaf) === keyOf(path));
  const words = ['61MiB', '#000000', '#ffffff', '192.0.2.99', 'RS256', 'request', 'TLS1.2', 'text', 'error'];
  const rest = ['https://other.example', 'other@example.com', ...words];
  return [`${value}x`, ...ofSameKey.map((leaf) => valueAt(file, leaf)), ...rest].filter(
    (other) => other !== value,
  );
}

/** Configurations of the file with another value of this setting, and without it, as far as they can be had. */
function changedAt(file: Tree, path: ConfigPath, before: Config): readonly Config[] {
  const first = (values: readonly unknown[]): readonly Config[] => {
    for (const value of values) {
      try {
        const { config } = load(replaceAt(structuredClone(file), path, value));
        if (settingChanges(before, config).length > 0) return [config];
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
      }
    }
    return [];
  };
  return [...first(otherValues(file, path)), ...first([undefined])];
}

const withoutIndex = (path: string) => path.replaceAll(/\[\d+\]/g, '[]');

test('every setting is applied as a whole or not at all, and the document says which', () => {
  const needRestart = new Set<string>();
  const live = new Set<string>();
  const file = toFile(load(fullFile()).config) as Tree;
  const { config } = load(file);
  for (const path of leafPaths(file as FileValue)) {
    const setting = withoutIndex(formatPath(path)).replace(/\[\]$/, '');
    for (const other of changedAt(file, path, config)) {
      for (const [inUse, fresh] of [
        [config, other],
        [other, config],
      ] as const) {
        const next = takeOver(inUse, fresh);
        const [done, waiting] = [settingChanges(inUse, next), settingChanges(next, fresh)];
        assert.ok(done.length === 0 || waiting.length === 0, JSON.stringify([done, waiting]));
        assert.deepEqual(next, done.length === 0 ? inUse : fresh);
        (done.length > 0 ? live : needRestart).add(setting);
      }
    }
  }
  assert.deepEqual(
    [...live].filter((path) => needRestart.has(path)),
    [],
  );
  const all = leafPaths(file as FileValue).map((path) => withoutIndex(formatPath(path)).replace(/\[\]$/, ''));
  assert.deepEqual(
    all.filter((path) => !live.has(path) && !needRestart.has(path)),
    ['v'],
  );
  const text = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  const documented = (when: string) =>
    [...text.matchAll(/^\| `([^`]+)` \| [^|]+ \| (reload|restart) \|/gm)].flatMap(([, path = '', after]) =>
      after === when ? [path] : [],
    );
  const [atReload, atRestart] = [documented('reload'), documented('restart')];
  assert.deepEqual(
    [...live].filter((path) => !atReload.includes(path)),
    [],
  );
  assert.deepEqual(
    [...needRestart].filter((path) => !atRestart.includes(path)),
    ['web[].apis[].binding'],
  );
  assert.ok(live.size > 30 && needRestart.size > 15);
});

test('another password of a URL is a change, and is not shown', () => {
  const withPasswords = (password: string) =>
    load(
      replaceAt(
        { ...fullFile(), db: `postgres://u:${password}@db/x` },
        ['edge', 'externalJwtSigners', 'jwksFetch', 'proxy'],
        `http://u:${password}@proxy.example.com`,
      ),
    ).config;
  const changes = settingChanges(withPasswords('hunter1'), withPasswords('hunter2'));
  assert.deepEqual(
    changes.map(({ path }) => path),
    ['db', 'edge.externalJwtSigners.jwksFetch.proxy'],
  );
  assert.doesNotMatch(JSON.stringify(changes), /hunter/);
});

test('a file without its edge section changes nothing in it', () => {
  const { config } = load(fullFile());
  const { edge: _, ...rest } = fullFile();
  const fresh = load({
    ...rest,
    web: [{ ...(minimalFile().web as object[])[0], name: 'public', apis: [{ binding: 'health-checks' }] }],
  }).config;
  assert.deepEqual(takeOver(config, fresh).edge, config.edge);
});

test('listeners are told apart by their name, in any order', () => {
  const file = fullFile();
  const { config } = load(file);
  const fresh: Config = { ...config, listeners: config.listeners.toReversed() };
  assert.deepEqual(takeOver(config, fresh).listeners, fresh.listeners);
  const more: Config = {
    ...config,
    listeners: [...config.listeners, { ...(config.listeners[0] as Listener), name: 'new' }],
  };
  assert.deepEqual(takeOver(config, more).listeners, config.listeners);
});

test('a reload accepts all names of homes, hosts and operators', () => {
  const host = `${'x'.repeat(60)}.${'y'.repeat(60)}.example`;
  const hosts = [host, 'localhost'];
  for (const [at, home] of ['/srv/a#b?', '/srv/overlay'].entries()) {
    const file = minimalFile();
    replaceAt(file, ['web', 0, 'bindPoints', 0, 'address'], `${hosts[at]}:1280`);
    replaceAt(file, ['branding'], at === 0 ? {} : { name: ':' });
    replaceAt(file, ['edge', 'oidc'], { accessTokenDuration: '87599h59m' });
    const { config } = loadConfig(`${home}/controller.yml`, { readFile: () => stringify(file), env: {} });
    assert.deepEqual(takeOver(config, config), config);
    assert.ok(config.edge.totp.issuer.trim() !== '' && config.edge.totp.issuer.length <= 64);
  }
  const [problem] = problemsOf(replaceAt(minimalFile(), ['edge', 'oidc', 'accessTokenDuration'], '87600h'));
  assert.match(problem?.message ?? '', /the most is 87599h59m/);
});

test('another password of the database is a change, and is not shown', () => {
  const at = (password: string) =>
    load({ ...minimalFile(), db: `postgres://o:${password}@db.example/o` }).config;
  const changes = settingChanges(at('first'), at('second'));
  assert.deepEqual(
    changes.map(({ path }) => path),
    ['db'],
  );
  assert.doesNotMatch(JSON.stringify(changes), /first|second/);
});
