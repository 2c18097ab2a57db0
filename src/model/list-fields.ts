/**
 * The type of a field, which decides what it can be compared with. `time` is Millis inside and `datetime(…)` outside. A
 * filter can only ask of `texts` whether one of them matches.
 */
export type FieldKind = 'text' | 'texts' | 'boolean' | 'time';

/** A field by which lists can be filtered and sorted. */
export interface ListField {
  /** The name in `Filter` and `ListQuery`, which the store maps to a column. */
  readonly field: string;
  readonly kind: FieldKind;
  /** Whether it can be compared with null. */
  readonly nullable: boolean;
  /** It is compared with what `meantThumbprint` makes of the text. */
  readonly isFingerprint?: boolean;
}

/** The fields of an entity by the names that clients use; several names may stand for one field. */
export type ListFields = ReadonlyMap<string, ListField>;

const text: Omit<ListField, 'field'> = { kind: 'text', nullable: false };
const optionalText: Omit<ListField, 'field'> = { kind: 'text', nullable: true };
const boolean: Omit<ListField, 'field'> = { kind: 'boolean', nullable: false };
const time: Omit<ListField, 'field'> = { kind: 'time', nullable: false };

/** @param fields by the client's name; `field` where the store's differs */
function listFields(
  fields: Readonly<Record<string, Omit<ListField, 'field'> & { readonly field?: string }>>,
): ListFields {
  return new Map(Object.entries(fields).map(([name, rules]) => [name, { field: name, ...rules }]));
}

/** Clients write `identity` for the id, as documents do; in the store that is the joined name. */
const ofIdentity = {
  identityId: { field: 'identityId', ...text },
  identity: { field: 'identityId', ...text },
  identityName: { field: 'identity', ...text },
} as const;

export const authenticatorListFields = listFields({
  id: text,
  method: text,
  ...ofIdentity,
  username: optionalText,
  certExpiresAt: { ...time, nullable: true },
  createdAt: time,
  updatedAt: time,
});

export const enrollmentListFields = listFields({
  id: text,
  method: text,
  ...ofIdentity,
  username: optionalText,
  caId: optionalText,
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
});

export const invitationListFields = listFields({
  ...ofIdentity,
  endSessions: boolean,
  madeBy: optionalText,
  expiresAt: time,
  createdAt: time,
});

export const loginAttemptListFields = listFields({
  reference: text,
  at: time,
  step: text,
  mechanism: text,
  outcome: text,
  reason: optionalText,
  identityId: { field: 'identityId', ...optionalText },
  identity: { field: 'identityId', ...optionalText },
  identityName: { field: 'identity', ...optionalText },
  subject: optionalText,
  ipAddress: text,
  issuer: text,
});

export const auditEventListFields = listFields({
  id: text,
  at: time,
  event: text,
  action: optionalText,
  entity: optionalText,
  entityId: optionalText,
  identityId: optionalText,
  identityName: { field: 'identity', ...optionalText },
  byIdentityId: optionalText,
  byIdentityName: { field: 'byIdentity', ...optionalText },
  requestId: optionalText,
  ipAddress: optionalText,
  issuer: optionalText,
});

/** What people may ask about their own attempts: nothing that tells why somebody was refused. */
export const ownLoginAttemptListFields = listFields({
  reference: text,
  at: time,
  method: { field: 'step', ...text },
  mechanism: text,
  outcome: text,
  ipAddress: text,
});

export const apiSessionListFields = listFields({
  id: text,
  type: text,
  mechanism: { field: 'type', ...text },
  ...ofIdentity,
  clientId: text,
  ipAddress: text,
  loginIpAddress: optionalText,
  program: optionalText,
  operatingSystem: optionalText,
  createdAt: time,
  lastActivityAt: time,
  expiresAt: time,
});

export const browserSessionListFields = listFields({
  id: text,
  ...ofIdentity,
  issuer: text,
  ipAddress: text,
  createdAt: time,
  lastUsedAt: time,
  expiresAt: time,
});

/** What anybody may ask for: nothing that reveals the other fields of a signer. */
export const publicSignerListFields = listFields({ id: text, name: text, createdAt: time, updatedAt: time });

export const revocationListFields = listFields({
  id: text,
  type: text,
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
});

export const nodeListFields = listFields({
  id: text,
  name: text,
  ctrlAddress: text,
  version: text,
  createdAt: time,
  updatedAt: time,
  lastJoinedAt: time,
});
