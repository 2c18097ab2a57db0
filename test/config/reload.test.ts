import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Config, Listener } from '../../src/config/config.ts';
import { settingChanges, takeOver } from '../../src/config/reload.ts';
import { fullFile, load, minimalFile } from './fixtures.ts';

/** Copies of a configuration that differ in one value each, which no file may be able to say. */
function* changedAt(value: unknown, rebuild: (changed: unknown) => unknown): Generator<unknown> {
  if (typeof value === 'number') yield rebuild(value + 1);
  else if (typeof value === 'boolean') yield rebuild(!value);
  else if (value === 'edge-oidc') return;
  else if (typeof value === 'string') yield rebuild(`${value}x`);
  else if (Array.isArray(value)) {
    // Entries with a name come and go with a restart; what is in them then says nothing.
    const hasNames = value.some((entry) => entry.name !== undefined || entry.binding !== undefined);
    if (value.length > 0 && !hasNames) yield rebuild(value.slice(1));
    for (const [at, entry] of value.entries()) {
      // A redirect URI or a range of addresses is one value.
      if (typeof entry === 'object' && ('kind' in entry || 'prefixLength' in entry)) continue;
      yield* changedAt(entry, (changed) => rebuild(value.with(at, changed)));
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      // What the other members are like depends on it.
      if (key === 'engine') continue;
      yield* changedAt(member, (changed) => rebuild({ ...value, [key]: changed }));
    }
  }
}

const withoutIndex = (path: string) => path.replaceAll(/\[\d+\]/g, '[]');

test('every setting is applied as a whole or not at all, and the document lists those that are not', () => {
  const needRestart = new Set<string>();
  const live = new Set<string>();
  for (const file of [fullFile(), minimalFile()]) {
    const { config } = load(file);
    for (const copy of changedAt(config, (changed) => changed)) {
      const fresh = copy as Config;
      // Turns the whole section on or off.
      if (fresh.edge.present !== config.edge.present) continue;
      const next = takeOver(config, fresh);
      const [done, waiting] = [settingChanges(config, next), settingChanges(next, fresh)];
      const isWhole =
        JSON.stringify(next) === JSON.stringify(fresh) || JSON.stringify(next) === JSON.stringify(config);
      assert.ok(isWhole, JSON.stringify([done, waiting]));
      for (const { path } of done) live.add(withoutIndex(path));
      for (const { path } of waiting) needRestart.add(withoutIndex(path));
    }
  }
  const both = [...live].filter((path) => needRestart.has(path));
  assert.deepEqual(both, []);
  const text = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  const [, list = ''] = /\nThese need a restart:([\s\S]*?)\n\n/.exec(text) ?? [];
  const documented = [...list.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
  const isListed = (path: string) =>
    documented.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[]`));
  assert.deepEqual(
    [...needRestart].filter((path) => !isListed(path)),
    [],
    'not in the document',
  );
  assert.deepEqual([...live].filter(isListed), [], 'in the document, but taken over');
  const known = [...needRestart];
  assert.deepEqual(
    documented.filter(
      (one) =>
        !known.some((path) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[]`)),
    ),
    [],
    'in the document, but there is no such setting',
  );
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

test('listeners are told apart by their name, whatever their order', () => {
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
