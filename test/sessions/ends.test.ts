// Every end of a session ends every use of it, with both mechanisms and for both kinds of clients: exchanging one
// token for another is no way around the end.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { goClient, tokenType } from '../compatibility/support.ts';
import { csrPem, ecKeys } from '../support/csr.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  codeOf,
  locationOf,
  redeem,
  refresh,
  submitPassword,
  type Tokens,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const clientApi = '/edge/client/v1';
const configure = (yaml: string) => yaml.replace('clientIds: []', `clientIds: [${goClient}]`);
const server = await serverOfFile({ clock, signing: true, configure });
const admin = await rootOf(server);

interface Session {
  readonly clientId: string;
  readonly identityId: string;
  readonly id: string;
  readonly code: string;
  readonly tokens: Tokens;
}

let people = 0;
async function somebody(): Promise<{ readonly name: string; readonly identityId: string }> {
  people += 1;
  const name = `person ${people}`;
  return { name, identityId: await server.createUser({ name, password }) };
}

async function open(clientId: string): Promise<Session> {
  const { name, identityId } = await somebody();
  const begun = await server.get(`/oidc/authorization?${authorizationQuery({ client_id: clientId })}`);
  const id = new URL(locationOf(begun), server.url).searchParams.get('authRequestID') ?? '';
  let answer = await submitPassword(server, id, name, password);
  const { pathname, search } = new URL(locationOf(answer), server.url);
  if (pathname.endsWith('/callback') && clientId === goClient) answer = await server.get(pathname + search);
  const code = codeOf(answer);
  const redeemed = await redeem(server, code, { client_id: clientId });
  assert.equal(redeemed.status, 200, redeemed.text);
  const tokens = redeemed.json;
  const session = await bearerCall(tokens.access_token, 'GET', `${clientApi}/current-api-session`);
  return { clientId, identityId, id: session.json.data.id, code, tokens };
}

function bearerCall(token: string, method: string, path: string, init: object = {}): Promise<Answer> {
  return server.request(method, path, { ...init, headers: { authorization: `Bearer ${token}` } });
}

function exchange(
  { clientId }: Session,
  subject: string,
  type: 'access_token' | 'refresh_token',
): Promise<Answer> {
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    client_id: clientId,
    subject_token: subject,
    subject_token_type: tokenType(type),
    requested_token_type: tokenType('id_token'),
  };
  return server.post('/oidc/token', { form });
}

/** Everything that the tokens of a session could be used for, and whether it is refused. */
async function assertWorthless(session: Session): Promise<void> {
  const { access_token: access, refresh_token: token } = session.tokens;
  const csr = { json: { csr: csrPem(ecKeys()) } };
  const calls: readonly (readonly [string, string, object?])[] = [
    ['GET', `${clientApi}/current-identity`],
    ['GET', `${clientApi}/current-api-session`],
    ['GET', '/edge/management/v1/current-identity'],
    ['POST', `${clientApi}/current-api-session/certificates`, csr],
    ['POST', `${clientApi}/current-identity/mfa`],
    ['GET', `${clientApi}/current-identity/authenticators`],
    ['DELETE', `${clientApi}/current-api-session`],
    ['GET', '/oidc/userinfo'],
    ['POST', '/oidc/userinfo'],
    ['POST', '/oidc/introspect', { form: { token: access } }],
  ];
  for (const [method, path, init] of calls) {
    const answer = await bearerCall(access, method, path, init);
    assert.equal(answer.status, 401, `${method} ${path} ${answer.text}`);
  }
  for (const other of [access, token, session.tokens.id_token]) {
    const asked = await bearerCall(admin.accessToken, 'POST', '/oidc/introspect', { form: { token: other } });
    assert.deepEqual(asked.json, { active: false });
  }
  const grants = [await refresh(server, token, { client_id: session.clientId })];
  if (session.clientId === goClient) {
    grants.push(
      await exchange(session, token, 'refresh_token'),
      await exchange(session, access, 'access_token'),
    );
  }
  for (const { json } of grants) assert.equal(json.error, 'invalid_grant');
  const again = await redeem(server, session.code, { client_id: session.clientId });
  assert.equal(again.json.error, 'invalid_grant');
}

const succeeds = async (step: Promise<Answer>) => {
  const answer = await step;
  assert.ok(answer.status < 400, answer.text);
};
const authenticatorOf = async (identityId: string): Promise<string> =>
  (await admin.get(`identities/${identityId}/authenticators`)).json.data[0].id;

const endings: Readonly<Record<string, (session: Session) => Promise<void>>> = {
  'logging out at the provider': ({ tokens }) =>
    succeeds(server.get(`/oidc/end_session?id_token_hint=${tokens.id_token}`)),
  'revoking the refresh token': ({ tokens, clientId }) =>
    succeeds(server.post('/oidc/revoke', { form: { token: tokens.refresh_token, client_id: clientId } })),
  'revoking the access token': ({ tokens, clientId }) =>
    succeeds(server.post('/oidc/revoke', { form: { token: tokens.access_token, client_id: clientId } })),
  'deleting the current session': ({ tokens }) =>
    succeeds(bearerCall(tokens.access_token, 'DELETE', `${clientApi}/current-api-session`)),
  'an administrator who deletes it': ({ id }) => succeeds(admin.call('DELETE', `api-sessions/${id}`)),
  'an administrator who deletes all of the identity': ({ identityId }) =>
    succeeds(admin.call('DELETE', `identities/${identityId}/api-sessions`)),
  async 'disabling the identity, also once it is enabled again'({ identityId }) {
    await succeeds(admin.call('POST', `identities/${identityId}/disable`, {}));
    await succeeds(admin.call('POST', `identities/${identityId}/enable`, {}));
  },
  'deleting the identity': ({ identityId }) => succeeds(admin.call('DELETE', `identities/${identityId}`)),
  async 'a new password'({ identityId }) {
    const path = `authenticators/${await authenticatorOf(identityId)}`;
    await succeeds(admin.call('PATCH', path, { password: 'nine calm rivers run' }));
  },
  async 'deleting the authenticator'({ identityId }) {
    await succeeds(admin.call('DELETE', `authenticators/${await authenticatorOf(identityId)}`));
  },
  async 'a second use of the code'({ code, clientId }) {
    const answer = await redeem(server, code, { client_id: clientId });
    assert.equal(answer.json.error, 'invalid_grant');
  },
  async 'a second use of a refresh token'({ tokens, clientId }) {
    const changes = { client_id: clientId };
    assert.equal((await refresh(server, tokens.refresh_token, changes)).status, 200);
    // The built-in client has no grace, and existing SDKs have thirty seconds.
    clock.advance(31 * SECOND);
    assert.equal((await refresh(server, tokens.refresh_token, changes)).json.error, 'invalid_grant');
  },
};

for (const clientId of ['overlay', goClient]) {
  describe(`every use of a session of the client ${clientId} ends by`, () => {
    for (const [ending, end] of Object.entries(endings)) {
      test(ending, async () => {
        const [session, bystander] = [await open(clientId), await open(clientId)];
        await end(session);
        await assertWorthless(session);
        const answer = await refresh(server, bystander.tokens.refresh_token, { client_id: clientId });
        assert.equal(answer.status, 200, 'a session of somebody else goes on');
      });
    }
  });
}

describe('every use of a session of the header zt-session ends by', () => {
  const ends: Readonly<Record<string, (token: string, id: string, identityId: string) => Promise<void>>> = {
    'deleting the current session': (token) =>
      succeeds(
        server.request('DELETE', `${clientApi}/current-api-session`, { headers: { 'zt-session': token } }),
      ),
    'an administrator who deletes it': (_token, id) => succeeds(admin.call('DELETE', `api-sessions/${id}`)),
    async 'disabling the identity, also once it is enabled again'(_token, _id, identityId) {
      await succeeds(admin.call('POST', `identities/${identityId}/disable`, {}));
      await succeeds(admin.call('POST', `identities/${identityId}/enable`, {}));
    },
    'deleting the identity': (_token, _id, identityId) =>
      succeeds(admin.call('DELETE', `identities/${identityId}`)),
    async 'a new password'(_token, _id, identityId) {
      const path = `authenticators/${await authenticatorOf(identityId)}`;
      await succeeds(admin.call('PATCH', path, { password: 'nine calm rivers run' }));
    },
    async 'deleting the authenticator'(_token, _id, identityId) {
      await succeeds(admin.call('DELETE', `authenticators/${await authenticatorOf(identityId)}`));
    },
  };
  for (const [ending, end] of Object.entries(ends)) {
    test(ending, async () => {
      const { name, identityId } = await somebody();
      const json = { username: name, password };
      const opened = await server.post(`${clientApi}/authenticate?method=password`, { json });
      const { token, id } = opened.json.data;
      await end(token, id, identityId);
      const calls: readonly (readonly [string, string, object?])[] = [
        ['GET', `${clientApi}/current-identity`],
        ['GET', `${clientApi}/current-api-session`],
        ['GET', '/edge/management/v1/current-identity'],
        ['POST', `${clientApi}/current-api-session/certificates`, { json: { csr: csrPem(ecKeys()) } }],
        ['POST', `${clientApi}/authenticate/mfa`, { json: { code: '123456' } }],
        ['POST', `${clientApi}/current-identity/mfa`],
        ['DELETE', `${clientApi}/current-api-session`],
      ];
      for (const [method, path, init] of calls) {
        const answer = await server.request(method, path, { ...init, headers: { 'zt-session': token } });
        assert.equal(answer.status, 401, `${method} ${path} ${answer.text}`);
        assert.match(
          answer.lines('www-authenticate')[0] ?? '',
          /^zt-session realm="zt-session", error="invalid"/,
        );
      }
    });
  }
});
