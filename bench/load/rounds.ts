// Drives contestants with the same load in alternated rounds, so that what the machine does meanwhile falls on
// all of them alike.
import type { CountInstructions } from '../instructions.ts';
import type { MeasuredProcess } from '../measured-process.ts';
import { median, quantile } from '../statistics.ts';
import { type Connection, openConnection } from './connection.ts';

/** One operation on a connection; repeated until the round is over. */
export type Step = () => Promise<void>;

export interface Contestant {
  readonly name: string;
  readonly subject: MeasuredProcess;
  /** What one of the connections does. Called once for each connection of each round. */
  readonly drive: (connection: Connection, index: number) => Step;
  /** Called before each round; for what a round uses up. */
  readonly prepare?: (operations: number) => Promise<void>;
}

export interface Load {
  readonly rounds: number;
  readonly connections: number;
  /** Measured operations of a round. As many as a quarter of them go before, unmeasured. */
  readonly operations: number;
  /**
   * Keeps the load generator from ever sleeping. Waking it would cost the server processor time for each answer,
   * and the more the slower it answers. Only where the server works on one thread: it takes a whole core.
   */
  readonly isSleepless?: boolean;
  /** Counts instructions too. */
  readonly countInstructions?: CountInstructions | undefined;
}

/** What one round showed. */
export interface Round {
  /** Operations per second. */
  readonly rate: number;
  /** Millis. */
  readonly p50: number;
  readonly p99: number;
  /** Micros of the whole server process for each operation. */
  readonly cpu: number;
  /** Of it, the main thread. */
  readonly mainThread: number;
  /** Of it, the thread that writes to SQLite. */
  readonly writer: number;
  /** Micros of the load generator for each operation. Of a sleepless one this says nothing. */
  readonly load: number;
  /** Instructions of the whole server process for each operation; absent where the machine does not count them. */
  readonly instructions?: number;
}

export interface Result {
  readonly name: string;
  readonly rounds: readonly Round[];
}

/** The first round of each contestant is three times as long and thrown away: the server compiles meanwhile. */
export async function compare(contestants: readonly Contestant[], load: Load): Promise<readonly Result[]> {
  const results = contestants.map(({ name }) => ({ name, rounds: [] as Round[] }));
  for (let round = 0; round <= load.rounds; round += 1) {
    for (const [index, contestant] of contestants.entries()) {
      const operations = round === 0 ? 3 * load.operations : load.operations;
      const measured = await runRound(contestant, { ...load, operations });
      if (round > 0) results[index]?.rounds.push(measured);
    }
  }
  return results;
}

async function runRound(contestant: Contestant, load: Load): Promise<Round> {
  const { subject } = contestant;
  const warmUp = Math.ceil(load.operations / 4);
  await contestant.prepare?.(warmUp + load.operations);
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => openConnection(subject.port)),
  );
  const rest = load.isSleepless === true ? stayAwake() : () => undefined;
  try {
    const steps = connections.map((connection, index) => contestant.drive(connection, index));
    await repeat(steps, warmUp);
    const counting = await load.countInstructions?.(subject.pid);
    const before = await subject.usage();
    const own = process.cpuUsage();
    const begun = performance.now();
    const latencies = await repeat(steps, load.operations);
    const elapsed = performance.now() - begun;
    const { user, system } = process.cpuUsage(own);
    const after = await subject.usage();
    const instructions = await counting?.();
    return {
      rate: (load.operations * 1000) / elapsed,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      cpu: (after.cpuMicros - before.cpuMicros) / load.operations,
      mainThread: (after.mainThreadMicros - before.mainThreadMicros) / load.operations,
      writer: (after.writerMicros - before.writerMicros) / load.operations,
      load: (user + system) / load.operations,
      ...(instructions === undefined ? {} : { instructions: instructions / load.operations }),
    };
  } finally {
    rest();
    for (const connection of connections) connection.close();
  }
}

/** @returns what ends it */
function stayAwake(): () => void {
  let next = setImmediate(function again() {
    next = setImmediate(again);
  });
  return () => clearImmediate(next);
}

/** Runs steps side by side until so many operations are done. @returns how long each took, Millis */
export async function repeat(steps: readonly Step[], operations: number): Promise<Float64Array> {
  const latencies = new Float64Array(operations);
  let next = 0;
  await Promise.all(
    steps.map(async (step) => {
      while (next < operations) {
        const at = next;
        next += 1;
        const begun = performance.now();
        await step();
        latencies[at] = performance.now() - begun;
      }
    }),
  );
  return latencies;
}

/** Of the rounds, the median of what `read` gives. */
export function medianOf({ rounds }: Result, read: (round: Round) => number): number {
  return median(rounds.map(read));
}

/** The median of the ratios of processor time, each of two rounds that ran one after the other. */
export function cpuRatio(measured: Result, floor: Result): number {
  return median(measured.rounds.map((round, index) => round.cpu / (floor.rounds[index]?.cpu ?? Number.NaN)));
}
