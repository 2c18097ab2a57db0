import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sandbox } from '../../test/support/command.ts';
import { readNamedFile } from '../../test/support/files.ts';
import { loadConfig } from '../config/load.ts';
import { systemClock } from '../platform/clock.ts';
import { silentLogger } from '../platform/log/logger.ts';
import { systemRandom } from '../platform/random.ts';
import { openFoundations } from './foundations.ts';

test('a start that fails after the database was opened closes it, so that the process ends', async () => {
  await using box = sandbox();
  await box.home('h');
  const home = join(box.cwd, 'h');
  const { config } = loadConfig(join(home, 'controller.yml'), { readFile: readNamedFile, env: {} });
  let reads = 0;
  const env = {
    get OVERLAY_AUTH_KEY_PASSPHRASE() {
      reads += 1;
      return reads === 1 ? undefined : '';
    },
  };
  const needs = { config, clock: systemClock, random: systemRandom, log: silentLogger, env };
  await assert.rejects(openFoundations(needs), /is set but empty/);
  // SQLite removes the files of a database that is in use with its last connection.
  assert.deepEqual(
    readdirSync(home).filter((name) => name.startsWith('overlay.db-')),
    [],
  );
});
