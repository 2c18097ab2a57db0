// T-07: the power is cut at random moments, writes that were not synced are lost and pages are torn. Everything that was
// acknowledged is there afterwards, nothing that was used up or ended comes back, and the database is sound.
// OVERLAY_AUTH_POWER_CUTS for how many, OVERLAY_AUTH_POWER_SEED to repeat a run.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { asId } from '../src/model/ids.ts';
import { systemRandom } from '../src/platform/random.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { rotation } from '../test/store/fixtures.ts';
import { seeded } from '../test/support/seeded.ts';
import { eventsIn, type LossyDisk, lossyDisk, traced } from './lossy-disk.ts';
import type { Acknowledged } from './power-cut-writer.ts';

const cuts = Number(process.env.OVERLAY_AUTH_POWER_CUTS ?? 10_000);
const changes = Number(process.env.OVERLAY_AUTH_POWER_CHANGES ?? 600);
const seed = Number(process.env.OVERLAY_AUTH_POWER_SEED ?? systemRandom.bytes(4).readUInt32BE());
/** After every so many cuts a used refresh token is presented to the store. */
const replayEvery = 50;

test(`${cuts} power cuts lose nothing that was acknowledged (seed ${seed})`, async (t) => {
  if (spawnSync('strace', ['-V']).status !== 0) return t.skip('strace is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-power-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const database = join(folder, 'overlay.db');
  await (await openSqliteStore({ path: database })).close();
  const before = new Map([[database, readFileSync(database)]]);
  const trace = join(folder, 'trace');
  const writer = join(import.meta.dirname, 'power-cut-writer.ts');
  const command = traced(trace, [process.execPath, writer, database, String(changes)]);
  execFileSync('strace', command, { stdio: ['ignore', 'ignore', 'inherit'] });
  const isOurs = (file: string) => file === database || file === `${database}-wal`;
  const events = eventsIn(readFileSync(trace, 'utf8'), isOurs);
  const syncs = events.filter(({ what }) => what === 'sync').length;
  const acknowledged = events.filter(({ what }) => what === 'said').length;
  assert.ok(syncs > 100 && acknowledged >= changes, `${syncs} syncs, ${acknowledged} acknowledged`);
  t.diagnostic(`${events.length} events, ${syncs} of them syncs, ${acknowledged} acknowledged changes`);

  const random = seeded(seed);
  const moments = Array.from({ length: cuts }, () => random.below(events.length)).sort((a, b) => a - b);
  const disk = lossyDisk(before);
  const expected = new Map<string, Acknowledged>();
  let done = 0;
  for (const [at, event] of events.entries()) {
    disk.happen(event);
    if (event.what === 'said') note(expected, event.line);
    for (; moments[done] === at; done += 1) {
      const cut = join(folder, `cut ${done}`);
      await assertNothingLost(disk, cut, { database, expected, random, replays: done % replayEvery === 0 });
      rmSync(cut, { recursive: true });
      if ((done + 1) % 2000 === 0) t.diagnostic(`${done + 1} cuts`);
    }
  }
  assert.equal(done, cuts);
});

function note(expected: Map<string, Acknowledged>, line: string): void {
  const said = JSON.parse(line) as Acknowledged;
  expected.set(said.session, said);
}

interface Moment {
  /** Where it was written. */
  readonly database: string;
  readonly expected: ReadonlyMap<string, Acknowledged>;
  readonly random: ReturnType<typeof seeded>;
  readonly replays: boolean;
}

async function assertNothingLost(
  disk: LossyDisk,
  cut: string,
  { database, expected, random, replays }: Moment,
): Promise<void> {
  mkdirSync(cut);
  const path = join(cut, 'overlay.db');
  for (const [file, bytes] of disk.afterCut(random.below)) {
    writeFileSync(file === database ? path : `${path}-wal`, bytes);
  }
  const reader = new DatabaseSync(path);
  const rows = new Map(
    reader
      .prepare('SELECT id, refresh_generation, ended_at FROM api_sessions')
      .all()
      .map((row) => [String(row.id), row]),
  );
  const check = reader.prepare('PRAGMA integrity_check').get();
  reader.close();
  assert.deepEqual({ ...check }, { integrity_check: 'ok' });
  for (const { session, generation, hasEnded } of expected.values()) {
    const row = rows.get(session) ?? assert.fail(`session ${session} is lost`);
    const stored = Number(row.refresh_generation);
    // What was asked for and not yet acknowledged may be there.
    assert.ok(stored === generation || stored === generation + 1, `${stored} instead of ${generation}`);
    if (hasEnded) assert.notEqual(row.ended_at, null, 'an ended session is alive again');
  }
  if (replays) await assertUsedUp(path, expected);
}

async function assertUsedUp(path: string, expected: ReadonlyMap<string, Acknowledged>): Promise<void> {
  const used = [...expected.values()].findLast(({ generation }) => generation > 1);
  if (used === undefined) return;
  const store = await openSqliteStore({ path });
  const again = rotation(asId(used.session), used.generation - 1);
  const { outcome } = await store.apiSessions.rotateRefreshToken(again);
  await store.close();
  assert.notEqual(outcome, 'rotated', 'a refresh token that was used works again');
}
