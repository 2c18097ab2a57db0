// kill -9 at random points under load: every acknowledged write holds after the restart, and nothing that was
// used or ended comes back. OVERLAY_AUTH_CRASH_CYCLES for more, OVERLAY_AUTH_CRASH_SEED to repeat a run.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { passwordHasher } from '../../src/login/password/password.ts';
import { typedName } from '../../src/model/names.ts';
import { MINUTE, systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { createHashPool } from '../../src/platform/secrets/hash-pool.ts';
import { checkSqlite } from '../../src/store/sqlite/backup.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { clientOfHome, type Sandbox, sandbox, untilReady } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { seeded } from '../support/seeded.ts';
import { sized } from '../support/size.ts';
import { crashClient } from './crash-client.ts';
import { newIdentity, newPassword } from './fixtures.ts';

const wantedCycles = process.env.OVERLAY_AUTH_CRASH_CYCLES;
const cycles = Number(wantedCycles ?? sized({ small: 10, full: 50 }));
/** Unless a number was asked for, a busy machine does as many as fit into this time. Millis. */
const timeLimit = wantedCycles === undefined ? 2 * MINUTE : Number.POSITIVE_INFINITY;
const seed = Number(process.env.OVERLAY_AUTH_CRASH_SEED ?? systemRandom.bytes(4).readUInt32BE());
const clientCount = 8;
/** Long enough for a few dozen answers; most cycles end earlier. Millis. */
const longestLoad = 160;
const password = 'quiet lantern above 7 harbours';

test(`${cycles} crashes lose nothing that was acknowledged (seed ${seed})`, {
  timeout: cycles * 20_000,
}, async (t) => {
  const box = sandbox();
  t.after(() => box.close());
  const random = seeded(seed);
  const url = `https://localhost:${await freePort()}`;
  const config = await createHome(box, new URL(url).host);
  const names = await createUsers(join(box.cwd, 'home', 'overlay.db'));
  const clients = names.map((name, at) => crashClient({ name, password }, seeded(seed + at + 1)));

  const begun = systemClock.monotonic();
  let crashes = 0;
  for (let isLast = false; !isLast; ) {
    isLast = crashes === cycles || systemClock.monotonic() - begun > timeLimit;
    const server = box.start(['run', 'controller', config, '--log-format', 'json']);
    if (!isLast && crashes % 10 === 9) {
      // A crash during the start must do no harm either.
      crashes += 1;
      await delay(random.below(600));
      server.child.kill('SIGKILL');
      await server.finished;
      continue;
    }
    await untilReady(server);
    const http = clientOfHome(url, join(box.cwd, 'home'));
    await Promise.all(clients.map((client) => client.check(http)));
    if (!isLast) {
      crashes += 1;
      await Promise.all(clients.map((client) => client.prepare(http)));
      const working = Promise.all(clients.map((client) => client.work(http)));
      await Promise.race([delay(random.below(longestLoad)), working]);
      server.child.kill('SIGKILL');
      await working;
    } else server.child.kill('SIGTERM');
    await server.finished;
    http.closeConnections();
  }

  assert.deepEqual(checkSqlite(join(box.cwd, 'home', 'overlay.db')), []);
  const total = { logins: 0, refreshes: 0, ends: 0 };
  for (const { acknowledged } of clients) {
    total.logins += acknowledged.logins;
    total.refreshes += acknowledged.refreshes;
    total.ends += acknowledged.ends;
  }
  t.diagnostic(`${crashes} crashes, acknowledged: ${JSON.stringify(total)}`);
  assert.ok(total.refreshes > crashes && total.logins >= clientCount, JSON.stringify(total));
});

async function createHome(box: Sandbox, address: string): Promise<string> {
  writeFileSync(join(box.cwd, 'password'), password);
  const { code, stderr } = await box.run(
    ['init', '--home', 'home', '--address', address, '--admin', 'boss'].concat([
      '--admin-password-file',
      'password',
      '--yes',
    ]),
  );
  assert.equal(code, 0, stderr);
  return join('home', 'controller.yml');
}

/** One for each client. */
async function createUsers(path: string): Promise<readonly string[]> {
  const store = await openSqliteStore({ path });
  const pool = createHashPool({ clock: systemClock });
  const passwordHash = await passwordHasher(pool).hash(password, 'test');
  await pool.close();
  const names = Array.from({ length: clientCount }, (_value, at) => `user-${at}`);
  for (const name of names) {
    const login = { ...newPassword(name), passwordHash };
    await store.identities.create(newIdentity({ name: typedName(name) }), login, systemClock.now());
  }
  await store.close();
  return names;
}
