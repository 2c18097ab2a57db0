// Visits to another provider, as a stranger repeats them: each works once, and no source can hold the places of all.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, afterEach, describe, test } from 'node:test';
import { balancer } from '../support/balancer.ts';
import { type CookieBrowser, cookieBrowser } from '../support/cookie-browser.ts';
import {
  createIdentity,
  createPolicy,
  createSigner,
  createUserWithPolicy,
  reasonOf,
} from '../support/external-jwt.ts';
import { authorizationQuery, authRequestIdOf, claimsOf, codeOf, redeem } from '../support/flow.ts';
import { type Answer, type HttpsClient, httpsClient } from '../support/https-client.ts';
import { loggedIn, password } from '../support/management.ts';
import { asDialled } from '../support/nodes.ts';
import { proxyBlockFor } from '../support/proxy-headers.ts';
import { goodClaims, startTestIdp } from '../support/test-idp.ts';
import { testPki } from '../support/test-pki.ts';
import { startTestServer } from '../support/test-server.ts';
import { patience, until } from '../support/until.ts';

/** A provider that knows no code unless it is told what to answer, and may let the answer wait. */
async function stubProvider() {
  const { server: identity } = await testPki();
  const codes: string[] = [];
  let gate = Promise.resolve();
  let tokens: object | null = null;
  const stub = createServer({ cert: identity.certPem, key: identity.keyPem }, async (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/token') {
      let body = '';
      for await (const chunk of request) body += chunk;
      codes.push(String(new URLSearchParams(body).get('code')));
      await gate;
      response.writeHead(tokens === null ? 400 : 200);
      response.end(JSON.stringify(tokens ?? { error: 'invalid_grant' }));
    } else {
      const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
      response.end(JSON.stringify({ issuer, ...endpoints, jwks_uri: `${issuer}/jwks` }));
    }
  });
  stub.listen(0, '127.0.0.1');
  await once(stub, 'listening');
  const issuer = `https://localhost:${(stub.address() as AddressInfo).port}`;
  return {
    issuer,
    jwksEndpoint: `${issuer}/jwks`,
    codes,
    /** Null: it knows no code. */
    answerWith(answer: object | null) {
      tokens = answer;
    },
    /** @returns lets the answers go */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    async close() {
      stub.close();
      stub.closeAllConnections();
      await once(stub, 'close');
    },
  };
}

const ends: (() => Promise<void> | void)[] = [];
const provider = await stubProvider();
const server = await startTestServer({
  // Each thread has its part of the places.
  threads: 1,
  configure: (yaml) =>
    yaml.replace(
      /( +)clientCertificates: request.*\n/,
      '$&$1proxyProtocol:\n$1  balancers: [192.0.2.5, 127.0.0.1]\n',
    ),
});
await server.createUser({ name: 'root', password, isAdmin: true });
const admin = await loggedIn(await from('192.0.2.1'), 'root');
const signerId = await createSigner(admin, provider, 'Stub', {
  externalAuthUrl: provider.issuer,
  clientId: 'overlay',
});
afterEach(() => {
  provider.codes.splice(0);
  provider.answerWith(null);
});
after(async () => {
  for (const end of ends) await end();
  await server.close();
  await provider.close();
});

/** A browser with this address. */
async function from(address: string): Promise<HttpsClient & { readonly url: string }> {
  const { host, port } = new URL(server.url);
  const front = await balancer(() => [Number(port)], proxyBlockFor(address));
  const client = httpsClient(`https://localhost:${front.port}`, server.caPem);
  ends.push(() => {
    client.closeConnections();
    return front.close();
  });
  return { ...asDialled(client, host), url: server.url };
}

/** Leaves for the provider. @returns comes back with a code, as often as it is called */
async function visitFrom(client: HttpsClient & { readonly url: string }) {
  return (await begunVisit(client)).comeBack;
}

/** Goes to a provider: for the first proof, or after the password of a person for the second. */
async function leave(
  browser: CookieBrowser,
  {
    signer,
    username,
    wants = {},
  }: {
    readonly signer: string;
    readonly username?: string | undefined;
    readonly wants?: Readonly<Record<string, string>>;
  },
): Promise<Answer> {
  const method = username === undefined ? 'ext-jwt' : null;
  const begun = await browser.get(`/oidc/authorization?${authorizationQuery({ method, ...wants })}`);
  const authRequestID = authRequestIdOf(begun);
  if (username !== undefined)
    await browser.submit(await browser.get(String(begun.headers.location)), { username, password });
  const step = username === undefined ? 'primary' : 'secondary';
  const query = new URLSearchParams({ authRequestID, signer, step });
  return browser.get(`/oidc/login/ext-jwt/visit?${query}`, { 'sec-fetch-site': 'same-origin' });
}

async function begunVisit(
  client: HttpsClient & { readonly url: string },
  { signer = signerId, ...more }: Partial<Parameters<typeof leave>[1]> = {},
) {
  const browser = cookieBrowser(client);
  const left = await leave(browser, { signer, ...more });
  assert.equal(left.status, 302, left.text);
  const sent = new URL(String(left.headers.location)).searchParams;
  const state = String(sent.get('state'));
  const comeBack = (code: string, more: { iss?: string } = {}): Promise<Answer> =>
    browser.post(`/oidc/login/ext-jwt/callback/${signer}`, { state, code, ...more });
  return { comeBack, nonce: sent.get('nonce'), maxAge: sent.get('max_age') };
}

/** Code that reads it before its signature counts sees these claims. */
function unsigned(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'ES256', typ: 'JWT', kid: 'k' })}.${part(claims)}.${'A'.repeat(86)}`;
}

describe('a visit to another provider', () => {
  test('takes only an ID token with its own nonce, and says what was wrong', async () => {
    const other = await begunVisit(await from('203.0.113.3'));
    const iat = Math.floor(server.clock.now() / 1000);
    for (const [claimsFor, reason] of [
      [() => ({ iat }), 'token-nonce'],
      [() => ({ iat, nonce: null }), 'token-nonce'],
      [() => ({ iat, nonce: other.nonce }), 'token-nonce'],
      [(nonce: string) => ({ iat, nonce: [nonce] }), 'token-nonce'],
      [(nonce: string) => ({ iat, nonce: `${nonce} ` }), 'token-nonce'],
      [(nonce: string) => ({ nonce }), 'token-without-issue-time'],
      [(nonce: string) => ({ nonce, iat: 'now' }), 'token-times'],
      // It has no access token beside it, which is what the signer asks for.
      [(nonce: string) => ({ iat, nonce }), 'provider-refused'],
    ] as const) {
      const { comeBack, nonce } = await begunVisit(await from('203.0.113.2'));
      const claims = {
        iss: provider.issuer,
        sub: 'x',
        aud: 'overlay',
        exp: iat + 60,
        ...claimsFor(String(nonce)),
      };
      provider.answerWith({ token_type: 'Bearer', id_token: unsigned(claims) });
      const answer = await comeBack('c');
      assert.equal(answer.status, 401, answer.text);
      assert.equal(await reasonOf(server, answer), reason, JSON.stringify(claims));
    }
  });

  test('takes a token of its own signer and client only, as the first proof and as the second', async () => {
    await using idp = await startTestIdp();
    const client = await from('203.0.113.4');
    const keys = { issuer: provider.issuer, jwksEndpoint: idp.jwksEndpoint };
    const [one, two] = await Promise.all(
      ['one', 'two'].map((audience) =>
        createSigner(admin, keys, audience, {
          ...{ audience, clientId: audience, externalAuthUrl: provider.issuer, targetToken: 'ID' },
        }),
      ),
    );
    await createSigner(admin, idp, 'other', { audience: 'other', targetToken: 'ID' });
    await createIdentity(server, 'ana');
    const policy = await createPolicy(server, 'both', { secondary: { requireExtJwt: String(two) } });
    await createUserWithPolicy(server, 'bob', policy);
    for (const [signer, person, issuer, audience, reason, changes] of [
      [one, 'ana', provider.issuer, 'one', null],
      [one, 'ana', provider.issuer, 'one', null, { aud: ['one', 'three'], azp: 'one' }],
      [one, 'ana', provider.issuer, 'one', 'provider-refused', { aud: ['one', 'three'], azp: 'three' }],
      [one, 'ana', provider.issuer, 'one', 'provider-refused', { azp: ['one'] }],
      [one, 'ana', provider.issuer, 'two', 'token-audience'],
      [one, 'ana', idp.issuer, 'other', 'no-signer-for-issuer'],
      [two, 'bob', provider.issuer, 'two', null],
      [one, 'bob', provider.issuer, 'two', 'secondary-token-missing'],
    ] as const) {
      const second = person === 'bob' ? { username: person } : {};
      const { comeBack, nonce } = await begunVisit(client, { signer: String(signer), ...second });
      const claims = goodClaims({ issuer, audience, subject: `${person}@idp` }, server.clock);
      const idToken = await idp.sign({ ...claims, nonce, ...changes });
      provider.answerWith({ token_type: 'Bearer', id_token: idToken });
      const answer = await comeBack('c');
      assert.equal(answer.status, reason === null ? 302 : 401, answer.text);
      assert.equal(await reasonOf(server, answer), reason);
    }
  });

  test('passes on how old the login may be, for both proofs', async () => {
    const client = await from('203.0.113.6');
    const idp = { issuer: provider.issuer, jwksEndpoint: provider.jwksEndpoint };
    const second = await createSigner(admin, idp, 'second', {
      ...{ audience: 'second', clientId: 'second', externalAuthUrl: provider.issuer },
    });
    const policy = await createPolicy(server, 'aged', { secondary: { requireExtJwt: second } });
    await createUserWithPolicy(server, 'cyd', policy);
    for (const [wants, maxAge] of [
      [{}, null],
      [{ max_age: '60' }, '60'],
      [{ prompt: 'login' }, '0'],
      [{ prompt: 'login', max_age: '60' }, '0'],
    ] as const) {
      assert.equal((await begunVisit(client, { wants })).maxAge, maxAge, JSON.stringify(wants));
      const visit = await begunVisit(client, { signer: second, username: 'cyd', wants });
      assert.equal(visit.maxAge, maxAge, JSON.stringify(wants));
    }
  });

  test('to one that knew the person already is no fresh proof', async () => {
    await using idp = await startTestIdp();
    const client = await from('203.0.113.7');
    const keys = { issuer: provider.issuer, jwksEndpoint: idp.jwksEndpoint };
    const audience = 'remembers';
    const signer = await createSigner(admin, keys, audience, {
      ...{ audience, clientId: audience, externalAuthUrl: provider.issuer, targetToken: 'ID' },
    });
    await createIdentity(server, 'dee');
    const now = Math.floor(server.clock.now() / 1000);
    for (const [said, authTime] of [
      [now - 3600.5, now - 3601],
      [now + 3600, null],
      ['yesterday', null],
      [undefined, null],
    ] as const) {
      const { comeBack, nonce } = await begunVisit(client, { signer });
      const claims = goodClaims({ issuer: provider.issuer, audience, subject: 'dee@idp' }, server.clock);
      const id = { ...claims, nonce, ...(said === undefined ? {} : { auth_time: said }) };
      provider.answerWith({ token_type: 'Bearer', id_token: await idp.sign(id) });
      const tokens = (await redeem(client, codeOf(await comeBack('c')))).json;
      const known = claimsOf(tokens.id_token);
      if (authTime === null) assert.ok(known.iat - known.auth_time < 5, JSON.stringify(known));
      else assert.equal(known.auth_time, authTime);
      const asked = await client.post('/edge/client/v1/current-identity/mfa', {
        json: {},
        headers: { authorization: `Bearer ${tokens.access_token}` },
      });
      assert.equal(asked.status, authTime === null ? 201 : 401, asked.text);
    }
  });

  test('leads to no address of this service, where it would count as a step from our own page', async () => {
    await using idp = await startTestIdp();
    const self = `${server.url}/oidc/login/ext-jwt/visit?step=primary&signer=${signerId}`;
    idp.describe({ authorization_endpoint: self, token_endpoint: `${idp.issuer}/token` });
    const more = { externalAuthUrl: idp.issuer, clientId: 'overlay' };
    const signer = await createSigner(admin, idp, 'Mirror', more);
    const left = await leave(cookieBrowser(await from('203.0.113.5')), { signer });
    assert.equal(left.status, 503, left.text);
    assert.equal(await reasonOf(server, left), 'provider-unavailable');
  });

  test('brings neither its code nor its verifier to another provider to which the signer was led meanwhile', async () => {
    const other = await stubProvider();
    ends.push(() => other.close());
    const signer = await createSigner(admin, provider, 'Moved', {
      ...{ audience: 'moved', clientId: 'moved', externalAuthUrl: provider.issuer },
    });
    const begin = async (ip: string) => (await begunVisit(await from(ip), { signer })).comeBack;
    const [silent, lying] = [await begin('203.0.113.13'), await begin('203.0.113.15')];
    const { issuer, jwksEndpoint } = other;
    const moved = { issuer, jwksEndpoint, externalAuthUrl: issuer };
    assert.equal((await admin.call('PATCH', `external-jwt-signers/${signer}`, moved)).status, 200);
    for (const answer of [await silent('of-the-first'), await lying('of-the-first', { iss: issuer })]) {
      assert.equal(answer.status, 401, answer.text);
      assert.equal(await reasonOf(server, answer), 'provider-refused');
    }
    assert.deepEqual([provider.codes, other.codes], [[], []]);
  });

  test('that finds its signer switched off leads back to the other ways to sign in', async () => {
    const signer = await createSigner(admin, provider, 'Going', {
      ...{ audience: 'going', clientId: 'going', externalAuthUrl: provider.issuer },
    });
    const { comeBack } = await begunVisit(await from('203.0.113.14'), { signer });
    await admin.call('PATCH', `external-jwt-signers/${signer}`, { enabled: false });
    const answer = await comeBack('c');
    assert.equal(answer.status, 404);
    assert.match(answer.text, /id="go-on" class="button" href="\/oidc\/login\/ext-jwt\?authRequestID=/);
    assert.deepEqual(provider.codes, []);
  });

  test('works once, however often its answer comes at once', async () => {
    const comeBack = await visitFrom(await from('203.0.113.1'));
    const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => comeBack(`c${at}`)));
    assert.equal(provider.codes.length, 1);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [400, 400, 400, 400, 400, 401]);
    assert.equal((await comeBack('again')).status, 400);
    assert.equal(provider.codes.length, 1);
  });

  test('is not kept from others by a client that sends made-up codes', async () => {
    for (const [attackers, honest] of [
      [['203.0.113.7'], '198.51.100.1'],
      [['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:1:4::1'], '2001:db8:2::1'],
    ] as const) {
      const clients = await Promise.all(attackers.map(from));
      const visits = await Promise.all(
        Array.from({ length: 40 }, (_, at) => visitFrom(clients[at % clients.length] as never)),
      );
      const comeBack = await visitFrom(await from(honest));
      const letGo = provider.hold();
      const busy: Answer[] = [];
      const junk = visits.map(async (visit) => {
        const answer = await visit('junk');
        if (answer.headers['retry-after'] === '3') busy.push(answer);
      });
      // The others have been refused when all places are taken.
      await until(patience, () => provider.codes.length + busy.length >= 40);
      assert.ok(busy.length >= 24, `${busy.length}`);
      const mine = comeBack('honest');
      await until(patience, () => provider.codes.includes('honest'));
      letGo();
      await Promise.all([mine, ...junk]);
      provider.codes.splice(0);
    }
  });

  test('that was refused for lack of a place works later', async () => {
    const client = await from('203.0.113.9');
    const visits = await Promise.all(Array.from({ length: 9 }, () => visitFrom(client)));
    const letGo = provider.hold();
    const first = visits.slice(0, 8).map((visit) => visit('first'));
    await until(patience, () => provider.codes.length >= 8);
    const refused = await visits[8]?.('late');
    assert.equal(refused?.headers['retry-after'], '3');
    letGo();
    await Promise.all(first);
    await visits[8]?.('late');
    assert.ok(provider.codes.includes('late'));
  });

  test('is refused after hundreds of made-up codes from one source, and only there', async () => {
    const client = await from('203.0.113.11');
    const visits = await Promise.all(Array.from({ length: 8 }, () => visitFrom(client)));
    for (let sent = 0; sent < 300; ) {
      const some =
        sent === 0 ? visits : await Promise.all(Array.from({ length: 4 }, () => visitFrom(client)));
      await Promise.all(some.map((visit) => visit('junk')));
      sent += some.length;
    }
    assert.equal((await (await visitFrom(client))('junk')).status, 429);
    const before = provider.codes.length;
    await (await visitFrom(await from('203.0.113.12')))('other');
    assert.equal(provider.codes.length, before + 1);
  });
});
