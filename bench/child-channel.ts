// The side of a measured process: answers what the benchmark asks over the channel that comes with the process,
// which is not the connection that is measured. Preloaded into the controller, and used by the peers.

import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Commands take and return plain data. */
export type Commands = Readonly<Record<string, (args: never) => unknown>>;

export interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: unknown;
}

export interface Reply {
  readonly id: number;
  readonly value?: unknown;
  /** Set when the command failed. */
  readonly failure?: string;
}

export interface Usage {
  /** User and system time of the whole process, all threads. */
  readonly cpuMicros: number;
  /** The main thread's part of it. */
  readonly mainThreadMicros: number;
  readonly residentBytes: number;
  /** Of the thread that writes to SQLite; 0 where the system does not say. */
  readonly writerMicros: number;
}

/** Linux counts in hundredths of a second. */
const microsOfTick = 10_000;

/** User and system time of a process or a thread. @param file its `stat` below `/proc` */
export function processorMicros(file: string): number {
  const stat = readFileSync(file, 'utf8');
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return (user + system) * microsOfTick;
}

function writerMicros(): number {
  const tasks = '/proc/self/task';
  if (!existsSync(tasks)) return 0;
  for (const task of readdirSync(tasks)) {
    const stat = `${tasks}/${task}/stat`;
    if (readFileSync(stat, 'utf8').includes('(sqlite-writer')) return processorMicros(stat);
  }
  return 0;
}

const commands: Record<string, (args: never) => unknown> = {
  usage(): Usage {
    const all = process.cpuUsage();
    const main = process.threadCpuUsage();
    return {
      cpuMicros: all.user + all.system,
      mainThreadMicros: main.user + main.system,
      residentBytes: process.memoryUsage.rss(),
      writerMicros: writerMicros(),
    };
  },
};

/** Adds commands to those that every measured process answers. */
export function answerCommands(more: Commands): void {
  Object.assign(commands, more);
}

process.on('message', async ({ id, name, args }: Call) => {
  try {
    const command = commands[name] as ((args: unknown) => unknown) | undefined;
    if (command === undefined) throw new Error(`no command ${name}`);
    tell({ id, value: await command(args) });
  } catch (error) {
    tell({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
// Nothing outlives the benchmark. An ordinary exit, so that a profiler can write what it has.
process.on('disconnect', () => process.exit());

function tell(reply: Reply): void {
  process.send?.(reply);
}
