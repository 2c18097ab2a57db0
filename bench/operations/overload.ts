import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, expectStatus, headerOf, openConnection } from '../load/connection.ts';
import { repeat } from '../load/rounds.ts';
import { userPassword } from '../overlay/seed.ts';
import { type Findings, limitVerdict } from '../report.ts';
import type { Overlay, Stage } from '../stage.ts';
import { quantile } from '../statistics.ts';
import { currentApiSession } from './api-call.ts';
import { authorizationTarget, overlayLogin } from './code-flow-steps.ts';
import { bearerHead, jsonHead, type Operation } from './operation.ts';

/** Calls a second while logins come; few enough that they do not queue behind each other. */
const callRate = 200;
const overload = 5;

/** Logins that the controller finishes a second when more are always waiting. */
async function loginCapacity({ process, users }: Overlay, logins: number): Promise<number> {
  const connections = await Promise.all(Array.from({ length: 4 }, () => openConnection(process.port)));
  const begun = performance.now();
  await repeat(
    connections.map((connection, index) => overlayLogin(connection, users[index] ?? '')),
    logins,
  );
  const elapsed = performance.now() - begun;
  for (const connection of connections) connection.close();
  return (logins * 1000) / elapsed;
}

/** Calls `send` at a steady rate, whether or not the earlier ones are done. */
async function atRate(
  perSecond: number,
  forMillis: number,
  send: (index: number) => Promise<void>,
): Promise<void> {
  const begun = performance.now();
  const sent: Promise<void>[] = [];
  const total = Math.floor((perSecond * forMillis) / 1000);
  while (sent.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) * perSecond) / 1000) + 1);
    while (sent.length < due) sent.push(send(sent.length));
    await sleep(1);
  }
  await Promise.all(sent);
}

interface Pool {
  /** Gives `work` a connection that no other work uses meanwhile. */
  use(work: (connection: Connection) => Promise<void>): Promise<void>;
  close(): void;
}

async function openPool(port: number, size: number): Promise<Pool> {
  const all = await Promise.all(Array.from({ length: size }, () => openConnection(port)));
  const free = [...all];
  const waiting: ((connection: Connection) => void)[] = [];
  return {
    async use(work) {
      // The one that waited longest: the server closes those that are idle for seconds.
      const connection = free.shift() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)));
      try {
        await work(connection);
      } finally {
        const next = waiting.shift();
        if (next === undefined) free.push(connection);
        else next(connection);
      }
    },
    close() {
      for (const connection of all) connection.close();
    },
  };
}

async function callLatencies(
  overlay: Overlay,
  tokens: readonly string[],
  forMillis: number,
): Promise<Float64Array> {
  const pool = await openPool(overlay.process.port, 8);
  const latencies: number[] = [];
  await atRate(callRate, forMillis, async (index) => {
    const begun = performance.now();
    await pool.use(async (connection) => {
      const head = bearerHead(tokens[index % tokens.length] ?? '');
      expectStatus(await connection.request('GET', currentApiSession, head), 200);
    });
    latencies.push(performance.now() - begun);
  });
  pool.close();
  return Float64Array.from(latencies);
}

interface Answers {
  accepted: number;
  refused: number;
}

async function overloadLogins(
  overlay: Overlay,
  pool: Pool,
  perSecond: number,
  forMillis: number,
): Promise<Answers> {
  const answers: Answers = { accepted: 0, refused: 0 };
  await atRate(perSecond, forMillis, (index) =>
    pool.use(async (connection) => {
      const begun = expectStatus(await connection.request('GET', authorizationTarget), 302);
      const authRequestId = new URL(headerOf(begun, 'location'), 'https://localhost').searchParams.get(
        'authRequestID',
      );
      const username = overlay.users[index % overlay.users.length];
      const credentials = JSON.stringify({ authRequestId, username, password: userPassword });
      const { status } = await connection.request('POST', '/oidc/login/username', jsonHead, credentials);
      if (status === 302) answers.accepted += 1;
      else if (status === 503 || status === 429) answers.refused += 1;
      else throw new Error(`a login was answered with ${status}`);
    }),
  );
  return answers;
}

/** Token checks while five times as many logins come as can be hashed. */
export const overloadedLogins: Operation = {
  name: 'overload',
  async run(stage: Stage): Promise<Findings> {
    const overlay = await stage.overlay();
    const duration = stage.quick ? 3000 : 10_000;
    const tokens = (await overlay.seed.sample(100)).map(({ accessToken }) => accessToken);
    const capacity = await loginCapacity(overlay, stage.quick ? 50 : 150);
    const quiet = await callLatencies(overlay, tokens, duration);
    const offered = overload * capacity;
    // Their handshakes are over before anything is measured.
    const pool = await openPool(overlay.process.port, 200);
    const logins = overloadLogins(overlay, pool, offered, duration);
    const busy = await callLatencies(overlay, tokens, duration);
    const { accepted, refused } = await logins;
    pool.close();
    const p99 = quantile(busy, 0.99);
    const show = (latencies: Float64Array) =>
      `${quantile(latencies, 0.5).toFixed(1)} / ${quantile(latencies, 0.99).toFixed(1)} / ${quantile(latencies, 1).toFixed(1)} ms`;
    return {
      title: 'Token checks while logins are overloaded',
      about:
        `${callRate} API calls a second with known tokens, first alone, then while five times as many password ` +
        'logins arrive as the controller can hash. Load and server share the cores.',
      figures: [
        ['logins a second, at most', capacity.toFixed(1)],
        ['logins offered a second', offered.toFixed(1)],
        ['logins finished / told to come back', `${accepted} / ${refused}`],
        ['API call p50 / p99 / slowest, no logins', show(quiet)],
        ['API call p50 / p99 / slowest, overloaded', show(busy)],
      ],
      verdicts: [limitVerdict('token check p99 while logins are overloaded', p99, 20, 'ms')],
    };
  },
};
