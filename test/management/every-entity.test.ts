// What holds for every entity of the management API, as one table. What is special to one entity is
// in its own test.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { HOUR, SECOND, systemClock } from '../../src/platform/clock.ts';
import { signedInBrowser, withBrowserSession } from '../support/browser-session.ts';
import { authority } from '../support/chains.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

type Body = Readonly<Record<string, unknown>>;

interface Entity {
  readonly collection: string;
  /** A valid body, different with each call. Missing: nothing is created here, and there is one already. */
  readonly fresh?: () => Promise<Body> | Body;
  /** What the document names differently from such a body, or leaves out. */
  readonly shownAs?: (body: Body) => Body;
  /** A valid change of one field; missing: it cannot be changed. */
  readonly patch?: () => Body;
  readonly replace?: (body: Body) => Body;
  /** What fields have that a whole document leaves out. */
  readonly leftOut?: Body;
  /** Bodies that are valid but for one field. */
  readonly wrong?: readonly (readonly [field: string, change: Body])[];
  readonly hasTags: boolean;
  /** The field whose value must be unique. */
  readonly unique?: string;
  readonly isDeletable: boolean;
  /** What existing clients also send, and nothing here uses. */
  readonly ignoredMembers?: Body;
}

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);

const serial = Array.from({ length: 10_000 }, (_value, at) => at).values();
const unused = (prefix: string) => `${prefix} ${serial.next().value}`;
const badTags: readonly (readonly [string, Body])[] = [
  ['tags', { tags: [] }],
  ['tags', { tags: 'x' }],
  ['tags.a', { tags: { a: {} } }],
  ['tags', { tags: { '': 1 } }],
  ['tags', { tags: { a: 'x'.repeat(1025) } }],
  ['tags', { tags: Object.fromEntries(Array.from({ length: 101 }, (_value, at) => [`t${at}`, at])) }],
];
const badNames: readonly (readonly [string, Body])[] = [
  ['name', { name: null }],
  ['name', { name: undefined }],
  ['name', { name: 7 }],
  ['name', { name: ['a'] }],
  ['name', { name: ' ' }],
  ['name', { name: ' leading' }],
  ['name', { name: 'trailing\u00a0' }],
  ['name', { name: 'a\u0007b' }],
  ['name', { name: 'x'.repeat(256) }],
];

const wrongPasswordRules = [
  ...[1, null].map((value) => ['allowed', value] as const),
  ...[4, 2000, '12'].map((value) => ['minPasswordLength', value] as const),
  ...[-1, 1.5, 1e9, null].map((value) => ['maxAttempts', value] as const),
  ...[-1, 1e12].map((value) => ['lockoutDurationMinutes', value] as const),
];

async function identityId(): Promise<string> {
  return createdId(await admin.call('POST', 'identities', { name: unused('of'), type: 'User' }));
}

const entities: readonly Entity[] = [
  {
    collection: 'identities',
    fresh: () => ({
      name: unused('identity'),
      type: 'Device',
      isAdmin: false,
      externalId: unused('ext'),
      authPolicyId: 'default',
      roleAttributes: ['b', 'a'],
      permissions: ['read'],
      tags: { site: 'north', floor: 3, on: true, none: null },
    }),
    shownAs: ({ type, ...rest }) => ({ ...rest, typeId: type }),
    patch: () => ({ name: unused('patched') }),
    ignoredMembers: {
      appData: { a: 1 },
      defaultHostingCost: 0,
      defaultHostingPrecedence: 'default',
      serviceHostingCosts: {},
      serviceHostingPrecedences: null,
      hasApiSession: false,
    },
    replace: (body) => ({ ...body, name: unused('replaced'), type: 'Service' }),
    leftOut: { externalId: null, roleAttributes: [], permissions: [] },
    wrong: [
      ...badNames,
      ['name', { name: { $ne: null } }],
      ['name', { name: 'a\nb' }],
      ['name', { name: '\u202egnp.exe' }],
      ['type', { type: 'Robot' }],
      ['type', { type: 'toString' }],
      ['type', { type: null }],
      ['isAdmin', { isAdmin: 'true' }],
      ['isAdmin', { isAdmin: 1 }],
      ['externalId', { externalId: {} }],
      ['externalId', { externalId: 'a\nb' }],
      ['authPolicyId', { authPolicyId: 'no-such-policy' }],
      ['authPolicyId', { authPolicyId: 'a/b' }],
      ['authPolicyId', { authPolicyId: "default' or 1=1" }],
      ['tags', { tags: { 'a\u0007': 1 } }],
      ['roleAttributes', { roleAttributes: 'a' }],
      ['roleAttributes.0', { roleAttributes: [1] }],
      ['roleAttributes', { roleAttributes: [''] }],
      ['roleAttributes', { roleAttributes: Array.from({ length: 101 }, (_value, at) => `r${at}`) }],
      ['permissions.0', { permissions: ['everything'] }],
    ],
    hasTags: true,
    unique: 'name',
    isDeletable: true,
  },
  {
    collection: 'authenticators',
    fresh: async () => ({
      method: 'updb',
      identityId: await identityId(),
      username: unused('user').replace(' ', '-'),
      password,
      tags: { a: 1 },
    }),
    shownAs: ({ password: _secret, ...rest }) => rest,
    patch: () => ({ username: unused('patched').replace(' ', '-') }),
    replace: () => ({ username: unused('replaced').replace(' ', '-'), password: `${password} again` }),
    wrong: [
      ['method', { method: 'totp' }],
      ['method', { method: null }],
      ['identityId', { identityId: 'nobody' }],
      ['identityId', { identityId: null }],
      ['username', { username: null }],
      ['username', { username: '' }],
      ['username', { username: ' a' }],
      ['username', { username: 'x'.repeat(101) }],
      ['password', { password: null }],
      ['password', { password: 7 }],
    ],
    hasTags: true,
    unique: 'username',
    isDeletable: true,
  },
  {
    collection: 'auth-policies',
    fresh: () => ({
      name: unused('policy'),
      primary: {
        cert: { allowed: true, allowExpiredCerts: false },
        extJwt: { allowed: false, allowedSigners: [] },
        updb: {
          allowed: true,
          minPasswordLength: 10,
          requireSpecialChar: true,
          requireNumberChar: true,
          requireMixedCase: true,
          maxAttempts: 7,
          lockoutDurationMinutes: 3,
        },
        passkey: {
          allowed: true,
          userVerification: 'preferred',
          satisfiesSecondary: false,
          allowedAuthenticators: [],
        },
      },
      secondary: {
        requireTotp: true,
        requireExtJwtSigner: null,
        requireExtJwt: null,
        requirePasskey: true,
      },
      tags: { a: 1 },
    }),
    patch: () => ({ name: unused('patched') }),
    replace: (body) => ({ ...body, name: unused('replaced') }),
    leftOut: {
      secondary: {
        requireTotp: false,
        requireExtJwtSigner: null,
        requireExtJwt: null,
        // Programs for other controllers do not know it.
        requirePasskey: true,
      },
    },
    wrong: [
      ...badNames,
      ['primary', { primary: 'all' }],
      ['primary', { primary: null }],
      ['primary.cert', { primary: { cert: true } }],
      ['primary.cert.allowed', { primary: { cert: { allowed: 'yes' } } }],
      ...wrongPasswordRules.map(([rule, value]) => {
        return [`primary.updb.${rule}`, { primary: { updb: { [rule]: value } } }] as const;
      }),
      ['primary.extJwt.allowedSigners', { primary: { extJwt: { allowedSigners: ['nobody'] } } }],
      ['primary.extJwt.allowedSigners.0', { primary: { extJwt: { allowedSigners: ["' or 1=1"] } } }],
      ...['x', '00000000-0000-0000-0000-000000000000', '2fc0579f811347ea'].map(
        (model) =>
          [
            'primary.passkey.allowedAuthenticators',
            { primary: { passkey: { allowedAuthenticators: [model] } } },
          ] as const,
      ),
      ['secondary.requireTotp', { secondary: { requireTotp: 1 } }],
      ['secondary.requireExtJwt', { secondary: { requireExtJwt: 'nobody' } }],
      ['secondary.requireExtJwtSigner', { secondary: { requireExtJwtSigner: 'nobody' } }],
      ['secondary.requireExtJwtSigner', { secondary: { requireExtJwt: 'one', requireExtJwtSigner: 'two' } }],
    ],
    hasTags: true,
    unique: 'name',
    isDeletable: true,
  },
  {
    collection: 'external-jwt-signers',
    fresh: () => ({
      name: unused('signer'),
      enabled: true,
      issuer: `https://idp.example/${serial.next().value}`,
      audience: 'overlay',
      jwksEndpoint: 'https://idp.example/keys',
      claimsProperty: '/email',
      useExternalId: true,
      externalAuthUrl: 'https://idp.example/auth',
      clientId: 'native',
      scopes: ['openid', 'email'],
      targetToken: 'ID',
      tags: { a: 1 },
    }),
    patch: () => ({ name: unused('patched') }),
    replace: (body) => ({ ...body, name: unused('replaced') }),
    leftOut: {
      claimsProperty: 'sub',
      useExternalId: false,
      clientId: null,
      scopes: [],
      targetToken: 'ACCESS',
    },
    wrong: [
      ...badNames,
      ['issuer', { issuer: null }],
      ['issuer', { issuer: '' }],
      ['audience', { audience: null }],
      ['enabled', { enabled: 'yes' }],
      ['jwksEndpoint', { jwksEndpoint: 'http://idp.example/keys' }],
      ['jwksEndpoint', { jwksEndpoint: 'nowhere' }],
      ['externalAuthUrl', { externalAuthUrl: 'javascript:alert(1)' }],
      ['externalAuthUrl', { externalAuthUrl: 'https://:secret@idp.example/' }],
      ['externalAuthUrl', { externalAuthUrl: 'https://idp.\texample/' }],
      ['scopes', { scopes: 'openid' }],
      ['targetToken', { targetToken: 'REFRESH' }],
      ['enrollAuthPolicyId', { enrollAuthPolicyId: 'nobody' }],
    ],
    hasTags: true,
    unique: 'name',
    isDeletable: true,
  },
  {
    collection: 'cas',
    fresh: () => {
      return {
        name: unused('ca'),
        certPem: authority().certPem,
        isAuthEnabled: true,
        isAutoCaEnrollmentEnabled: true,
        isOttCaEnrollmentEnabled: true,
        identityRoles: ['x'],
        identityNameFormat: '[caName]-[commonName]',
        externalIdClaim: {
          location: 'SAN_URI',
          matcher: 'SCHEME',
          matcherCriteria: 'spiffe',
          parser: 'SPLIT',
          parserCriteria: '/',
          index: 2,
        },
        tags: { a: 1 },
      };
    },
    shownAs: ({ certPem: _pem, ...rest }) => rest,
    patch: () => ({ name: unused('patched') }),
    replace: ({ certPem: _pem, ...rest }) => ({ ...rest, name: unused('replaced') }),
    leftOut: { isAuthEnabled: false, externalIdClaim: null },
    wrong: [
      ...badNames,
      ['certPem', { certPem: null }],
      ['certPem', { certPem: 'not a certificate' }],
      ['isAuthEnabled', { isAuthEnabled: 'yes' }],
      ['identityRoles', { identityRoles: 'x' }],
      ['externalIdClaim.location', { externalIdClaim: { location: 'SUBJECT' } }],
    ],
    hasTags: true,
    unique: 'name',
    isDeletable: true,
  },
  {
    collection: 'enrollments',
    fresh: async () => ({
      method: 'updb',
      identityId: await identityId(),
      username: unused('user').replace(' ', '-'),
      expiresAt: new Date(clock.now() + HOUR).toISOString(),
    }),
    wrong: [
      ['method', { method: 'smoke' }],
      ['method', { method: null }],
      ['identityId', { identityId: 'nobody' }],
      ['username', { username: null }],
      ['username', { username: 7 }],
      ['expiresAt', { expiresAt: 'tomorrow' }],
      ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ],
    hasTags: false,
    isDeletable: true,
  },
  {
    collection: 'revocations',
    fresh: () => ({ id: unused('jti').replace(' ', '-'), type: 'JTI', issuedBefore: null, tags: { a: 1 } }),
    wrong: [
      ['id', { id: null }],
      ['id', { id: 'a b' }],
      ['type', { type: 'TOKEN' }],
      ['issuedBefore', { issuedBefore: 'yesterday' }],
    ],
    hasTags: true,
    isDeletable: true,
  },
  {
    collection: 'config-types',
    fresh: () => ({ name: unused('type'), tags: { a: 1 } }),
    ignoredMembers: { schema: {} },
    patch: () => ({ name: unused('patched') }),
    replace: (body) => ({ ...body, name: unused('replaced') }),
    wrong: [...badNames, ['id', { id: 'a b' }]],
    hasTags: true,
    unique: 'name',
    isDeletable: true,
  },
  { collection: 'api-sessions', hasTags: false, isDeletable: true },
  { collection: 'browser-sessions', hasTags: false, isDeletable: true },
  { collection: 'controllers', hasTags: false, isDeletable: false },
  { collection: 'audit-events', hasTags: false, isDeletable: false },
  { collection: 'login-attempts', hasTags: false, isDeletable: false },
];

const server = await serverOfFile({ clock, signing: true, configure: withBrowserSession });
const admin = await rootOf(server);
await server.createUser({ name: 'alice', password });
await signedInBrowser(server, 'alice');
await loggedIn(server, 'alice');
await server.controller.services.attempts.flush();

/** The existing entity, or a new one. */
async function anyOf({ collection, fresh }: Entity): Promise<string> {
  if (fresh !== undefined) return createdId(await admin.call('POST', collection, await fresh()));
  const [first] = (await admin.get(collection)).json.data;
  return first.id ?? first.reference;
}

async function read(collection: string, id: string): Promise<Record<string, unknown>> {
  const answer = await admin.get(`${collection}/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.data;
}

/** Asserts that the document has every member of `expected`; others do not matter. */
function assertShows(document: Record<string, unknown>, expected: Body): void {
  const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, document[name]]));
  assert.deepEqual(shown, expected);
}

function assertNamesField(answer: Answer, field: string): void {
  assertRefused(answer, 400, answer.json.error?.code);
  assert.match(answer.json.error.code, /^(COULD_NOT_VALIDATE|INVALID_FIELD)$/);
  const { cause } = answer.json.error;
  assert.equal(cause.field, field, answer.text);
  assert.match(cause.reason, /^[a-z].{3,}/, answer.text);
}

function assertUnknown(answer: Answer, unknown: string, nearest?: string): void {
  assertNamesField(answer, unknown);
  const { reason, value } = answer.json.error.cause;
  if (nearest === undefined) assert.match(reason, /^is not known here: known are [A-Za-z]+(?:, [A-Za-z]+)*$/);
  else assert.equal(reason, `is not known here: the nearest known name is ${nearest}`, unknown);
  assert.equal(value, '', 'what was sent is not repeated');
}

/** A call that takes effect only on a given version. */
function callIf(version: string, method: string, path: string, json?: Body): Promise<Answer> {
  const headers = { authorization: `Bearer ${admin.accessToken}`, 'if-match': version };
  const address = `/edge/management/v1/${path}`;
  return server.request(method, address, json === undefined ? { headers } : { headers, json });
}

async function versionOf(path: string): Promise<string> {
  const { etag } = (await admin.get(path)).headers;
  assert.match(String(etag), /^"[\w-]{22}"$/);
  return String(etag);
}

for (const entity of entities) {
  const { collection, fresh, patch, replace, isDeletable } = entity;
  describe(`/${collection}`, () => {
    if (fresh !== undefined) {
      test('shows what was sent, and what every document has', async () => {
        const body = await fresh();
        const created = await admin.call('POST', collection, body);
        const id = createdId(created);
        assert.equal(created.headers.location, `/edge/management/v1/${collection}/${id}`);
        assert.deepEqual(created.json, {
          data: { id, _links: { self: { href: `./${collection}/${id}` } } },
          meta: {},
        });
        const document = await read(collection, id);
        const now = new Date(clock.now()).toISOString();
        assertShows(document, {
          ...(entity.shownAs ?? ((sent) => sent))(body),
          id,
          createdAt: now,
          updatedAt: now,
        });
        assert.equal(JSON.stringify(document).includes(password), false);
      });

      test('ignores what only the service sets, and what other clients are known to send', async () => {
        const served = { createdAt: '2000-01-01T00:00:00Z', updatedAt: null, _links: {} };
        const body = { ...(await fresh()), ...served, ...entity.ignoredMembers };
        const id = createdId(await admin.call('POST', collection, body));
        const document = await read(collection, id);
        assert.equal(document.createdAt, new Date(clock.now()).toISOString());
      });

      test('refuses an unknown member, and names the nearest known one', async () => {
        const total = async () => (await admin.get(`${collection}?limit=1`)).json.meta.pagination.totalCount;
        const [known = ''] = Object.keys(await fresh());
        const before = await total();
        for (const [unknown, nearest] of [
          [`${known}s`, known],
          [`${known.slice(1)}`, known],
          ['nonsense', undefined],
          ['constructor', undefined],
          ['toString', undefined],
        ] as const) {
          const body = { ...(await fresh()), [unknown]: { deep: [1] } };
          assertUnknown(await admin.call('POST', collection, body), unknown, nearest);
        }
        // One more for each identity that a new body needs, if identities are being counted.
        assert.equal(await total(), before);
      });

      for (const [field, change] of [...(entity.wrong ?? []), ...(entity.hasTags ? badTags : [])]) {
        test(`names ${field} for ${JSON.stringify(change).slice(0, 60)}`, async () => {
          assertNamesField(await admin.call('POST', collection, { ...(await fresh()), ...change }), field);
        });
      }

      test('refuses what is not a JSON object', async () => {
        const init = {
          headers: { authorization: `Bearer ${admin.accessToken}`, 'content-type': 'application/json' },
        };
        for (const text of ['[]', '"x"', 'null', '7', '{', '{"name":"a","name":"b"}', '\ufeff{}']) {
          const answer = await server.post(`/edge/management/v1/${collection}`, { ...init, body: text });
          assertRefused(answer, 400, 'COULD_NOT_PARSE_BODY', 'body');
        }
        const empty = await server.post(`/edge/management/v1/${collection}`, init);
        assertRefused(empty, 400, 'COULD_NOT_VALIDATE');
      });
    }

    if (fresh !== undefined && entity.hasTags) {
      test('has no tags for null or an absent member', async () => {
        for (const tags of [null, undefined]) {
          const id = createdId(await admin.call('POST', collection, { ...(await fresh()), tags }));
          assert.deepEqual((await read(collection, id)).tags, {});
        }
      });
    }

    if (fresh !== undefined && patch !== undefined && replace !== undefined) {
      test('is changed and deleted only from its latest version, if the request requires that', async () => {
        const body = await fresh();
        const path = `${collection}/${createdId(await admin.call('POST', collection, body))}`;
        const first = await versionOf(path);
        assert.equal(await versionOf(path), first);
        const both = await Promise.all(patches(2).map((sent) => callIf(first, 'PATCH', path, sent)));
        assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412], 'one of two at the same time');

        const second = await versionOf(path);
        assert.notEqual(second, first, 'even within the same millisecond');
        const document = (await admin.get(path)).json;
        for (const stale of [first, `W/${second}`, `"", ${first}`, 'nonsense', '', '"']) {
          assertRefused(await callIf(stale, 'PUT', path, replace(body)), 412, 'PRECONDITION_FAILED');
          assertRefused(await callIf(stale, 'PATCH', path, patch()), 412, 'PRECONDITION_FAILED');
          assertRefused(await callIf(stale, 'DELETE', path), 412, 'PRECONDITION_FAILED');
        }
        assert.deepEqual((await admin.get(path)).json, document);

        const replaced = await callIf(`${first}, ${second}`, 'PUT', path, replace(body));
        assert.equal(replaced.status, 200, replaced.text);
        assert.equal((await callIf('*', 'PATCH', path, patch())).status, 200);
        assert.equal((await callIf(await versionOf(path), 'DELETE', path)).status, 200);
        assertRefused(await callIf(second, 'DELETE', path), 404, 'NOT_FOUND');
      });

      const patches = (count: number) => Array.from({ length: count }, () => patch());
    }

    const { unique } = entity;
    if (fresh !== undefined && unique !== undefined) {
      test(`says that ${unique} is taken, with its value`, async () => {
        const body = await fresh();
        createdId(await admin.call('POST', collection, body));
        const other = { ...(await fresh()), [unique]: body[unique] };
        const answer = await admin.call('POST', collection, other);
        assertNamesField(answer, unique);
        assert.equal(answer.json.error.cause.value, body[unique]);
        if (patch === undefined) return;
        const id = await anyOf(entity);
        assertNamesField(
          await admin.call('PATCH', `${collection}/${id}`, { [unique]: body[unique] }),
          unique,
        );
      });
    }

    if (patch !== undefined) {
      test('changes by PATCH what the body contains, and nothing else', async () => {
        const id = await anyOf(entity);
        const was = await read(collection, id);
        clock.advance(SECOND);
        const change = patch();
        const answer = await admin.call('PATCH', `${collection}/${id}`, change);
        assert.deepEqual([answer.status, answer.json], [200, { data: {}, meta: {} }]);
        const updatedAt = new Date(clock.now()).toISOString();
        assert.deepEqual(await read(collection, id), { ...was, ...change, updatedAt });
        const filter = encodeURIComponent(`requestId = "${answer.headers['x-request-id']}"`);
        const [event, ...others] = (await admin.get(`audit-events?filter=${filter}`)).json.data;
        const { action, entityId, byIdentity, changes } = event;
        assert.deepEqual([others, action, entityId, byIdentity.name], [[], 'update', id, 'root']);
        const changed = Object.entries(change).map(([field, to]) => ({ field, from: was[field], to }));
        assert.deepEqual(changes, changed, 'the audit trail names the one field that was changed');
        assert.equal((await admin.call('PATCH', `${collection}/${id}`, {})).status, 200);
        assert.deepEqual(await read(collection, id), { ...was, ...change, updatedAt });
      });

      test('refuses an unknown member by PATCH, and changes nothing', async () => {
        const id = await anyOf(entity);
        const was = await read(collection, id);
        const answer = await admin.call('PATCH', `${collection}/${id}`, { ...patch(), tegs: {} });
        assertUnknown(answer, 'tegs', 'tags');
        assert.deepEqual(await read(collection, id), was);
        const secret = collection === 'authenticators' ? { password } : {};
        const mistyped = { ...was, tegs: {}, type: was.typeId, ...secret };
        assertUnknown(await admin.call('PUT', `${collection}/${id}`, mistyped), 'tegs', 'tags');
        assert.deepEqual(await read(collection, id), was);
      });

      for (const [field, change] of badTags) {
        test(`names ${field} in a PATCH with ${JSON.stringify(change).slice(0, 40)}`, async () => {
          assertNamesField(await admin.call('PATCH', `${collection}/${await anyOf(entity)}`, change), field);
        });
      }
    }

    if (fresh !== undefined && replace !== undefined) {
      test('is replaced by PUT, which gives omitted fields their defaults', async () => {
        const body = await fresh();
        const id = createdId(await admin.call('POST', collection, body));
        const defaults: Body = { tags: {}, ...entity.leftOut };
        const isKept = ([name]: [string, unknown]) => !Object.hasOwn(defaults, name);
        const next: Body = Object.fromEntries(Object.entries(replace(body)).filter(isKept));
        const answer = await admin.call('PUT', `${collection}/${id}`, next);
        assert.deepEqual([answer.status, answer.json], [200, { data: {}, meta: {} }], answer.text);
        const shown = (entity.shownAs ?? ((all) => all))(next);
        assertShows(await read(collection, id), { ...shown, ...defaults });
        assertRefused(await admin.call('PUT', `${collection}/${id}`, {}), 400, 'COULD_NOT_VALIDATE');
      });

      test('accepts by PUT the whole document that it returned', async () => {
        const id = await anyOf(entity);
        const document = await read(collection, id);
        const sent = { ...document, ...entity.ignoredMembers };
        const answer = await admin.call('PUT', `${collection}/${id}`, sent);
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(await read(collection, id), {
          ...document,
          updatedAt: (await read(collection, id)).updatedAt,
        });
      });
    }

    test('is listed in pages, and by each of the fields that the list names', async () => {
      if (fresh !== undefined) await anyOf(entity);
      const { json } = await admin.get(collection);
      const { filterableFields, pagination } = json.meta;
      assert.deepEqual(pagination, { limit: 10, offset: 0, totalCount: pagination.totalCount });
      assert.equal(json.data.length, Math.min(10, pagination.totalCount));
      assert.ok(filterableFields.length > 3);
      for (const field of filterableFields) {
        for (const order of ['asc', 'desc']) {
          const answer = await admin.get(`${collection}?sort=${field}%20${order}&limit=500`);
          assert.equal(answer.status, 200, `${field} ${answer.text}`);
          assert.equal(answer.json.meta.pagination.totalCount, pagination.totalCount);
        }
      }
      const offset = pagination.totalCount;
      const beyond = await admin.get(`${collection}?offset=${offset}&limit=1`);
      assert.deepEqual(beyond.json.data, []);
      assert.deepEqual(beyond.json.meta.pagination, { limit: 1, offset, totalCount: offset });
      assert.deepEqual((await admin.get(`${collection}?limit=0`)).json.data, []);
      const all = await admin.get(`${collection}?limit=none`);
      assert.equal(all.json.data.length, pagination.totalCount);
    });

    test('finds one by filter', async () => {
      const id = await anyOf(entity);
      const field = collection === 'login-attempts' ? 'reference' : 'id';
      const answer = await admin.get(`${collection}?filter=${encodeURIComponent(`${field} = "${id}"`)}`);
      assert.ok(answer.json.data.length >= 1, answer.text);
      for (const found of answer.json.data) assert.equal(found[field], id);
      const none = await admin.get(`${collection}?filter=${encodeURIComponent(`${field} = "nobody"`)}`);
      assert.deepEqual([none.json.data, none.json.meta.pagination.totalCount], [[], 0]);
    });

    test('refuses lists with parameters that it does not understand', async () => {
      const refused: readonly (readonly [code: string, query: string])[] = [
        ['INVALID_FILTER', 'filter=passwordHash%20=%20"x"'],
        ['INVALID_FILTER', 'filter=id%20='],
        ['INVALID_FILTER', 'sort=tags'],
        ['COULD_NOT_VALIDATE', 'limit=501'],
        ['COULD_NOT_VALIDATE', 'limit=-1'],
        ['COULD_NOT_VALIDATE', 'limit=1&limit=2'],
        ['COULD_NOT_VALIDATE', 'offset=x'],
        ['COULD_NOT_VALIDATE', 'roleFilter=%23all'],
      ];
      for (const [code, query] of refused) {
        assertRefused(await admin.get(`${collection}?${query}`), 400, code);
      }
    });

    test('does not find what does not exist, for any operation', async () => {
      const methods = [
        'GET',
        ...(patch === undefined ? [] : ['PATCH']),
        ...(replace === undefined ? [] : ['PUT']),
        ...(isDeletable ? ['DELETE'] : []),
      ];
      const body = { ...(await fresh?.()), ...patch?.() };
      for (const id of ['nobody', 'a'.repeat(65), '..%2Fidentities', '%00', '%27', '%7B%7D']) {
        for (const method of methods) {
          const sent = method === 'GET' || method === 'DELETE' ? undefined : body;
          assertRefused(await admin.call(method, `${collection}/${id}`, sent), 404, 'NOT_FOUND');
        }
      }
    });

    test('lists the allowed methods', async () => {
      const id = await anyOf(entity);
      const ofList = ['GET', 'HEAD', ...(fresh === undefined ? [] : ['POST']), 'OPTIONS'];
      const ofOne = [
        'GET',
        'HEAD',
        ...(replace === undefined ? [] : ['PUT']),
        ...(patch === undefined ? [] : ['PATCH']),
        ...(isDeletable ? ['DELETE'] : []),
        'OPTIONS',
      ];
      for (const [path, methods] of [
        [collection, ofList],
        [`${collection}/${id}`, ofOne],
      ] as const) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          if (methods.includes(method)) continue;
          const answer = await admin.call(method, path, method === 'DELETE' ? undefined : {});
          assertRefused(answer, 405, 'METHOD_NOT_ALLOWED');
          assert.deepEqual(String(answer.headers.allow).split(', ').sort(), methods.toSorted());
        }
        const head = await admin.call('HEAD', path);
        assert.deepEqual([head.status, head.text], [200, '']);
        assert.ok(Number(head.headers['content-length']) > 0);
      }
    });

    if (isDeletable && collection !== 'api-sessions') {
      test('is deleted once', async () => {
        const id = await anyOf(entity);
        const answer = await admin.call('DELETE', `${collection}/${id}`);
        assert.deepEqual([answer.status, answer.json], [200, { data: {}, meta: {} }]);
        assertRefused(await admin.get(`${collection}/${id}`), 404, 'NOT_FOUND');
        assertRefused(await admin.call('DELETE', `${collection}/${id}`), 404, 'NOT_FOUND');
      });
    }
  });
}

describe('entities that others refer to', () => {
  const entity = (collection: string) => {
    const found = entities.find((candidate) => candidate.collection === collection);
    if (found === undefined) throw new Error(collection);
    return found;
  };

  test('is not deleted: an auth policy of identities or of signers', async () => {
    for (const [collection, references] of [
      ['identities', (authPolicyId: string) => ({ authPolicyId })],
      ['external-jwt-signers', (enrollAuthPolicyId: string) => ({ enrollAuthPolicyId })],
      [
        'external-jwt-signers',
        (authPolicyId: string) => ({ useExternalId: true, createIdentities: { name: 'name', authPolicyId } }),
      ],
    ] as const) {
      const [policy, user] = [await anyOf(entity('auth-policies')), await anyOf(entity(collection))];
      const uses = await admin.call('PATCH', `${collection}/${user}`, references(policy));
      assert.equal(uses.status, 200, uses.text);
      const blocked = await admin.call('DELETE', `auth-policies/${policy}`);
      assertRefused(blocked, 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
      assert.equal((await admin.call('DELETE', `${collection}/${user}`)).status, 200);
      assert.equal((await admin.call('DELETE', `auth-policies/${policy}`)).status, 200);
    }
  });

  test('is not deleted: a signer that an auth policy allows or requires', async () => {
    for (const rules of [
      (signer: string) => ({ primary: { extJwt: { allowed: true, allowedSigners: [signer] } } }),
      (signer: string) => ({ secondary: { requireExtJwtSigner: signer } }),
    ]) {
      const signer = await anyOf(entity('external-jwt-signers'));
      const policy = createdId(
        await admin.call('POST', 'auth-policies', { name: unused('uses'), ...rules(signer) }),
      );
      const blocked = await admin.call('DELETE', `external-jwt-signers/${signer}`);
      assertRefused(blocked, 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
      assert.equal((await admin.call('DELETE', `auth-policies/${policy}`)).status, 200);
      assert.equal((await admin.call('DELETE', `external-jwt-signers/${signer}`)).status, 200);
    }
  });

  test('is not deleted: the initial policy', async () => {
    assertRefused(await admin.call('DELETE', 'auth-policies/default'), 400, 'ENTITY_CAN_NOT_BE_DELETED');
  });
});

test('every body of the management API declares everything that it accepts', () => {
  const bodies = server.controller.services.routes
    .filter(({ api, guard }) => api === 'edge-management' && guard === 'admin')
    .flatMap(({ path, body }) => (body === undefined ? [] : [{ path, schema: body.schema }]));
  assert.ok(bodies.length > 20);
  const open = bodies.flatMap(({ path, schema }) =>
    openObjects(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), path),
  );
  assert.deepEqual(open, []);
});

/** Where an object accepts members that it does not name. Tags and the like are left out: their owner names them. */
function openObjects(schema: object, at: string): string[] {
  const isOpen = 'properties' in schema && !('additionalProperties' in schema);
  const inside = Object.entries(schema).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? openObjects(value, `${at}/${name}`) : [],
  );
  return isOpen ? [at, ...inside] : inside;
}
