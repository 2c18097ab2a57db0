// What a third-party authority has revoked ends on every node and thread, whichever of them fetched the list.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SECOND } from '../../src/platform/clock.ts';
import {
  certificateLogin,
  giveCertificate,
  registerCa,
  submitCertificate,
  withCertificate,
} from '../support/certificates.ts';
import { authority, client } from '../support/chains.ts';
import { createIdentity } from '../support/external-jwt.ts';
import { callWith } from '../support/flow.ts';
import { rootOf } from '../support/management.ts';
import { postgresServer } from '../support/postgres.ts';
import { type RevocationServer, revocationList, startRevocationServer } from '../support/revocation.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { patience, until } from '../support/until.ts';

let nodes: TestServer[] = [];
let lists: RevocationServer;
before(async () => {
  const db = await (await postgresServer()).createDatabase();
  lists = await startRevocationServer();
  nodes = [await startTestServer({ db, threads: 2 })];
  nodes.push(await startTestServer({ db, threads: 2 }));
});
after(async () => {
  for (const node of nodes) await node.close();
  await lists.close();
});

test('ends on every node and thread at the next call after one of them has the list', async () => {
  const [first, second] = nodes as [TestServer, TestServer];
  const ca = authority();
  const leaf = client({ issuer: ca });
  lists.serves.set('/ca.crl', revocationList({ issuer: ca }));
  const admin = await rootOf(first);
  await giveCertificate(first, await createIdentity(first, 'erin', { externalId: null }), leaf);
  const id = await registerCa(admin, ca, { revocation: { mode: 'hard', crlUrls: [`${lists.url}/ca.crl`] } });

  // Several connections, so that each thread has some.
  const sessions = await Promise.all(
    [first, second, first, second, first, second].map(async (server) => {
      const connection = withCertificate(server, leaf);
      // The other node may not have read of the authority yet.
      await until(patience, async () => (await submitCertificate(connection)).status === 302);
      const { access_token: token } = await certificateLogin(connection);
      assert.equal((await callWith(connection, token)).status, 200);
      return { connection, token };
    }),
  );
  const asked = lists.asked.length;
  assert.ok(asked <= 2, `${asked} fetches`);
  lists.serves.set('/ca.crl', revocationList({ issuer: ca, number: 2, revoked: [leaf] }));
  // Another field of the authority: the list is not due yet, so the address is named anew.
  const crlUrls = [`${lists.url}/ca.crl?2`];
  lists.serves.set('/ca.crl?2', lists.serves.get('/ca.crl') as Buffer);
  assert.equal((await admin.call('PATCH', `cas/${id}`, { revocation: { crlUrls } })).status, 200);
  for (const { connection, token } of sessions) {
    await until(5 * SECOND, async () => (await callWith(connection, token)).status === 401);
    connection.closeConnections();
  }
});
