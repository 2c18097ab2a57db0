// Which fields an entity has in declarative state, and under which names. There, references are names of entities, so
// that a document fits every installation: `authPolicyId` is `authPolicy`.

import { type Fields, sentFields } from './entity.ts';

/**
 * @returns `member`: in the document
 */
export function stateFields(fields: Fields) {
  return sentFields(fields)
    .filter(([, { sameAs }]) => sameAs === undefined)
    .map(([name, field]) => ({
      member: field.kind === 'reference' ? name.replace(/Id$/, '') : name,
      name,
      field,
    }));
}
