import type { Connection } from '../load/connection.ts';
import { compare, type Step } from '../load/rounds.ts';
import { cheaperVerdict, type Findings, ratioVerdict } from '../report.ts';
import type { Overlay, Stage } from '../stage.ts';
import { bareLogin, overlayLogin, providerLogin } from './code-flow-steps.ts';
import { loadOf, type Operation, resultAt } from './operation.ts';

/** A step that logs in one user after the other, and others than the steps beside it. */
export function loginInTurn({ users }: Overlay, connection: Connection, index: number, stride: number): Step {
  const steps = users
    .filter((_, at) => at % stride === index)
    .map((username) => overlayLogin(connection, username));
  let at = 0;
  return async () => {
    at += 1;
    await steps[at % steps.length]?.();
  };
}

/** What a login costs beside its password hash. */
export const codeFlow: Operation = {
  name: 'code-flow',
  async run(stage: Stage): Promise<Findings> {
    const overlay = await stage.overlayWithoutHashing();
    const results = await compare(
      [
        {
          name: 'overlay-auth, hash left out',
          subject: overlay.process,
          drive: (connection, index) => loginInTurn(overlay, connection, index, 16),
        },
        { name: `bare handlers, durable, ${stage.engine}`, subject: await stage.bare(), drive: bareLogin },
        {
          name: 'oidc-provider, in memory, no hash',
          subject: await stage.oidcProvider(false),
          drive: (connection) => async () => void (await providerLogin(connection, true)),
        },
      ],
      loadOf(stage, 2000, 16),
    );
    const [ours, floor, other] = [resultAt(results, 0), resultAt(results, 1), resultAt(results, 2)];
    return {
      title: 'Code flow without the password hash',
      about:
        'Authorization request, login and token request on an open connection (the other provider needs four requests). ' +
        'The controller runs as it is, except that verifying a password costs nothing.',
      results,
      verdicts: [
        ratioVerdict(`code flow without a password, ${stage.engine}`, ours, floor, 2),
        cheaperVerdict(`code flow, ${stage.engine}, against oidc-provider`, ours, other, 2),
      ],
    };
  },
};

/** A login as it is. */
export const passwordLogin: Operation = {
  name: 'password-login',
  async run(stage: Stage): Promise<Findings> {
    const overlay = await stage.overlay();
    const bare = await stage.bare();
    const results = await compare(
      [
        {
          name: 'overlay-auth',
          subject: overlay.process,
          drive: (connection, index) => loginInTurn(overlay, connection, index, 2),
        },
        {
          name: 'the hash alone',
          subject: bare,
          drive: () => async () => {
            if (!(await bare.call<boolean>('verifyPassword'))) throw new Error('the hash does not match');
          },
        },
        {
          name: 'oidc-provider with the same hash',
          subject: await stage.oidcProvider(true),
          drive: (connection) => async () => void (await providerLogin(connection, true)),
        },
      ],
      loadOf(stage, 100, 2),
    );
    return {
      title: 'Password login',
      about:
        'The same flow with a real password hash, two at a time, beside the bare hash in a pool of its own.',
      results,
      verdicts: [
        ratioVerdict('password login, against its hash', resultAt(results, 0), resultAt(results, 1), 1.05),
      ],
    };
  },
};
