/** What a field holds; decides what it can be compared with. `time` is Millis inside and `datetime(…)` outside. */
export type FieldKind = 'text' | 'boolean' | 'time';

/** A field by which lists can be filtered and sorted. */
export interface ListField {
  /** The name in `Filter` and `ListQuery`, which the store maps to a column. */
  readonly field: string;
  readonly kind: FieldKind;
  /** Whether it can be compared with null. */
  readonly nullable: boolean;
}

/** The fields of an entity by the names that clients use; several names may stand for one field. */
export type ListFields = ReadonlyMap<string, ListField>;

const text: Omit<ListField, 'field'> = { kind: 'text', nullable: false };
const optionalText: Omit<ListField, 'field'> = { kind: 'text', nullable: true };
const boolean: Omit<ListField, 'field'> = { kind: 'boolean', nullable: false };
const time: Omit<ListField, 'field'> = { kind: 'time', nullable: false };
const optionalTime: Omit<ListField, 'field'> = { kind: 'time', nullable: true };

function listFields(
  fields: Readonly<Record<string, Omit<ListField, 'field'>>>,
  aliases: Readonly<Record<string, string>> = {},
): ListFields {
  const known = new Map<string, ListField>();
  for (const [field, rules] of Object.entries(fields)) known.set(field, { field, ...rules });
  for (const [alias, field] of Object.entries(aliases)) {
    const target = known.get(field);
    if (target !== undefined) known.set(alias, target);
  }
  return known;
}

export const identityListFields = listFields(
  {
    id: text,
    name: text,
    type: text,
    externalId: optionalText,
    authPolicyId: text,
    isAdmin: boolean,
    disabledAt: optionalTime,
    disabledUntil: optionalTime,
    createdAt: time,
    updatedAt: time,
  },
  { typeId: 'type', authPolicy: 'authPolicyId' },
);

export const authenticatorListFields = listFields(
  {
    id: text,
    method: text,
    identityId: text,
    username: optionalText,
    createdAt: time,
    updatedAt: time,
  },
  { identity: 'identityId' },
);

export const apiSessionListFields = listFields(
  {
    id: text,
    mechanism: text,
    identityId: text,
    authenticatorId: optionalText,
    clientId: text,
    ipAddress: text,
    createdAt: time,
    lastActivityAt: time,
    expiresAt: time,
  },
  { identity: 'identityId', type: 'mechanism' },
);
