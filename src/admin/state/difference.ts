// How an entity differs from a document.

import type { MemberChange } from './state.ts';

/** Members that are compared one level deeper; all others, tags too, are replaced as a whole. */
const groups: ReadonlySet<string> = new Set([
  'primary',
  'primary.cert',
  'primary.extJwt',
  'primary.updb',
  'secondary',
]);
/** Lists whose order has no meaning. */
const sets: ReadonlySet<string> = new Set([
  'roleAttributes',
  'identityRoles',
  'permissions',
  'scopes',
  'redirectUris',
  'postLogoutRedirectUris',
  'resources',
  'allowedRoleAttributes',
  'primary.extJwt.allowedSigners',
]);

/** The given members that differ. Missing members stay as they are. */
export function differences(stored: object, given: object, prefix = ''): readonly MemberChange[] {
  return Object.entries(given).flatMap(([name, after]): readonly MemberChange[] => {
    if (after === undefined) return [];
    const field = `${prefix}${name}`;
    const before = (stored as Readonly<Record<string, unknown>>)[name];
    if (groups.has(field)) return differences(before as object, after as object, `${field}.`);
    return comparable(field, before) === comparable(field, after) ? [] : [{ field, before, after }];
  });
}

function comparable(field: string, value: unknown): string {
  if (Array.isArray(value) && sets.has(field)) return JSON.stringify([...new Set(value)].sort());
  if (field === 'certPem' && typeof value === 'string') return value.replaceAll(/\s/g, '');
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
