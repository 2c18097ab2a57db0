import { expectStatus, openConnection } from '../load/connection.ts';
import { compare } from '../load/rounds.ts';
import { cheaperVerdict, type Findings, ratioVerdict } from '../report.ts';
import type { Stage } from '../stage.ts';
import { providerLogin } from './code-flow-steps.ts';
import { bearerHead, loadOf, type Operation, resultAt } from './operation.ts';

export const currentApiSession = '/edge/client/v1/current-api-session';

/** Calls with tokens that the server has seen before. */
export const apiCall: Operation = {
  name: 'api-call',
  async run(stage: Stage): Promise<Findings> {
    const overlay = await stage.overlay();
    const bare = await stage.bare();
    const provider = await stage.oidcProvider(false);
    const tokens = overlay.seed.sample(500).map(({ accessToken }) => accessToken);

    const first = await openConnection(overlay.process.port);
    const answer = expectStatus(
      await first.request('GET', currentApiSession, bearerHead(tokens[0] ?? '')),
      200,
    );
    first.close();
    await bare.call('answerLike', answer.body);
    const opaque = await openConnection(provider.port);
    const providerToken = (await providerLogin(opaque, false)).access_token;
    opaque.close();

    const results = await compare(
      [
        {
          name: 'overlay-auth',
          subject: overlay.process,
          // Each token once before the measurement begins.
          drive(connection, index) {
            let at = index;
            return async () => {
              at += 1;
              const head = bearerHead(tokens[at % tokens.length] ?? '');
              expectStatus(await connection.request('GET', currentApiSession, head), 200);
            };
          },
        },
        {
          name: 'bare answer of the same size',
          subject: bare,
          drive: (connection) => async () => {
            expectStatus(await connection.request('GET', '/call', bearerHead(tokens[0] ?? '')), 200);
          },
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
      loadOf(stage, 10_000),
    );
    const [ours, floor, other] = [resultAt(results, 0), resultAt(results, 1), resultAt(results, 3)];
    return {
      title: 'Authorised API call',
      about:
        `GET ${currentApiSession} with 500 access tokens in turn, all seen before. ` +
        `The answer has ${answer.body.length} bytes. ` +
        'The version document, which anybody may read, shows what the HTTP layer costs without a caller.',
      results,
      verdicts: [
        ratioVerdict('authorised API call', ours, floor, 1.5),
        cheaperVerdict('authorised call, against oidc-provider', ours, other, 3),
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
            expectStatus(await connection.request('GET', '/first-sight', next(others)), 200);
          },
        },
      ],
      loadOf(stage, 3000),
    );
    return {
      title: 'First sight of a token',
      about: `GET ${currentApiSession}, each time with an access token that was never presented before.`,
      results,
      verdicts: [ratioVerdict('first sight of a token', resultAt(results, 0), resultAt(results, 1), 1.5)],
    };
  },
};
