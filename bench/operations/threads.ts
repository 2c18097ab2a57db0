import { availableParallelism } from 'node:os';
import { type Contestant, compare, cpuRatio, medianOf, type Result } from '../load/rounds.ts';
import { type Findings, limitVerdict, type Verdict } from '../report.ts';
import type { Overlay, Stage } from '../stage.ts';
import { median } from '../statistics.ts';
import { callsWith, currentApiSession } from './api-call.ts';
import { overlayLogin } from './code-flow-steps.ts';
import { version, visit } from './handshakes.ts';
import { loadOf, type Operation, resultAt } from './operation.ts';
import { refreshInTurn } from './refresh.ts';

const numbers = [1, 2] as const;

interface Kind {
  readonly name: string;
  /** With two threads there are to be so many times as many a second. */
  readonly least: number;
  readonly operations: number;
  readonly connections: number;
  drive(overlay: Overlay): Promise<Contestant['drive']>;
}

const kinds: readonly Kind[] = [
  {
    name: 'call that reads its session',
    least: 1.6,
    operations: 10_000,
    connections: 32,
    async drive({ seed }) {
      const tokens = (await seed.sample(500)).map(({ accessToken }) => accessToken);
      return callsWith(tokens, currentApiSession);
    },
  },
  {
    name: 'refresh, durable',
    least: 1.4,
    operations: 3000,
    connections: 32,
    async drive({ seed }) {
      const tokens = (await seed.sample(2000)).map(({ refreshToken }) => refreshToken);
      return (connection, index) => refreshInTurn(connection, '/oidc/token', tokens, index);
    },
  },
  {
    name: 'full handshake and one request',
    least: 1.6,
    operations: 600,
    connections: 8,
    drive:
      async ({ process }) =>
      () =>
        visit(process.port, version, () => ({})),
  },
  {
    name: 'code flow, hash left out',
    least: 1.4,
    operations: 1500,
    connections: 16,
    drive:
      async ({ users }) =>
      (connection, index) =>
        overlayLogin(connection, users[index % users.length] ?? ''),
  },
];

/** What a second thread that answers requests brings, and what it costs. */
export const threads: Operation = {
  name: 'threads',
  async run(stage: Stage): Promise<Findings> {
    const results: Result[] = [];
    for (const { name, operations, connections, drive } of kinds) {
      const contestants: Contestant[] = [];
      for (const number of numbers) {
        const overlay = await stage.overlayWithThreads(number);
        const contestant = `${name}: ${number} ${number === 1 ? 'thread' : 'threads'}`;
        contestants.push({ name: contestant, subject: overlay.process, drive: await drive(overlay) });
      }
      results.push(...(await compare(contestants, loadOf(stage, operations, connections))));
    }
    const of = (kind: number, number: number) => resultAt(results, kind * numbers.length + number);
    const resident = await Promise.all(
      numbers.map(
        async (number) => (await (await stage.overlayWithThreads(number)).process.usage()).residentBytes,
      ),
    );
    const further = (resultAt(resident, 1) - resultAt(resident, 0)) / 1e6;
    return {
      title: 'Threads that answer requests',
      about:
        'The controller with one and with two threads, the password hash left out. The load generator runs on the same ' +
        'cores: what it takes is missing to the second thread, and the gain by processor time is the most that is left.',
      results,
      figures: [
        ...kinds.map(({ name }, kind): readonly [string, string] => [
          `${name}: thread that writes, µs`,
          medianOf(of(kind, 1), ({ writer }) => writer).toFixed(0),
        ]),
        ...kinds.map(({ name }, kind): readonly [string, string] => [
          `${name}: load generator, µs`,
          medianOf(of(kind, 1), ({ load }) => load).toFixed(0),
        ]),
        ...kinds.map(({ name }, kind): readonly [string, string] => [
          `${name}: gain by processor time, ${availableParallelism()} cores`,
          `${gainByProcessorTime(of(kind, 1), of(kind, 0)).toFixed(2)} ×`,
        ]),
        ...kinds.map(({ name }, kind): readonly [string, string] => [
          `${name}: the most a second on any number of cores, by the thread that writes`,
          mostByWriter(of(kind, 1)),
        ]),
        ['memory of the second thread after the load, MB', further.toFixed(0)],
      ],
      verdicts: kinds.flatMap(({ name, least }, kind) => {
        const [one, two] = [of(kind, 0), of(kind, 1)];
        const dearer = `${name}, processor time with two threads against one`;
        return [rateVerdict(name, two, one, least), limitVerdict(dearer, cpuRatio(two, one), 1.1, '×')];
      }),
    };
  },
};

/** What the rates could be by processor time alone: a thread has one core, and load and server have all of them. */
function gainByProcessorTime(two: Result, one: Result): number {
  const oneThread = Math.max(
    medianOf(one, ({ mainThread }) => mainThread),
    shareOfAllCores(one),
  );
  return oneThread / shareOfAllCores(two);
}

/** The one part that further threads and cores do not share. */
function mostByWriter(result: Result): string {
  const micros = medianOf(result, ({ writer }) => writer);
  return micros === 0 ? 'not limited: it writes nothing' : Math.round(1e6 / micros).toLocaleString('en');
}

/** Micros of each operation when every core is busy with it. */
function shareOfAllCores(result: Result): number {
  return medianOf(result, ({ cpu, load }) => cpu + load) / availableParallelism();
}

/** Rounds that ran one after the other are compared. */
function rateVerdict(name: string, two: Result, one: Result, least: number): Verdict {
  const ratio = median(two.rounds.map(({ rate }, at) => rate / (one.rounds[at]?.rate ?? Number.NaN)));
  return {
    what: `${name}, two threads against one`,
    budget: `≥ ${least} × the rate`,
    measured: `${ratio.toFixed(2)} ×`,
    isKept: ratio >= least,
  };
}
