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
import { fields as german } from '../../web/console/texts/fields-de.ts';
import { fields as english } from '../../web/console/texts/fields-en.ts';

const entities = [
  authPolicyEntity,
  caEntity,
  configTypeEntity,
  externalJwtSignerEntity,
  identityEntity,
  oidcClientEntity,
];

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

test('each field has a word in each language, and no word is of a field that is not there', () => {
  for (const words of [english, german]) {
    for (const { kind, fields } of entities) {
      assert.ok(Object.hasOwn(words, kind), kind);
      const { labels, hints, choices } = words[kind as keyof typeof english & typeof kind] as typeof words.ca;
      const known = { ...words.common, ...labels };
      const paths = pathsIn(fields);
      assert.deepEqual(
        paths.filter((path) => !Object.hasOwn(known, path)),
        [],
        kind,
      );
      const named = [labels, hints, choices].flatMap((of) => Object.keys(of));
      assert.deepEqual(
        named.filter((path) => !ofEvents.has(path) && !paths.includes(path)),
        [],
        kind,
      );
    }
  }
});
