// What an operation costs here and at other providers that do the same job, as one table. Each of them says what it makes
// durable and how it is asked for each operation.
import { type Connection, expectStatus, openConnection } from '../load/connection.ts';
import { type Contestant, compare, cpuRatio, medianOf } from '../load/rounds.ts';
import type { MeasuredProcess } from '../measured-process.ts';
import { asking, keycloakVersion, whyNoKeycloak } from '../peers/install-keycloak.ts';
import { cheaperVerdict, type Findings, type Verdict } from '../report.ts';
import type { Stage } from '../stage.ts';
import { callsWith, currentApiSession } from './api-call.ts';
import { loginInTurn } from './code-flow.ts';
import { keycloakLogin, keycloakPath, providerLogin, type Tokens } from './code-flow-steps.ts';
import { version, visit } from './handshakes.ts';
import { bearerHead, formHead, loadOf, type Operation, resultAt } from './operation.ts';
import { refreshInTurn } from './refresh.ts';

const connections = 8;
const operations = [
  'call',
  'userinfo',
  'introspection',
  'JWKS',
  'refresh',
  'code flow',
  'handshake',
] as const;
type Name = (typeof operations)[number];
/** Of a full run, in a round. */
const amounts: Readonly<Record<Name, number>> = {
  call: 8000,
  userinfo: 6000,
  introspection: 6000,
  JWKS: 8000,
  refresh: 3000,
  'code flow': 1000,
  handshake: 500,
};

interface Peer {
  readonly name: string;
  /** What survives a power loss once it is answered. */
  readonly durability: string;
  readonly process: MeasuredProcess;
  /** Those that it has. */
  readonly does: { readonly [Operation in Name]?: Pick<Contestant, 'drive' | 'prepare'> };
}

/** One token after the other, asked about by its holder. */
function introspects(
  path: string,
  tokens: readonly string[],
  ask: (token: string) => { readonly head: string; readonly body: string },
): Pick<Contestant, 'drive'> {
  return {
    drive: (connection, index) => {
      let at = index;
      return async () => {
        at += 1;
        const { head, body } = ask(tokens[at % tokens.length] ?? '');
        expectStatus(await connection.request('POST', path, head + formHead, body), 200);
      };
    },
  };
}

async function controller(stage: Stage): Promise<Peer> {
  const overlay = await stage.overlayWithoutHashing();
  const sample = await overlay.seed.sample(800);
  const tokens = sample.map(({ accessToken }) => accessToken);
  const refreshTokens = sample.map(({ refreshToken }) => refreshToken);
  return {
    name: `overlay-auth, ${stage.engine}`,
    durability: 'every commit, synced to disk',
    process: overlay.process,
    does: {
      call: { drive: callsWith(tokens, currentApiSession) },
      userinfo: { drive: callsWith(tokens, '/oidc/userinfo') },
      introspection: introspects('/oidc/introspect', tokens, (token) => ({
        head: bearerHead(token),
        body: `token=${token}`,
      })),
      JWKS: { drive: callsWith(tokens, '/oidc/keys') },
      refresh: {
        drive: (connection, index) => refreshInTurn(connection, '/oidc/token', refreshTokens, index),
      },
      'code flow': { drive: (connection, index) => loginInTurn(overlay, connection, index, connections) },
      handshake: { drive: () => visit(overlay.process.port, version, () => ({})) },
    },
  };
}

/** Tokens that a round uses up, new ones for each. @param login a login, for calls or for refreshing */
async function freshTokens(port: number, login: (of: Connection, isForApi: boolean) => Promise<Tokens>) {
  const tokens: string[] = [];
  const refreshTokens: string[] = [];
  async function prepare(): Promise<void> {
    const connection = await openConnection(port);
    tokens[0] = (await login(connection, false)).access_token;
    for (let at = 0; at < connections; at += 1) {
      refreshTokens[at] = (await login(connection, true)).refresh_token;
    }
    connection.close();
  }
  await prepare();
  return { tokens, refreshTokens, prepare };
}

/** Its store keeps a thousand records, so each round begins with new tokens. */
async function oidcProvider(stage: Stage): Promise<Peer> {
  const process = await stage.oidcProvider(false);
  const { tokens, refreshTokens, prepare } = await freshTokens(process.port, providerLogin);
  return {
    name: 'oidc-provider 9.13.3',
    durability: 'nothing: in memory',
    process,
    does: {
      userinfo: { drive: callsWith(tokens, '/me'), prepare },
      introspection: {
        ...introspects('/token/introspection', tokens, (token) => ({
          head: '',
          body: `token=${token}&client_id=overlay`,
        })),
        prepare,
      },
      JWKS: { drive: callsWith(tokens, '/jwks') },
      refresh: {
        drive: (connection, index) => refreshInTurn(connection, '/token', refreshTokens, index),
        prepare,
      },
      'code flow': { drive: (connection) => async () => void (await providerLogin(connection, true)) },
      handshake: { drive: () => visit(process.port, '/jwks', () => ({})) },
    },
  };
}

async function keycloak(stage: Stage): Promise<Peer> {
  const process = await stage.keycloak();
  const { tokens, refreshTokens, prepare } = await freshTokens(process.port, keycloakLogin);
  const basic = Buffer.from(`${asking.clientId}:${asking.secret}`).toString('base64');
  return {
    name: `Keycloak ${keycloakVersion}`,
    durability: 'sessions in its database, H2 in a file',
    process,
    does: {
      userinfo: { drive: callsWith(tokens, `${keycloakPath}/userinfo`), prepare },
      introspection: {
        ...introspects(`${keycloakPath}/token/introspect`, tokens, (token) => ({
          head: `authorization: Basic ${basic}\r\n`,
          body: `token=${token}`,
        })),
        prepare,
      },
      JWKS: { drive: callsWith(tokens, `${keycloakPath}/certs`) },
      refresh: {
        drive: (connection, index) =>
          refreshInTurn(connection, `${keycloakPath}/token`, refreshTokens, index),
        prepare,
      },
      'code flow': { drive: (connection) => async () => void (await keycloakLogin(connection)) },
      handshake: { drive: () => visit(process.port, `${keycloakPath}/certs`, () => ({})) },
    },
  };
}

/** `npm run bench -- --peers` */
export const peers: Operation = {
  name: 'peers',
  async run(stage: Stage): Promise<Findings> {
    const without = whyNoKeycloak();
    const all = [
      await controller(stage),
      await oidcProvider(stage),
      ...(without === null ? [await keycloak(stage)] : []),
    ];
    const figures: [string, string][] = all.map((peer) => [`durable: ${peer.name}`, peer.durability]);
    if (without !== null) figures.push(['left out: Keycloak', without]);
    const verdicts: Verdict[] = [];
    for (const operation of operations) {
      const able = all.flatMap(({ name, process, does }) => {
        const step = does[operation];
        return step === undefined ? [] : [{ name, subject: process, ...step }];
      });
      const results = await compare(able, loadOf(stage, amounts[operation], connections));
      const own = resultAt(results, 0);
      const cells = results.map(
        (result) =>
          `${result.name}: ${Math.round(medianOf(result, ({ cpu }) => cpu))} µs` +
          (result === own ? '' : ` (${cpuRatio(result, own).toFixed(2)} ×)`),
      );
      figures.push([operation, cells.join('; ')]);
      for (const result of results.slice(1)) {
        verdicts.push(cheaperVerdict(`${operation}, against ${result.name}`, own, result, 1));
      }
    }
    return {
      title: `Peers, ${stage.engine}`,
      about:
        `Processor time of the whole server process for each operation, ${connections} connections, TLS for all; in brackets how ` +
        'many times as much as here. The code flow is without the password hash for all.',
      figures,
      verdicts,
    };
  },
};
