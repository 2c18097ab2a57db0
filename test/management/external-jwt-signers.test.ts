import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { asId, type SignerId } from '../../src/model/ids.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createRootCa } from '../../src/platform/x509/pki.ts';
import { parseCertificate } from '../../src/platform/x509/x509.ts';
import { assertRefused, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { testPki } from '../support/test-pki.ts';
import { startTestServer } from '../support/test-server.ts';

const [server, idp] = await Promise.all([startTestServer(), startTestIdp()]);
const admin = await rootOf(server);
const certPem = (await testPki()).server.certPem;
after(() => Promise.all([server.close(), idp.close()]));

const path = 'external-jwt-signers';
const jwksEndpoint = 'https://idp.example/jwks';
const create = (fields: object) => admin.call('POST', path, fields);
const smallest = (name: string) => ({
  name,
  enabled: true,
  issuer: `https://${name}.example`,
  audience: 'overlay',
  jwksEndpoint,
});

describe('a signer', () => {
  test('has the defaults of a new one, and is returned as it was sent', async () => {
    const id = createdId(await create(smallest('plain')));
    const { data } = (await admin.get(`${path}/${id}`)).json;
    const { createdAt, updatedAt, ...rest } = data;
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      id,
      _links: { self: { href: `./external-jwt-signers/${id}` } },
      tags: {},
      name: 'plain',
      enabled: true,
      issuer: 'https://plain.example',
      audience: 'overlay',
      certPem: null,
      jwksEndpoint,
      discovery: false,
      kid: null,
      fingerprint: null,
      commonName: null,
      notBefore: null,
      notAfter: null,
      claimsProperty: 'sub',
      useExternalId: false,
      leewaySeconds: 30,
      maxLifetimeSeconds: null,
      externalAuthUrl: null,
      clientId: null,
      clientAuthMethod: 'none',
      createIdentities: null,
      hasClientSecret: false,
      scopes: [],
      targetToken: 'ACCESS',
      enrollToCertEnabled: false,
      enrollToTokenEnabled: false,
      enrollAuthPolicyId: null,
      enrollNameClaimsSelector: 'sub',
      enrollAttributeClaimsSelector: null,
      requireVerifiedEmail: true,
    });
  });

  test('is not enabled by a whole document that leaves it out', async () => {
    const id = createdId(await create(smallest('whole')));
    const { enabled: _left, ...without } = smallest('whole');
    assertRefused(await admin.call('PUT', `${path}/${id}`, without), 'enabled');
  });

  test('keeps its limits of times where a whole document does not say them', async () => {
    const limits = { leewaySeconds: 0, maxLifetimeSeconds: 600 };
    const id = createdId(await create({ ...smallest('limited'), ...limits }));
    const answer = await admin.call('PUT', `${path}/${id}`, { ...smallest('limited'), audience: 'another' });
    assert.equal(answer.status, 200, answer.text);
    const { audience, leewaySeconds, maxLifetimeSeconds } = (await admin.get(`${path}/${id}`)).json.data;
    assert.deepEqual([audience, { leewaySeconds, maxLifetimeSeconds }], ['another', limits]);
  });

  test('has its key from one certificate or from an address, and each replaces the other', async () => {
    const id = createdId(await create({ ...smallest('keyed'), jwksEndpoint: null, certPem, kid: 'k1' }));
    let { data } = (await admin.get(`${path}/${id}`)).json;
    assert.equal(data.fingerprint, parseCertificate(certPem).fingerprint256);
    assert.deepEqual([data.certPem, data.jwksEndpoint, data.kid], [certPem, null, 'k1']);
    assert.match(data.notAfter, /^\d{4}-/);
    assert.equal((await admin.call('PATCH', `${path}/${id}`, { jwksEndpoint })).status, 200);
    ({ data } = (await admin.get(`${path}/${id}`)).json);
    const { fingerprint, commonName, notBefore, notAfter, kid } = data;
    assert.deepEqual([data.certPem, fingerprint, commonName, notBefore, notAfter, kid], Array(6).fill(null));
    assert.equal((await admin.call('PATCH', `${path}/${id}`, { certPem })).status, 200);
    assert.equal((await admin.get(`${path}/${id}`)).json.data.jwksEndpoint, null);
  });

  test('shares its issuer only with signers for other audiences, and its name with none', async () => {
    createdId(await create(smallest('shared')));
    const issuer = 'https://shared.example';
    assertRefused(await create({ ...smallest('shared-2'), issuer }), 'audience');
    assertRefused(await create({ ...smallest('shared'), issuer: 'x' }), 'name');
    createdId(await create({ ...smallest('shared-2'), issuer, audience: 'other' }));
  });
});

describe('an invalid signer is refused, and the answer names field, reason and value', () => {
  const cases: readonly [field: string, values: readonly unknown[]][] = [
    ['name', ['', ' ', undefined, 'a\u0007b', 7]],
    ['enabled', ['yes', null]],
    [
      'issuer',
      [
        '',
        undefined,
        'https://a.example/\r\nset-cookie: x',
        'a b',
        'a|b',
        'https://é.example',
        'x'.repeat(3000),
      ],
    ],
    ['audience', ['', undefined, null, 'a\nb', ['overlay'], 'x ', ' x', 'x\u200b', 'x\u00a0']],
    [
      'jwksEndpoint',
      [
        'http://idp.example/jwks',
        'file:///etc/passwd',
        'gopher://idp.example/',
        'https://169.254.169.254/latest',
        'https://[fd00:ec2::254]/',
        'https://[::ffff:169.254.169.254]/',
        'https://0/',
        'https://0.0.0.0/jwks',
        'https://user:secret@idp.example/',
        'https://localhost:admin/',
        'not an address',
        `https://idp.example/${'x'.repeat(3000)}`,
      ],
    ],
    ['kid', ['x']],
    ['certPem', ['not a certificate']],
    ['claimsProperty', ['', '/', '/a~2b', 'x'.repeat(300), 'email ', ' email', 'em\u200bail', '\u00a0sub']],
    ['clientId', ['x ', ' x', 'x\u200b', 'x\u00a0']],
    ['leewaySeconds', [-1, 61, 0.5, 'ten']],
    ['maxLifetimeSeconds', [0, -1, 1e12, 1.5]],
    [
      'externalAuthUrl',
      [' https://idp.example', 'javascript:alert(1)', 'no address', 'https://user@idp.example'],
    ],
    ['scopes', [['a b'], [''], ['é'], 'openid', Array(51).fill('x')]],
    ['targetToken', ['REFRESH', 'id']],
    ['enrollAuthPolicyId', ['no-such-policy', '../x']],
    ['enrollNameClaimsSelector', ['']],
    ['enrollAttributeClaimsSelector', ['/']],
    ['tags', [{ a: {} }]],
  ];
  for (const [field, values] of cases) {
    test(field, async () => {
      const id = createdId(await create(smallest(`target-${field}`)));
      for (const value of values) {
        const refused = await create({
          ...smallest(`bad-${field}`),
          ...(field === 'certPem' ? { jwksEndpoint: null } : {}),
          [field]: value,
        });
        assert.equal(refused.status, 400, `${field}: ${JSON.stringify(value)?.slice(0, 80)} ${refused.text}`);
        const cause = refused.json.error.cause;
        assert.ok(cause.field === field || cause.field.startsWith(`${field}.`), refused.text);
        assert.equal(typeof cause.reason, 'string');
        if (value === undefined || value === null) continue;
        assert.equal((await admin.call('PATCH', `${path}/${id}`, { [field]: value })).status, 400, field);
      }
    });
  }

  test('no key source, two of them, several certificates, and one that has expired', async () => {
    const { jwksEndpoint: _none, ...without } = smallest('keyless');
    const unasked = { ...without, discovery: false };
    assertRefused(await create(unasked), 'jwksEndpoint');
    const urn = { ...without, issuer: 'urn:issuer' };
    assertRefused(await create(urn), 'jwksEndpoint');
    const both = { ...without, discovery: true, certPem };
    assertRefused(await create(both), 'discovery');
    assertRefused(await create({ ...without, jwksEndpoint, certPem }), 'jwksEndpoint');
    const two = `${certPem}\n${(await testPki()).ca.certPem}`;
    assertRefused(await create({ ...without, certPem: two }), 'certPem');
    const longAgo = { ...systemClock, now: () => Date.UTC(2020, 0, 1) };
    const old = await createRootCa({ clock: longAgo }, { commonName: 'old', days: 2 });
    assertRefused(await create({ ...without, certPem: old.certPem }), 'certPem');
    const id = createdId(await create(smallest('emptied')));
    const none = { jwksEndpoint: null, discovery: false };
    const answer = await admin.call('PATCH', `${path}/${id}`, none);
    assertRefused(answer, 'jwksEndpoint');
  });

  test('another issuer that is no https address, where its discovery document is followed', async () => {
    const { jwksEndpoint: _none, ...without } = smallest('followed');
    const id = createdId(await create(without));
    assertRefused(await admin.call('PATCH', `${path}/${id}`, { issuer: 'urn:issuer' }), 'jwksEndpoint');
    const { data } = (await admin.get(`${path}/${id}`)).json;
    assert.deepEqual([data.issuer, data.discovery], [without.issuer, true]);
    const moved = { issuer: 'urn:issuer', jwksEndpoint };
    assert.equal((await admin.call('PATCH', `${path}/${id}`, moved)).status, 200);
  });

  test('an issuer of this service, however it is spelled', async () => {
    const spellings = [
      server.issuer,
      `${server.issuer}/`,
      server.issuer.replace('https://localhost', 'HTTPS://LOCALHOST'),
    ];
    for (const issuer of spellings) assertRefused(await create({ ...smallest('self'), issuer }), 'issuer');
  });
});

describe('anybody', () => {
  test('may list the enabled signers, without issuer, keys and claims', async () => {
    const more = {
      externalAuthUrl: 'https://idp.example/realm/',
      clientId: 'app',
      scopes: ['openid'],
      targetToken: 'ID',
    };
    const id = createdId(await create({ ...smallest('public'), ...more, tags: { team: 'ops' } }));
    createdId(await create({ ...smallest('hidden'), enabled: false }));
    const answer = await server.get('/edge/client/v1/external-jwt-signers?limit=none');
    assert.equal(answer.status, 200);
    const names = answer.json.data.map(({ name }: { name: string }) => name);
    assert.ok(names.includes('public') && !names.includes('hidden'));
    const found = answer.json.data.find((entry: { id: string }) => entry.id === id);
    const { createdAt: _created, updatedAt: _updated, ...rest } = found;
    assert.deepEqual(rest, {
      id,
      _links: { self: { href: `./external-jwt-signers/${id}` } },
      name: 'public',
      ...more,
      audience: 'overlay',
      enrollToCertEnabled: false,
      enrollToTokenEnabled: false,
      openIdConfigurationUrl: 'https://idp.example/realm/.well-known/openid-configuration',
    });
    assert.equal(answer.json.meta.pagination.totalCount, names.length);
  });

  test('can narrow the list by name, and not by what is not shown', async () => {
    const list = (filter: string) =>
      server.get(`/edge/client/v1/external-jwt-signers?filter=${encodeURIComponent(filter)}`);
    const found = (await list('name = "public"')).json.data;
    assert.deepEqual([found.length, found[0].name], [1, 'public']);
    assert.equal(
      (await list('name = "hidden" or true')).json?.data?.some?.(
        (s: { name: string }) => s.name === 'hidden',
      ) ?? false,
      false,
    );
    for (const filter of ['issuer contains "example"', 'enabled = false', 'claimsProperty = "sub"'])
      assertRefused(await list(filter), 400, 'INVALID_FILTER');
  });
});

test('a document that was read can be saved, even with imported values', async () => {
  const id = createdId(await create(smallest('imported')));
  const signerId = asId<SignerId>(id);
  const brought = { jwksEndpoint: 'http://127.0.0.1:9/jwks', claimsProperty: '/a~b', leewaySeconds: 300 };
  await server.store.externalJwtSigners.update(signerId, brought, server.clock.now());
  const { data } = (await admin.get(`${path}/${id}`)).json;
  const saved = await admin.call('PUT', `${path}/${id}`, { ...data, audience: 'another' });
  assert.equal(saved.status, 200, saved.text);
  const after = (await admin.get(`${path}/${id}`)).json.data;
  assert.deepEqual([after.jwksEndpoint, after.audience], [brought.jwksEndpoint, 'another']);
  for (const fields of [{ jwksEndpoint: 'http://127.0.0.1:8/jwks' }, { leewaySeconds: 301 }])
    assert.equal((await admin.call('PATCH', `${path}/${id}`, fields)).status, 400);
});

describe('a signer from one address', () => {
  const discover = (address: unknown) => admin.call('POST', `${path}/discover`, { address });
  const pages = (at: string) => ({ authorization_endpoint: `${at}/auth`, token_endpoint: `${at}/token` });

  test('has what the provider publishes, however the address is typed', async () => {
    const { issuer, jwksEndpoint: keys } = idp;
    const nothing = {
      issuer,
      jwksEndpoint: keys,
      keys: 1,
      externalAuthUrl: null,
      scopes: ['openid'],
      claims: [],
    };
    idp.describe({});
    for (const typed of [
      issuer,
      `${issuer}/`,
      `${issuer}/.well-known/openid-configuration`,
      ` ${issuer.slice(8)}`,
      `${issuer}/#sign-in`,
    ]) {
      const answer = await discover(typed);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json.data, nothing);
    }
    idp.describe({
      ...pages(issuer),
      scopes_supported: ['email', 'groups', 'openid'],
      claims_supported: ['sub', 'email', 'email'],
    });
    assert.deepEqual((await discover(issuer)).json.data, {
      ...nothing,
      externalAuthUrl: issuer,
      scopes: ['openid', 'email'],
      claims: ['sub', 'email'],
    });
    assert.equal(
      (await admin.get(`${path}?filter=${encodeURIComponent(`issuer = "${issuer}"`)}`)).json.data.length,
      0,
      'nothing is stored',
    );
  });

  test('may be an address with a query, which its sign-in and its clients follow', async () => {
    const { issuer } = idp;
    const address = `${issuer}/.well-known/openid-configuration?p=B2C_1_SignIn`;
    idp.describe({ ...pages(issuer), issuer: `${issuer}?p=B2C_1_SignIn` });
    for (const typed of [address, `${issuer}/?p=B2C_1_SignIn`]) {
      const answer = await discover(typed);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.data.externalAuthUrl, `${issuer}?p=B2C_1_SignIn`);
    }
    // One issuer for every policy of a tenant: only by hand.
    idp.describe({ ...pages(issuer), issuer: `${issuer}/tenant` });
    const refused = await discover(address);
    assertRefused(refused, 'address');
    assert.match(
      refused.json.error.cause.reason,
      /create the signer by hand.*externalAuthUrl .*\?p=B2C_1_SignIn$/,
    );
    const id = createdId(
      await create({
        ...smallest('by-policy'),
        externalAuthUrl: `${issuer}/v2.0/?p=B2C_1_SignIn`,
        clientId: 'x',
      }),
    );
    const shown = await server.get('/edge/client/v1/external-jwt-signers?filter=name%3D%22by-policy%22');
    assert.equal(
      shown.json.data[0].openIdConfigurationUrl,
      `${issuer}/v2.0/.well-known/openid-configuration?p=B2C_1_SignIn`,
    );
    assert.equal((await admin.call('DELETE', `${path}/${id}`)).status, 200);
  });

  test('is refused if the document lies, leads elsewhere or is unusable', async () => {
    const { issuer } = idp;
    const other = await startTestIdp();
    other.describe({});
    for (const [members, reason] of [
      [
        { issuer: 'https://bank.example' },
        /is of the issuer https:\/\/bank\.example, where discovery does not work .*by hand, with that issuer/,
      ],
      [{ issuer: other.issuer }, new RegExp(`is of the issuer ${other.issuer}: use that$`)],
      [{ issuer: issuer.replace('https', 'http') }, /is of the issuer http:.*set the public https address/],
      [{ issuer: `${issuer}/{tenantid}/v2.0` }, /serves many tenants: .*Put the id of your tenant/],
      [{ issuer: `${issuer}\u202e\n` }, /is of the issuer .*\?\?, where discovery does not work/],
      [{ issuer: undefined }, /names no issuer/],
      [{ issuer: null }, /names no issuer/],
      [{ jwks_uri: null }, /jwks_uri of the discovery document is missing/],
      [{ jwks_uri: 'http://127.0.0.1/jwks' }, /jwks_uri of the discovery document is no https address/],
      [{ jwks_uri: 'file:///etc/passwd' }, /jwks_uri of the discovery document is no https address/],
      [{ ...pages('javascript:alert(1)//') }, /_endpoint of the discovery document is no https address/],
      [{ jwks_uri: `${issuer}/nowhere` }, /the server answered with an error status/],
      [{ jwks_uri: `${issuer}/.well-known/openid-configuration` }, /publishes no key that can be used/],
    ] as const) {
      idp.describe(members);
      const answer = await discover(issuer);
      assertRefused(answer, 'address');
      assert.match(answer.json.error.cause.reason, reason);
    }
    await other.close();
    idp.describe({ authorization_endpoint: null, token_endpoint: '', scopes_supported: null });
    assert.equal((await discover(issuer.toUpperCase().replace('HTTPS', 'https'))).status, 200);
    idp.describe({});
    for (const address of ['http://idp.example', 'https://a:b@idp.example', 'ftp://idp.example', '//', 'x y'])
      assertRefused(await discover(address), 'address');
    for (const address of ['', 7, null, undefined, 'x'.repeat(2001)])
      assertRefused(await discover(address), 'address');
    assertRefused(await discover(server.issuer), 400, 'COULD_NOT_VALIDATE');
  });

  test('is for administrators, and asks only servers that the configuration allows', async () => {
    const id = await server.createUser({ name: 'reading', password });
    await admin.call('PATCH', `identities/${id}`, { permissions: ['read', 'helpdesk'] });
    const asked = idp.requests.size;
    const reader = await loggedIn(server, 'reading');
    assertRefused(await reader.call('POST', `${path}/discover`, { address: idp.issuer }), 403, 'FORBIDDEN');
    assert.equal(idp.requests.size, asked);
    for (const host of ['169.254.169.254', '[fe80::1]', '0.0.0.0']) {
      const answer = await discover(`https://${host}`);
      assertRefused(answer, 'address');
      assert.match(answer.json.error.cause.reason, /IP address|private or loopback/, host);
    }
  });
});
