import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sandbox } from '../../test/support/command.ts';
import { readNamedFile } from '../../test/support/files.ts';
import { fixedClock } from '../../test/support/fixed-clock.ts';
import { memoryLogger } from '../../test/support/memory-logger.ts';
import { loadConfig } from '../config/load.ts';
import { SECOND, systemClock } from '../platform/clock.ts';
import { silentLogger } from '../platform/log/logger.ts';
import { systemRandom } from '../platform/random.ts';
import { nextKeyFile, openVault } from '../platform/secrets/key-files.ts';
import { keyVault, vaultKey } from '../platform/secrets/key-vault.ts';
import { createKeyFile } from '../platform/secrets/master-key.ts';
import { openFoundations } from './foundations.ts';

test('a start that fails after the database was opened closes it, so that the process ends', async () => {
  await using box = sandbox();
  await box.home('h');
  const home = join(box.cwd, 'h');
  const { config } = loadConfig(join(home, 'controller.yml'), { readFile: readNamedFile, env: {} });
  const broken = {
    ...config,
    get edge(): never {
      throw new Error('read after the database was opened');
    },
  };
  const needs = { config: broken, clock: systemClock, random: systemRandom, log: silentLogger, env: {} };
  await assert.rejects(openFoundations(needs), /read after the database was opened/);
  // SQLite removes the files of a database that is in use with its last connection.
  assert.deepEqual(
    readdirSync(home).filter((name) => name.startsWith('overlay.db-')),
    [],
  );
});

test('a clock that is earlier than the last sign of life in the database is warned of', async () => {
  await using box = sandbox();
  await box.home('h');
  const { config } = loadConfig(join(box.cwd, 'h', 'controller.yml'), { readFile: readNamedFile, env: {} });
  const clock = fixedClock('2026-01-01T00:00:00Z');
  const log = memoryLogger();
  const open = () => openFoundations({ config, clock, random: systemRandom, log, env: {} });
  {
    await using foundations = await open();
    const node = {
      ...{ id: 'n1', name: 'n', address: 'localhost:1280', apiAddresses: [], version: '1', keyIds: [] },
      ...{ startedAt: clock.now(), authorities: { trusted: [], signing: [] } },
    };
    await foundations.store.nodes.announce(node, clock.now(), 0);
  }
  for (const behind of [0, 29, 31]) {
    clock.set(Date.parse('2026-01-01T00:00:00Z') - behind * SECOND);
    await using _foundations = await open();
  }
  assert.deepEqual(
    log.entries.map(({ level, fields }) => [level, fields]),
    [['warn', { event: 'clock.early', lastSeen: '2026-01-01T00:00:00.000Z' }]],
  );
});

test('the key file is read once, and the files beside it again only when they have changed', async () => {
  await using box = sandbox();
  await box.home('h');
  const { config } = loadConfig(join(box.cwd, 'h', 'controller.yml'), { readFile: readNamedFile, env: {} });
  const { keyFile } = config.secrets;
  let passphrases = 0;
  const env = {
    get OVERLAY_AUTH_KEY_PASSPHRASE() {
      passphrases += 1;
      return undefined;
    },
  };
  await using foundations = await openFoundations({
    ...{ config, clock: systemClock, random: systemRandom, log: silentLogger, env },
  });
  const { vault } = foundations;
  const [own] = vault.keyIds();
  vault.keyIds();
  assert.equal(passphrases, 1);
  const next = vaultKey(createKeyFile(nextKeyFile(keyFile)).bytes);
  assert.deepEqual(vault.keyIds(), [own, next.id]);
  assert.equal(passphrases, 2);

  const ofThread = openVault(keyFile, env, vault.sealingKey());
  const sealed = vault.seal(Buffer.from('secret'), 'label');
  assert.equal(String(ofThread.open(sealed, 'label')), 'secret');
  assert.equal(passphrases, 2, 'another thread reads no key file');
  const newer = keyVault(next).seal(Buffer.from('newer'), 'label');
  for (const each of [vault, ofThread]) assert.equal(String(each.open(newer, 'label')), 'newer');
  assert.equal(vault.sealingKey().id, next.id);
  assert.equal(ofThread.sealingKey().id, next.id);
});
