// Words of the console for the fields of managed entities.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authPolicyEntity } from '../../src/model/entities/auth-policy.ts';
import { caEntity } from '../../src/model/entities/ca.ts';
import { configTypeEntity } from '../../src/model/entities/config-type.ts';
import type { Fields } from '../../src/model/entities/entity.ts';
import { externalJwtSignerEntity } from '../../src/model/entities/external-jwt-signer.ts';
import { identityEntity } from '../../src/model/entities/identity.ts';
import { oidcClientEntity } from '../../src/model/entities/oidc-client.ts';

const entities = [
  authPolicyEntity,
  caEntity,
  configTypeEntity,
  externalJwtSignerEntity,
  identityEntity,
  oidcClientEntity,
];

interface FieldWords {
  readonly labels: object;
  readonly hints: object;
  readonly choices: object;
}

// In a browser they follow the language of the page. That each is there in both languages is a matter of their type.
Object.assign(globalThis, { document: { documentElement: { lang: 'de' } } });
const load = (name: string) => import(new URL(`../../web/console/texts/${name}.ts`, import.meta.url).href);
const { common, ...byKind } = {
  ...(await load('fields-of-sign-ins')).fieldsOfSignIns,
  ...(await load('fields-of-others')).fieldsOfOthers,
} as Readonly<Record<string, FieldWords>>;

/** What documents and audit events have beside the tables. */
const ofEvents = new Set(['id', 'secrets', 'isVerified']);

/** The paths of all fields that have a name of their own. One that is shown as another field has its words. */
function pathsIn(fields: Fields): readonly string[] {
  return Object.entries(fields)
    .filter(([, { sameAs, shownAs = '' }]) => sameAs === undefined && !Object.hasOwn(fields, shownAs))
    .flatMap(([name, field]) => [
      ...(field.kind === 'group' ? [] : [name]),
      ...('members' in field ? pathsIn(field.members).map((member) => `${name}.${member}`) : []),
    ]);
}

test('each field has a word, and no word is of a field that is not there', () => {
  for (const { kind, fields } of entities) {
    const { labels, hints, choices } = byKind[kind] ?? assert.fail(kind);
    const known = { ...common, ...labels };
    const paths = pathsIn(fields);
    assert.deepEqual(
      paths.filter((path) => !Object.hasOwn(known, path)),
      [],
      `these fields need labels under ${kind} in web/console/texts/fields-of-*.ts`,
    );
    const named = [labels, hints, choices].flatMap((of) => Object.keys(of));
    assert.deepEqual(
      named.filter((path) => !ofEvents.has(path) && !paths.includes(path)),
      [],
      `web/console/texts/fields-of-*.ts: ${kind} has no such fields`,
    );
  }
});
