// What an operation costs the database server, and how much it writes: the figures that bound several nodes together.
import { readdirSync, readFileSync } from 'node:fs';
import { expectStatus, openConnection } from '../load/connection.ts';
import { repeat, type Step } from '../load/rounds.ts';
import type { SeedDatabase } from '../overlay/seed-database.ts';
import type { Findings } from '../report.ts';
import type { Overlay, Stage } from '../stage.ts';
import { overlayLogin } from './code-flow-steps.ts';
import { formHead, type Operation } from './operation.ts';
import { refreshInTurn } from './refresh.ts';

/** Of `/proc/PID/stat`, in hundredths of a second. */
const tick = 10_000;
/** What `refreshInTurn` counts on. */
const connections = 32;

interface ServerUse {
  /** Micros of the database server, all of its processes. */
  readonly cpu: number;
  /** Bytes of the write-ahead log. */
  readonly log: number;
  readonly commits: number;
}

/** The fields of `/proc/PID/stat` after the name of the program, or null when it is gone. */
function statOf(pid: string): readonly number[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text
      .slice(text.lastIndexOf(')') + 4)
      .split(' ')
      .map(Number);
  } catch {
    return null;
  }
}

async function useOf(database: SeedDatabase): Promise<ServerUse> {
  const [row] = await database.rows(
    `SELECT pg_backend_pid() AS pid, pg_current_wal_lsn() - '0/0'::pg_lsn AS log,
       (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits`,
  );
  const [server = 0] = statOf(String(row?.pid)) ?? [];
  let ticks = 0;
  for (const pid of readdirSync('/proc')) {
    const stat = /^\d+$/.test(pid) ? statOf(pid) : null;
    // Its own time, and that of children that have ended, for the process that starts the others.
    if (stat?.[0] === server) ticks += (stat[10] ?? 0) + (stat[11] ?? 0);
    if (Number(pid) === server) ticks += [10, 11, 12, 13].reduce((sum, at) => sum + (stat?.[at] ?? 0), 0);
  }
  return { cpu: ticks * tick, log: Number(row?.log), commits: Number(row?.commits) };
}

export const databaseCost: Operation = {
  name: 'database-cost',
  async run(stage: Stage): Promise<Findings> {
    if (stage.engine !== 'PostgreSQL') {
      return { title: 'Cost in the database', about: 'Only with --postgres.', verdicts: [] };
    }
    const operations = stage.quick ? 1000 : 5000;
    const figures: (readonly [string, string])[] = [];

    async function measure(what: string, { process, seed }: Overlay, steps: readonly Step[]): Promise<void> {
      await repeat(steps, operations / 5);
      const [before, begun] = [await useOf(seed.database), await process.usage()];
      const startedAt = performance.now();
      await repeat(steps, operations);
      const rate = operations / ((performance.now() - startedAt) / 1000);
      const [after, ended] = [await useOf(seed.database), await process.usage()];
      const each = (total: number) => Math.round(total / operations);
      figures.push([
        what,
        `database ${each(after.cpu - before.cpu)} µs, controller ${each(ended.cpuMicros - begun.cpuMicros)} µs, ` +
          `log ${each(after.log - before.log).toLocaleString('en')} bytes; ${Math.round(rate).toLocaleString('en')} a second`,
      ]);
    }

    const overlay = await stage.overlay();
    const tokens = (await overlay.seed.sample(2000)).map(({ refreshToken }) => refreshToken);
    const open = (port: number) =>
      Promise.all(Array.from({ length: connections }, () => openConnection(port)));
    const refreshing = await open(overlay.process.port);
    await measure(
      'refresh',
      overlay,
      refreshing.map((connection, index) => refreshInTurn(connection, '/oidc/token', tokens, index)),
    );
    // Each session ends once.
    await overlay.seed.fill(2 * operations);
    const doomed = (await overlay.seed.sample(2 * operations)).map(({ refreshToken }) => refreshToken);
    await measure(
      'end of a session, an entry of the change feed',
      overlay,
      refreshing.map((connection) => async () => {
        const body = `client_id=overlay&token=${doomed.pop()}`;
        expectStatus(await connection.request('POST', '/oidc/revoke', formHead, body), 200);
      }),
    );
    const hashless = await stage.overlayWithoutHashing();
    const loggingIn = await open(hashless.process.port);
    await measure(
      'login by code flow, password hash left out',
      hashless,
      loggingIn.map((connection, index) => overlayLogin(connection, hashless.users[index % 16] ?? '')),
    );
    for (const connection of [...refreshing, ...loggingIn]) connection.close();
    return {
      title: 'Cost in the database, PostgreSQL',
      about:
        'Processor time of all processes of the database server and of the controller, and bytes of the write-ahead log, ' +
        `for each of ${operations.toLocaleString('en')} operations over ${connections} connections.`,
      figures,
      verdicts: [],
    };
  },
};
