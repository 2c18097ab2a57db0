import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AuthError } from '../../src/errors/auth-error.ts';
import { authPolicyEntity } from '../../src/model/entities/auth-policy.ts';
import { caEntity } from '../../src/model/entities/ca.ts';
import { configTypeEntity } from '../../src/model/entities/config-type.ts';
import { externalJwtSignerEntity } from '../../src/model/entities/external-jwt-signer.ts';
import { identityEntity } from '../../src/model/entities/identity.ts';
import { listFieldsOf } from '../../src/model/entities/listed-fields.ts';
import { oidcClientEntity } from '../../src/model/entities/oidc-client.ts';
import * as fields from '../../src/model/list-fields.ts';
import type { Filter, ListQuery } from '../../src/model/list-query.ts';
import { typedName } from '../../src/model/names.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import type { SharedDatabase } from './contract.ts';
import {
  createUser,
  namesOf,
  newIdentity,
  newPassword,
  openSession,
  query,
  sessionLifetime,
  t0,
  uniqueName,
} from './fixtures.ts';

/** Names that are special to LIKE, SQL or Unicode. */
const odd = [
  '100%',
  '1000',
  'a_b',
  'aXb',
  'back\\slash',
  "o'brien; --",
  '*star?',
  'Ärger',
  'ÄRGERN',
  'naïve',
  'zoë 😀',
];

async function createAll(store: Store, names: readonly string[], mark: string): Promise<void> {
  for (const [at, name] of names.entries()) {
    const externalId = at % 2 === 0 ? null : `${mark}-${at}`;
    const type = at % 3 === 0 ? 'Device' : 'User';
    await store.identities.create(
      newIdentity({ name: typedName(name), type, externalId, roleAttributes: [typedName(mark)] }),
      null,
      t0 + at,
    );
  }
}

const invalid = (error: unknown) => error instanceof AuthError && error.code === 'invalid_filter';

export function listTests({ store }: SharedDatabase): void {
  let prepared: Promise<void> | undefined;
  const prepare = async () => {
    prepared ??= createAll(store, odd, uniqueName('mark'));
    await prepared;
    return store;
  };
  const find = async (filter: Filter) =>
    namesOf(
      await (await prepare()).identities.list(
        query({ filter, sort: [{ field: 'createdAt', descending: false }] }),
      ),
    );

  describe('filters', () => {
    const cases: readonly (readonly [Filter, readonly string[]])[] = [
      [{ op: 'true' }, odd],
      [{ op: '=', field: 'name', value: "o'brien; --" }, ["o'brien; --"]],
      [{ op: 'contains', field: 'name', value: '%' }, ['100%']],
      [{ op: 'contains', field: 'name', value: '_' }, ['a_b']],
      [{ op: 'contains', field: 'name', value: '*' }, ['*star?']],
      [{ op: 'contains', field: 'name', value: '\\' }, ['back\\slash']],
      [{ op: 'contains', field: 'name', value: '😀' }, ['zoë 😀']],
      [{ op: 'contains', field: 'name', value: 'rger' }, ['Ärger']],
      [{ op: 'icontains', field: 'name', value: 'äRGER' }, ['Ärger', 'ÄRGERN']],
      [{ op: 'icontains', field: 'name', value: 'STAR' }, ['*star?']],
      [{ op: 'in', field: 'name', values: ['1000', 'aXb', 'nobody'] }, ['1000', 'aXb']],
      [{ op: 'in', field: 'name', values: [] }, []],
      [{ op: 'in', field: 'externalId', values: [null] }, odd.filter((_name, at) => at % 2 === 0)],
      [{ op: '=', field: 'externalId', value: null }, odd.filter((_name, at) => at % 2 === 0)],
      [{ op: '!=', field: 'externalId', value: null }, odd.filter((_name, at) => at % 2 === 1)],
      // A missing value differs from every value.
      [{ op: '!=', field: 'externalId', value: 'another' }, odd],
      [{ op: 'not', term: { op: '=', field: 'externalId', value: 'another' } }, odd],
      [{ op: 'not', term: { op: 'in', field: 'name', values: odd.slice(1) } }, ['100%']],
      [{ op: 'and', terms: [] }, odd],
      [{ op: 'or', terms: [] }, []],
      [
        {
          op: 'and',
          terms: [
            { op: '=', field: 'type', value: 'Device' },
            { op: '!=', field: 'name', value: '100%' },
            { op: 'or', terms: [{ op: '=', field: 'name', value: 'aXb' }, { op: 'true' }] },
          ],
        },
        odd.filter((_name, at) => at % 3 === 0 && at > 0),
      ],
      [{ op: '=', field: 'isAdmin', value: true }, []],
      [{ op: '=', field: 'isAdmin', value: false }, odd],
      [{ op: '<', field: 'createdAt', value: new Date(t0 + 2).toISOString() }, odd.slice(0, 2)],
      [{ op: '>=', field: 'createdAt', value: t0 + 9 }, odd.slice(9)],
    ];
    for (const [filter, expected] of cases) {
      test(`${JSON.stringify(filter)} finds ${expected.length}`, async () => {
        assert.deepEqual(await find(filter), expected);
      });
    }

    test('several texts contain one of them as a whole', async () => {
      const roleAttributes = ['a', 'x,', 'back\\slash', "o'brien", '"quoted"', '%'].map(typedName);
      const name = uniqueName();
      const identity = newIdentity({ name: typedName(name), roleAttributes });
      await store.identities.create(identity, null, t0);
      const finds = async (value: string) => {
        const named = { op: '=', field: 'name', value: name } as const;
        const filter: Filter = {
          op: 'and',
          terms: [named, { op: 'contains', field: 'roleAttributes', value }],
        };
        return (await store.identities.list(query({ filter }))).totalCount === 1;
      };
      for (const value of roleAttributes) assert.equal(await finds(value), true, value);
      for (const value of [',', 'x', '', '","', 'A', 'quoted', '[', '%%', '\0', '\ud800'])
        assert.equal(await finds(value), false, value);
      // The tests below count every identity.
      await store.identities.delete(identity.id, t0);
    });

    const hostile: readonly Filter[] = [
      { op: '=', field: 'permissions', value: 'read' },
      { op: 'in', field: 'roleAttributes', values: ['x'] },
      { op: 'icontains', field: 'roleAttributes', value: 'x' },
      { op: '=', field: 'password', value: 'x' },
      { op: '=', field: 'constructor', value: 'x' },
      { op: '=', field: '__proto__', value: 'x' },
      { op: '=', field: 'name = name --', value: 'x' },
      { op: 'in', field: 'tags', values: ['x'] },
      { op: 'contains', field: 'isAdmin', value: '1' },
      { op: 'icontains', field: 'createdAt', value: '1' },
      { op: '=', field: 'name', value: 1 },
      { op: '=', field: 'isAdmin', value: 'true' },
      { op: '=', field: 'createdAt', value: 'yesterday' },
      { op: '<', field: 'externalId', value: null },
      { op: 'not', term: { op: '=', field: 'nothing', value: null } },
      { op: 'and', terms: Array.from({ length: 5000 }, () => ({ op: 'true' as const })) },
      { op: 'in', field: 'name', values: Array.from({ length: 40_000 }, (_value, at) => `${at}`) },
    ];
    for (const filter of hostile) {
      test(`${JSON.stringify(filter).slice(0, 70)} is refused as a filter`, async () => {
        await assert.rejects(find(filter), invalid);
      });
    }

    test('an unknown field to sort by is refused as a filter', async () => {
      const store = await prepare();
      const sort = [{ field: 'name; DROP TABLE identities', descending: false }];
      await assert.rejects(store.identities.list(query({ sort })), invalid);
    });

    test('a few hundred terms are no problem', async () => {
      const terms = Array.from({ length: 400 }, (_value, at) => ({
        op: '=' as const,
        field: 'name',
        value: `${at === 399 ? '100%' : at}`,
      }));
      assert.deepEqual(await find({ op: 'or', terms }), ['100%']);
    });
  });

  describe('the fields that clients may ask for', () => {
    const lists: Readonly<Record<string, (store: Store, asked: ListQuery) => Promise<unknown>>> = {
      identityListFields: (store, asked) => store.identities.list(asked),
      authPolicyListFields: (store, asked) => store.authPolicies.list(asked),
      authenticatorListFields: (store, asked) => store.authenticators.list(asked),
      enrollmentListFields: (store, asked) => store.enrollments.list(asked),
      invitationListFields: (store, asked) => store.invitations.list(asked),
      loginAttemptListFields: (store, asked) => store.loginAttempts.list(asked),
      auditEventListFields: (store, asked) => store.auditEvents.list(asked),
      ownLoginAttemptListFields: (store, asked) => store.loginAttempts.list(asked),
      apiSessionListFields: (store, asked) => store.apiSessions.list(asked, t0),
      lastLoginListFields: (store, asked) => store.lastLogins.list(asked),
      browserSessionListFields: (store, asked) => store.browserSessions.list(asked, t0),
      externalJwtSignerListFields: (store, asked) => store.externalJwtSigners.list(asked),
      publicSignerListFields: (store, asked) => store.externalJwtSigners.list(asked),
      caListFields: (store, asked) => store.cas.list(asked),
      oidcClientListFields: (store, asked) => store.oidcClients.list(asked),
      configTypeListFields: (store, asked) => store.configTypes.list(asked),
      revocationListFields: (store, asked) => store.revocations.list(asked),
      nodeListFields: (store, asked) => store.nodes.list(asked),
    };
    const everyListFields = {
      ...fields,
      authPolicyListFields: listFieldsOf(authPolicyEntity),
      caListFields: listFieldsOf(caEntity),
      identityListFields: listFieldsOf(identityEntity),
      configTypeListFields: listFieldsOf(configTypeEntity),
      externalJwtSignerListFields: listFieldsOf(externalJwtSignerEntity),
      oidcClientListFields: listFieldsOf(oidcClientEntity),
    };
    const values = { text: 'x', texts: 'x', boolean: true, time: t0 } as const;
    for (const [name, listFields] of Object.entries(everyListFields)) {
      test(`${name} are columns of their kind`, async () => {
        const list = lists[name];
        assert.ok(list !== undefined, 'has no list');
        for (const { field, kind } of listFields.values()) {
          const filter: Filter =
            kind === 'texts'
              ? { op: 'contains', field, value: values[kind] }
              : { op: '=', field, value: values[kind] };
          await list(store, query({ filter, sort: [{ field, descending: false }] }));
          const wrong = kind === 'text' ? true : 'x';
          await assert.rejects(
            list(store, query({ filter: { op: '=', field, value: wrong } })),
            invalid,
            field,
          );
        }
      });
    }
  });

  describe('pages', () => {
    test('together they contain every entry once, in any order', async () => {
      const store = await prepare();
      const orders = [
        [],
        [{ field: 'type', descending: false }],
        [{ field: 'type', descending: true }],
        [
          { field: 'externalId', descending: true },
          { field: 'type', descending: false },
        ],
      ];
      for (const sort of orders) {
        const seen: string[] = [];
        for (let offset = 0; offset < odd.length; offset += 4) {
          const page = await store.identities.list(query({ sort, limit: 4, offset }));
          assert.equal(page.totalCount, odd.length);
          assert.ok(page.items.length <= 4);
          seen.push(...namesOf(page));
        }
        assert.deepEqual(seen.toSorted(), odd.toSorted());
      }
    });

    test('sort by several fields, each in its direction', async () => {
      const store = await prepare();
      const sort = [
        { field: 'type', descending: true },
        { field: 'createdAt', descending: true },
      ];
      const { items } = await store.identities.list(query({ sort }));
      const expected = [...items].sort(
        (a, b) => (a.type === b.type ? 0 : a.type < b.type ? 1 : -1) || b.createdAt - a.createdAt,
      );
      assert.deepEqual(items, expected);
    });

    test('no limit returns everything, limit 0 only the count, an offset beyond the end nothing', async () => {
      const store = await prepare();
      assert.equal((await store.identities.list(query())).items.length, odd.length);
      assert.equal((await store.identities.list(query({ offset: 3 }))).items.length, odd.length - 3);
      const expected = { items: [], totalCount: odd.length, totalCountIsEstimate: false };
      assert.deepEqual(await store.identities.list(query({ limit: 0 })), expected);
      assert.deepEqual(await store.identities.list(query({ limit: 5, offset: 1000 })), expected);
    });

    test('the count is that of the filter', async () => {
      const store = await prepare();
      const filter: Filter = { op: 'icontains', field: 'name', value: 'ä' };
      const page = await store.identities.list(query({ filter, limit: 1 }));
      assert.equal(page.items.length, 1);
      assert.equal(page.totalCount, 2);
    });
  });

  describe('the contents of lists', () => {
    test('sessions that have neither ended nor expired, with the name of the identity', async () => {
      const user = await createUser(store);
      const mine: Filter = { op: '=', field: 'identity', value: user.identity.name };
      const [alive, ended] = [await openSession(store, user), await openSession(store, user)];
      await store.apiSessions.end(ended, 'logout', t0);
      const page = await store.apiSessions.list(query({ filter: mine }), t0);
      assert.deepEqual(
        page.items.map(({ id, identityName }) => [id, identityName]),
        [[alive, user.identity.name]],
      );
      assert.equal(
        (await store.apiSessions.list(query({ filter: mine }), t0 + sessionLifetime)).totalCount,
        0,
      );
      await store.identities.delete(user.id, t0);
    });

    test('sessions are found by a part of an address, in capitals too', async () => {
      const user = await createUser(store);
      const id = await openSession(store, user, { session: { ipAddress: '2001:db8::face' } });
      const find = async (op: 'contains' | 'icontains', value: string) => {
        const mine: Filter = { op: '=', field: 'identityId', value: user.id };
        const filter: Filter = { op: 'and', terms: [mine, { op, field: 'ipAddress', value }] };
        return (await store.apiSessions.list(query({ filter }), t0)).items.map((item) => item.id);
      };
      assert.deepEqual(await find('icontains', 'DB8::Face'), [id]);
      assert.deepEqual(await find('contains', 'db8::face'), [id]);
      assert.deepEqual(await find('contains', 'DB8::Face'), []);
    });

    test('user names come in the order of their letters, capitals or not, and begin where a term says', async () => {
      const mark = uniqueName('Order');
      const users = ['B', 'a', 'C'].map((letter) => newPassword(`${mark}-${letter}`));
      for (const password of users) await store.identities.create(newIdentity(), password, t0);
      const lettersOf = async (asked: Partial<ListQuery>) => {
        const mine: Filter = { op: 'icontains', field: 'username', value: mark };
        const filter: Filter = { op: 'and', terms: [mine, asked.filter ?? { op: 'true' }] };
        const sort = asked.sort ?? [{ field: 'username', descending: false }];
        const { items } = await store.authenticators.list(query({ filter, sort }));
        return items.map((item) => ('username' in item ? item.username.slice(-1) : '')).join('');
      };
      assert.equal(await lettersOf({}), 'aBC');
      assert.equal(await lettersOf({ sort: [{ field: 'username', descending: true }] }), 'CBa');
      for (const [op, letter, found] of [
        ['>', 'b', 'C'],
        ['>=', 'b', 'BC'],
        ['<', 'B', 'a'],
        ['=', 'B', 'B'],
        ['=', 'b', ''],
        ['!=', 'B', 'aC'],
      ] as const) {
        const filter: Filter = { op, field: 'username', value: `${mark}-${letter}` };
        assert.equal(await lettersOf({ filter }), found, `${op} ${letter}`);
      }
    });

    test('authenticators with the name of the identity, and never a hash; policies', async () => {
      const user = await createUser(store);
      const filter: Filter = { op: '=', field: 'username', value: user.password.username };
      const { items } = await store.authenticators.list(query({ filter }));
      assert.deepEqual(
        items.map(({ id, method, identityName }) => [id, method, identityName]),
        [[user.authenticatorId, 'updb', user.identity.name]],
      );
      assert.equal(JSON.stringify(items).includes(user.password.passwordHash), false);
      const policies = await store.authPolicies.list(
        query({ filter: { op: '=', field: 'id', value: 'default' } }),
      );
      assert.equal(policies.totalCount, 1);
      await store.identities.delete(user.id, t0);
    });
  });
}
