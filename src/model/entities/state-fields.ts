// Which fields an entity has in declarative state, and under which names. There, references are names of entities, so
// that a document fits every installation: `authPolicyId` is `authPolicy`.

import { type Field, type Fields, sentFields } from './entity.ts';

interface StateField {
  /** In the document. */
  readonly member: string;
  readonly name: string;
  readonly field: Field;
}

export function stateFields(fields: Fields): readonly StateField[] {
  return sentFields(fields)
    .filter(([, { sameAs }]) => sameAs === undefined)
    .map(([name, field]) => ({
      member: field.kind === 'reference' ? name.replace(/Id$/, '') : name,
      name,
      field,
    }));
}
