// The fields by which lists of a managed entity can be filtered and sorted.

import type { FieldKind, ListField, ListFields } from '../list-fields.ts';
import { type Entity, type Kind, mayBeNull } from './entity.ts';

const kinds: { readonly [Of in Kind['kind']]?: FieldKind } = {
  text: 'text',
  choice: 'text',
  reference: 'text',
  texts: 'texts',
  choices: 'texts',
  flag: 'boolean',
  time: 'time',
};

/** The listed fields of a managed entity. A reference has two names: that of the id, and that of the
 * other entity. So does a field that documents call otherwise. */
export function listFieldsOf({ fields }: Pick<Entity, 'fields'>): ListFields {
  const listed = Object.entries(fields).flatMap(([name, rules]): [string, ListField][] => {
    const kind = kinds[rules.kind];
    if (!rules.isListed || kind === undefined) return [];
    const field = {
      field: name,
      kind,
      nullable: mayBeNull(rules),
      isFingerprint: rules.isFingerprint === true,
      isName: rules.isName === true,
    };
    const names =
      rules.kind === 'reference'
        ? [name, name.replace(/Id$/, '')]
        : [...new Set([rules.shownAs ?? name, name])];
    return names.map((each) => [each, field]);
  });
  const always = (field: string, kind: FieldKind): [string, ListField] => [
    field,
    { field, kind, nullable: false },
  ];
  const times = [always('createdAt', 'time'), always('updatedAt', 'time')];
  return new Map([always('id', 'text'), ...listed, ...times]);
}
