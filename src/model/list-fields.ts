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
  /** It is compared with what `partOfName` makes of the text. */
  readonly isName?: boolean;
}

/** The fields of an entity by the names that clients use; several names may stand for one field. */
export type ListFields = ReadonlyMap<string, ListField>;

/**
 * @param words the client's names: `name` of a text, `name?` where it may be null, `name:time` or `name:boolean` of another
 *   kind, `name:name` of a text in the form of names, `name=field` where the store calls it otherwise
 */
function listFields(words: string): ListFields {
  const fields = words.split(/\s+/).map((word): [string, ListField] => {
    const [, name = '', field = name, kind = 'text'] = /^(\w+)(?:=(\w+))?(?::(\w+))?\??$/.exec(word) ?? [];
    const isName = kind === 'name';
    const rules = { isName, nullable: word.endsWith('?') };
    return [name, { field, kind: isName ? 'text' : (kind as FieldKind), ...rules }];
  });
  return new Map(fields);
}

/** Clients write `identity` for the id, as documents do; in the store that is the joined name. */
const ofIdentity = 'identityId identity=identityId identityName=identity:name';
const times = 'createdAt:time updatedAt:time';

export const authenticatorListFields = listFields(
  `id method ${ofIdentity} username:name? certExpiresAt:time? ${times}`,
);

export const enrollmentListFields = listFields(
  `id method ${ofIdentity} username:name? caId? expiresAt:time ${times}`,
);

export const invitationListFields = listFields(
  `${ofIdentity} endSessions:boolean madeBy? expiresAt:time createdAt:time`,
);

export const loginAttemptListFields = listFields(
  `reference at:time step mechanism outcome reason? identityId? identity=identityId? identityName=identity:name?
    subject? ipAddress issuer`,
);

export const auditEventListFields = listFields(
  `id at:time event action? entity? entityId? identityId? identityName=identity:name? byIdentityId?
    byIdentityName=byIdentity:name? requestId? ipAddress? issuer?`,
);

/** Fields of a person's own attempts: none tells the reason of a refusal. */
export const ownLoginAttemptListFields = listFields(
  'reference at:time method=step mechanism outcome ipAddress',
);

export const apiSessionListFields = listFields(
  `id type mechanism=type ${ofIdentity} clientId ipAddress loginIpAddress? program? operatingSystem?
    createdAt:time lastActivityAt:time expiresAt:time`,
);

export const lastLoginListFields = listFields(
  `id ${ofIdentity} clientId program? operatingSystem? ipAddress firstAt:time lastAt:time`,
);

export const browserSessionListFields = listFields(
  `id ${ofIdentity} issuer ipAddress createdAt:time lastUsedAt:time expiresAt:time`,
);

/** Fields for anonymous callers: none reveals the other fields of a signer. */
export const publicSignerListFields = listFields(`id name:name ${times}`);

export const revocationListFields = listFields(`id type expiresAt:time ${times}`);

export const nodeListFields = listFields(`id name ctrlAddress version ${times} lastJoinedAt:time`);
