import { type Answer, expectStatus, openConnection } from '../load/connection.ts';
import { compare } from '../load/rounds.ts';
import type { MeasuredProcess } from '../measured-process.ts';
import { cheaperVerdict, type Findings, ratioVerdict } from '../report.ts';
import type { Stage } from '../stage.ts';
import { providerLogin } from './code-flow-steps.ts';
import { bearerHead, loadOf, type Operation, resultAt } from './operation.ts';

export const currentApiSession = '/edge/client/v1/current-api-session';

const writtenByNode = new Set(['date', 'connection', 'keep-alive', 'content-length']);

/** The header lines of an answer, without those that every server here has. */
function ownHeaders({ head }: Answer): Record<string, string> {
  const lines = head.split('\r\n').slice(1);
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return Object.fromEntries(pairs.filter(([name]) => !writtenByNode.has(name)));
}

/** Lets the bare server give the answer of the controller. @returns that answer */
async function imitate(overlay: MeasuredProcess, bare: MeasuredProcess, token: string): Promise<Answer> {
  const connection = await openConnection(overlay.port);
  const answer = expectStatus(await connection.request('GET', currentApiSession, bearerHead(token)), 200);
  connection.close();
  await bare.call('answerLike', { headers: ownHeaders(answer), body: answer.body });
  return answer;
}

/** Calls with tokens that the server has seen before. */
export const apiCall: Operation = {
  name: 'api-call',
  async run(stage: Stage): Promise<Findings> {
    const overlay = await stage.overlay();
    const bare = await stage.bare();
    const provider = await stage.oidcProvider(false);
    const tokens = (await overlay.seed.sample(500)).map(({ accessToken }) => accessToken);

    const answer = await imitate(overlay.process, bare, tokens[0] ?? '');
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
          name: 'bare answer, same body size and header lines',
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
      { ...loadOf(stage, 10_000), isSleepless: true },
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
    await imitate(overlay.process, bare, overlay.seed.freshTokens(1)[0] ?? '');
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
