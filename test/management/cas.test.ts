import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { DAY, HOUR } from '../../src/platform/clock.ts';
import { sha256 } from '../../src/platform/digest.ts';
import {
  authority,
  authorityExtensions,
  basicConstraints,
  client,
  extendedKeyUsage,
  keyUsage,
  type Made,
  makeCertificate,
  newKeys,
  usageOids,
} from '../support/chains.ts';
import { verifiedClaims } from '../support/enrollment.ts';
import { createIdentity } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { assertRefused, createdId, loggedIn, rootOf } from '../support/management.ts';
import { testPki } from '../support/test-pki.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const server = await serverOfFile();
const admin = await rootOf(server);

let count = 0;
const uniqueName = () => {
  count += 1;
  return `ca ${count}`;
};
const register = async (ca: Made, more: object = {}) =>
  createdId(await admin.call('POST', 'cas', { name: uniqueName(), certPem: ca.certPem, ...more }));
const shown = async (id: string) => (await admin.get(`cas/${id}`)).json.data;

describe('the JWT of a CA', () => {
  test('says where holders of its certificates enroll, signed like other enrollment tokens', async () => {
    const made = authority();
    const id = await register(made);
    const answer = await admin.get(`cas/${id}/jwt`);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['content-type'], 'application/jwt');
    const claims = await verifiedClaims(server.url, answer.text);
    const { exp, ...rest } = claims;
    assert.deepEqual(rest, { iss: server.url, sub: id, aud: [''], jti: id, em: 'ca' });
    assert.equal(exp, Math.floor(new Date(new X509Certificate(made.certPem).validTo).getTime() / 1000));
  });

  test('is for those who read the management API', async () => {
    const id = await register(authority());
    const stranger = await server.get(`/edge/management/v1/cas/${id}/jwt`);
    assertRefused(stranger, 401, 'UNAUTHORIZED');
    assertRefused(await admin.get('cas/no-such/jwt'), 404, 'NOT_FOUND');
  });
});

describe('the network JWT at the management API', () => {
  test('is the one of the client API', async () => {
    const own = (await server.get('/edge/client/v1/network-jwts')).json.data;
    const answer = await server.get('/edge/management/v1/network-jwts');
    assert.deepEqual(
      answer.json.data.map(({ name }: { name: string }) => name),
      ['default'],
    );
    assert.equal(own.length, 1);
  });
});

describe('a CA', () => {
  test('is created with defaults, and found by its fingerprint', async () => {
    const made = authority();
    const id = await register(made);
    const document = await shown(id);
    assert.equal(document.certPem, made.certPem);
    const { fingerprint256 } = new X509Certificate(made.der);
    assert.equal(document.fingerprint, fingerprint256);
    for (const text of [fingerprint256, fingerprint256.replaceAll(':', '').toLowerCase(), sha256(made.der)]) {
      const found = await admin.get(`cas?filter=${encodeURIComponent(`fingerprint="${text}"`)}`);
      assert.deepEqual(
        found.json.data.map((each: { id: string }) => each.id),
        [id],
        text,
      );
    }
    assert.equal(document.isVerified, false);
    assert.match(document.verificationToken, /^[0-9a-f]{32}$/);
    assert.deepEqual(document._links.self, { href: `./cas/${id}` });
    const defaults = {
      isAuthEnabled: false,
      isAutoCaEnrollmentEnabled: false,
      isOttCaEnrollmentEnabled: false,
      identityRoles: [],
      identityNameFormat: '',
      externalIdClaim: null,
      tags: {},
    };
    for (const [name, value] of Object.entries(defaults)) assert.deepEqual(document[name], value, name);
  });

  test('is refused for a certificate that cannot be an authority, and the field is named', async () => {
    const good = authority();
    const { ca: own } = await testPki();
    const certificates = [
      '',
      'nonsense',
      good.keyPem,
      `${good.certPem}${authority().certPem}`,
      client().certPem,
      authority({ from: -2 * DAY, until: -HOUR }).certPem,
      authority({}, [basicConstraints(true), keyUsage('cRLSign')]).certPem,
      authority({ keys: newKeys.rsa(1024) }).certPem,
      own.certPem,
    ];
    for (const certPem of certificates) {
      const answer = await admin.call('POST', 'cas', { name: uniqueName(), certPem });
      assertRefused(answer, 'certPem');
      assert.equal(answer.json.error.cause.value, '');
    }
  });

  test('has a unique name and certificate, and keeps its certificate', async () => {
    const made = authority();
    const id = await register(made);
    const { name } = await shown(id);
    assertRefused(await admin.call('POST', 'cas', { name, certPem: authority().certPem }), 'name');
    assertRefused(await admin.call('POST', 'cas', { name: uniqueName(), certPem: made.certPem }), 'certPem');
    const other = { certPem: authority().certPem };
    assertRefused(await admin.call('PATCH', `cas/${id}`, other), 'certPem');
    assert.equal((await admin.call('PATCH', `cas/${id}`, { certPem: made.certPem })).status, 200);
  });

  test('can be changed by the document that was read, also after its certificate has expired', async (t) => {
    const { certPem } = authority({ until: HOUR });
    const clock = fixedClock(new Date().toISOString());
    const own = await startTestServer({ clock });
    t.after(() => own.close());
    const before = await rootOf(own);
    const id = createdId(await before.call('POST', 'cas', { name: 'old', certPem }));
    const read = (await before.get(`cas/${id}`)).json.data;
    clock.advance(HOUR);
    const root = await loggedIn(own, 'root');
    const answer = await root.call('PUT', `cas/${id}`, { ...read, name: 'expired' });
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await root.get(`cas/${id}`)).json.data.name, 'expired');
  });

  test('keeps how revocation is checked where a whole document does not say it', async () => {
    const revocation = { mode: 'hard', crlUrls: [], crlPem: null, ocsp: 'https://ca.example/ocsp' };
    const id = await register(authority(), { revocation });
    const { revocation: _revocation, ...others } = await shown(id);
    const answer = await admin.call('PUT', `cas/${id}`, { ...others, isAuthEnabled: true });
    assert.equal(answer.status, 200, answer.text);
    const now = await shown(id);
    assert.deepEqual([now.isAuthEnabled, now.revocation], [true, revocation]);
  });

  test('is refused for a rule that cannot find anything', async () => {
    const certPem = authority().certPem;
    const cases: [object, string][] = [
      [{ location: 'SUBJECT' }, 'location'],
      [{}, 'location'],
      [{ location: 'SAN_URI', matcher: 'REGEX' }, 'matcher'],
      [{ location: 'SAN_EMAIL', matcher: 'PREFIX' }, 'matcherCriteria'],
      [{ location: 'SAN_EMAIL', matcher: 'SCHEME', matcherCriteria: 'spiffe' }, 'matcher'],
      [{ location: 'SAN_EMAIL', matcher: 'PREFIX', matcherCriteria: 'x'.repeat(256) }, 'matcherCriteria'],
      [{ location: 'SAN_URI', parser: 'SPLIT' }, 'parserCriteria'],
      [{ location: 'SAN_URI', parser: 'SPLIT', parserCriteria: '/', index: -1 }, 'index'],
      [{ location: 'SAN_URI', parser: 'SPLIT', parserCriteria: '/', index: 1.5 }, 'index'],
      [{ location: 'SAN_URI', index: 1 }, 'index'],
    ];
    for (const [externalIdClaim, field] of cases) {
      const answer = await admin.call('POST', 'cas', { name: uniqueName(), certPem, externalIdClaim });
      assertRefused(answer, `externalIdClaim.${field}`);
    }
  });
});

describe('the proof of a CA', () => {
  const proofOf = async (id: string, issuer: Made, changes: Parameters<typeof makeCertificate>[0] = {}) => {
    const { verificationToken } = await shown(id);
    return makeCertificate({ subject: verificationToken, issuer, ...changes }).certPem;
  };
  const sendPem = (id: string, body: string, type = 'text/plain') =>
    server.post(`/edge/management/v1/cas/${id}/verify`, {
      body,
      headers: { authorization: `Bearer ${admin.accessToken}`, 'content-type': type },
    });

  test('is a certificate with its token that the CA issued, as PEM or in a document, once', async () => {
    const made = authority();
    const id = await register(made);
    const pem = await proofOf(id, made);
    assert.equal((await sendPem(id, pem)).status, 200);
    const verified = await shown(id);
    assert.equal(verified.isVerified, true);
    assert.equal(typeof verified.verifiedAt, 'string');
    assert.equal(verified.verificationToken, null);
    assertRefused(await sendPem(id, pem), 409, 'CONFLICT');

    const below = authority({ issuer: made }, authorityExtensions(0));
    const second = await register(below);
    const certPem = await proofOf(second, below);
    assert.equal((await admin.call('POST', `cas/${second}/verify`, { certPem })).status, 200);
    assert.equal((await shown(second)).isVerified, true);
  });

  test('may come from an authority below the CA, whose certificate is sent along', async () => {
    const root = authority();
    const id = await register(root);
    // An authority for servers proves the key as well as any other.
    const forServers = authorityExtensions(undefined, extendedKeyUsage(usageOids.serverAuth));
    const issuing = authority({ issuer: root }, forServers);
    const leaf = client({ issuer: root });
    const foreign = authority();
    const refused = [
      [await proofOf(id, issuing)],
      [await proofOf(id, foreign), foreign.certPem],
      [await proofOf(id, leaf), leaf.certPem],
      [await proofOf(id, authority({ issuer: leaf })), leaf.certPem],
      [await proofOf(id, authority({ issuer: root, from: -2 * DAY, until: -HOUR })), root.certPem],
    ];
    for (const [at, proof] of refused.entries()) {
      const answer = await sendPem(id, proof.join(''));
      assert.equal(answer.status, 400, `proof ${at}: ${answer.text}`);
    }
    const proof = await proofOf(id, issuing);
    const sent = await sendPem(id, `${issuing.certPem}${proof}${root.certPem}`);
    assert.equal(sent.status, 200, sent.text);
    assert.equal((await shown(id)).isVerified, true);
  });

  test('is refused when it proves nothing', async () => {
    const made = authority();
    const id = await register(made);
    const other = authority();
    const sameName = authority({ subject: made.name });
    const proofs = [
      '',
      'nonsense',
      made.certPem,
      await proofOf(id, made, { subject: 'another token' }),
      await proofOf(id, other),
      await proofOf(id, sameName),
      await proofOf(id, made, { signature: 'sha1' }),
      await proofOf(id, made, { from: -2 * DAY, until: -HOUR }),
      await proofOf(id, made, { from: HOUR, until: DAY }),
      makeCertificate({ subject: (await shown(id)).verificationToken }).certPem,
    ];
    for (const [at, pem] of proofs.entries()) {
      const answer = await sendPem(id, pem);
      assert.equal(answer.status, 400, `proof ${at}: ${answer.text}`);
      assertRefused(answer, 'certPem');
    }
    assert.equal((await shown(id)).isVerified, false);
    assert.equal((await sendPem(id, await proofOf(id, made), 'application/xml')).status, 415);
    assertRefused(await sendPem('no-such', made.certPem), 404, 'NOT_FOUND');
  });
});

describe('a certificate authenticator', () => {
  test('is created for an identity, shown with its certificate, and deleted', async () => {
    const identityId = await createIdentity(server, 'device');
    const leaf = client();
    const body = { method: 'cert', identityId, certPem: leaf.certPem, tags: { rack: 7 } };
    const id = createdId(await admin.call('POST', 'authenticators', body));
    const { data } = (await admin.get(`authenticators/${id}`)).json;
    assert.equal(data.method, 'cert');
    assert.equal(data.certPem, leaf.certPem);
    assert.equal(data.fingerprint, new X509Certificate(leaf.der).fingerprint256);
    assert.equal(data.isIssuedByNetwork, false);
    assert.equal(data.identity.name, 'device');
    assert.deepEqual(data.tags, { rack: 7 });

    createdId(await admin.call('POST', 'authenticators', { ...body, certPem: client().certPem }));
    // Each certificate has one owner.
    const another = await createIdentity(server, 'another device');
    const taken = await admin.call('POST', 'authenticators', { ...body, identityId: another });
    assertRefused(taken, 'certPem');
    assert.equal((await admin.call('DELETE', `authenticators/${id}`)).status, 200);
    createdId(await admin.call('POST', 'authenticators', { ...body, identityId: another }));
  });

  test('is refused for anything but a client certificate, or without an identity', async () => {
    const identityId = await createIdentity(server, 'refused device');
    const { server: serverCertificate } = await testPki();
    for (const certPem of ['', 'nonsense', authority().certPem, serverCertificate.certPem]) {
      const answer = await admin.call('POST', 'authenticators', { method: 'cert', identityId, certPem });
      assertRefused(answer, 'certPem');
    }
    const { certPem } = client();
    const body = { method: 'cert', identityId: 'no-such', certPem };
    assertRefused(await admin.call('POST', 'authenticators', body), 'identityId');
    const other = { method: 'ssh', identityId, certPem };
    assertRefused(await admin.call('POST', 'authenticators', other), 'method');
  });
});
