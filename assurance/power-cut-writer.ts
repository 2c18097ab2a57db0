// Changes a database for power-cut.test.ts, and says on standard output what it was told is done.
//   power-cut-writer.ts DATABASE CHANGES

import { writeSync } from 'node:fs';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { createUser, openSession, rotation, t0 } from '../test/store/fixtures.ts';

/** What was acknowledged: a session that has this generation, or that is ended. */
export interface Acknowledged {
  readonly session: string;
  readonly generation: number;
  readonly hasEnded: boolean;
}

const lanes = 4;
/** Then the session is ended, and the lane goes on with another one. */
const longestLife = 12;

async function change(path: string, changes: number): Promise<void> {
  const store = await openSqliteStore({ path });
  const user = await createUser(store);
  const say = (done: Acknowledged) => writeSync(1, `${JSON.stringify(done)}\n`);
  let left = changes;
  async function lane(): Promise<void> {
    while (left > 0) {
      const session = await openSession(store, user);
      say({ session, generation: 1, hasEnded: false });
      for (let generation = 1; generation < longestLife; generation += 1) {
        left -= 1;
        await store.apiSessions.rotateRefreshToken(rotation(session, generation));
        say({ session, generation: generation + 1, hasEnded: false });
      }
      await store.apiSessions.end(session, 'logout', t0);
      say({ session, generation: longestLife, hasEnded: true });
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  await store.close();
}

if (import.meta.main) await change(String(process.argv[2]), Number(process.argv[3]));
