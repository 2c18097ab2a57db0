import { expectStatus } from '../load/connection.ts';
import { type Contestant, compare } from '../load/rounds.ts';
import { openSeed } from '../overlay/seed.ts';
import { type Findings, ratioVerdict } from '../report.ts';
import type { Stage } from '../stage.ts';
import { currentApiSession } from './api-call.ts';
import { bearerHead, loadOf, type Operation, resultAt } from './operation.ts';
import { refreshInTurn } from './refresh.ts';

const few = 1000;

/** The same work on a small and on a large database. */
export const scale: Operation = {
  name: 'scale',
  async run(stage: Stage): Promise<Findings> {
    const opened: { stop(): Promise<void> }[] = [];
    try {
      const contestants = async (count: number): Promise<readonly [Contestant, Contestant]> => {
        const home = await stage.newHome(`scale-${count}`);
        const process = await stage.start(home);
        opened.push(process);
        const seed = await openSeed(home);
        opened.push({ stop: () => seed.close() });
        await seed.fill(count);
        const sampled = await seed.sample(Math.min(count, 20_000));
        const refreshTokens = sampled.map(({ refreshToken }) => refreshToken);
        const size = `${count.toLocaleString('en')} sessions`;
        return [
          {
            name: `API call, ${size}`,
            subject: process,
            drive(connection) {
              return async () => {
                const { accessToken = '' } = sampled[Math.floor(Math.random() * few)] ?? {};
                expectStatus(
                  await connection.request('GET', currentApiSession, bearerHead(accessToken)),
                  200,
                );
              };
            },
          },
          {
            name: `refresh, ${size}`,
            subject: process,
            drive: (connection, index) => refreshInTurn(connection, '/oidc/token', refreshTokens, index),
          },
        ];
      };
      const small = await contestants(few);
      const large = await contestants(stage.sessions);
      const load = loadOf(stage, 4000);
      const calls = await compare([small[0], large[0]], load);
      const refreshes = await compare([small[1], large[1]], load);
      const ratio = `${stage.sessions.toLocaleString('en')} sessions against ${few.toLocaleString('en')}`;
      return {
        title: 'Scale',
        about: 'The same calls on two databases; as many identities as sessions.',
        results: [...calls, ...refreshes],
        verdicts: [
          ratioVerdict(`API call, ${ratio}`, resultAt(calls, 1), resultAt(calls, 0), 1.2),
          ratioVerdict(`refresh, ${ratio}`, resultAt(refreshes, 1), resultAt(refreshes, 0), 1.2),
        ],
      };
    } finally {
      for (const { stop } of opened.reverse()) await stop();
    }
  },
};
