// Connections that are lost while the server answers a COMMIT: whether it took effect is unknown to whoever waits.

import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { codeChallengeOf } from '../../src/oidc/pkce.ts';
import { SECOND } from '../../src/platform/clock.ts';
import { csrPem, ecKeys } from '../support/csr.ts';
import { clientApi, enroll, enrolledDevice, invited } from '../support/enrollment.ts';
import { bearer, createSigner, tokenOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  callWith,
  claimsOf,
  login,
  obtainCode,
  redeem,
  redirectUri,
  refresh,
  verifier,
} from '../support/flow.ts';
import { rootOf } from '../support/management.ts';
import { postgresServer } from '../support/postgres.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import { patience, until } from '../support/until.ts';

const database = await postgresServer();
/** What a server says to a COMMIT: that it is done, and that it is ready. */
const committed = Buffer.from('430000000b434f4d4d4954005a0000000549', 'hex');

interface Loss {
  /** A text that the transaction sends, such as the id of the session that it changes. */
  readonly sent: string;
  /** How many bytes of the answer arrive. */
  readonly kept: number;
  /** Whether the server cannot be reached afterwards. */
  readonly isLast?: boolean;
}

/** Passes everything on, and loses the connection at a commit if it is told to. */
async function losingWire() {
  let loss: Loss | null = null;
  let isCut = false;
  const sockets = new Set<Socket>();
  const wire = createServer((near) => {
    if (isCut) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ path: database.socket });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    let concerns: string | null = null;
    near.on('data', (bytes: Buffer) => {
      if (loss !== null && bytes.includes(loss.sent)) concerns = loss.sent;
      far.write(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      const at = bytes.indexOf(committed);
      if (loss === null || loss.sent !== concerns || at < 0) {
        near.write(bytes);
        return;
      }
      const { kept, isLast = false } = loss;
      loss = null;
      isCut = isLast;
      near.write(bytes.subarray(0, at + kept), () => {
        near.destroy();
        if (isCut) for (const socket of sockets) socket.destroy();
      });
    });
  });
  await new Promise<void>((listening) => wire.listen(0, '127.0.0.1', listening));
  const address = wire.address();
  assert.ok(address !== null && typeof address !== 'string');
  return {
    port: address.port,
    lose(next: Loss) {
      loss = next;
    },
    hasLost: () => loss === null,
    heal() {
      isCut = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => wire.close(closed));
    },
  };
}

const wire = await losingWire();
const url = new URL(await database.createDatabase());
url.searchParams.delete('host');
url.hostname = '127.0.0.1';
url.port = String(wire.port);
const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await startTestServer({ db: url.href, clock, signing: true });
await server.createUser({ name: 'alice', password });
const admin = await rootOf(server);
after(async () => {
  await server.close();
  await wire.close();
});

test('a refresh whose COMMIT is cut off after any byte of its answer succeeds, and its token works once', async () => {
  const { access_token, refresh_token: first } = await login(server, 'alice', password);
  const sent: string = claimsOf(access_token).z_asid;
  let refresh_token = first;
  for (let kept = 0; kept <= committed.length; kept += 1) {
    wire.lose({ sent, kept });
    const answer = await refresh(server, refresh_token);
    assert.ok(wire.hasLost());
    assert.equal(answer.status, 200, `after ${kept} bytes: ${answer.text}`);
    assert.notEqual(answer.json.refresh_token, refresh_token);
    refresh_token = answer.json.refresh_token;
    assert.equal((await callWith(server, answer.json.access_token)).status, 200);
  }
  const { refresh_token: next } = (await refresh(server, refresh_token)).json;
  clock.advance(10 * SECOND);
  const stolen = await refresh(server, refresh_token);
  assert.equal(stolen.json.reason, 'reused', stolen.text);
  assert.equal((await refresh(server, next)).status, 400, 'the family ended');
});

test('a refresh of unknown outcome advises a wait after which the session still lives', async () => {
  const { access_token, refresh_token } = await login(server, 'alice', password);
  wire.lose({ sent: claimsOf(access_token).z_asid, kept: 0, isLast: true });
  const unknown = await refresh(server, refresh_token);
  assert.ok(wire.hasLost());
  assert.equal(unknown.status, 503, unknown.text);
  wire.heal();
  clock.advance(Number(unknown.headers['retry-after']) * SECOND);
  await until(patience, async () => (await callWith(server, access_token)).status !== 503);
  assert.equal((await refresh(server, refresh_token)).status, 400);
  assert.equal((await callWith(server, access_token)).status, 200, 'only the refresh token is lost');
});

test('a code whose COMMIT is cut off opens its session, which a second use ends', async () => {
  const sent = codeChallengeOf(verifier);
  for (const kept of [0, committed.length - 1]) {
    const code = await obtainCode(server, 'alice', password);
    wire.lose({ sent, kept });
    const { status, text, json } = await redeem(server, code);
    assert.ok(wire.hasLost());
    assert.equal(status, 200, `after ${kept} bytes: ${text}`);
    assert.equal((await callWith(server, json.access_token)).status, 200);
    assert.equal((await redeem(server, code)).status, 400);
    assert.equal((await callWith(server, json.access_token)).status, 401);
  }
});

test('a device gets its certificate although the COMMIT of its enrollment is cut off', async () => {
  for (const kept of [0, committed.length - 1]) {
    const { id, token } = await invited(admin);
    wire.lose({ sent: id, kept });
    assert.ok((await enrolledDevice(server, token)).certPem);
    assert.ok(wire.hasLost());
    assert.equal((await enroll(server, token, csrPem(ecKeys()))).status, 400, 'it works once');
  }
});

test('a person who enrolls with a token of a provider is not refused when the COMMIT is cut off', async (t) => {
  const idp = await startTestIdp();
  t.after(() => idp.close());
  await createSigner(admin, idp, 'idp', {
    enrollToTokenEnabled: true,
    enrollNameClaimsSelector: 'preferred_username',
  });
  for (const kept of [0, committed.length - 1]) {
    const name = `newcomer ${kept}`;
    wire.lose({ sent: name, kept });
    const token = await tokenOf(server, idp, name, { preferred_username: name });
    const enrolling = () => server.post(`${clientApi}/enroll/token`, { json: {}, headers: bearer(token) });
    const answer = await enrolling();
    assert.equal(answer.status, 200, answer.text);
    assert.ok(wire.hasLost());
    assert.equal((await enrolling()).status, 409, 'there is one identity');
  }
});

test('a login with a new program is reported although its COMMIT is cut off', async () => {
  const id = await server.createUser({ name: 'bob', password });
  const loginWith = async (program: string, kept?: number) => {
    const code = await obtainCode(server, 'bob', password);
    if (kept !== undefined) wire.lose({ sent: codeChallengeOf(verifier), kept });
    const headers = { 'user-agent': `${program}/1.0` };
    const grant = { grant_type: 'authorization_code', client_id: 'overlay', code_verifier: verifier };
    const form = { ...grant, code, redirect_uri: redirectUri };
    const answer = await server.post('/oidc/token', { form, headers });
    assert.equal(answer.status, 200, answer.text);
    clock.advance(SECOND);
  };
  await loginWith('curl');
  await loginWith('wget', 0);
  await loginWith('libfetch', committed.length - 1);
  await loginWith('wget', 0);
  const filter = encodeURIComponent(`identityId = "${id}" and event = "login.new-program" sort by at`);
  const { data } = (await admin.get(`audit-events?filter=${filter}`)).json;
  const programs = data.map((event: { details: { program: string } }) => event.details.program);
  assert.deepEqual(programs, ['wget 1.0', 'libfetch 1.0']);
});
