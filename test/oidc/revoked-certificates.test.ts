// Certificates that a third-party authority has revoked, by its lists and by OCSP, over real TLS.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { asId, type IdentityId } from '../../src/model/ids.ts';
import { HOUR, MINUTE, systemClock } from '../../src/platform/clock.ts';
import type { OutboundClient } from '../../src/platform/network/outbound-client.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { readPathCertificate } from '../../src/platform/x509/path-certificate.ts';
import { ocspResponders } from '../../src/tasks/ocsp-responders.ts';
import { revocationKeeper } from '../../src/tasks/revocation-keeper.ts';
import {
  certificateLogin,
  giveCertificate,
  registerCa,
  submitCertificate,
  withCertificate,
} from '../support/certificates.ts';
import {
  authority,
  authorityExtensions,
  authorityKeyId,
  client,
  extendedKeyUsage,
  extension,
  generalName,
  type Made,
} from '../support/chains.ts';
import { element, integer, sequence } from '../support/der-writer.ts';
import { createIdentity, reasonOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { callWith, refresh } from '../support/flow.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { assertRefused, rootOf } from '../support/management.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import {
  type AnswerRecipe,
  entry,
  listOids,
  listPem,
  nonceOf,
  ocspAnswer,
  revocationList,
  type Served,
  startRevocationServer,
} from '../support/revocation.ts';
import { startTestServer } from '../support/test-server.ts';
import { eventually } from '../support/until.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const longSessions = (yaml: string) => yaml.replace(/(sessionTimeout|accessTokenDuration): \w+/g, '$1: 3h');
const server = await startTestServer({ clock, configure: longSessions });
const admin = await rootOf(server);
const lists = await startRevocationServer();
after(async () => {
  await server.close();
  await lists.close();
});

let count = 0;
function newPath(): string {
  count += 1;
  return `/${count}.crl`;
}

async function owned(leaf: Made): Promise<IdentityId> {
  count += 1;
  const id = await createIdentity(server, `identity ${count}`, { externalId: null });
  await giveCertificate(server, id, leaf);
  return id;
}

/** A registered authority with the given revocation. */
async function authorityWith(revocation: object, ca = authority()): Promise<Made & { readonly id: string }> {
  return { ...ca, id: await registerCa(admin, ca, { revocation }) };
}

/** One with a list at an address. */
async function listed(mode: 'soft' | 'hard', list: (ca: Made) => Buffer | Served) {
  const [ca, path] = [authority(), newPath()];
  lists.serves.set(path, list(ca));
  return { ...(await authorityWith({ mode, crlUrls: [`${lists.url}${path}`] }, ca)), path };
}

async function over<T>(
  leaf: Made,
  work: (connection: HttpsClient) => Promise<T>,
  ...sent: Made[]
): Promise<T> {
  using connection = withCertificate(server, leaf, ...sent);
  return await work(connection);
}

/** What the record of a login says of revocation; it fails unless the outcome is the expected one. */
async function loginOf(
  leaf: Made,
  expected: 'in' | 'certificate-revoked' | 'revocation-unknown',
  ...sent: Made[]
) {
  const answer = await over(leaf, submitCertificate, ...sent);
  const saw = await sawOf(answer);
  assert.equal(answer.status, expected === 'in' ? 302 : 401, `${answer.text} ${saw}`);
  if (expected !== 'in') assert.equal(await reasonOf(server, answer), expected);
  return saw;
}

async function sawOf(answer: Answer): Promise<string> {
  await server.controller.services.attempts.flush();
  const records = await server.store.loginAttempts.findByReference(String(answer.headers['x-request-id']));
  const check = records.flatMap(({ checks }) => checks).findLast((each) => each.check === 'revocation');
  return check?.saw ?? '';
}

const legacyLogin = (connection: HttpsClient) =>
  connection.post('/edge/client/v1/authenticate?method=cert', { json: {} });
const legacyCall = (token: string) =>
  server.get('/edge/client/v1/current-identity', { headers: { 'zt-session': token } });

/** Publishes another list and lets the service notice. */
async function publish(ca: { readonly path: string; readonly id: string }, list: Buffer): Promise<void> {
  lists.serves.set(ca.path, list);
  clock.advance(6 * MINUTE);
  await server.controller.services.keeper?.fetchDue();
}

describe('a certificate in the list of its authority', () => {
  test('is refused at every place, and the record says when, why, and who said so', async () => {
    const leaves: Made[] = [];
    const ca = await listed('soft', (made) => {
      for (const name of ['revoked', 'good']) leaves.push(client({ issuer: made, subject: name }));
      return revocationList({ issuer: made, revoked: leaves.slice(0, 1), reason: 1 });
    });
    const [revoked, good] = leaves as [Made, Made];
    await owned(revoked);
    await owned(good);
    const saw = await loginOf(revoked, 'certificate-revoked');
    assert.match(
      saw,
      /CN=revoked was revoked on 2026-01-02T03:04:05.000Z \(keyCompromise\), by the CRL of CN=/,
    );
    assert.match(await loginOf(good, 'in'), /^not in the CRL of CN=/);
    const legacy = await over(revoked, legacyLogin);
    assertRefused(legacy, 401, 'INVALID_AUTH');
    assert.equal(await reasonOf(server, legacy), 'certificate-revoked');
    await admin.call('PATCH', `cas/${ca.id}`, { isAutoCaEnrollmentEnabled: true });
    const stranger = client({ issuer: ca, subject: 'stranger' });
    await publish(ca, revocationList({ issuer: ca, number: 2, revoked: [revoked, stranger] }));
    const enrolled = await over(stranger, (connection) =>
      connection.post('/edge/client/v1/enroll?method=ca'),
    );
    assertRefused(enrolled, 400, 'INVALID_CERT_PEM');
    assert.equal(await reasonOf(server, enrolled), 'certificate-revoked');
  });

  test('opened sessions that end at the next call, once the list is there', async () => {
    const leaves: Made[] = [];
    const ca = await listed('soft', (made) => {
      for (const name of ['revoked', 'good']) leaves.push(client({ issuer: made, subject: name }));
      return revocationList({ issuer: made });
    });
    const [revoked, good] = leaves as [Made, Made];
    const sessions = await Promise.all(
      [revoked, good].map(async (leaf) => {
        await owned(leaf);
        const connection = withCertificate(server, leaf);
        const tokens = await certificateLogin(connection);
        const legacy = (await legacyLogin(connection)).json.data.token;
        assert.equal((await callWith(connection, tokens.access_token)).status, 200);
        assert.equal((await legacyCall(legacy)).status, 200);
        return { connection, tokens, legacy };
      }),
    );
    await publish(ca, revocationList({ issuer: ca, number: 2, revoked: [revoked] }));
    const [ended, alive] = sessions as [(typeof sessions)[0], (typeof sessions)[0]];
    assert.equal((await callWith(ended.connection, ended.tokens.access_token)).status, 401);
    assert.equal((await legacyCall(ended.legacy)).status, 401);
    const refused = await refresh(ended.connection, ended.tokens.refresh_token);
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_grant']);
    assert.equal((await callWith(alive.connection, alive.tokens.access_token)).status, 200);
    assert.equal((await legacyCall(alive.legacy)).status, 200);
    assert.equal((await refresh(alive.connection, alive.tokens.refresh_token)).status, 200);
    for (const { connection } of sessions) connection.closeConnections();
  });
});

describe('a list that is not of the authority', () => {
  const other = authority();
  const huge: Served = (_request, response) =>
    void response.writeHead(200, { 'content-length': 70 * 2 ** 20 }).end();
  const endless: Served = (_request, response) => {
    response.writeHead(200);
    const more = Buffer.alloc(2 ** 20);
    const write = () => {
      while (!response.destroyed && response.write(more));
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  };
  const packed: Served = (_request, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.alloc(100));
  const away =
    (location: string): Served =>
    (_request, response) =>
      void response.writeHead(302, { location }).end();
  const flags = (bytes: readonly number[]) =>
    extension(listOids.issuingPoint, true, sequence(element(bytes[0] ?? 0, Buffer.from([0xff]))));
  const cases: readonly (readonly [string, (ca: Made) => Buffer | Served, RegExp])[] = [
    [
      'of another CA with its name',
      (ca) => revocationList({ issuer: ca, signer: other }),
      /not signed with the key/,
    ],
    ['of another CA', () => revocationList({ issuer: other }), /no login has shown yet/],
    ['outdated', (ca) => revocationList({ issuer: ca, until: -HOUR / 2 }), /has been outdated since/],
    [
      'from the future',
      (ca) => revocationList({ issuer: ca, from: HOUR, until: 2 * HOUR }),
      /is not valid before/,
    ],
    ['without an end', (ca) => revocationList({ issuer: ca, until: null }), /nextUpdate/],
    ['cut short', (ca) => revocationList({ issuer: ca }).subarray(0, -3), /not readable/],
    [
      'followed by more',
      (ca) => Buffer.concat([revocationList({ issuer: ca }), Buffer.alloc(1)]),
      /not readable/,
    ],
    ['signed with SHA-1', (ca) => revocationList({ issuer: ca, signature: 'sha1' }), /not accepted/],
    ['indirect', (ca) => revocationList({ issuer: ca, extensions: [flags([0x84])] }), /indirect CRL/],
    [
      'indirect by an entry',
      (ca) =>
        revocationList({
          issuer: ca,
          revoked: [entry(other, 1, extension(listOids.entryIssuer, true, sequence(element(0xa4, ca.name))))],
        }),
      /indirect CRL/,
    ],
    ['for attributes', (ca) => revocationList({ issuer: ca, extensions: [flags([0x85])] }), /attribute/],
    ['for some reasons', (ca) => revocationList({ issuer: ca, extensions: [flags([0x83])] }), /reasons/],
    [
      'with an unknown critical extension',
      (ca) => revocationList({ issuer: ca, extensions: [extension('1.2.3.4', true, Buffer.alloc(2))] }),
      /critical extension that is not supported: 1\.2\.3\.4/,
    ],
    ['huge', () => huge, /too large/],
    ['endless', () => endless, /too large|took too long/],
    ['packed', () => packed, /compressed/],
    ['elsewhere, on a private address', () => away('http://10.0.0.1/x.crl'), /not allowed|private/],
    [
      'elsewhere for ever',
      () => (request, response) => away(request.url ?? '')(request, response, Buffer.alloc(0)),
      /redirects/,
    ],
    ['a page', () => Buffer.from('<html>'), /PEM form/],
    ['nothing', () => Buffer.alloc(0), /PEM form/],
    ['gone', () => (_request, response) => void response.writeHead(500).end(), /error status/],
  ];
  test('refuses logins where it is needed, says why, and bars no login elsewhere', async () => {
    for (const [name, list, problem] of cases) {
      const hard = await listed('hard', list);
      const leaf = client({ issuer: hard, subject: 'somebody' });
      await owned(leaf);
      // A login waits for three seconds, the list for longer.
      const seen = new RegExp(`${problem.source}|no answer within 3 s`);
      assert.match(await loginOf(leaf, 'revocation-unknown'), seen, name);
      const [state] = await eventually(
        () => server.store.revocationLists.describe(asId(hard.id)),
        ([found]) => found !== undefined,
      );
      assert.match(String(state?.error), problem, name);
      assert.equal(state?.thisUpdate, null, name);
      await admin.call('PATCH', `cas/${hard.id}`, { revocation: { mode: 'soft' } });
      assert.match(await loginOf(leaf, 'in'), /^accepted by mode soft/, name);
      await admin.call('DELETE', `cas/${hard.id}`);
    }
  });

  test('takes no place of one that is: neither an older one, nor one of another authority', async () => {
    const leaves: Made[] = [];
    const ca = await listed('hard', (made) => {
      leaves.push(client({ issuer: made, subject: 'revoked' }));
      return revocationList({ issuer: made, number: 300, revoked: leaves });
    });
    const [revoked] = leaves as [Made];
    await owned(revoked);
    await loginOf(revoked, 'certificate-revoked');
    const replays = [
      [
        revocationList({ issuer: ca, number: 299, from: -1 }),
        /older than the one that is known \(number 12c\)/,
      ],
      [revocationList({ issuer: ca, number: 300, from: -2 * HOUR }), /older/],
      [revocationList({ issuer: ca, number: null, from: -1 }), /older/],
      [revocationList({ issuer: ca, signer: authority(), number: 301 }), /not signed/],
    ] as const;
    for (const [list, problem] of replays) {
      await publish(ca, list);
      const [state] = await server.store.revocationLists.describe(asId(ca.id));
      assert.match(String(state?.error), problem);
      assert.equal(state?.listNumber, '12c');
      await loginOf(revoked, 'certificate-revoked');
    }
    await publish(ca, revocationList({ issuer: ca, number: 301, until: 10 * HOUR }));
    await loginOf(revoked, 'in');
  });
});

describe('lists', () => {
  test('are put in as text, and an older one never replaces them', async () => {
    const ca = authority();
    const leaf = client({ issuer: ca });
    await owned(leaf);
    const list = (number: number, ...revoked: Made[]) =>
      listPem(revocationList({ issuer: ca, number, revoked }));
    const { id } = await authorityWith({ mode: 'hard', crlPem: list(7, leaf) }, ca);
    await loginOf(leaf, 'certificate-revoked');
    const put = (crlPem: string) => admin.call('PATCH', `cas/${id}`, { revocation: { crlPem } });
    for (const [pem, words] of [
      [list(6), /older than the one that it replaces/],
      ['-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----', /not readable/],
      ['nonsense', /PEM form/],
      [ca.certPem, /PEM form/],
    ] as const) {
      const refused = await put(pem);
      assertRefused(refused, 400, 'COULD_NOT_VALIDATE');
      assert.match(refused.text, words);
    }
    assert.equal((await put(list(8))).status, 200);
    await loginOf(leaf, 'in');
    const shown = (await admin.get(`cas/${id}`)).json.data.revocation;
    assert.deepEqual([shown.mode, shown.crlUrls, shown.ocsp], ['hard', [], null]);
  });

  test('do not replace a newer one that is put in at the same moment', async () => {
    const ca = authority();
    const [first, older, newer] = [1, 2, 3].map((number) => listPem(revocationList({ issuer: ca, number })));
    const { id } = await authorityWith({ mode: 'hard', crlPem: first }, ca);
    const put = (crlPem: string | undefined) => admin.call('PATCH', `cas/${id}`, { revocation: { crlPem } });
    const [taken] = await Promise.all([put(newer), put(older)]);
    const { crlPem } = (await admin.get(`cas/${id}`)).json.data.revocation;
    // In either order: one of the two may be told that the authority has changed meanwhile.
    assert.equal(crlPem, taken.status === 200 ? newer : older, taken.text);
  });

  test('that share out the certificates of one authority are put in together, and replaced one by one', async () => {
    const ca = authority();
    const [leaf, other] = [client({ issuer: ca }), client({ issuer: ca })];
    await owned(leaf);
    await owned(other);
    const part = (place: number) => [
      extension(listOids.issuingPoint, true, sequence(element(0x80 + place, Buffer.from([0xff])))),
    ];
    const leaves = (number: number, ...revoked: Made[]) =>
      listPem(revocationList({ issuer: ca, number, revoked, extensions: part(1) }));
    const authorities = listPem(revocationList({ issuer: ca, number: 2, extensions: part(2) }));
    const first = leaves(7, leaf) + authorities;
    const { id } = await authorityWith({ mode: 'hard', crlPem: first }, ca);
    await loginOf(leaf, 'certificate-revoked');
    await loginOf(other, 'in');
    const put = (crlPem: string) => admin.call('PATCH', `cas/${id}`, { revocation: { crlPem } });
    const next = await put(authorities + leaves(8, leaf, other));
    assert.equal(next.status, 200, next.text);
    await loginOf(other, 'certificate-revoked');
    assertRefused(await put(leaves(7) + authorities), 400, 'COULD_NOT_VALIDATE');
  });

  test('of one authority that are put in together count by the newest, in any order', async () => {
    const ca = authority();
    const leaf = client({ issuer: ca });
    await owned(leaf);
    const [before, after] = [[], [leaf]].map((revoked, at) =>
      listPem(revocationList({ issuer: ca, number: at + 1, revoked })),
    );
    for (const crlPem of [`${before}${after}`, `${after}${before}`]) {
      const { id } = await authorityWith({ mode: 'soft', crlPem }, ca);
      await loginOf(leaf, 'certificate-revoked');
      await admin.call('DELETE', `cas/${id}`);
    }
  });

  test('of authorities with the same name and other keys are put in together (RFC 5280 section 5.2.1)', async () => {
    const ca = authority();
    const renewed = [1, 2].map(() => authority({ issuer: ca, subject: 'renewed' }, authorityExtensions(0)));
    const pems = [listPem(revocationList({ issuer: ca }))];
    const revoked: (readonly [Made, Made])[] = [];
    for (const [at, issuer] of renewed.entries()) {
      const leaf = client({ issuer });
      await owned(leaf);
      revoked.push([leaf, issuer]);
      const extensions = [authorityKeyId(issuer.keys)];
      pems.push(listPem(revocationList({ issuer, number: at + 1, revoked: [leaf], extensions })));
    }
    await authorityWith({ mode: 'hard', crlPem: pems.join('') }, ca);
    for (const [leaf, issuer] of revoked) await loginOf(leaf, 'certificate-revoked', issuer);
  });

  test('of authorities below it count from the first login that shows their certificates', async () => {
    const ca = authority();
    const below = authority({ issuer: ca }, authorityExtensions(0));
    const gone = authority({ issuer: ca }, authorityExtensions(0));
    const [own, theirs] = [newPath(), newPath()];
    lists.serves.set(own, revocationList({ issuer: ca, revoked: [gone] }));
    const revoked = client({ issuer: below, subject: 'revoked' });
    lists.serves.set(theirs, revocationList({ issuer: below, revoked: [revoked] }));
    await authorityWith({ mode: 'hard', crlUrls: [own, theirs].map((path) => `${lists.url}${path}`) }, ca);
    const good = client({ issuer: below, subject: 'good' });
    const ofGone = client({ issuer: gone, subject: 'of gone' });
    for (const leaf of [revoked, good, ofGone]) await owned(leaf);
    await loginOf(revoked, 'certificate-revoked', below);
    await loginOf(good, 'in', below);
    await loginOf(ofGone, 'certificate-revoked', gone);
  });

  test('that add to others count with them, and take entries back', async () => {
    const leaves: Made[] = [];
    const [base, delta] = [newPath(), newPath()];
    const ca = authority();
    for (const name of ['held', 'added', 'stays']) leaves.push(client({ issuer: ca, subject: name }));
    const [held, added, stays] = leaves as [Made, Made, Made];
    for (const leaf of leaves) await owned(leaf);
    const point = extension(
      listOids.freshest,
      false,
      sequence(sequence(element(0xa0, element(0xa0, generalName.uri(`${lists.url}${delta}`))))),
    );
    lists.serves.set(
      base,
      revocationList({ issuer: ca, number: 5, revoked: [entry(held, 6), stays], extensions: [point] }),
    );
    const addition = (from: number, number: number) =>
      revocationList({
        issuer: ca,
        number,
        revoked: [entry(held, 8), added],
        extensions: [extension(listOids.deltaIndicator, true, integer(from))],
      });
    // One for a list that is not there yet adds nothing to this one.
    lists.serves.set(delta, addition(6, 7));
    const { id } = await authorityWith({ mode: 'hard', crlUrls: [`${lists.url}${base}`] }, ca);
    await loginOf(held, 'certificate-revoked');
    await server.controller.services.keeper?.fetchDue();
    await loginOf(held, 'certificate-revoked');
    await loginOf(added, 'in');
    await publish({ id, path: delta }, addition(5, 8));
    await loginOf(held, 'in');
    await loginOf(added, 'certificate-revoked');
    await loginOf(stays, 'certificate-revoked');
  });

  test('for some certificates say nothing about the others', async () => {
    const ca = authority();
    const leaf = client({ issuer: ca });
    await owned(leaf);
    for (const [bytes, expected] of [
      [element(0x82, Buffer.from([0xff])), 'revocation-unknown'],
      [element(0x81, Buffer.from([0xff])), 'in'],
      [element(0xa0, element(0xa0, generalName.uri('http://other.example/1.crl'))), 'revocation-unknown'],
    ] as const) {
      const extensions = [extension(listOids.issuingPoint, true, sequence(bytes))];
      const crlPem = listPem(revocationList({ issuer: ca, extensions }));
      const { id } = await authorityWith({ mode: 'hard', crlPem }, ca);
      await loginOf(leaf, expected);
      await admin.call('DELETE', `cas/${id}`);
    }
  });

  test('are known after a restart, while nothing can be fetched', async () => {
    const first = await startTestServer();
    const leaf = { now: client() };
    const ca = authority();
    leaf.now = client({ issuer: ca });
    const path = newPath();
    lists.serves.set(path, revocationList({ issuer: ca, revoked: [leaf.now] }));
    const root = await rootOf(first);
    const id = await createIdentity(first, 'erin', { externalId: null });
    await giveCertificate(first, id, leaf.now);
    await registerCa(root, ca, { revocation: { mode: 'soft', crlUrls: [`${lists.url}${path}`] } });
    const attempt = async (at: typeof first) => {
      using connection = withCertificate(at, leaf.now);
      const { status } = await submitCertificate(connection);
      return status;
    };
    assert.equal(await attempt(first), 401);
    await first.stop();
    lists.serves.delete(path);
    const again = await startTestServer({ home: first.home });
    assert.equal(await attempt(again), 401);
    await again.close();
  });
});

describe('a responder', () => {
  const ca = authority();
  const leaf = client({ issuer: ca, subject: 'asked' });
  const delegate = client({ issuer: ca, subject: 'responder' }, [extendedKeyUsage('1.3.6.1.5.5.7.3.9')]);
  const answering =
    (recipe: Omit<AnswerRecipe, 'about' | 'issuer'> & Partial<AnswerRecipe>, withNonce = true): Served =>
    (_request, response, question) => {
      const nonce = withNonce ? { nonce: nonceOf(question) } : {};
      response
        .writeHead(200)
        .end(ocspAnswer({ about: leaf, issuer: ca, now: clock.now(), ...nonce, ...recipe }));
    };
  const asked = async (served: Served | Buffer, mode = 'hard') => {
    const path = newPath();
    lists.serves.set(path, served);
    const { id } = await authorityWith({ mode, ocsp: `${lists.url}${path}` }, ca);
    return { path, id, remove: () => admin.call('DELETE', `cas/${id}`) };
  };

  test('decides where there is no list, by its own key or that of a delegate', async () => {
    await owned(leaf);
    for (const [served, expected, words] of [
      [answering({ status: 'good' }), 'in', /^good, by the OCSP responder CN=/],
      [answering({ status: 'good' }, false), 'in', /^good/],
      [answering({ status: 'good', signer: delegate }), 'in', /responder CN=responder$/],
      [answering({ status: 'good', until: null }), 'in', /^good/],
      [
        answering({ status: 'revoked', signer: delegate }),
        'certificate-revoked',
        /revoked on 2026-01-02T03:04:05.000Z \(keyCompromise\), by the OCSP responder CN=responder/,
      ],
    ] as const) {
      const { remove } = await asked(served);
      assert.match(await loginOf(leaf, expected), words);
      await remove();
    }
  });

  test('is not believed what it cannot prove', async () => {
    const stranger = authority();
    const withoutPurpose = client({ issuer: ca, subject: 'responder' });
    const old = client({ issuer: ca, from: -2 * HOUR, until: -HOUR }, [
      extendedKeyUsage('1.3.6.1.5.5.7.3.9'),
    ]);
    const ofStranger = client({ issuer: stranger }, [extendedKeyUsage('1.3.6.1.5.5.7.3.9')]);
    const hostile: readonly (readonly [Served | Buffer, RegExp])[] = [
      [answering({ status: 'good', about: client({ issuer: ca }) }), /another certificate/],
      [answering({ status: 'good', signer: withoutPurpose }), /id-kp-OCSPSigning/],
      [answering({ status: 'good', signer: old }), /not valid now/],
      [answering({ status: 'good', signer: ofStranger }), /has not named/],
      [answering({ status: 'good', signer: { ...ca, keys: stranger.keys } }), /not signed/],
      [answering({ status: 'good', from: -2 * HOUR, until: -HOUR }), /has been outdated/],
      [answering({ status: 'good', from: -HOUR, until: null }), /has been outdated/],
      [answering({ status: 'good', from: HOUR }), /from the future/],
      [answering({ status: 'good', nonce: Buffer.alloc(16) }), /nonce/],
      [answering({ status: 'good', signature: 'sha1' }), /not accepted/],
      [answering({ status: 'unknown' }), /unknown there/],
      [sequence(element(0x0a, Buffer.from([6]))), /unauthorized/],
      [Buffer.from('nonsense'), /not readable/],
      [Buffer.alloc(0), /not readable/],
      [
        (_request, response) => void response.writeHead(302, { location: '/' }).end(),
        /error status|redirect/,
      ],
    ];
    for (const [served, problem] of hostile) {
      const { id, remove } = await asked(served);
      assert.match(await loginOf(leaf, 'revocation-unknown'), problem);
      await admin.call('PATCH', `cas/${id}`, { revocation: { mode: 'soft' } });
      assert.match(await loginOf(leaf, 'in'), /^accepted by mode soft/);
      await remove();
    }
  });

  test('is asked once for many logins, again after five minutes, and ends sessions by that', async () => {
    const { path, remove } = await asked(answering({ status: 'good' }), 'soft');
    const connection = withCertificate(server, leaf);
    const tokens = await certificateLogin(connection);
    await loginOf(leaf, 'in');
    assert.equal((await callWith(connection, tokens.access_token)).status, 200);
    assert.equal(lists.asked.filter((each) => each === path).length, 1);
    lists.serves.set(path, answering({ status: 'revoked' }));
    clock.advance(6 * MINUTE);
    assert.equal((await callWith(connection, tokens.access_token)).status, 401);
    // An attacker who blocks the responder makes no certificate valid again.
    lists.serves.delete(path);
    clock.advance(6 * MINUTE);
    await loginOf(leaf, 'certificate-revoked');
    connection.closeConnections();
    await remove();
  });

  test('takes a revocation back only with a newer answer, not with one that was recorded before', async () => {
    const { path, remove } = await asked(answering({ status: 'good' }, false));
    await loginOf(leaf, 'in');
    const recorded = ocspAnswer({
      about: leaf,
      issuer: ca,
      now: clock.now(),
      status: 'good',
      until: 5 * HOUR,
    });
    clock.advance(6 * MINUTE);
    lists.serves.set(path, answering({ status: 'revoked' }, false));
    await loginOf(leaf, 'certificate-revoked');
    lists.serves.set(path, recorded);
    for (let round = 0; round < 3; round += 1) {
      clock.advance(6 * MINUTE);
      await loginOf(leaf, 'certificate-revoked');
    }
    lists.serves.set(path, answering({ status: 'good' }, false));
    clock.advance(6 * MINUTE);
    await loginOf(leaf, 'in');
    await remove();
  });

  test('is asked again after five minutes, also where other news made the service look again before', async () => {
    const { id, path, remove } = await asked(answering({ status: 'good' }));
    await loginOf(leaf, 'in');
    lists.serves.set(path, answering({ status: 'revoked' }));
    clock.advance(4 * MINUTE);
    await admin.call('PATCH', `cas/${id}`, { name: `${id} renamed` });
    await loginOf(leaf, 'in');
    clock.advance(2 * MINUTE);
    await loginOf(leaf, 'certificate-revoked');
    await remove();
  });

  test('that an administrator replaces while it is asked does not count after the other one', async () => {
    const isAsked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const { id, remove } = await asked((...request) => {
      isAsked.resolve();
      held.promise.then(() => answering({ status: 'good' })(...request));
    });
    const waiting = loginOf(leaf, 'in');
    await isAsked.promise;
    const path = newPath();
    lists.serves.set(path, answering({ status: 'revoked' }));
    await admin.call('PATCH', `cas/${id}`, { revocation: { ocsp: `${lists.url}${path}` } });
    await loginOf(leaf, 'certificate-revoked');
    held.resolve();
    await waiting;
    await loginOf(leaf, 'certificate-revoked');
    await remove();
  });

  test('that is kept from answering takes back for no thread what it has told one of them', async () => {
    let served: (message: Buffer) => Buffer = (question) =>
      ocspAnswer({ about: leaf, issuer: ca, now: clock.now(), nonce: nonceOf(question), status: 'revoked' });
    const responders = ocspResponders({
      client: { postFor: async (_url, { body }) => served(Buffer.from(body)) },
      clock,
      random: systemRandom,
    });
    const { id, remove } = await asked(Buffer.alloc(0));
    const registered = await server.store.cas.find(asId(id));
    assert.ok(registered);
    const of = { certificate: readPathCertificate(leaf.der), issuer: readPathCertificate(ca.der) };
    const reasonNow = async () => (await responders.ask(registered, of)).answer?.revoked?.reason;
    assert.equal(await reasonNow(), 'keyCompromise');
    served = () => Buffer.from('nonsense');
    for (const minutes of [6, 6, 60]) {
      clock.advance(minutes * MINUTE);
      assert.equal(await reasonNow(), 'keyCompromise');
    }
    served = (question) =>
      ocspAnswer({ about: leaf, issuer: ca, now: clock.now(), nonce: nonceOf(question), status: 'good' });
    clock.advance(6 * MINUTE);
    assert.equal(await reasonNow(), undefined, 'it is no longer on hold');
    await remove();
  });
});

test('many certificates at once are asked about in turn, and those of a slow responder hold up no other authority', async () => {
  const held: (() => void)[] = [];
  const issuers = [authority(), authority()];
  const responders = ocspResponders({
    client: {
      async postFor(url, { body }) {
        if (url.endsWith('/slow')) await new Promise<void>((resolve) => held.push(resolve));
        const nonce = nonceOf(Buffer.from(body));
        const about = leaves.find(({ der }) => Buffer.from(body).includes(serialBytes(der)));
        assert.ok(about);
        return ocspAnswer({ about, issuer: about.issuer, now: clock.now(), nonce, status: 'good' });
      },
    },
    clock,
    random: systemRandom,
  });
  const serialBytes = (der: Buffer) => Buffer.from(readPathCertificate(der).serialNumber, 'hex');
  const leaves = issuers.flatMap((issuer, at) =>
    Array.from({ length: at === 0 ? 30 : 1 }, () => ({ ...client({ issuer }), issuer })),
  );
  const asking = async (ca: Made, path: string) => {
    const registered = await authorityWith({ mode: 'hard', ocsp: `${lists.url}/${path}` }, ca);
    const found = await server.store.cas.find(asId(registered.id));
    assert.ok(found);
    const issuer = readPathCertificate(ca.der);
    return () =>
      leaves
        .filter((leaf) => leaf.issuer === ca)
        .map(({ der }) => responders.ask(found, { certificate: readPathCertificate(der), issuer }));
  };
  const [slow, quick] = issuers as [Made, Made];
  const [askSlow, askQuick] = [await asking(slow, 'slow'), await asking(quick, 'quick')];
  const waiting = Promise.all(askSlow());
  const [prompt] = await Promise.all(askQuick());
  assert.deepEqual([prompt?.problem, prompt?.answer?.revoked], ['', null]);
  let isOver = false;
  const done = waiting.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const release of held.splice(0)) release();
    await new Promise(setImmediate);
  }
  for (const { problem, answer } of await done) assert.deepEqual([problem, answer?.revoked], ['', null]);
});

/** Authorities with so many lists each, none of which was there and all of which are due again. */
async function withDueLists(...counts: readonly number[]) {
  const made: { readonly id: string; readonly crlUrls: readonly string[] }[] = [];
  for (const length of counts) {
    const crlUrls = Array.from({ length }, () => `${lists.url}${newPath()}`);
    made.push({ ...(await authorityWith({ mode: 'soft', crlUrls })), crlUrls });
  }
  await eventually(
    () => server.store.revocationLists.describe(null),
    (stored) => made.every(({ crlUrls }) => crlUrls.every((url) => stored.some((one) => one.url === url))),
  );
  clock.advance(2 * MINUTE);
  return made;
}

/** Another keeper, each of whose fetches ends when it is released. */
function heldKeeper() {
  const held = new Map<string, () => void>();
  const asked = new Set<string>();
  const gated: OutboundClient = {
    async get(url) {
      asked.add(url);
      await new Promise<void>((resolve) => held.set(url, resolve));
      held.delete(url);
      throw new Error('no list');
    },
  };
  const { store } = server;
  const client = { ...gated, postFor: () => Promise.reject(new Error('no responder')) };
  const responders = ocspResponders({ client, clock, random: systemRandom });
  const keeper = revocationKeeper({ store, client: gated, responders, clock, log: memoryLogger() });
  return { keeper, held, asked };
}

test('a keeper that stops waits for the fetches under way, and begins no other', async () => {
  const [made] = await withDueLists(8);
  assert.ok(made);
  const { keeper, held, asked } = heldKeeper();
  await keeper.listsOf(asId(made.id));
  await eventually(
    () => held.size,
    (size) => size === 2,
  );
  const ended: string[] = [];
  const stopped = keeper.stop().then(() => ended.push('the keeper'));
  const task = keeper.fetchDue().then(() => ended.push('the task'));
  await new Promise(setImmediate);
  assert.deepEqual(ended, []);
  for (const release of held.values()) release();
  await Promise.all([stopped, task]);
  await keeper.fetchDue();
  assert.equal(asked.size, 2);
  await admin.call('DELETE', `cas/${made.id}`);
});

test('two lists of an authority are fetched at a time, and slow ones hold up no list of another', async () => {
  const [slow, other] = await withDueLists(8, 1);
  assert.ok(slow && other);
  const { keeper, held, asked } = heldKeeper();
  let most = 0;
  await keeper.listsOf(asId(slow.id));
  const countOf = (urls: readonly string[]) => urls.filter((url) => held.has(url)).length;
  await eventually(
    () => held.size,
    (size) => size === 2,
  );
  await keeper.listsOf(asId(other.id));
  await eventually(
    () => countOf(other.crlUrls),
    (count) => count === 1,
  );
  assert.equal(asked.size, 3, 'two of the slow authority and one of the other');
  for (const release of held.values()) release();
  await eventually(
    () => {
      most = Math.max(most, countOf(slow.crlUrls));
      for (const release of held.values()) release();
      return asked.size;
    },
    (size) => size === 9,
  );
  assert.ok(most <= 2, `${most} at a time`);
  for (const release of held.values()) release();
  for (const { id } of [slow, other]) await admin.call('DELETE', `cas/${id}`);
});

test('a list that comes while a responder is asked about another certificate counts at once', async () => {
  const [root, path] = [authority(), newPath()];
  lists.serves.set(path, revocationList({ issuer: root, until: 24 * HOUR }));
  const [direct, below] = [client({ issuer: root }), authority({ issuer: root }, authorityExtensions())];
  const other = client({ issuer: below });
  await owned(direct);
  await owned(other);
  const responder = newPath();
  const held = Promise.withResolvers<void>();
  const isAsked = Promise.withResolvers<void>();
  lists.serves.set(responder, (_request, response) => {
    isAsked.resolve();
    held.promise.then(() => response.writeHead(404).end());
  });
  const { id } = await authorityWith(
    { mode: 'soft', crlUrls: [`${lists.url}${path}`], ocsp: `${lists.url}${responder}` },
    root,
  );
  await loginOf(direct, 'in');
  const waiting = loginOf(other, 'in', below);
  await isAsked.promise;
  const next = revocationList({ issuer: root, number: 2, revoked: [direct], until: 24 * HOUR });
  await publish({ path, id }, next);
  await loginOf(direct, 'certificate-revoked');
  held.resolve();
  await waiting;
  await loginOf(direct, 'certificate-revoked');
  await admin.call('DELETE', `cas/${id}`);
});
