// Changes whose commits wait for a synchronous standby far away: what goes on side by side meanwhile.
import { synchronousStandby } from '../../test/support/cluster-fault.ts';
import { query, startPostgres } from '../../test/support/postgres.ts';
import { type Connection, expectStatus, openConnection } from '../load/connection.ts';
import { repeat, type Step } from '../load/rounds.ts';
import { openWire } from '../load/wire.ts';
import { openSeed } from '../overlay/seed.ts';
import type { Findings, Verdict } from '../report.ts';
import type { Stage } from '../stage.ts';
import { quantile } from '../statistics.ts';
import { bearerHead, formHead, jsonHead, type Operation } from './operation.ts';
import { refreshInTurn } from './refresh.ts';

/** Of the wire between the databases, one way, in Millis. */
const distance = 10;
/** As the operator guide advises for such a distance: a change has one until its commit is there. */
const poolSize = 40;
const identities = '/edge/management/v1/identities';
/** What `refreshInTurn` counts on. */
const stride = 32;

interface Measured {
  /** A second. */
  readonly rate: number;
  /** Millis. */
  readonly p50: number;
  readonly p99: number;
}

export const distantStandby: Operation = {
  name: 'distant-standby',
  async run(stage: Stage): Promise<Findings> {
    const opened: { close(): Promise<void> }[] = [];
    try {
      const primary = await startPostgres();
      opened.push(primary);
      const url = new URL(await primary.createDatabase());
      url.searchParams.set('pool_max_conns', String(poolSize));
      const home = await stage.newHome('distant-standby', url.href);
      const node = await stage.start(home);
      opened.push({ close: () => node.stop() });
      const seed = await openSeed(home);
      opened.push(seed);
      const times = stage.quick ? 1 : 4;
      await seed.fill(3000 * times);
      const sampled = await seed.sample(3000 * times);
      const [admin] = sampled;
      await seed.database.run(
        'UPDATE identities SET is_admin = 1 WHERE id = (SELECT min(id) FROM identities)',
      );

      const standby = await synchronousStandby(primary);
      opened.push(standby);
      const wire = await openWire({ target: primary.socket, delay: distance });
      opened.push(wire);
      const { password } = primary;
      const address = `host=127.0.0.1 port=${wire.port} user=overlay password=${password} application_name=far`;
      await query(standby.urlOf('postgres'), `ALTER SYSTEM SET primary_conninfo = '${address}'`);
      await query(standby.urlOf('postgres'), 'SELECT pg_reload_conf()');

      for (;;) {
        const found = await query(
          primary.urlOf('postgres'),
          `SELECT 1 FROM pg_stat_replication WHERE application_name = 'far' AND sync_state = 'sync'`,
        );
        if (found.length > 0) break;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      const head = `${jsonHead}${bearerHead(admin?.accessToken ?? '')}`;
      let created = 0;
      const create = async (connection: Connection): Promise<string> => {
        created += 1;
        const body = JSON.stringify({ name: `created-${created}`, type: 'Default', isAdmin: false });
        const answer = expectStatus(await connection.request('POST', identities, head, body), 201);
        return (JSON.parse(answer.body) as { data: { id: string } }).data.id;
      };
      const doomed = sampled.slice(1 + stride * 20).map(({ refreshToken }) => refreshToken);
      const kept = sampled.slice(1, 1 + stride * 20).map(({ refreshToken }) => refreshToken);
      const refreshes = (connection: Connection, index: number) =>
        refreshInTurn(connection, '/oidc/token', kept, index);

      const ends = await measure(
        { port: node.port, connections: 32 },
        (connection) => async () => {
          const body = `client_id=overlay&token=${doomed.pop()}`;
          expectStatus(await connection.request('POST', '/oidc/revoke', formHead, body), 200);
        },
        500 * times,
      );
      const creations = await measure(
        { port: node.port, connections: 20 },
        (connection) => async () => void (await create(connection)),
        300 * times,
      );
      const alone = await measure({ port: node.port, connections: 4 }, refreshes, 200 * times);
      const administrators = new AbortController();
      const administering = Promise.all(
        Array.from({ length: 4 }, async () => {
          const connection = await openConnection(node.port);
          while (!administrators.signal.aborted) {
            const one = `${identities}/${await create(connection)}`;
            const patch = JSON.stringify({ tags: { at: String(created) } });
            expectStatus(await connection.request('PATCH', one, head, patch), 200);
            expectStatus(await connection.request('DELETE', one, head), 200);
          }
          connection.close();
        }),
      );
      const beside = await measure({ port: node.port, connections: 4 }, refreshes, 200 * times);
      administrators.abort();
      await administering;

      const row = (what: string, { rate, p50, p99 }: Measured): readonly [string, string] => [
        what,
        `${Math.round(rate).toLocaleString('en')} a second, p50 ${Math.round(p50)} ms, p99 ${Math.round(p99)} ms`,
      ];
      return {
        title: 'A synchronous standby far away',
        about:
          `PostgreSQL with a synchronous standby behind a wire of ${2 * distance} ms there and back: that long each ` +
          `commit waits. One node with ${poolSize} connections (pool_max_conns), 24 of them for changes.`,
        figures: [
          row('ends of sessions, 32 clients', ends),
          row('identities created by an administrator, 20 clients', creations),
          row('refreshes alone, 4 clients', alone),
          row('refreshes beside four administrators, 4 clients', beside),
        ],
        verdicts: [
          atLeast('ends a second, commits of 20 ms', ends.rate, 500),
          atLeast('creations a second, commits of 20 ms', creations.rate, 200),
          {
            what: 'refresh p99 beside four administrators, commits of 20 ms',
            budget: '≤ 1.5 × alone',
            measured: `${(beside.p99 / alone.p99).toFixed(2)} ×`,
            isKept: beside.p99 <= 1.5 * alone.p99,
          },
        ],
      };
    } finally {
      for (const { close } of opened.reverse()) await close();
    }
  },
};

function atLeast(what: string, rate: number, least: number): Verdict {
  return { what, budget: `≥ ${least}`, measured: String(Math.round(rate)), isKept: rate >= least };
}

/** A quarter of the operations goes before, unmeasured: the server compiles and connects meanwhile. */
async function measure(
  { port, connections }: { readonly port: number; readonly connections: number },
  drive: (connection: Connection, index: number) => Step,
  operations: number,
): Promise<Measured> {
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const steps = opened.map(drive);
  await repeat(steps, operations / 4);
  const begun = performance.now();
  const latencies = await repeat(steps, operations);
  const rate = (operations * 1000) / (performance.now() - begun);
  for (const connection of opened) connection.close();
  return { rate, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}
