import { type Connection, expectStatus, openConnection } from '../load/connection.ts';
import { compare, type Step } from '../load/rounds.ts';
import { cheaperVerdict, type Findings, ratioVerdict } from '../report.ts';
import type { Stage } from '../stage.ts';
import { providerLogin } from './code-flow-steps.ts';
import { formHead, loadOf, type Operation, resultAt } from './operation.ts';

const connections = 32;

/** Refreshes every `stride`-th session in turn and keeps the successors. */
export function refreshInTurn(connection: Connection, target: string, tokens: string[], index: number): Step {
  let at = index;
  return async () => {
    const body = `grant_type=refresh_token&client_id=overlay&refresh_token=${tokens[at]}`;
    const answer = expectStatus(await connection.request('POST', target, formHead, body), 200);
    tokens[at] = (JSON.parse(answer.body) as { refresh_token: string }).refresh_token;
    at = at + connections < tokens.length ? at + connections : index;
  };
}

export const refresh: Operation = {
  name: 'refresh',
  async run(stage: Stage): Promise<Findings> {
    const overlay = await stage.overlay();
    const bare = await stage.bare();
    const provider = await stage.oidcProvider(false);
    const ours = (await overlay.seed.sample(2000)).map(({ refreshToken }) => refreshToken);
    const bareTokens = await bare.call<string[]>('openSessions', 2000);
    const others: string[] = [];
    // Its store in memory keeps a thousand records.
    const login = await openConnection(provider.port);
    for (let count = 0; count < connections; count += 1) {
      others.push((await providerLogin(login, true)).refresh_token);
    }
    login.close();

    const results = await compare(
      [
        {
          name: `overlay-auth, ${stage.engine}`,
          subject: overlay.process,
          drive: (connection, index) => refreshInTurn(connection, '/oidc/token', ours, index),
        },
        {
          name: `bare handler, durable, ${stage.engine}`,
          subject: bare,
          drive: (connection, index) => refreshInTurn(connection, '/refresh', bareTokens, index),
        },
        {
          name: 'oidc-provider, in memory',
          subject: provider,
          drive: (connection, index) => refreshInTurn(connection, '/token', others, index),
        },
      ],
      loadOf(stage, 3000, connections),
    );
    const [measured, floor, other] = [resultAt(results, 0), resultAt(results, 1), resultAt(results, 2)];
    return {
      title: 'Refresh grant',
      about:
        'Rotation with a new access token and ID token, both signed with ES256. The controller and the bare handler ' +
        'answer after the commit is on disk, each over 2,000 sessions; the other provider keeps everything in memory.',
      results,
      verdicts: [
        ratioVerdict(`refresh grant, durable, ${stage.engine}`, measured, floor, 1.5),
        cheaperVerdict(`refresh, ${stage.engine}, against oidc-provider`, measured, other, 2),
      ],
    };
  },
};
