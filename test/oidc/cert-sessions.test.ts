// What a login by certificate leaves behind: refresh tokens bound to the certificate, and TLS sessions that resume.

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import type { IdentityId } from '../../src/model/ids.ts';
import { DAY, HOUR, MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { sha256 } from '../../src/platform/digest.ts';
import { rememberIntermediates } from '../../src/platform/x509/known-intermediates.ts';
import { auditedBy } from '../support/audit.ts';
import {
  certificateLogin,
  enrolled,
  giveCertificate,
  overlayRoot,
  registerCa,
  submitCertificate,
  withCertificate,
} from '../support/certificates.ts';
import {
  authority,
  client,
  clientExtensions,
  generalName,
  type Made,
  newKeys,
  subjectAltName,
} from '../support/chains.ts';
import { csrPem, ecKeys } from '../support/csr.ts';
import { createIdentity, createPolicy, reasonOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, claimsOf, codeOf, redeem, refresh } from '../support/flow.ts';
import { freePort } from '../support/free-port.ts';
import { type Answer, type HttpsClient, httpsClient } from '../support/https-client.ts';
import { type Caller, loggedIn, rootOf } from '../support/management.ts';
import { sized } from '../support/size.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
let admin: Caller;
const server = await serverOfFile({ clock, signing: true });
admin = await rootOf(server);
const root = await overlayRoot();

let count = 0;
function newIdentity(more: Parameters<typeof createIdentity>[2] = {}): Promise<IdentityId> {
  count += 1;
  return createIdentity(server, `identity ${count}`, { externalId: null, ...more });
}

function assertInvalidGrant(answer: Answer): void {
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.json.error, 'invalid_grant');
}

async function refreshed(connection: HttpsClient, token: string): Promise<string> {
  // After the time in which a second use of a token counts as a repeated request.
  clock.advance(3 * SECOND);
  const answer = await refresh(connection, token);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.refresh_token;
}

describe('a refresh token of a login by certificate', () => {
  test('works with that certificate only, and another attempt uses nothing up', async () => {
    const connection = withCertificate(server, await enrolled(server, await newIdentity()));
    const other = withCertificate(server, await enrolled(server, await newIdentity()));
    let { refresh_token: token } = await certificateLogin(connection);
    for (const elsewhere of [server, other]) {
      const refused = await refresh(elsewhere, token);
      assertInvalidGrant(refused);
      // With several threads, lines come after the answer.
      await server.controller.services.attempts.flush();
      assert.deepEqual(
        auditedBy(server, refused).map(({ event, reason }) => [event, reason]),
        [['refresh.refused', 'wrong-binding']],
      );
    }
    token = await refreshed(connection, token);
    // Another connection with the same certificate will do.
    await refreshed(connection, token);
    for (const each of [connection, other]) each.closeConnections();
  });

  test('stops working once its authority is disabled, and works again when it is enabled', async () => {
    const ca = authority();
    const id = await registerCa(admin, ca);
    const leaf = client({ issuer: ca });
    await giveCertificate(server, await newIdentity(), leaf);
    using connection = withCertificate(server, leaf);
    const { refresh_token: token, access_token } = await certificateLogin(connection);
    await admin.call('PATCH', `cas/${id}`, { isAuthEnabled: false });
    for (let time = 0; time < 2; time += 1) {
      const refused = await refresh(connection, token);
      assertInvalidGrant(refused);
      assert.equal(await reasonOf(server, refused), 'ca-auth-off');
      const [event] = auditedBy(server, refused);
      assert.deepEqual([event?.reason, event?.sessionId], ['certificate', claimsOf(access_token).z_asid]);
    }
    await admin.call('PATCH', `cas/${id}`, { isAuthEnabled: true });
    await refreshed(connection, token);
  });

  test("stops working when the authority's rule leads to another identity", async () => {
    const ca = authority();
    const externalIdClaim = { location: 'SAN_EMAIL', matcher: 'ALL', parser: 'NONE' };
    await registerCa(admin, ca, { externalIdClaim });
    const name = subjectAltName(generalName.email('moved@example.com'));
    using connection = withCertificate(server, client({ issuer: ca }, clientExtensions(name)));
    const before = await newIdentity({ externalId: 'moved@example.com' });
    const { refresh_token: token } = await certificateLogin(connection);
    await server.store.identities.update(before, { externalId: null }, clock.now());
    assertInvalidGrant(await refresh(connection, token));
    await newIdentity({ externalId: 'moved@example.com' });
    const refused = await refresh(connection, token);
    assertInvalidGrant(refused);
    assert.equal(await reasonOf(server, refused), 'changed-meanwhile');
    const [record] = await server.store.loginAttempts.findByReference(
      String(refused.headers['x-request-id']),
    );
    assert.deepEqual([record?.step, record?.mechanism], ['cert', 'oidc']);
    const saw = 'the certificate belongs to another identity than before';
    assert.deepEqual(record?.checks.at(-1), { check: 'identity', verdict: 'failed', saw });
  });

  test('stops working when the certificate, the identity or the policy is gone', async () => {
    const changes: [
      string,
      (id: IdentityId, leaf: Awaited<ReturnType<typeof enrolled>>) => Promise<unknown>,
    ][] = [
      ['deleted', (_id, leaf) => admin.call('DELETE', `authenticators/${leaf.authenticatorId}`)],
      ['disabled', (id) => admin.call('POST', `identities/${id}/disable`, {})],
      [
        'barred',
        async (id) => {
          const cert = { allowed: false, allowExpiredCerts: false };
          const authPolicyId = await createPolicy(server, 'barred', { primary: { cert } });
          await server.store.identities.update(id, { authPolicyId }, clock.now());
        },
      ],
    ];
    for (const [name, change] of changes) {
      const id = await newIdentity();
      const leaf = await enrolled(server, id);
      using connection = withCertificate(server, leaf);
      const { refresh_token: token } = await certificateLogin(connection);
      await change(id, leaf);
      const refused = await refresh(connection, token);
      assert.equal(refused.status, 400, name);
      assertInvalidGrant(refused);
    }
  });

  test('works until the certificate expires, or longer when the policy allows that', async () => {
    const cert = { allowed: true, allowExpiredCerts: true };
    const lenient = await createPolicy(server, 'lenient', { primary: { cert } });
    const strictOnes = await enrolled(server, await newIdentity(), { until: 10 * MINUTE });
    const lenientOnes = await enrolled(server, await newIdentity({ authPolicyId: lenient }), {
      until: 10 * MINUTE,
    });
    const strict = withCertificate(server, strictOnes);
    const forgiving = withCertificate(server, lenientOnes);
    let [strictToken, forgivingToken] = [
      (await certificateLogin(strict)).refresh_token,
      (await certificateLogin(forgiving)).refresh_token,
    ];
    strictToken = await refreshed(strict, strictToken);
    forgivingToken = await refreshed(forgiving, forgivingToken);
    clock.advance(11 * MINUTE);
    const refused = await refresh(strict, strictToken);
    assertInvalidGrant(refused);
    assert.equal(await reasonOf(server, refused), 'certificate-expired');
    await refreshed(forgiving, forgivingToken);
    for (const each of [strict, forgiving]) each.closeConnections();
  });
});

test('the certificate that a refresh without offline_access brings ends with what this refresh has added', async () => {
  using connection = withCertificate(server, await enrolled(server, await newIdentity()));
  const { refresh_token: token } = await certificateLogin(connection);
  clock.advance(HOUR);
  const { json } = await refresh(connection, token, { scope: 'openid', csr_pem: csrPem(ecKeys()) });
  assert.equal(new X509Certificate(json.session_cert).validToDate.getTime(), clock.now() + DAY);
});

/** One connection, with the TLS session of an earlier one and with a certificate, if given. */
async function open(
  url: string,
  options: {
    readonly session?: Buffer | undefined;
    readonly leaf?: Made | undefined;
    readonly sent?: Made[];
  },
): Promise<{
  socket: TLSSocket;
  session: Promise<Buffer>;
  post: (path: string, body: object) => Promise<number>;
}> {
  const { port } = new URL(url);
  const { session, leaf, sent = [] } = options;
  const socket = connect({
    host: '127.0.0.1',
    port: Number(port),
    servername: 'localhost',
    ca: server.caPem,
    ...(session === undefined ? {} : { session }),
    ...(leaf === undefined
      ? {}
      : { cert: [leaf, ...sent].map(({ certPem }) => certPem).join(''), key: leaf.keyPem }),
  });
  const ticket = once(socket, 'session').then(([bytes]) => bytes as Buffer);
  await once(socket, 'secureConnect');
  return {
    socket,
    session: ticket,
    async post(path, body) {
      const text = JSON.stringify(body);
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
      );
      let answer = '';
      for await (const chunk of socket) answer += String(chunk);
      return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
    },
  };
}

async function loginOver(connection: Awaited<ReturnType<typeof open>>, at: HttpsClient): Promise<number> {
  return connection.post('/oidc/login/cert', { authRequestId: await beginLogin(at) });
}

test('an access token of a certificate is worth nothing on a connection without it, at every API', async () => {
  const id = await newIdentity();
  await server.store.identities.update(id, { isAdmin: true }, clock.now());
  const leaf = await enrolled(server, id);
  const connection = withCertificate(server, leaf);
  const { access_token: token } = await certificateLogin(connection);
  const sameKey = client({ issuer: root, keys: leaf.keys });
  const ends = [
    withCertificate(server, await enrolled(server, await newIdentity())),
    withCertificate(server, sameKey),
    server,
  ];
  // Headers of proxies that end TLS: this service ends it itself, and believes none of them.
  const pem = encodeURIComponent(leaf.certPem);
  const headers = {
    authorization: `Bearer ${token}`,
    'x-forwarded-client-cert': `Hash=${leaf.der.toString('hex')};Cert="${pem}"`,
    'x-ssl-client-cert': pem,
    'client-cert': `:${leaf.der.toString('base64')}:`,
  };
  const calls: readonly (readonly [string, (at: HttpsClient) => Promise<Answer>])[] = [
    ['the client API', (at) => at.get('/edge/client/v1/current-identity', { headers })],
    ['the management API', (at) => at.get('/edge/management/v1/identities', { headers })],
    ['userinfo', (at) => at.get('/oidc/userinfo', { headers })],
    ['introspection', (at) => at.post('/oidc/introspect', { headers, form: { token } })],
  ];
  for (const [what, call] of calls) {
    assert.equal((await call(connection)).status, 200, what);
    for (const [at, elsewhere] of ends.entries())
      assert.equal((await call(elsewhere)).status, 401, `${what} ${at}`);
  }
  for (const each of [connection, ...ends.slice(0, 2)]) each.closeConnections();
});

describe('a TLS session that resumes', () => {
  test('logs in like the full handshake, and everything is checked again', async () => {
    const intermediate = authority({ issuer: root });
    const leaf = client({ issuer: intermediate });
    const authenticatorId = await giveCertificate(server, await newIdentity(), leaf);
    const first = await open(server.url, { leaf, sent: [intermediate] });
    assert.equal(await loginOver(first, server), 302);
    const session = await first.session;
    first.socket.destroy();

    const second = await open(server.url, { session });
    assert.equal(second.socket.isSessionReused(), true);
    assert.equal(await loginOver(second, server), 302);
    admin = await loggedIn(server, 'root');
    await admin.call('DELETE', `authenticators/${authenticatorId}`);
    second.socket.destroy();
    const third = await open(server.url, { session });
    assert.equal(third.socket.isSessionReused(), true);
    assert.equal(await loginOver(third, server), 401);
    third.socket.destroy();
  });

  test('knows the certificates of the first handshake on whichever thread it resumes, also on one that replaces another', async () => {
    await using two = await startTestServer({ threads: 2 });
    const intermediate = authority({ issuer: root });
    const leaf = client({ issuer: intermediate });
    await giveCertificate(two, await createIdentity(two, 'device', { externalId: null }), leaf);
    const first = await open(two.url, { leaf, sent: [intermediate] });
    assert.equal(await loginOver(first, two), 302);
    const session = await first.session;
    first.socket.destroy();
    await two.controller.services.attempts.flush();
    const resumeOften = async () => {
      // The system spreads connections over the threads.
      for (let time = 0; time < 16; time += 1) {
        const { socket, ...again } = await open(two.url, { session });
        assert.equal(socket.isSessionReused(), true);
        assert.equal(await loginOver({ socket, ...again }, two), 302);
        socket.destroy();
      }
    };
    await resumeOften();
    await two.workers[0]?.terminate();
    await until(60_000, async () => two.log.entries.some(({ fields }) => fields.event === 'thread.replaced'));
    await resumeOften();
  });

  test('keeps the certificates of a login, however many strangers send made-up ones', async () => {
    const intermediate = authority({ issuer: root });
    const leaf = client({ issuer: intermediate });
    await giveCertificate(server, await newIdentity(), leaf);
    const first = await open(server.url, { leaf, sent: [intermediate] });
    assert.equal(await loginOver(first, server), 302);
    const session = await first.session;
    first.socket.destroy();
    const unseen = authority();
    const keys = newKeys.ec();
    // Twice as many as are remembered. The same without a handshake is faster, and enough at the small size.
    for (let time = 0; time < 2000; time += 1) {
      const made = client({ issuer: unseen, keys });
      if (time % sized({ small: 100, full: 1 }) > 0) {
        const leafThumbprint = sha256(made.der);
        rememberIntermediates({ leafThumbprint, certificates: [unseen.der], areTrusted: false });
        continue;
      }
      const stranger = await open(server.url, { leaf: made, sent: [unseen] });
      // The server sends it at the end of its handshake.
      await stranger.session;
      stranger.socket.destroy();
    }
    const again = await open(server.url, { session });
    assert.equal(again.socket.isSessionReused(), true);
    assert.equal(again.socket.getProtocol(), 'TLSv1.3');
    assert.equal(await loginOver(again, server), 302);
    again.socket.destroy();
  });

  test('provides no certificate to another listener', async () => {
    const port = await freePort();
    const address = `localhost:${port}`;
    const two = await startTestServer({
      configure: (yaml) =>
        yaml.replace(
          /^web:.*\n/m,
          `web:\n  - name: second\n    bindPoints: [{ interface: "127.0.0.1:${port}", address: "${address}" }]\n` +
            '    apis: [{ binding: edge-client }]\n',
        ),
    });
    const second = httpsClient(`https://${address}`, two.caPem);
    try {
      // Listeners are opened in the order of the configuration.
      const first = `https://${two.controller.bindPoints.at(-1)?.address}`;
      assert.notEqual(first, `https://${address}`);
      using at = httpsClient(first, two.caPem);
      const id = await createIdentity(two, 'somebody', { externalId: null });
      const leaf = client({ issuer: root });
      await giveCertificate(two, id, leaf);
      const full = await open(first, { leaf });
      assert.equal(await loginOver(full, at), 302);
      const session = await full.session;
      full.socket.destroy();
      const elsewhere = await open(`https://${address}`, { session });
      assert.equal(elsewhere.socket.isSessionReused(), false);
      assert.equal(await loginOver(elsewhere, second), 401);
      elsewhere.socket.destroy();
      // The ticket was valid all the same.
      const again = await open(first, { session });
      assert.equal(again.socket.isSessionReused(), true);
      assert.equal(await loginOver(again, at), 302);
      again.socket.destroy();
    } finally {
      second.closeConnections();
      await two.close();
    }
  });
});

test("a session that a third-party authority's certificate opened does not work while the authority is disabled, or once it is gone", async () => {
  const ca = authority();
  const id = await registerCa(admin, ca);
  const leaf = client({ issuer: ca });
  await giveCertificate(server, await newIdentity(), leaf);
  using connection = withCertificate(server, leaf);
  const tokens = await certificateLogin(connection);
  const opened = await connection.post('/edge/client/v1/authenticate?method=cert', { json: {} });
  assert.equal(opened.status, 200, opened.text);
  const path = '/edge/client/v1/current-identity';
  const calls = async () => {
    const oidc = await connection.get(path, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    const legacy = await connection.get(path, { headers: { 'zt-session': opened.json.data.token } });
    return [oidc.status, legacy.status];
  };
  assert.deepEqual(await calls(), [200, 200]);
  await admin.call('PATCH', `cas/${id}`, { isAuthEnabled: false });
  assert.deepEqual(await calls(), [401, 401]);
  await admin.call('PATCH', `cas/${id}`, { isAuthEnabled: true });
  assert.deepEqual(await calls(), [200, 200]);
  assert.equal((await admin.call('DELETE', `cas/${id}`)).status, 200);
  assert.deepEqual(await calls(), [401, 401]);
});

describe('the code of a login by certificate', () => {
  test('is redeemed only on a connection with that certificate, and no session certificate is issued before', async () => {
    const leaf = await enrolled(server, await newIdentity());
    const connection = withCertificate(server, leaf);
    const other = withCertificate(server, await enrolled(server, await newIdentity()));
    const answer = await submitCertificate(connection);
    const code = codeOf(answer);
    for (const elsewhere of [server, other]) {
      const refused = await redeem(elsewhere, code);
      assertInvalidGrant(refused);
      assert.match(refused.json.error_description, /a connection with that certificate/);
    }
    // Another connection with the same certificate will do.
    const again = withCertificate(server, leaf);
    assert.equal((await redeem(again, code)).status, 200);
    // A second use without the certificate is refused for that reason, and ends nothing.
    assertInvalidGrant(await redeem(server, code));
    for (const each of [connection, other, again]) each.closeConnections();
  });

  test('reveals nothing about the certificate without the verifier', async () => {
    using connection = withCertificate(server, await enrolled(server, await newIdentity()));
    const code = codeOf(await submitCertificate(connection));
    const refused = await redeem(server, code, { code_verifier: 'x'.repeat(43) });
    assertInvalidGrant(refused);
    assert.doesNotMatch(refused.json.error_description, /certificate/);
  });
});
