// Every state of a caller's credentials against every kind of endpoint of both Edge APIs (spec 5.1, 5.5, 5.6, 7.1,
// 7.2; design 3 row 16).

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { asId } from '../../src/model/ids.ts';
import { MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { authenticate } from '../legacy/support.ts';
import { certificateLogin, enrolled, withCertificate } from '../support/certificates.ts';
import {
  bearer,
  createIdentity,
  createPolicy,
  createSigner,
  createUserWithPolicy,
  redeemed,
  submitPasswordAnd,
  tokenOf,
} from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { login, type Tokens } from '../support/flow.ts';
import type { Answer, HttpsClient, RequestInit } from '../support/https-client.ts';
import { password } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';

type Kind = 'anonymous' | 'partial' | 'full' | 'admin';

const endpoints: readonly (readonly [Kind, string])[] = [
  ['anonymous', '/edge/client/v1/version'],
  ['partial', '/edge/client/v1/current-api-session'],
  ['full', '/edge/client/v1/current-identity'],
  ['anonymous', '/edge/management/v1/version'],
  ['partial', '/edge/management/v1/current-api-session'],
  ['full', '/edge/management/v1/current-identity'],
  ['admin', '/edge/management/v1/identities'],
];

const words = {
  missing: 'no matching token was provided',
  invalid: 'token is invalid',
  expired: 'token is expired',
} as const;
type ChallengeError = keyof typeof words;

const line = (scheme: string, realm: string, error: ChallengeError) =>
  `${scheme} realm="${realm}", error="${error}", error_description="${words[error]}"`;
const zt = (error: ChallengeError) => line('zt-session', 'zt-session', error);
const oidc = (error: ChallengeError) => line('Bearer', 'overlay-oidc', error);

/** What a state is good for, and the lines of a 401 where it is not. */
interface State {
  readonly name: string;
  readonly headers: NonNullable<RequestInit['headers']>;
  readonly client?: HttpsClient;
  /** Up to which kind of endpoint it is good. */
  readonly goodFor: Kind;
  readonly challenges: readonly string[];
}

// Certificates are made by the system's clock.
const clock = fixedClock(Math.floor(systemClock.now() / SECOND) * SECOND);
let connection: HttpsClient | undefined;
const server = await startTestServer({ clock });
const [idp, other, stranger] = await Promise.all([startTestIdp(), startTestIdp(), startTestIdp()]);
after(async () => {
  connection?.closeConnections();
  await Promise.all([server, idp, other, stranger].map((one) => one.close()));
});

const session = async (name: string, ...jwts: readonly string[]): Promise<string> => {
  const headers = jwts.length === 0 ? {} : { authorization: `Bearer ${jwts[0]}` };
  const answer = await authenticate(server, name, password, '/edge/client/v1', headers);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.data.token;
};
const tokens = (name: string): Promise<Tokens> => login(server, name, password);
const access = async (name: string): Promise<string> => (await tokens(name)).access_token;
const states = await statesOf();

async function statesOf(): Promise<State[]> {
  const { identities, apiSessions } = server.store;
  await server.createUser({ name: 'root', password, isAdmin: true });
  for (const name of ['late', 'user', 'leaver', 'disabled']) await server.createUser({ name, password });
  const expired = { access: await access('late'), session: await session('late') };
  clock.advance(31 * MINUTE);
  const admin = { headers: bearer(await access('root')) };
  const caller = {
    accessToken: '',
    refreshToken: '',
    get: (path: string) => caller.call('GET', path),
    call: (method: string, path: string, json?: unknown) =>
      server.request(method, `/edge/management/v1/${path}`, { ...admin, json }),
  };
  const signer = { id: await createSigner(caller, idp, 'required'), issuer: idp.issuer };
  await createSigner(caller, other, 'other');
  const changing = await createPolicy(server, 'changing', {});
  const asksForJwt = await createPolicy(server, 'jwt', { secondary: { requireExtJwt: signer.id } });
  const asksForTotp = await createPolicy(server, 'totp', { secondary: { requireTotp: true } });
  await createUserWithPolicy(server, 'alice', asksForJwt);
  await createUserWithPolicy(server, 'bob', asksForJwt);
  await createUserWithPolicy(server, 'half', asksForTotp);
  await createUserWithPolicy(server, 'changed', changing);

  const jwt = (name: string, changes = {}) => tokenOf(server, idp, `${name}@idp`, changes);
  const good = await jwt('alice');
  const aliceLogin = await submitPasswordAnd(server, 'alice', password, good);
  const alice = (await redeemed(server, aliceLogin)).access_token;
  const aliceSession = await session('alice', good);
  const now = Math.floor(clock.now() / SECOND);
  const stale = await jwt('alice', { iat: now - 900, exp: now - 300 });
  const secondary = (error: ChallengeError) =>
    `${line('Bearer', 'overlay-secondary-ext-jwt', error)}, id="${signer.id}", issuer="${signer.issuer}"`;

  const user = await tokens('user');
  const userSession = await session('user');
  const root = await access('root');
  const device = await createIdentity(server, 'device', { externalId: null });
  connection = withCertificate(server, await enrolled(server, device));
  const bound = (await certificateLogin(connection)).access_token;

  const ended = { access: await access('leaver'), session: await session('leaver') };
  const disabled = { access: await access('disabled'), session: await session('disabled') };
  const changed = { access: await access('changed'), session: await session('changed') };
  for (const item of (await caller.get('identities?limit=none')).json.data) {
    if (item.name === 'leaver') await apiSessions.endAllOf(asId(item.id), 'administrator', clock.now());
    if (item.name === 'disabled')
      await identities.update(asId(item.id), { disabledAt: clock.now() }, clock.now());
    if (item.name === 'changed')
      await identities.update(asId(item.id), { authPolicyId: asksForTotp }, clock.now());
  }

  const state = (
    name: string,
    headers: State['headers'],
    goodFor: Kind,
    challenges: readonly string[] = [],
  ): State => ({ name, headers, goodFor, challenges });
  const refused = (name: string, headers: State['headers'], ...challenges: readonly string[]) =>
    state(name, headers, 'anonymous', challenges);
  const withZt = (token: string, ...bearers: readonly string[]) => ({
    'zt-session': token,
    ...(bearers.length === 0 ? {} : bearer(...bearers)),
  });

  return [
    refused('nothing', {}, zt('missing'), oidc('missing')),
    refused('another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, zt('missing'), oidc('missing')),

    state('an access token', bearer(user.access_token), 'full'),
    state("an administrator's access token", bearer(root), 'admin'),
    refused('an invalid access token', bearer('not.a.jwt'), oidc('invalid')),
    refused('a damaged access token', bearer(`${user.access_token.slice(0, -8)}AAAAAAAA`), oidc('invalid')),
    refused('an ID token', bearer(user.id_token), oidc('invalid')),
    refused('an expired access token', bearer(expired.access), oidc('expired')),
    refused('an external JWT alone', bearer(good), zt('missing'), oidc('missing')),
    refused('a JWT of a stranger', bearer(await tokenOf(server, stranger, 'user@idp')), oidc('invalid')),

    state('a session token', withZt(userSession), 'full'),
    refused('an invalid session token', withZt('x'), zt('invalid')),
    refused('an empty session token, which is none', withZt(''), zt('missing'), oidc('missing')),
    refused('a session token that timed out', withZt(expired.session), zt('invalid')),
    state('a session token without its TOTP', withZt(await session('half')), 'partial', [zt('invalid')]),
    refused('an access token as session token', withZt(user.access_token), zt('invalid')),
    refused('a session token as access token', bearer(userSession), oidc('invalid')),

    state('both', withZt(userSession, user.access_token), 'full'),
    state('a session token beside an invalid access token', withZt(userSession, 'not.a.jwt'), 'full'),
    refused('an invalid session token beside an access token', withZt('x', root), zt('invalid')),

    state('an access token after an invalid one', bearer('not.a.jwt', user.access_token), 'full'),
    state('an access token before an external JWT', bearer(user.access_token, good), 'full'),
    refused('an expired access token beside an invalid one', bearer('x', expired.access), oidc('expired')),

    refused('an access token without its external JWT', bearer(alice), secondary('missing')),
    refused(
      'with an invalid external JWT',
      bearer(alice, `${good.slice(0, -8)}AAAAAAAA`),
      secondary('invalid'),
    ),
    refused('with an expired external JWT', bearer(alice, stale), secondary('expired')),
    refused("with somebody else's external JWT", bearer(alice, await jwt('bob')), secondary('invalid')),
    refused(
      'with an external JWT of another signer',
      bearer(alice, await tokenOf(server, other, 'alice@idp')),
      secondary('missing'),
    ),
    state('an access token with its external JWT', bearer(alice, good), 'full'),
    state('a session token with its external JWT', withZt(aliceSession, good), 'full'),
    state('a session token without its external JWT', withZt(aliceSession), 'partial', [
      secondary('missing'),
    ]),
    state('a session token with an expired external JWT', withZt(aliceSession, stale), 'partial', [
      secondary('expired'),
    ]),
    state("a session token with somebody else's", withZt(aliceSession, await jwt('bob')), 'partial', [
      secondary('invalid'),
    ]),

    refused('a bound access token without the certificate', bearer(bound), oidc('invalid')),
    { ...state('a bound access token with the certificate', bearer(bound), 'full'), client: connection },

    refused('an access token of an ended session', bearer(ended.access), oidc('invalid')),
    refused('the token of an ended session', withZt(ended.session), zt('invalid')),
    refused('an access token of a disabled identity', bearer(disabled.access), oidc('invalid')),
    refused('a session token of a disabled identity', withZt(disabled.session), zt('invalid')),
    refused('an access token whose policy asks for more now', bearer(changed.access), oidc('invalid')),
    state('a session token whose policy asks for more now', withZt(changed.session), 'partial', [
      zt('invalid'),
    ]),
  ];
}

const order: readonly Kind[] = ['anonymous', 'partial', 'full', 'admin'];

function assertAnswer(state: State, kind: Kind, answer: Answer): void {
  const { goodFor, challenges } = state;
  const isGood = order.indexOf(kind) <= order.indexOf(goodFor);
  // Complete, but no administrator: nothing to authenticate with would help.
  const isForbidden = kind === 'admin' && goodFor === 'full';
  assert.equal(answer.status, isGood ? 200 : isForbidden ? 403 : 401, answer.text);
  assert.deepEqual(answer.lines('www-authenticate'), isGood || isForbidden ? [] : challenges);
  const expiry = [answer.headers['expires-at'], answer.headers['expiration-seconds']];
  if (!isGood) {
    assert.equal(answer.json.error.code, isForbidden ? 'FORBIDDEN' : 'UNAUTHORIZED');
  } else if (kind === 'anonymous') assert.deepEqual(expiry, [undefined, undefined]);
  else assert.deepEqual(expiry, [new Date(clock.now() + 30 * MINUTE).toISOString(), '1800']);
}

describe('every kind of endpoint', () => {
  test('answers every state of credentials correctly', async (t) => {
    for (const state of states) {
      await t.test(state.name, async () => {
        for (const [kind, path] of endpoints) {
          const answer = await (state.client ?? server).get(path, { headers: state.headers });
          try {
            assertAnswer(state, kind, answer);
          } catch (error) {
            throw new Error(`${kind} ${path}`, { cause: error });
          }
        }
      });
    }
  });

  test('refuses too many Authorization lines, with any contents', async () => {
    const headers = bearer(...Array.from({ length: 4 }, () => 'x'));
    for (const [, path] of endpoints) assert.equal((await server.get(path, { headers })).status, 400);
  });
});
