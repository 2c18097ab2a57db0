// The console's reader of the tables in src/model/entities/: the fields that a form sets, and those that it has
// changed. Only fields that differ from the read values are sent, so two people who change different fields of an
// entity do not undo each other's work.

import {
  type Change,
  defaultOf,
  type Entity,
  type Field,
  type Fields,
  sentFields,
  text,
} from '../../../src/model/entities/entity.ts';
import { inDays } from '../../../src/platform/formats/durations.ts';

/** The fields of an entity that a form sets, as the documents of the API have them. */
export type Draft<Document, E extends Entity> = Pick<Document, keyof Change<E> & keyof Document>;

/** Values by the path of their field: `name`, `primary.updb.allowed`. */
export type Values = Readonly<Record<string, unknown>>;

/** The fields that a form may set, by path: members of groups one by one, objects as a whole. */
function formFields({ fields, hasChosenId }: Entity): readonly (readonly [path: string, field: Field])[] {
  return flattened({ ...(hasChosenId && { id: ownId }), ...fields });
}

/** Of an entity whose creator may choose it. */
const ownId: Field = text({ isNullable: true, isListed: true });

function flattened(fields: Fields): readonly (readonly [path: string, field: Field])[] {
  return sentFields(fields)
    .filter(([, { sameAs }]) => sameAs === undefined)
    .flatMap(([name, field]) =>
      field.kind === 'group'
        ? flattened(field.members).map(([path, member]) => [`${name}.${path}`, member] as const)
        : [[name, field] as const],
    );
}

/** @param path of a field, or of a member of an object. @throws Error no such field: a mistake in a screen */
export function fieldAt({ kind, fields }: Entity, path: string): Field {
  const field = memberAt({ id: ownId, ...fields }, path);
  if (field === undefined) throw new Error(`${kind} has no field ${path}`);
  return field;
}

export function memberAt(fields: Fields, path: string): Field | undefined {
  const [name = '', ...rest] = path.split('.');
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (rest.length === 0 || field === undefined) return field;
  return 'members' in field ? memberAt(field.members, rest.join('.')) : undefined;
}

export function valueAt(draft: object, path: string): unknown {
  return path.split('.').reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), draft);
}

/** The draft with other values at these paths. */
export function withValues<Value extends object>(draft: Value, changes: Values): Value {
  const result: Record<string, unknown> = { ...(draft as Values) };
  for (const [path, value] of Object.entries(changes)) {
    const [name = '', ...rest] = path.split('.');
    const before = isRecord(result[name]) ? result[name] : {};
    result[name] = rest.length === 0 ? value : withValues(before, { [rest.join('.')]: value });
  }
  // Sound because a change sets what the draft has.
  return result as Value;
}

/** The initial values of a form. Documents have some fields under another name, and leave out some that are null. */
export function draftOf<Of extends object>(entity: Entity, document: object): Of {
  const values = formFields(entity)
    .filter(([path]) => path !== 'id')
    .map(([path, field]) => {
      const value = valueAt(document, field.shownAs ?? path) ?? defaultOf(field);
      return [path, field.kind === 'duration' && typeof value === 'string' ? inDays(value) : value] as const;
    });
  // Sound because documents have the fields of the table.
  return withValues({}, Object.fromEntries(values)) as Of;
}

/** The initial values of a new entity: its defaults, and the given values. */
export function newDraft<Of extends object>(entity: Entity, given: Values = {}): Of {
  const values = formFields(entity)
    .filter(([, { isForChange }]) => !isForChange)
    .map(([path, field]) => [path, defaultOf(field) ?? noneOf(field)] as const);
  return withValues({}, { ...Object.fromEntries(values), ...given }) as Of;
}

/** To be shown: secrets are dots. */
export function withoutSecrets({ fields }: Entity, body: object): object {
  const shown = Object.entries(body).map(([name, value]) => [name, fields[name]?.isSecret ? '…' : value]);
  return Object.fromEntries(shown);
}

/** The initial value where the server's default depends on other fields. */
function noneOf({ kind, isNullable }: Field): unknown {
  if (isNullable) return null;
  return kind === 'flag' ? false : '';
}

/** The changed fields, by path. */
export function changesOf(entity: Entity, before: object, after: object): Values {
  const changed = formFields(entity)
    .map(([path]) => [path, valueAt(after, path)] as const)
    .filter(([path, value]) => !isSame(valueAt(before, path), value));
  return Object.fromEntries(changed);
}

/** Whether two JSON values are equal, ignoring the order of members. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

export function isEmpty(changes: object): boolean {
  return Object.keys(changes).length === 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

/** The values of a new entity that are not the server's defaults. @param usual defaults that follow from other fields */
export function chosenIn(entity: Entity, draft: object, usual: Values = {}): Values {
  const chosen = formFields(entity)
    .filter(([, { isForChange }]) => !isForChange)
    .map(([path, field]) => [path, valueAt(draft, path), usual[path] ?? defaultOf(field) ?? null] as const)
    .filter(([, value, byDefault]) => !isSame(value, byDefault));
  return Object.fromEntries(chosen.map(([path, value]) => [path, value]));
}
