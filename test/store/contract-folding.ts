// `icontains` compares texts in lower case. Where the lower case comes from (stored, once for each entry, once for each term)
// makes no difference to what a list finds, on either engine.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { StoredName } from '../../src/model/ids.ts';
import type { Filter } from '../../src/model/list-query.ts';
import { typedName } from '../../src/model/names.ts';
import { seeded } from '../support/seeded.ts';
import type { SharedDatabase } from './contract.ts';
import { newId, newIdentity, query, t0, uniqueName } from './fixtures.ts';

/** Letters whose lower case is longer, depends on their place, or is that of another letter; marks; and quotes. */
const letters = [
  ...'aAzZ09 ._%\'"\\{}ßẞİIıiΣσςΑαǅǆÅÅéÉKkſﬁﬀΐἘᾈÖöЖжԱև\u0307\u0301\u0345\u00ad\u200dⰀ𐐀𐐨😀Ꭰꭰ',
  '\t',
  'e\u0301',
  'I\u0307',
  'ΟΔΟΣ',
];
const count = 60;
const { below } = seeded(20260301);
const oneOf = <T>(from: readonly T[]): T => {
  const found = from[below(from.length)];
  if (found === undefined) throw new Error('of nothing');
  return found;
};
const written = (most: number) => Array.from({ length: 1 + below(most) }, () => oneOf(letters)).join('');

/** A part of a text, perhaps in another case. */
function partOf(text: string): string {
  const all = [...text];
  const from = below(all.length);
  const part = all.slice(from, from + 1 + below(4)).join('');
  return oneOf([part, part, part.toUpperCase(), part.toLowerCase(), written(2)]);
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly externalId: string;
}

/** What a filter means, term by term. */
function fits(filter: Filter, row: Readonly<Record<string, string>>): boolean {
  switch (filter.op) {
    case 'and':
      return filter.terms.every((term) => fits(term, row));
    case 'or':
      return filter.terms.some((term) => fits(term, row));
    case 'not':
      return !fits(filter.term, row);
    case 'contains':
      return (row[filter.field] ?? '').includes(filter.value);
    case 'icontains':
      return (row[filter.field] ?? '').toLowerCase().includes(filter.value.toLowerCase());
    default:
      throw new Error(filter.op);
  }
}

export function foldingTests({ store }: SharedDatabase): void {
  const mark = uniqueName('folding');
  // The end keeps names from passing for one another.
  const rows: readonly Row[] = Array.from({ length: count }, (_, at) => ({
    id: newId<string>(),
    name: `${written(8)}-${at}`,
    externalId: `${written(8)}-${at}${mark}`,
  }));
  before(async () => {
    for (const { id, ...row } of rows) {
      const identity = newIdentity({ ...row, name: row.name as StoredName });
      await store.identities.create(identity, null, t0);
      const attempt = {
        reference: mark,
        at: t0,
        step: 'password',
        mechanism: 'oidc',
        outcome: 'refused',
      } as const;
      const more = { reason: 'wrong-password', ipAddress: '192.0.2.1', issuer: mark, checks: [] } as const;
      await store.loginAttempts.append(
        [{ id, ...attempt, ...more, identityId: identity.id, subject: row.externalId }],
        null,
      );
    }
  });

  /** Filters of each shape, whose terms ask for parts of what is there. */
  function filtersOf(fields: readonly [string, string]): readonly Filter[] {
    const term = (op: 'contains' | 'icontains' = 'icontains'): Filter => {
      const { name, externalId } = oneOf(rows);
      return { op, field: oneOf(fields), value: partOf(oneOf([name, externalId])) };
    };
    const mixed = (): Filter => ({ op: 'or', terms: [term(), term('contains'), term()] });
    return Array.from({ length: 15 }, (): readonly Filter[] => [
      term(),
      { op: 'not', term: term() },
      { op: 'or', terms: [term(), term(), term(), term()] },
      { op: 'and', terms: [{ op: 'not', term: term() }, term(), { op: 'not', term: term('contains') }] },
      { op: 'and', terms: [mixed(), { op: 'and', terms: [{ op: 'not', term: mixed() }, mixed()] }] },
    ]).flat();
  }

  describe('icontains', () => {
    test('finds what the lower case of an identity contains, however many terms ask', async () => {
      let found = 0;
      for (const filter of filtersOf(['name', 'externalId'])) {
        const page = await store.identities.list(query({ filter, limit: 500 }));
        const names = page.items.map(({ name }) => name).sort();
        const expected = rows.filter((row) => fits(filter, { ...row }));
        assert.deepEqual(names, expected.map(({ name }) => name).sort(), JSON.stringify(filter));
        assert.equal(page.totalCount, names.length);
        found += names.length;
      }
      assert.ok(found > count, `${found} found`);
    });

    test('finds an identity by the names that it has now', async () => {
      const finds = async (field: string, value: string) => {
        const filter: Filter = { op: 'icontains', field, value };
        return (await store.identities.list(query({ filter }))).items.map(({ id }) => id);
      };
      const { id, ...identity } = newIdentity({
        name: typedName(`STRASSE ẞ ${mark}`),
        externalId: `ΣΊΣΥΦΟΣ ${mark}`,
      });
      await store.identities.create({ id, ...identity }, null, t0);
      assert.deepEqual(await finds('name', `SSE ß ${mark}`), [id]);
      assert.deepEqual(await finds('externalId', `σίσυφος ${mark}`), [id]);
      await store.identities.update(id, { name: typedName(`Gasse ${mark}`), externalId: null }, t0);
      assert.deepEqual(await finds('name', `GASSE ${mark}`), [id]);
      assert.deepEqual(await finds('name', `SSE ß ${mark}`), []);
      assert.deepEqual(await finds('externalId', `σίσυφος ${mark}`), []);
      await store.identities.delete(id, t0);
    });

    test('finds the same in records of logins and the names of their identities', async () => {
      for (const filter of filtersOf(['subject', 'identity'])) {
        const page = await store.loginAttempts.list(query({ filter, limit: 500 }));
        const subjects = page.items.map(({ subject }) => subject).sort();
        const expected = rows.filter(({ name, externalId }) =>
          fits(filter, { subject: externalId, identity: name }),
        );
        assert.deepEqual(
          subjects,
          expected.map(({ externalId }) => externalId).sort(),
          JSON.stringify(filter),
        );
        assert.equal(page.totalCount, subjects.length);
      }
    });
  });
}
