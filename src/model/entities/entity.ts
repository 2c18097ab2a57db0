// The words in which the tables of this folder describe managed entities: kinds of fields, and their rules. A
// description is data; each layer has one reader of it.

import type { Millis } from '../../platform/time-units.ts';
import type { StoredName } from '../ids.ts';

/** The kind of a field's value. */
export type Kind =
  | {
      readonly kind:
        | 'text'
        | 'pem'
        | 'picture'
        | 'flag'
        | 'number'
        | 'time'
        | 'texts'
        | 'tags'
        | 'pairs'
        | 'jwks';
    }
  | ({ readonly kind: 'integer' } & IntegerBounds)
  /** A span of time: Millis inside, text such as `5m` outside. */
  | { readonly kind: 'duration'; readonly least?: Millis; readonly most?: Millis }
  | { readonly kind: 'choice' | 'choices'; readonly choices: readonly string[] }
  /**
   * The id of another entity, or several. Declarative state has names instead. It has to exist when it is set, and is
   * not deleted while something refers to it.
   */
  | { readonly kind: 'reference' | 'references'; readonly to: EntityKind }
  /** Members that are changed one by one (`group`), or together (`object`). */
  | { readonly kind: 'group' | 'object'; readonly members: Fields };

/** Of a whole number. */
export interface IntegerBounds {
  readonly least: number;
  readonly most: number;
  readonly zeroMeans?: string;
}

/** Rules of a field beside its kind. */
export interface FieldRules<Value = unknown> {
  readonly isNullable?: true;
  /** With `isNullable`: null asks the service to choose. The stored and shown value has the choice. */
  readonly isChosenIfNull?: true;
  /** The value where a body leaves the field out. Of a nullable field it is null. */
  readonly default?: Value;
  /** Null in a body means the default, because clients send it for what they leave at its default. */
  readonly nullIsDefault?: true;
  /** A body may leave it out; a rule finds the value. */
  readonly isOptional?: true;
  /** The effect of replacing a whole entity without this field; otherwise it gets its default. */
  readonly whenLeftOut?: 'refused' | 'kept';
  /** Follows from other fields, or is set by the service. */
  readonly isDerived?: true;
  /** Of a new entity it cannot be sent. */
  readonly isForChange?: true;
  /** It stays as it was created. */
  readonly isFixed?: true;
  /** Never shown: not in documents, declarative state or the audit trail. */
  readonly isSecret?: true;
  /** An address with a path and a query that may be a secret. Readers see scheme and host; it is not listed. */
  readonly hasSecretPath?: true;
  /** Documents leave it out while it is null, and stored values may lack it. */
  readonly isShownIfSet?: true;
  /** Of a reference: the entity is deleted with the one that it refers to. */
  readonly isDeletedWithIt?: true;
  /** It is another name of this field, for clients. */
  readonly sameAs?: string;
  /** A derived flag that is not stored: whether this field, which may be secret, is set. */
  readonly saysWhether?: string;
  /** Its name in documents and lists, where it is not that of the model. */
  readonly shownAs?: string;
  /** The column if its name does not follow from the field's; null: it is not stored. */
  readonly column?: string | null;
  /** Lists can be filtered and sorted by it. */
  readonly isListed?: true;
  /** People look for parts of the text, in any case, among many entities: it is stored in lower case too. */
  readonly isSearched?: true;
  /** Its order has no meaning. */
  readonly isSet?: true;
  /** Upper and lower case are the same: it is stored in lower case. */
  readonly isLowerCase?: true;
  readonly maxItems?: number;
  /** It is a name or an address, or these are role attributes: stored as `typedName` makes them. */
  readonly isName?: true;
  /** A thumbprint of a certificate: base64url here, and outside as browsers show it. */
  readonly isFingerprint?: true;
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

declare const valueType: unique symbol;
declare const wayOf: unique symbol;
declare const sentOf: unique symbol;

/**
 * A field with the type of its value, whether a new entity needs it, may leave it out or cannot set it, and the type of
 * what is sent: of a group, some of its members.
 */
export type Field<Value = unknown, Way = unknown, Sent = Value> = Kind &
  FieldRules & { readonly [valueType]?: Value; readonly [wayOf]?: Way; readonly [sentOf]?: Sent };

export type Fields = Readonly<Record<string, Field>>;

/** `rare`: optional, and stored values may lack it. `alias`: another name, or not stored. `said`: only in documents. */
type Ways<Rules> = Rules extends { isDerived: true }
  ? Rules extends { saysWhether: string } | { column: null }
    ? 'said'
    : 'derived'
  : Rules extends { sameAs: string } | { column: null }
    ? 'alias'
    : Rules extends { isShownIfSet: true }
      ? 'rare'
      : Rules extends { isNullable: true } | { default: unknown } | { isOptional: true }
        ? 'optional'
        : 'needed';
type Made<Value, Rules, Sent = Value> = Field<Value | StoredNull<Rules>, Ways<Rules>, Sent | NullIn<Rules>>;
type NullIn<Rules> = Rules extends { isNullable: true } ? null : never;
type StoredNull<Rules> = Rules extends { isChosenIfNull: true } ? never : NullIn<Rules>;

function made<Value, const Rules extends FieldRules<Value>, Sent = Value>(
  kind: Kind & FieldRules,
  rules: Rules,
): Made<Value, Rules, Sent> {
  return { ...kind, ...rules };
}

const usual = {};
type Usual = typeof usual;

export const text = <const R extends FieldRules<string> = Usual>(rules = usual as R) =>
  made<string, R>({ kind: 'text' }, rules);
/** A name or an address, in the form of names. */
export const name = <const R extends FieldRules<StoredName> = Usual>(rules = usual as R) =>
  made<StoredName, R, string>({ kind: 'text', isName: true }, rules);
/** A certificate, PEM. */
export const pem = <const R extends FieldRules<string> = Usual>(rules = usual as R) =>
  made<string, R>({ kind: 'pem' }, rules);
/** A small PNG picture, as a data URI. */
export const picture = <const R extends FieldRules<string> = Usual>(rules = usual as R) =>
  made<string, R>({ kind: 'picture' }, rules);
export const flag = <const R extends FieldRules<boolean> = Usual>(rules = usual as R) =>
  made<boolean, R>({ kind: 'flag' }, rules);
export const number = <const R extends FieldRules<number> = Usual>(rules = usual as R) =>
  made<number, R>({ kind: 'number' }, rules);
/** Rules of a field with a default that clients also ask for by sending null. */
export const usually = <const Value>(value: Value) =>
  ({ default: value, nullIsDefault: true }) as const satisfies FieldRules<Value>;

/** A whole number. */
export const integer = <const R extends FieldRules<number> = Usual>(
  bounds: IntegerBounds,
  rules = usual as R,
) => made<number, R>({ kind: 'integer', ...bounds }, rules);
export const time = <const R extends FieldRules<Millis> = Usual>(rules = usual as R) =>
  made<Millis, R>({ kind: 'time' }, rules);
export const duration = <const R extends FieldRules<Millis> = Usual>(
  rules = usual as R,
  bounds: { readonly least?: Millis; readonly most?: Millis } = {},
) => made<Millis, R>({ kind: 'duration', ...bounds }, rules);
export const texts = <const R extends FieldRules<readonly string[]> = Usual>(rules = usual as R) =>
  made<readonly string[], R>({ kind: 'texts' }, rules);
const ofAttributes = { kind: 'texts', isSet: true, isName: true } as const;
/** Role attributes. */
export const attributes = <const R extends FieldRules<readonly StoredName[]> = Usual>(rules = usual as R) =>
  made<readonly StoredName[], R, readonly string[]>(ofAttributes, rules);
export const choice = <const W extends readonly string[], const R extends FieldRules<W[number]> = Usual>(
  choices: W,
  rules = usual as R,
) => made<W[number], R>({ kind: 'choice', choices }, rules);
export const choices = <
  const W extends readonly string[],
  const R extends FieldRules<readonly W[number][]> = Usual,
>(
  among: W,
  rules = usual as R,
) => made<readonly W[number][], R>({ kind: 'choices', choices: among }, rules);
/** Names and texts. */
export const pairs =
  <Name extends string>() =>
  <const R extends FieldRules<Readonly<Partial<Record<Name, string>>>> = Usual>(rules = usual as R) =>
    made<Readonly<Partial<Record<Name, string>>>, R>({ kind: 'pairs' }, rules);
/** A JWK Set, whose keys a rule of the entity checks. */
export const jwkSet = <const R extends FieldRules<object> = Usual>(rules = usual as R) =>
  made<object, R>({ kind: 'jwks' }, rules);
export const reference =
  <Id extends string>(to: EntityKind) =>
  <const R extends FieldRules<Id> = Usual>(rules = usual as R) =>
    made<Id, R>({ kind: 'reference', to }, rules);
export const references =
  <Id extends string>(to: EntityKind) =>
  <const R extends FieldRules<readonly Id[]> = Usual>(rules = usual as R) =>
    made<readonly Id[], R>({ kind: 'references', to }, rules);
/** Members that are changed one by one, and have their own defaults. */
export const group = <const F extends Fields, const R extends FieldRules<Values<F>> = Usual>(
  members: F,
  rules = usual as R,
): Field<Values<F>, 'optional', Some<SentValues<F>>> => ({
  kind: 'group',
  members,
  isOptional: true,
  ...rules,
});
/** Members that are changed together. */
export const object = <const F extends Fields, const R extends FieldRules<Values<F>> = Usual>(
  members: F,
  rules = usual as R,
) => made<Values<F>, R>({ kind: 'object', members }, rules);

/** Free key and value pairs that administrators attach to an entity; never interpreted. */
export type Tags = Readonly<Record<string, string | number | boolean | null>>;
export const tags = () => made<Tags, { default: Tags }>({ kind: 'tags' }, usually<Tags>({}));

/** By the names that audit events and declarative state have. */
export type EntityKind =
  | 'identity'
  | 'authenticator'
  | 'auth-policy'
  | 'ext-jwt-signer'
  | 'ca'
  | 'oidc-client'
  | 'config-type'
  | 'event-subscription'
  | 'enrollment';

type Words = Readonly<Record<string, string | readonly [spelling: string, help: string]>>;

/** A managed entity. Beside its fields it has an id and the times of its creation and last change. */
export interface Entity<F extends Fields = Fields, Id extends string = string> {
  readonly kind: EntityKind;
  readonly table: string;
  /** The last part of its path, which documents and versions name too. */
  readonly collection: string;
  /** The name of its document in the API description. */
  readonly document: string;
  /** The name of one entity in the API description, with its article. */
  readonly noun: string;
  /** Its creator may choose the id, because others know the entity by it. */
  readonly hasChosenId?: true;
  readonly fields: F;
  /** Help of the command line for the fields that a new one needs, besides its name. They are arguments. */
  readonly arguments?: Words;
  /**
   * Help for its options, in this order, by the path of the field (`primary.cert.allowed`), and `id` if that can
   * be chosen; every entity also has those of name and tags. The spelling stands before the help where it does not
   * follow from the field: whole (`--auth`), or that of the value (`<url>`).
   */
  readonly options?: Words;
  readonly [valueType]?: Id;
}

/** Ties a description to the type of its ids. */
export const entity =
  <Id extends string>() =>
  <const F extends Fields>(description: Omit<Entity<F>, typeof valueType>): Entity<F, Id> =>
    description;

export type ValueOf<F> = F extends { readonly [valueType]?: infer Value } ? Value : never;
/** The values of fields, by name. */
export type Values<F extends Fields> = {
  readonly [Name in Named<F, 'needed' | 'optional' | 'derived'>]: ValueOf<F[Name]>;
} & { readonly [Name in Named<F, 'rare'>]?: ValueOf<F[Name]> | undefined };
type SentValues<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends { readonly [sentOf]?: infer Sent } ? Sent : never;
};
type Named<F extends Fields, Way> = {
  [Name in keyof F]: F[Name] extends { readonly [wayOf]?: infer Is }
    ? Is extends Way
      ? Name
      : never
    : never;
}[keyof F];
type MayBeSent = 'optional' | 'rare' | 'alias';

/** The stored values of an entity. */
export type Stored<E> =
  E extends Entity<infer F, infer Id>
    ? Values<F> & { readonly id: Id; readonly createdAt: Millis; readonly updatedAt: Millis }
    : never;
/** The fields of a new entity: those with a default may be missing. */
export type New<E> =
  E extends Entity<infer F>
    ? Pick<SentValues<F>, Named<F, 'needed'>> & Some<Pick<SentValues<F>, Named<F, MayBeSent>>>
    : never;
/** The fields that a change sets; the others are left as they are. */
export type Change<E> =
  E extends Entity<infer F> ? Some<Pick<SentValues<F>, Named<F, 'needed' | MayBeSent>>> : never;

/** Members that may be missing. */
export type Some<Values> = { readonly [Name in keyof Values]?: Values[Name] | undefined };

export type RefersTo = Extract<Field, { kind: 'reference' | 'references' }>;

export function isReference(field: Field | undefined): field is RefersTo {
  return field?.kind === 'reference' || field?.kind === 'references';
}

/** Whether the stored value of a field may be null. */
export function mayBeNull({ isNullable, isChosenIfNull }: FieldRules): boolean {
  return isNullable === true && isChosenIfNull === undefined;
}

/** The value that a field has unless it is sent; undefined: it has none. */
export function defaultOf(field: FieldRules): unknown {
  if (field.sameAs !== undefined) return undefined;
  return field.isNullable ? (field.default ?? null) : field.default;
}

/** The defaults of an entity's fields. */
export function defaultsOf<F extends Fields>({ fields }: Entity<F>): Pick<Values<F>, Named<F, 'optional'>> {
  const stored = sentFields(fields).filter(([, { column }]) => column !== null);
  const all = stored.map(([name, field]) => [name, defaultOf(field)] as const);
  // Sound for entities none of whose defaults depend on other fields.
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as Pick<
    Values<F>,
    Named<F, 'optional'>
  >;
}

/** Fields that a body can set. */
export function sentFields(fields: Fields): readonly (readonly [string, Field])[] {
  return Object.entries(fields).filter(([, { isDerived }]) => isDerived === undefined);
}

/**
 * The values after a change: members of groups are changed one by one, everything else as a whole.
 * @param patch members that are undefined stay as they are
 */
export function patched<Value extends object>(fields: Fields, values: Value, patch: object): Value {
  const given = Object.entries(patch).flatMap(([name, value]): [string, unknown][] => {
    const field = fields[name];
    if (value === undefined) return [];
    if (field?.kind !== 'group') return [[name, value]];
    const before = (values as Readonly<Record<string, object | undefined>>)[name] ?? {};
    return [[name, patched(field.members, before, value as object)]];
  });
  return { ...values, ...Object.fromEntries(given) };
}
