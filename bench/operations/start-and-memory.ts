import { setTimeout as sleep } from 'node:timers/promises';
import { expectStatus, openConnection } from '../load/connection.ts';
import { repeat } from '../load/rounds.ts';
import type { MeasuredProcess } from '../measured-process.ts';
import type { OverlayHome } from '../overlay/home.ts';
import { openSeed } from '../overlay/seed.ts';
import { type Findings, limitVerdict, megabytes } from '../report.ts';
import type { Stage } from '../stage.ts';
import { median } from '../statistics.ts';
import { currentApiSession } from './api-call.ts';
import { bearerHead, type Operation } from './operation.ts';

const seconds = (millis: number) => millis / 1000;
/** Timers and background work of the start have run by then. */
const settling = 3000;

async function medianStart(stage: Stage, home: OverlayHome): Promise<number> {
  const starts: number[] = [];
  for (let round = 0; round < (stage.quick ? 3 : 5); round += 1) {
    const process = await stage.start(home);
    starts.push(process.startMillis);
    await process.stop();
  }
  return median(starts);
}

async function residentMegabytes(process: MeasuredProcess): Promise<number> {
  await sleep(settling);
  return megabytes((await process.usage()).residentBytes);
}

/** Calls once with each of so many tokens of different identities and sessions. */
async function activate(process: MeasuredProcess, tokens: readonly string[]): Promise<void> {
  const connections = await Promise.all(Array.from({ length: 16 }, () => openConnection(process.port)));
  let at = 0;
  const steps = connections.map((connection) => async () => {
    const head = bearerHead(tokens[at] ?? '');
    at += 1;
    expectStatus(await connection.request('GET', currentApiSession, head), 200);
  });
  await repeat(steps, tokens.length);
  for (const connection of connections) connection.close();
}

export const startAndMemory: Operation = {
  name: 'start-and-memory',
  async run(stage: Stage): Promise<Findings> {
    const home = await stage.newHome('start');
    const firstStart = await stage.start(home);
    await firstStart.stop();
    const empty = await medianStart(stage, home);

    const seed = await openSeed(home);
    await seed.fill(stage.sessions);
    const full = await medianStart(stage, home);

    const process = await stage.start(home);
    const idle = await residentMegabytes(process);
    const active = Math.min(stage.sessions, stage.quick ? 5000 : 100_000);
    // In parts, so that the benchmark does not need more memory than what it measures.
    const part = 5000;
    for (let done = 0; done < active; done += part) {
      await activate(process, seed.freshTokens(Math.min(part, active - done), done));
    }
    const busy = await residentMegabytes(process);
    await process.stop();
    await seed.close();

    const many = stage.sessions.toLocaleString('en');
    return {
      title: 'Start and memory',
      about:
        'From the start of the process to the first connection it accepts, and resident memory three seconds after ' +
        `the last request. Every active session belongs to another identity and made a call with a token of its own.`,
      figures: [
        ['first start of a new home', `${Math.round(firstStart.startMillis)} ms`],
        ['start, empty', `${Math.round(empty)} ms`],
        [`start, ${many} sessions`, `${Math.round(full)} ms`],
        [`resident, idle, ${many} sessions in the database`, `${Math.round(idle)} MB`],
        [`resident, ${active.toLocaleString('en')} active sessions`, `${Math.round(busy)} MB`],
      ],
      verdicts: [
        limitVerdict('start to ready, empty', seconds(empty), 1, 's'),
        limitVerdict(`start to ready, ${many} sessions`, seconds(full), 5, 's'),
        limitVerdict('resident memory, idle', idle, 110, 'MB'),
        limitVerdict(`resident memory, ${active.toLocaleString('en')} active sessions`, busy, 400, 'MB'),
      ],
    };
  },
};

/** What a node holds in memory and reads at its start of sessions that have just ended: the deny set. */
export const endedSessions: Operation = {
  name: 'ended-sessions',
  async run(stage: Stage): Promise<Findings> {
    const home = await stage.newHome('ended');
    await (await stage.start(home)).stop();
    const seed = await openSeed(home);
    await seed.fill(stage.sessions);
    const before = await stage.start(home);
    const idle = await residentMegabytes(before);
    await before.stop();
    await seed.endAll();
    const process = await stage.start(home);
    const holding = await residentMegabytes(process);
    await process.stop();
    await seed.close();
    const many = stage.sessions.toLocaleString('en');
    return {
      title: `Sessions that have just ended, ${stage.engine}`,
      about: `Start and memory of a node when ${many} sessions were ended whose access tokens have not expired.`,
      figures: [
        ['start to ready, none ended', `${Math.round(before.startMillis)} ms`],
        [`start to ready, ${many} ended`, `${Math.round(process.startMillis)} ms`],
        ['resident, idle, none ended', `${Math.round(idle)} MB`],
        [`resident, idle, ${many} ended`, `${Math.round(holding)} MB`],
      ],
      verdicts: [limitVerdict(`start to ready, ${many} just ended`, seconds(process.startMillis), 5, 's')],
    };
  },
};
