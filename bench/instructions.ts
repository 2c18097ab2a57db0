// Instructions of a process: steadier than time where other programs use the machine too.
import { spawn, spawnSync } from 'node:child_process';

/** Begins to count in user space, all threads. @returns what ends it and gives the count; undefined: nothing was counted */
export type CountInstructions = (pid: number) => Promise<() => Promise<number | undefined>>;

const event = 'instructions:u';

/** @returns why this machine counts none; null: it does */
export function whyNoInstructions(): string | null {
  const { error, stderr } = spawnSync('perf', ['stat', '-x', ',', '-e', event, 'true'], { encoding: 'utf8' });
  if (error !== undefined) return `perf cannot be run (${error.message})`;
  return parsePerfStat(stderr) === undefined
    ? `perf counts none here: ${stderr.trim().split('\n')[0]}`
    : null;
}

/** What `perf stat -x ,` has written: the count of the one event; undefined when there is none. */
export function parsePerfStat(text: string): number | undefined {
  const line = text.split('\n').find((one) => one.includes(`,${event}`));
  const count = line?.split(',')[0] ?? '';
  return /^\d+$/.test(count) ? Number(count) : undefined;
}

/** With `perf`, which has to be there. */
export const countWithPerf: CountInstructions = async (pid) => {
  const perf = spawn('perf', ['stat', '-x', ',', '-e', event, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  perf.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => perf.once('close', () => resolve()));
  // It attaches before anything is measured.
  await new Promise((resolve) => setTimeout(resolve, 100));
  return async () => {
    perf.kill('SIGINT');
    await ended;
    return parsePerfStat(said);
  };
};
