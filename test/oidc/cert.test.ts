// Logins by client certificate over real TLS (spec 2.9, 4.3, 5.3).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IdentityId } from '../../src/model/ids.ts';
import { DAY, HOUR, systemClock } from '../../src/platform/clock.ts';
import { sha256 } from '../../src/platform/digest.ts';
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
  authorityExtensions,
  basicConstraints,
  client,
  clientExtensions,
  extendedKeyUsage,
  generalName,
  keyUsage,
  type Made,
  nameConstraints,
  newKeys,
  subjectAltName,
  usageOids,
} from '../support/chains.ts';
import { createIdentity, createPolicy, reasonOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  authorize,
  authRequestIdOf,
  beginLogin,
  callWith,
  claimsOf,
  codeOf,
  redeem,
  submitPassword,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

// On a full second, because times in tokens are in seconds. Certificates follow the system's clock.
const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await serverOfFile({ clock });
const admin = await rootOf(server);
const root = await overlayRoot();

let count = 0;
function newIdentity(more: Parameters<typeof createIdentity>[2] = {}): Promise<IdentityId> {
  count += 1;
  return createIdentity(server, `identity ${count}`, { externalId: null, ...more });
}

/** Every refusal looks the same from outside; the decision record says why. */
async function assertRefused(answer: Answer, reason: string): Promise<void> {
  assert.equal(answer.status, 401, answer.text);
  assert.equal(answer.json.error.code, 'INVALID_AUTH');
  assert.deepEqual(Object.keys(answer.json.error), ['code', 'message', 'requestId']);
  assert.deepEqual(answer.lines('www-authenticate'), []);
  assert.equal(await reasonOf(server, answer), reason);
}

async function loginOf(leaf: Made, ...sent: readonly Made[]): Promise<Answer> {
  using connection = withCertificate(server, leaf, ...sent);
  return await submitCertificate(connection);
}

describe('a certificate of the overlay', () => {
  test('logs in the identity that has it, and binds the tokens to it', async () => {
    const id = await newIdentity();
    const leaf = await enrolled(server, id);
    const connection = withCertificate(server, leaf);
    const tokens = await certificateLogin(connection);
    const claims = claimsOf(tokens.access_token);
    assert.equal(claims.sub, id);
    assert.deepEqual(claims.amr, ['cert']);
    assert.deepEqual(claims.cnf, { 'x5t#S256': sha256(leaf.der) });
    assert.equal((await callWith(connection, tokens.access_token)).status, 200);

    const other = withCertificate(server, await enrolled(server, await newIdentity()));
    for (const elsewhere of [server, other]) {
      const refused = await callWith(elsewhere, tokens.access_token);
      assert.equal(refused.status, 401);
      assert.match(refused.lines('www-authenticate').join(), /error="invalid"/);
    }
    for (const each of [connection, other]) each.closeConnections();
  });

  test('is accepted with the auth request id under each of its names and in each place', async () => {
    using connection = withCertificate(server, await enrolled(server, await newIdentity()));
    const path = '/oidc/login/cert';
    for (const name of ['authRequestId', 'authRequestID', 'id']) {
      const answers = [
        await connection.post(path, { json: { [name]: await beginLogin(connection) } }),
        await connection.post(path, { form: { [name]: await beginLogin(connection) } }),
        await connection.post(`${path}?${name}=${await beginLogin(connection)}`, { json: {} }),
        await connection.post(`${path}?${name}=${await beginLogin(connection)}`),
      ];
      for (const answer of answers) assert.equal(answer.status, 302, `${name}: ${answer.text}`);
    }
  });

  test('leads through intermediates that are sent along', async () => {
    const intermediate = authority({ issuer: root }, authorityExtensions(0));
    const leaf = client({ issuer: intermediate });
    await giveCertificate(server, await newIdentity(), leaf);
    assert.equal((await loginOf(leaf, intermediate)).status, 302);
    await assertRefused(await loginOf(leaf), 'untrusted-chain');
  });

  test('is the default of the authorization endpoint, unless another method is requested', async () => {
    using connection = withCertificate(server, client({ issuer: root }));
    const segment = async (changes = {}) =>
      new URL((await authorize(connection, changes)).headers.location ?? '', server.url).pathname;
    assert.equal(await segment(), '/oidc/login/cert');
    assert.equal(await segment({ method: 'password' }), '/oidc/login/username');
  });
});

describe('GET of the login address', () => {
  test('answers programs with the id in a header, and people with a page of one button', async () => {
    const id = await beginLogin(server, { method: 'cert' });
    const path = `/oidc/login/cert?authRequestID=${encodeURIComponent(id)}`;
    const answer = await server.get(path);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['auth-request-id'], id);
    const page = await server.get(path, { headers: { accept: 'text/html' } });
    assert.equal(page.status, 200);
    assert.match(page.text, /<form method="post" action="\/oidc\/login\/cert">/);
    assert.match(page.text, /Continue with your certificate/);
    assert.equal(page.text.match(/<script/g)?.length, 1);
  });

  test('shows the page again when the certificate is refused', async () => {
    const accept = 'text/html';
    const begun = await server.get(`/oidc/authorization?${authorizationQuery()}`, { headers: { accept } });
    const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
    const headers = { accept, cookie, 'sec-fetch-site': 'same-origin' };
    const init = { form: { authRequestId: authRequestIdOf(begun) }, headers };
    const page = await server.post('/oidc/login/cert', init);
    assert.equal(page.status, 401);
    assert.match(page.text, /role="alert"/);
    assert.ok(page.text.includes(String(page.headers['x-request-id'])));
  });
});

describe('a login is refused', () => {
  test('without a certificate', async () => {
    await assertRefused(await submitCertificate(server), 'no-certificate');
  });

  test('with a trusted certificate that belongs to no identity', async () => {
    await assertRefused(await loginOf(client({ issuer: root })), 'unknown-thumbprint');
  });

  test('with a certificate that breaks a rule, although an identity has it', async () => {
    const inner = (extensions?: Buffer[]) => authority({ issuer: root }, extensions);
    const leafAsCa = client({ issuer: root });
    const short = inner(authorityExtensions(0));
    const tooLong = authority({ issuer: short }, authorityExtensions());
    const noSigning = inner([basicConstraints(true), keyUsage('cRLSign')]);
    const constrained = inner(
      authorityExtensions(0, nameConstraints({ permitted: [generalName.email('allowed.example')] })),
    );
    const expiredCa = authority({ issuer: root, from: -2 * DAY, until: -HOUR });
    const cases: [string, Made, Made[], string][] = [
      ['expired', client({ issuer: root, from: -2 * DAY, until: -HOUR }), [], 'certificate-expired'],
      ['not yet valid', client({ issuer: root, from: HOUR, until: DAY }), [], 'certificate-not-yet-valid'],
      [
        'for servers only',
        client({ issuer: root }, [basicConstraints(false), extendedKeyUsage(usageOids.serverAuth)]),
        [],
        'certificate-usage',
      ],
      [
        'for any purpose',
        client({ issuer: root }, [basicConstraints(false), extendedKeyUsage(usageOids.any)]),
        [],
        'certificate-usage',
      ],
      [
        'not for signing',
        client({ issuer: root }, [basicConstraints(false), keyUsage('keyAgreement')]),
        [],
        'certificate-key-usage',
      ],
      // The runtime does not pass on what cannot have issued anything.
      ['issued by a leaf', client({ issuer: leafAsCa }), [leafAsCa], 'untrusted-chain'],
      ['below too long a path', client({ issuer: tooLong }), [tooLong, short], 'broken-chain'],
      ['issuer may not sign', client({ issuer: noSigning }), [noSigning], 'untrusted-chain'],
      ['issuer expired', client({ issuer: expiredCa }), [expiredCa], 'authority-expired'],
      [
        'name not permitted',
        client(
          { issuer: constrained },
          clientExtensions(subjectAltName(generalName.email('e@other.example'))),
        ),
        [constrained],
        'broken-chain',
      ],
      ['self-signed', client(), [], 'untrusted-chain'],
    ];
    for (const [name, leaf, sent, reason] of cases) {
      await giveCertificate(server, await newIdentity(), leaf);
      const answer = await loginOf(leaf, ...sent);
      await assertRefused(answer, reason).catch((error) => {
        throw new Error(`${name}: ${error.message}`, { cause: error });
      });
    }
  });

  test('with the names of another identity: only the very certificate counts', async () => {
    const erin = await enrolled(server, await newIdentity(), { subject: 'erin' });
    const twin = client({ issuer: root, subject: 'erin' });
    await assertRefused(await loginOf(twin), 'unknown-thumbprint');
    // Another certificate counts as different, even with the same key.
    const renewed = client({ issuer: root, subject: 'erin', keys: erin.keys });
    await assertRefused(await loginOf(renewed), 'unknown-thumbprint');
    await assertRefused(await loginOf(client({ subject: 'erin', keys: erin.keys })), 'untrusted-chain');
  });

  test("when another identity's certificate is merely sent along", async () => {
    const erin = await enrolled(server, await newIdentity(), { subject: 'erin' });
    const strangerPki = authority();
    await assertRefused(await loginOf(client({ issuer: strangerPki }), erin), 'untrusted-chain');
    const mallory = await newIdentity();
    const own = await enrolled(server, mallory, { subject: 'mallory' });
    using connection = withCertificate(server, own, erin);
    assert.equal(claimsOf((await certificateLogin(connection)).access_token).sub, mallory);
  });

  test('when the certificate is in a header', async () => {
    const erin = await enrolled(server, await newIdentity());
    const oneLine = encodeURIComponent(erin.certPem);
    const names = [
      'x-client-certpem',
      'x-client-cert',
      'x_client_cert',
      'x-ssl-cert',
      'x-ssl-client-cert',
      'x-forwarded-client-cert',
      'client-cert',
    ];
    for (const name of names) {
      const headers = {
        [name]: [oneLine, `Cert="${oneLine}"`],
        'x-edge-router-proxy-request': '1',
        'x-ssl-client-verify': 'SUCCESS',
      };
      const json = { authRequestId: await beginLogin(server) };
      await assertRefused(await server.post('/oidc/login/cert', { json, headers }), 'no-certificate');
    }
  });

  test('when identity or policy say no', async () => {
    const disabled = await newIdentity();
    const leaf = await enrolled(server, disabled);
    await server.store.identities.update(
      disabled,
      { disabledAt: clock.now(), disabledUntil: null },
      clock.now(),
    );
    await assertRefused(await loginOf(leaf), 'identity-disabled');

    const cert = { allowed: false, allowExpiredCerts: false };
    const authPolicyId = await createPolicy(server, 'no certificates', { primary: { cert } });
    const barred = await enrolled(server, await newIdentity({ authPolicyId }));
    await assertRefused(await loginOf(barred), 'method-not-allowed');
  });
});

describe('on a connection that stays open', () => {
  test('a deleted authenticator no longer logs in', async () => {
    const leaf = await enrolled(server, await newIdentity());
    using connection = withCertificate(server, leaf);
    const tokens = await certificateLogin(connection);
    const deleted = await admin.call('DELETE', `authenticators/${leaf.authenticatorId}`);
    assert.equal(deleted.status, 200, deleted.text);
    await assertRefused(await submitCertificate(connection), 'unknown-thumbprint');
    // Its session has ended too.
    assert.equal((await callWith(connection, tokens.access_token)).status, 401);
  });

  test('a third-party authority counts from its verification until it is disabled or deleted', async () => {
    const ca = authority();
    const leaf = client({ issuer: ca });
    await giveCertificate(server, await newIdentity(), leaf);
    using connection = withCertificate(server, leaf);
    await assertRefused(await submitCertificate(connection), 'untrusted-chain');
    const id = await registerCa(admin, ca);
    assert.equal((await submitCertificate(connection)).status, 302);
    const enable = (isAuthEnabled: boolean) => admin.call('PATCH', `cas/${id}`, { isAuthEnabled });
    assert.equal((await enable(false)).status, 200);
    await assertRefused(await submitCertificate(connection), 'ca-auth-off');
    await enable(true);
    assert.equal((await submitCertificate(connection)).status, 302);
    assert.equal((await admin.call('DELETE', `cas/${id}`)).status, 200);
    await assertRefused(await submitCertificate(connection), 'untrusted-chain');
  });

  test('an authority that was not verified does not count', async () => {
    const ca = authority();
    const leaf = client({ issuer: ca });
    await giveCertificate(server, await newIdentity(), leaf);
    const body = { name: 'unverified', certPem: ca.certPem, isAuthEnabled: true };
    assert.equal((await admin.call('POST', 'cas', body)).status, 201);
    await assertRefused(await loginOf(leaf), 'ca-not-verified');
  });
});

describe('the external id in a certificate of a third-party authority', () => {
  const rule = (more: object = {}) => ({
    externalIdClaim: {
      location: 'SAN_EMAIL',
      matcher: 'ALL',
      matcherCriteria: '',
      parser: 'NONE',
      parserCriteria: '',
      index: 0,
      ...more,
    },
  });
  const withNames = (issuer: Made, ...names: Buffer[]) =>
    client({ issuer }, clientExtensions(...(names.length === 0 ? [] : [subjectAltName(...names)])));

  test('names the identity, by every rule of an authority', async () => {
    const cases: [object, (issuer: Made) => Made, string][] = [
      [{}, (ca) => withNames(ca, generalName.email('gil@example.com')), 'gil@example.com'],
      [
        { location: 'COMMON_NAME', matcher: 'PREFIX', matcherCriteria: 'dev-' },
        (issuer) => client({ issuer, subject: 'dev-77' }),
        'dev-77',
      ],
      [
        {
          location: 'SAN_URI',
          matcher: 'SCHEME',
          matcherCriteria: 'spiffe',
          parser: 'SPLIT',
          parserCriteria: '/',
          index: 3,
        },
        (ca) =>
          withNames(ca, generalName.uri('https://x.example/a'), generalName.uri('spiffe://td/ns/worker-9')),
        'ns',
      ],
    ];
    for (const [changes, leafOf, externalId] of cases) {
      const ca = authority();
      await registerCa(admin, ca, rule(changes));
      const id = await newIdentity({ externalId });
      using connection = withCertificate(server, leafOf(ca));
      const claims = claimsOf((await certificateLogin(connection)).access_token);
      assert.equal(claims.sub, id);
      assert.deepEqual(claims.amr, ['cert']);
    }
  });

  test('is refused when it is missing, ambiguous, too long or unknown', async () => {
    const ca = authority();
    await registerCa(admin, ca, rule());
    await newIdentity({ externalId: 'two@example.com' });
    const { email, uri } = generalName;
    const cases: [Buffer[], string][] = [
      [[], 'certificate-claim-missing'],
      [[uri('https://two@example.com')], 'certificate-claim-missing'],
      [[email('two@example.com'), email('three@example.com')], 'certificate-claim-missing'],
      [[email(`${'x'.repeat(10_000)}@example.com`)], 'certificate-claim-missing'],
      [[email('nobody@example.com')], 'no-identity-for-claim'],
      [[email('TWO@example.com')], 'no-identity-for-claim'],
    ];
    for (const [names, reason] of cases) await assertRefused(await loginOf(withNames(ca, ...names)), reason);
  });

  test('is found by the rule of the authority that issued the certificate, and no other', async () => {
    const [ruled, ruleless] = [authority(), authority()];
    await registerCa(admin, ruled, rule());
    await registerCa(admin, ruleless);
    await newIdentity({ externalId: 'scoped@example.com' });
    const name = generalName.email('scoped@example.com');
    assert.equal((await loginOf(withNames(ruled, name))).status, 302);
    await assertRefused(await loginOf(withNames(ruleless, name), ruled), 'unknown-thumbprint');
    const ours = client({ issuer: root }, clientExtensions(subjectAltName(name)));
    await assertRefused(await loginOf(ours, ruled), 'unknown-thumbprint');
    await assertRefused(await loginOf(withNames(authority(), name), ruled), 'untrusted-chain');
  });
});

describe('a password on a connection that has a certificate', () => {
  test('logs in with any certificate, and its tokens are not bound', async () => {
    await server.createUser({ name: 'pat', password });
    const leaves = [
      client({ from: -2 * DAY, until: -HOUR }),
      await enrolled(server, await newIdentity()),
      client({ issuer: root }, [basicConstraints(false), extendedKeyUsage(usageOids.serverAuth)]),
    ];
    for (const leaf of leaves) {
      using connection = withCertificate(server, leaf);
      const answer = await submitPassword(connection, await beginLogin(connection), 'pat', password);
      const tokens = (await redeem(connection, codeOf(answer))).json;
      assert.equal(claimsOf(tokens.access_token).cnf, undefined);
      assert.deepEqual(claimsOf(tokens.access_token).amr, ['password']);
      assert.equal((await callWith(server, tokens.access_token)).status, 200);
    }
  });
});

test('an RSA and an Ed25519 key log in like any other', async () => {
  for (const keys of [newKeys.rsa(), newKeys.ed25519()]) {
    assert.equal((await loginOf(await enrolled(server, await newIdentity(), { keys }))).status, 302);
  }
});

describe('a page of another site', () => {
  const pages = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
    { origin: 'null', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' },
  ];

  test('cannot log anybody in with the certificate of their browser', async () => {
    using connection = withCertificate(server, await enrolled(server, await newIdentity()));
    for (const headers of pages) {
      const authRequestId = await beginLogin(server);
      const form = { authRequestId };
      const answer = await connection.post('/oidc/login/cert', { form, headers });
      assert.equal(answer.status, 403, answer.text);
      assert.equal(answer.headers.location, undefined);
      // No client got further with the request than the person who began it.
      const queries = await server.get(`/oidc/login/auth-queries?id=${authRequestId}`);
      assert.equal(queries.status, 400, queries.text);
      const legacy = await connection.post('/edge/client/v1/authenticate?method=cert', { json: {}, headers });
      assert.equal(legacy.status, 403, legacy.text);
      assert.equal(legacy.headers['zt-session'], undefined);
    }
  });
});
