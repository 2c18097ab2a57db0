// Which fields an entity has in declarative state, and under which names. There, references are names of entities, so
// that a document fits every installation: `authPolicyId` is `authPolicy`.

import { type EntityKind, type Field, type Fields, isReference, sentFields } from './entity.ts';

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

/** From members of documents to fields, or back. */
interface Translation {
  readonly from: 'member' | 'name';
  /** Where the values are: empty, or such as `primary.`. */
  readonly path?: string;
  /** @param path of the member */
  reference(to: EntityKind, one: string, path: string): string;
}

/** The values of an entity under the names of the other side, with each reference translated. */
export function translated(
  fields: Fields,
  values: object,
  how: Translation,
): Readonly<Record<string, unknown>> {
  const given = values as Readonly<Record<string, unknown>>;
  const all = stateFields(fields).map(({ member, name, field }) => {
    const [from, to] = how.from === 'member' ? [member, name] : [name, member];
    return [to, translatedValue(field, given[from], { ...how, path: `${how.path ?? ''}${member}` })] as const;
  });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

function translatedValue(
  field: Field,
  value: unknown,
  how: Translation & { readonly path: string },
): unknown {
  if (value === null || value === undefined) return value;
  if (field.kind === 'group' || field.kind === 'object')
    return translated(field.members, value, { ...how, path: `${how.path}.` });
  if (!isReference(field)) return value;
  const translate = (one: string) => how.reference(field.to, one, how.path);
  return field.kind === 'reference' ? translate(value as string) : (value as string[]).map(translate).sort();
}
