// How an entity differs from a document.

import { type Field, type Fields, isReference } from '../../model/entities/entity.ts';
import { stateFields } from '../../model/entities/state-fields.ts';
import { typedName } from '../../model/names.ts';
import { secretChanged } from '../admin-call.ts';
import type { MemberChange } from './state.ts';

/** The given members that differ. Missing members stay as they are; members of groups are compared one by one. */
export function differences(fields: Fields, stored: object, given: object): readonly MemberChange[] {
  const [old, sent] = [stored, given] as readonly Readonly<Record<string, unknown>>[];
  const own = stateFields(fields).flatMap(({ member, field }): readonly MemberChange[] => {
    const [before, after] = [old?.[member], sent?.[member]];
    if (after === undefined) return [];
    if (field.kind === 'group')
      return differences(field.members, before as object, after as object).map((change) => ({
        ...change,
        field: `${member}.${change.field}`,
      }));
    const isSame = comparable(field, before ?? null) === comparable(field, after);
    if (isSame) return [];
    const { from, to } = secretChanged(member);
    return [field.isSecret ? { field: member, before: from, after: to } : { field: member, before, after }];
  });
  const id =
    sent?.id === undefined || sent.id === old?.id ? [] : [{ field: 'id', before: old?.id, after: sent.id }];
  return [...id, ...own];
}

function comparable(field: Field, value: unknown): string {
  if (field.kind === 'object' && typeof value === 'object' && value !== null) {
    const of = value as Readonly<Record<string, unknown>>;
    const members = stateFields(field.members);
    return JSON.stringify(members.map(({ member, field: own }) => comparable(own, of[member] ?? null)));
  }
  const isNamed = field.isName || isReference(field);
  if (typeof value === 'string' && isNamed) return typedName(value);
  if (Array.isArray(value) && field.isSet)
    return JSON.stringify([...new Set(isNamed ? value.map(typedName) : value)].sort());
  if (field.kind === 'pem' && typeof value === 'string') return value.replaceAll(/\s/g, '');
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}

/** The top-level members of an entity that differ somewhere inside. */
export function changedMembers<Given extends object>(
  given: Given,
  changes: readonly MemberChange[],
): Partial<Given> {
  const names = new Set(changes.map(({ field }) => field.split('.')[0]));
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name))) as Partial<Given>;
}
