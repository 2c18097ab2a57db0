import { expectStatus, openConnection } from '../load/connection.ts';
import { type Contestant, compare } from '../load/rounds.ts';
import { cheaperVerdict, type Findings, ratioVerdict } from '../report.ts';
import type { Stage } from '../stage.ts';
import { providerLogin } from './code-flow-steps.ts';
import { imitate } from './imitate.ts';
import { bearerHead, loadOf, type Operation, resultAt } from './operation.ts';

export const currentApiSession = '/edge/client/v1/current-api-session';
/** A list that is always empty: what is left is the cost of knowing who calls. */
const services = '/edge/client/v1/services';
/** Where the bare server verifies the token. */
const firstSightPath = '/first-sight';

/** Calls with one token after the other. Each comes once before the measurement begins. */
export function callsWith(tokens: readonly string[], path: string): Contestant['drive'] {
  return (connection, index) => {
    let at = index;
    return async () => {
      at += 1;
      expectStatus(await connection.request('GET', path, bearerHead(tokens[at % tokens.length] ?? '')), 200);
    };
  };
}

/** Calls with tokens that the server has seen before. */
export const apiCall: Operation = {
  name: 'api-call',
  async run(stage: Stage): Promise<Findings> {
    const overlay = await stage.overlay();
    const bare = await stage.bare();
    const provider = await stage.oidcProvider(false);
    const tokens = (await overlay.seed.sample(500)).map(({ accessToken }) => accessToken);
    const [token = ''] = tokens;

    const answer = await imitate(overlay.process, bare, currentApiSession, token);
    const empty = await imitate(overlay.process, bare, services, token);
    const opaque = await openConnection(provider.port);
    const providerToken = (await providerLogin(opaque, false)).access_token;
    opaque.close();

    const results = await compare(
      [
        {
          name: 'overlay-auth, the own session',
          subject: overlay.process,
          drive: callsWith(tokens, currentApiSession),
        },
        {
          name: 'bare answer, same body size and header lines',
          subject: bare,
          drive: callsWith([token], currentApiSession),
        },
        {
          name: 'overlay-auth, empty list of services',
          subject: overlay.process,
          drive: callsWith(tokens, services),
        },
        {
          name: 'bare answer to it, same size and lines',
          subject: bare,
          drive: callsWith([token], services),
        },
        {
          name: 'overlay-auth, version document',
          subject: overlay.process,
          drive: (connection) => async () => {
            expectStatus(await connection.request('GET', '/edge/client/v1/version'), 200);
          },
        },
        {
          name: 'oidc-provider, userinfo',
          subject: provider,
          drive: (connection) => async () => {
            expectStatus(await connection.request('GET', '/me', bearerHead(providerToken)), 200);
          },
        },
      ],
      { ...loadOf(stage, 10_000), isSleepless: true },
    );
    const at = (index: number) => resultAt(results, index);
    return {
      title: 'Authorised API call',
      about:
        `GET ${currentApiSession} (${answer.body.length} bytes), which reads the row of the session, and GET ${services} ` +
        `(${empty.body.length} bytes), which reads nothing and so shows what knowing the caller costs; with 500 access ` +
        'tokens in turn, all seen before. The version document, which anybody may read, shows what the HTTP layer costs ' +
        'without a caller.',
      results,
      verdicts: [
        ratioVerdict('authorised API call, reads its session', at(0), at(1), 1.5),
        ratioVerdict('authorised API call, reads nothing', at(2), at(3), 1.3),
        cheaperVerdict('authorised call, against oidc-provider', at(0), at(5), 3),
      ],
    };
  },
};

/** Calls with tokens that the server has never seen. */
export const firstSight: Operation = {
  name: 'first-sight',
  async run(stage: Stage): Promise<Findings> {
    const overlay = await stage.overlay();
    const bare = await stage.bare();
    await imitate(
      overlay.process,
      bare,
      currentApiSession,
      overlay.seed.freshTokens(1)[0] ?? '',
      firstSightPath,
    );
    let ours: string[] = [];
    let others: string[] = [];
    const next = (tokens: string[]) => {
      const token = tokens.pop();
      if (token === undefined) throw new Error('there are not enough tokens');
      return bearerHead(token);
    };
    const results = await compare(
      [
        {
          name: 'overlay-auth',
          subject: overlay.process,
          prepare: async (operations) => {
            ours = [...overlay.seed.freshTokens(operations)];
          },
          drive: (connection) => async () => {
            expectStatus(await connection.request('GET', currentApiSession, next(ours)), 200);
          },
        },
        {
          name: 'bare handler that verifies and remembers',
          subject: bare,
          prepare: async (operations) => {
            others = await bare.call<string[]>('accessTokens', operations);
          },
          drive: (connection) => async () => {
            expectStatus(await connection.request('GET', firstSightPath, next(others)), 200);
          },
        },
      ],
      { ...loadOf(stage, 3000), isSleepless: true },
    );
    return {
      title: 'First sight of a token',
      about: `GET ${currentApiSession}, each time with an access token that was never presented before.`,
      results,
      verdicts: [ratioVerdict('first sight of a token', resultAt(results, 0), resultAt(results, 1), 1.5)],
    };
  },
};
