// Where trust in certificates comes from, and that a login in progress ends with it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PkiFileError } from '../../src/controller/overlay-pki.ts';
import { sha256 } from '../../src/platform/digest.ts';
import { assertNoSession, clientRoot, sessionOf } from '../legacy/support.ts';
import {
  certificateLogin,
  giveCertificate,
  type Issuer,
  overlayRoot,
  registerCa,
  submitCertificate,
  withCertificate,
} from '../support/certificates.ts';
import {
  authority,
  authorityExtensions,
  authorityKeyId,
  client,
  clientExtensions,
  type Made,
  subjectKeyId,
} from '../support/chains.ts';
import { createIdentity, createPolicy, reasonOf } from '../support/external-jwt.ts';
import { beginLogin, callWith } from '../support/flow.ts';
import { rootOf } from '../support/management.ts';
import { listPem, revocationList } from '../support/revocation.ts';
import { startTestServer } from '../support/test-server.ts';
import { scan } from '../support/totp.ts';

test('a reload replaces the authorities of the overlay', async () => {
  await using server = await startTestServer();
  const fresh = authority();
  const leaf = client({ issuer: fresh });
  await giveCertificate(server, await createIdentity(server, 'moved'), leaf);
  using connection = withCertificate(server, leaf);
  assert.equal((await submitCertificate(connection)).status, 401);
  const file = join(server.home, 'ca.pem');
  // A leaf certificate among the authorities is skipped, with a warning.
  writeFileSync(file, fresh.certPem + client().certPem);
  await server.controller.reload();
  assert.equal((await submitCertificate(connection)).status, 302);
  writeFileSync(file, 'nonsense');
  await assert.rejects(server.controller.reload(), PkiFileError);
  assert.equal((await submitCertificate(connection)).status, 302);
});

test('the authority that enrollment signs with is trusted like the others', async () => {
  const root = authority();
  const signing = authority({ issuer: root }, authorityExtensions(0));
  const home = mkdtempSync(join(tmpdir(), 'overlay-auth-test-'));
  writeFileSync(join(home, 'signing.pem'), signing.certPem);
  writeFileSync(join(home, 'signing.key'), signing.keyPem);
  const signingCert = 'signingCert: { cert: signing.pem, key: signing.key }';
  await using server = await startTestServer({
    home,
    configure: (yaml) => yaml.replace(/# signingCert:.*/, signingCert),
  });
  const leaf = client({ issuer: signing });
  await giveCertificate(server, await createIdentity(server, 'signed'), leaf);
  using connection = withCertificate(server, leaf);
  assert.equal((await submitCertificate(connection)).status, 302);
});

test('a login that waits for its second factor ends when the authority is disabled', async () => {
  await using server = await startTestServer();
  const admin = await rootOf(server);
  const ca = authority();
  const caId = await registerCa(admin, ca);
  const authPolicyId = await createPolicy(server, 'totp', { secondary: { requireTotp: true } });
  const leaf = client({ issuer: ca });
  await giveCertificate(server, await createIdentity(server, 'waits', { authPolicyId }), leaf);
  using connection = withCertificate(server, leaf);
  const authRequestId = await beginLogin(connection);
  const first = await connection.post('/oidc/login/cert', { json: { authRequestId } });
  assert.equal(first.status, 200, first.text);
  assert.equal(first.headers['totp-required'], 'true');
  const started = await connection.post('/oidc/login/totp/enroll', { json: { authRequestId } });
  assert.equal(started.status, 201, started.text);
  await admin.call('PATCH', `cas/${caId}`, { isAuthEnabled: false });
  const code = scan(server.clock, started.json.provisioningUrl).code();
  const refused = await connection.post('/oidc/login/totp/enroll/verify', {
    json: { authRequestId, code },
  });
  assert.equal(refused.status, 401, refused.text);
  assert.equal(await reasonOf(server, refused), 'changed-meanwhile');
});

describe('an authority that is switched off lets nobody in by way of another one that is trusted', () => {
  /** An authority to register, and its certificate as a client sends it, of another authority. */
  type Below = (other: Issuer) => readonly [registered: Made, sent: Made];
  const below: Below = (other) => {
    const ca = authority({ issuer: other });
    return [ca, ca];
  };
  const crossCertified: Below = (other) => {
    const ca = authority();
    return [ca, authority({ issuer: other, subject: ca.name, keys: ca.keys })];
  };
  const ways: readonly [name: string, way: Below, isOverlay: boolean][] = [
    ["below the overlay's root", below, true],
    ["cross-certified by the overlay's root", crossCertified, true],
    ['below another third-party authority', below, false],
    ['cross-certified by another third-party authority', crossCertified, false],
  ];
  for (const [name, way, isOverlay] of ways) {
    test(name, async () => {
      await using server = await startTestServer();
      const admin = await rootOf(server);
      const other = authority();
      if (!isOverlay) await registerCa(admin, other);
      const [ca, sent] = way(isOverlay ? await overlayRoot() : other);
      const caId = await registerCa(admin, ca);
      const leaf = client({ issuer: ca });
      await giveCertificate(server, await createIdentity(server, 'person'), leaf);
      using connection = withCertificate(server, leaf, sent);
      const tokens = await certificateLogin(connection);
      const opened = await connection.post(`${clientRoot}/authenticate?method=cert`, { json: {} });
      const session = sessionOf(server, opened);
      assert.equal((await session.get('current-identity')).status, 200);
      await admin.call('PATCH', `cas/${caId}`, { isAuthEnabled: false });
      const refused = await submitCertificate(connection);
      assert.equal(refused.status, 401, refused.text);
      assert.equal(await reasonOf(server, refused), 'ca-auth-off');
      assert.equal((await callWith(connection, tokens.access_token)).status, 401);
      assertNoSession(await session.get('current-identity'));
      await admin.call('PATCH', `cas/${caId}`, { isAuthEnabled: true });
      assert.equal((await submitCertificate(connection)).status, 302);
    });
  }
});

describe('two registered authorities with one name and key, as after a renewal', () => {
  const claim = { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE' };
  for (const [order, inOrder] of [
    ['in this order', <T>(all: T[]) => all],
    ['in the other order', <T>(all: T[]) => all.toReversed()],
  ] as const) {
    test(`refuse what the one that asks about revocation knows to be revoked, registered ${order}`, async () => {
      await using server = await startTestServer();
      const admin = await rootOf(server);
      const ca = authority();
      const [names, keyId] = [{ subject: ca.name, keys: ca.keys }, subjectKeyId(ca.keys)];
      const renewed = authority(names, authorityExtensions(undefined, keyId));
      const issued = () => client({ issuer: ca }, clientExtensions(authorityKeyId(ca.keys)));
      const [revoked, good] = [issued(), issued()];
      const crlPem = listPem(revocationList({ issuer: ca, revoked: [revoked] }));
      const kinds = [
        { ca, revocation: { mode: 'hard', crlPem } },
        { ca: renewed, revocation: { mode: 'off' } },
      ];
      for (const { ca, ...more } of inOrder(kinds)) await registerCa(admin, ca, more);
      for (const leaf of [revoked, good])
        await giveCertificate(server, await createIdentity(server, sha256(leaf.der)), leaf);
      using thief = withCertificate(server, revoked);
      const refused = await submitCertificate(thief);
      assert.equal(refused.status, 401, refused.text);
      assert.equal(await reasonOf(server, refused), 'certificate-revoked');
      using owner = withCertificate(server, good);
      assert.equal((await submitCertificate(owner)).status, 302);
    });

    test(`let in by the rule of the one that has one, registered ${order}`, async () => {
      await using server = await startTestServer();
      const admin = await rootOf(server);
      const ca = authority();
      const renewed = authority({ subject: ca.name, keys: ca.keys });
      const kinds = [
        { ca, externalIdClaim: null },
        { ca: renewed, externalIdClaim: claim },
      ];
      for (const { ca, ...more } of inOrder(kinds)) await registerCa(admin, ca, more);
      await createIdentity(server, 'named', { externalId: 'drill' });
      using connection = withCertificate(server, client({ issuer: ca, subject: 'drill' }));
      const answer = await submitCertificate(connection);
      assert.equal(answer.status, 302, answer.text);
    });
  }
});

test('a controller does not start with a signing key that does not belong to its certificate', async () => {
  const home = mkdtempSync(join(tmpdir(), 'overlay-auth-test-'));
  writeFileSync(join(home, 'signing.pem'), authority().certPem);
  writeFileSync(join(home, 'signing.key'), authority().keyPem);
  const signingCert = 'signingCert: { cert: signing.pem, key: signing.key }';
  await assert.rejects(
    startTestServer({ home, configure: (yaml) => yaml.replace(/# signingCert:.*/, signingCert) }),
    (error) =>
      error instanceof PkiFileError && /signing\.key\): the private key does not/.test(error.message),
  );
  rmSync(home, { recursive: true });
});
