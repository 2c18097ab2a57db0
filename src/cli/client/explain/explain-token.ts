import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import type { Provider } from '../../../../packages/client/src/oidc/provider.ts';
import { type Millis, SECOND } from '../../../platform/clock.ts';
import {
  asList,
  asObject,
  type JsonObject,
  numberField,
  textField,
} from '../../../platform/formats/json-shape.ts';
import { asTypedHere, CliError, printResult, type Report } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { externalJwt, readJwt } from '../../terminal/secret-input.ts';
import { withoutMilliseconds } from '../../terminal/table.ts';
import { clientId, connectionOf, discover, freshLogin, savedLogin } from '../connection/connection.ts';
import type { SavedLogin } from '../connection/credentials-store.ts';
import type { HttpsClient } from '../connection/https-client.ts';
import { checkLine, type ShownCheck } from './check-lines.ts';

/** Audience of access tokens, whichever address issued them (design 3, no. 6). */
const edgeAudience = 'overlay-edge-apis';
const accessTokenType = 'at+jwt';
const algorithms = ['ES256', 'RS256', 'EdDSA', 'Ed25519'];

type Checks = readonly ShownCheck[];

/** Values from the server for the checks. Each is undefined if it could not be obtained. */
interface Server {
  readonly http: HttpsClient;
  readonly provider: Provider;
  /** The login with a usable token; undefined when its session has ended. */
  readonly login: SavedLogin | undefined;
}

/**
 * `explain token FILE|-`: the claims of an access or ID token, and the server's checks that it would fail. Without a
 * login, only the token itself is checked.
 */
export async function explainToken(
  report: Report,
  { server: named }: { server?: string },
  [file]: readonly [string],
): Promise<void> {
  const { ports } = report;
  const token = await externalJwt(ports, file);
  const jwt = readJwt(token);
  if (jwt === undefined)
    throw new CliError('The token is not a JWT: its parts are not JSON in base64url.', {
      code: 'malformed',
      next: 'name a file with an access or ID token; `overlay-auth token > FILE` writes your own',
    });
  const header = asObject(jwt.header);
  const payload = asObject(jwt.payload);
  const own = ownChecks(header, payload, ports.clock.now());
  const all = await allChecks(ports, named, { token, header, payload, own });
  const failed = all.find(({ verdict }) => verdict === 'failed');
  const isAccepted = failed === undefined && all.every(({ verdict }) => verdict === 'passed');
  printResult(report, { header, payload, checks: all, failed: failed?.check ?? null, isAccepted }, () =>
    [
      JSON.stringify({ header, payload }, null, 2),
      '',
      ...all.map(checkLine),
      '',
      failed === undefined
        ? isAccepted
          ? header.typ === accessTokenType
            ? 'The server accepts this token.'
            : 'This ID token is genuine; calls of the APIs need the access token.'
          : `No check failed. To run the checks that are unknown, log in: ${asTypedHere(report, 'overlay-auth login URL')}`
        : `This token is refused: ${failed.check}.`,
      ...(failed?.check === 'issuer'
        ? [
            `A token of an external provider: ${asTypedHere(report, 'overlay-auth verify ext-jwt-signer NAME FILE')}`,
          ]
        : []),
    ].join('\n'),
  );
}

/** Runs `work` with the server of the login. Returns undefined without a login. */
async function withServer<T>(
  ports: CliPorts,
  named: string | undefined,
  work: (server: Server) => Promise<T>,
): Promise<T | undefined> {
  let login: SavedLogin;
  try {
    login = await savedLogin(ports, named);
  } catch (error) {
    if (named === undefined && error instanceof CliError && error.code === 'not_logged_in') return undefined;
    throw error;
  }
  using http = await connectionOf(ports, login);
  const provider = await discover(http, ports.clock, login.url);
  return await work({ http, provider, login: await usableLogin(ports, login, http) });
}

async function usableLogin(ports: CliPorts, login: SavedLogin, http: HttpsClient) {
  try {
    return await freshLogin(ports, login, { http: async () => http });
  } catch (error) {
    if (error instanceof CliError && error.code === 'session_over') return undefined;
    throw error;
  }
}

/** The server's verdict on the token, and the findings in the token itself. */
async function allChecks(
  ports: CliPorts,
  named: string | undefined,
  { token, header, payload, own }: { token: string; header: JsonObject; payload: JsonObject; own: Checks },
): Promise<Checks> {
  const unknown = { verdict: 'unknown', saw: null } as const;
  const issuer = String(payload.iss ?? 'none');
  const withSession = async (checks: Checks, session: () => Promise<ShownCheck>): Promise<Checks> => {
    const isAsked = header.typ === accessTokenType && !checks.some(({ verdict }) => verdict === 'failed');
    return isAsked ? [...checks, await session()] : checks;
  };
  const asked = await withServer(ports, named, async (server) => {
    const { provider } = server;
    const isOurs = issuer === provider.issuer || (await otherIssuers(server)).includes(issuer);
    const saw = isOurs ? issuer : `${issuer}; this server is ${provider.issuer}`;
    const check: ShownCheck = { check: 'issuer', verdict: isOurs ? 'passed' : 'failed', saw };
    const signature = await signatureCheck(server, token, header);
    return withSession([check, signature, ...own], () => sessionCheck(server, token));
  });
  const none: Checks = [
    { ...unknown, check: 'issuer', saw: issuer },
    { ...unknown, check: 'signature' },
    ...own,
  ];
  return asked ?? withSession(none, async () => ({ ...unknown, check: 'session' }));
}

/** The issuers of the other bind points and nodes: they share the keys, and each accepts the others' tokens. */
async function otherIssuers({ http, login }: Server): Promise<readonly string[]> {
  if (login === undefined) return [];
  const answer = await http.send({
    method: 'GET',
    url: new URL('/edge/client/v1/controllers?limit=none', login.apiUrl),
    login,
  });
  const nodes = asList(asObject(answer.body).data).map(asObject);
  const addresses = nodes.flatMap((node) => asList(asObject(node.apiAddresses)['edge-oidc']));
  return addresses.map((address) => String(asObject(address).url));
}

async function signatureCheck(
  { http, provider }: Server,
  token: string,
  header: JsonObject,
): Promise<ShownCheck> {
  const check = 'signature';
  const kid = textField(header, 'kid') ?? 'none';
  const { body } = await http.send({ method: 'GET', url: new URL(provider.metadata.jwks_uri ?? '') });
  const known = asList(asObject(body).keys).some((key) => asObject(key).kid === kid);
  if (!known)
    return { check, verdict: 'failed', saw: `the server does not have the key ${kid}, or no longer` };
  try {
    await compactVerify(token, createLocalJWKSet(body as JSONWebKeySet), { algorithms });
    return { check, verdict: 'passed', saw: `${header.alg} by key ${kid}` };
  } catch {
    return { check, verdict: 'failed', saw: `it was not made by key ${kid}, or the token was changed` };
  }
}

/** Checks of the token alone. */
function ownChecks(header: JsonObject, payload: JsonObject, now: Millis): Checks {
  const isAccessToken = header.typ === accessTokenType;
  const audience = [payload.aud].flat().map(String);
  const wanted = isAccessToken ? edgeAudience : clientId;
  const expiresAt = (numberField(payload, 'exp') ?? 0) * SECOND;
  const validFrom = (numberField(payload, 'nbf') ?? 0) * SECOND;
  return [
    {
      check: 'audience',
      verdict: audience.includes(wanted) ? 'passed' : 'failed',
      saw: `${audience.join(', ')} (${isAccessToken ? 'an access token' : 'an ID token'} is for ${wanted})`,
    },
    { check: 'not before', verdict: validFrom <= now ? 'passed' : 'failed', saw: timeText(validFrom) },
    { check: 'expiry', verdict: now < expiresAt ? 'passed' : 'failed', saw: timeText(expiresAt) },
  ];
}

/** The server knows what the token does not show: whether the session has ended. Asked only if all else is well. */
async function sessionCheck({ http, provider, login }: Server, token: string): Promise<ShownCheck> {
  const check = 'session';
  const unknown: ShownCheck = { check, verdict: 'unknown', saw: null };
  const { introspection_endpoint: introspectionEndpoint } = provider.metadata;
  if (login === undefined || introspectionEndpoint === undefined) return unknown;
  const url = new URL(introspectionEndpoint);
  const answer = await http.send({ method: 'POST', url, login, form: { token } });
  const { active } = asObject(answer.body);
  if (active === true) return { check, verdict: 'passed', saw: 'alive' };
  if (active !== false) return { ...unknown, saw: `the server does not say (status ${answer.status})` };
  const mine = readJwt(login.accessToken)?.payload;
  // Others learn only about their own session (RFC 7662 2.2).
  return asObject(mine).z_ia === true
    ? { check, verdict: 'failed', saw: 'it has ended, or the identity cannot be used or must prove more' }
    : { ...unknown, saw: 'only administrators may ask about tokens of other identities' };
}

function timeText(time: Millis): string {
  return time === 0 ? 'not stated' : withoutMilliseconds(new Date(time).toISOString());
}
