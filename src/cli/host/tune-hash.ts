import { totalmem } from 'node:os';
import { formatMemorySize } from '../../config/memory-sizes.ts';
import { hashThreads } from '../../controller/thread-count.ts';
import { type Millis, SECOND } from '../../platform/clock.ts';
import { DurationError, formatDuration, parseDuration } from '../../platform/formats/durations.ts';
import type { HashCost } from '../../platform/secrets/hash-cost.ts';
import { createHashPool } from '../../platform/secrets/hash-pool.ts';
import { tunedHashCost } from '../../platform/secrets/hash-tuning.ts';
import { preparePassword } from '../../platform/secrets/password-hash.ts';
import { printResult, type Report, usageError } from '../terminal/output.ts';
import type { CliPorts } from '../terminal/ports.ts';

const [shortest, longest]: readonly [Millis, Millis] = [1, 10 * SECOND];
/** The fastest of this many hashes counts, because other work on the machine only makes them slower. */
const tries = 4;
/** All hashes that run at once may use this share of the memory. */
const partOfMemory = 1 / 4;

/** `config tune-hash [--time DURATION]`: measures hashes as the controller makes them. Changes nothing. */
export async function tuneHash(report: Report, { time }: { time: string }): Promise<void> {
  const wanted = wantedTime(time);
  const threads = hashThreads({ threads: 'auto' });
  const memoryKiB = Math.floor((totalmem() * partOfMemory) / threads / 1024);
  report.ports.stderr.write('Measuring; this takes a few seconds…\n');
  const { cost, took } = await tunedHashCost((tried) => fastestHash(report.ports, tried), {
    wanted,
    memoryKiB,
  });
  const memory = formatMemorySize(cost.memoryKiB);
  const tookMillis = Math.round(took * 10) / 10;
  const value = {
    passwordHash: { memory, passes: cost.passes, lanes: cost.lanes },
    tookMillis,
    threads,
    loginsPerSecond: Math.floor((threads * SECOND) / took),
    memoryAtOnce: formatMemorySize(threads * cost.memoryKiB),
  };
  printResult(report, value, () =>
    [
      'edge:',
      '  passwordHash:',
      `    memory: ${memory}`,
      `    passes: ${cost.passes}`,
      `    lanes: ${cost.lanes}`,
      '',
      took > wanted
        ? `# One hash takes ${tookMillis} ms here, more than ${formatDuration(wanted)}: nothing weaker is accepted.`
        : `# One hash takes ${tookMillis} ms here.`,
      `# ${threads === 1 ? '1 thread makes' : `${threads} threads make`} ${value.loginsPerSecond} logins a second, with ${value.memoryAtOnce} of memory for them.`,
      '# Stored passwords stay valid; each is hashed again when its owner next logs in.',
    ].join('\n'),
  );
}

function wantedTime(text: string): Millis {
  const next = 'name a time from 1ms to 10s, such as --time 250ms';
  try {
    const wanted = parseDuration(text);
    if (wanted >= shortest && wanted <= longest) return wanted;
  } catch (error) {
    if (error instanceof DurationError) throw usageError(`--time: ${error.message}.`, next);
    throw error;
  }
  throw usageError(`--time ${text} is out of range.`, next);
}

async function fastestHash({ clock }: Pick<CliPorts, 'clock'>, cost: HashCost): Promise<Millis> {
  const pool = createHashPool({ clock }, { threads: 1, cost });
  const password = preparePassword('correct horse battery staple');
  try {
    // Starts the thread.
    await pool.hash(password, 'host');
    let fastest = Number.POSITIVE_INFINITY;
    for (let count = 0; count < tries; count += 1) {
      const begun = clock.monotonic();
      await pool.hash(password, 'host');
      fastest = Math.min(fastest, clock.monotonic() - begun);
    }
    return fastest;
  } finally {
    await pool.close();
  }
}
