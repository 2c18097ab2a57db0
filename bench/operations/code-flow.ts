import { compare } from '../load/rounds.ts';
import { cheaperVerdict, type Findings, ratioVerdict } from '../report.ts';
import type { Overlay, Stage } from '../stage.ts';
import { bareLogin, overlayLogin, providerLogin } from './code-flow-steps.ts';
import { loadOf, type Operation, resultAt } from './operation.ts';

const userOf = ({ users }: Overlay, index: number) => users[index % users.length] ?? '';

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
          drive: (connection, index) => overlayLogin(connection, userOf(overlay, index)),
        },
        { name: 'bare handlers, durable', subject: await stage.bare(), drive: bareLogin },
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
        ratioVerdict('code flow without a password', ours, floor, 1.5),
        cheaperVerdict('code flow, against oidc-provider', ours, other, 3),
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
          drive: (connection, index) => overlayLogin(connection, userOf(overlay, index)),
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
