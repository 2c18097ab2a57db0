import type { Entity } from '../../../model/entities/entity.ts';
import {
  argumentsOf,
  type Described,
  optionsOf,
  type TypedField,
} from '../../../model/entities/typed-fields.ts';
import { asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import type { Texts, Typed } from '../../terminal/command.ts';
import type { Report } from '../../terminal/output.ts';
import type { SecretOptions } from '../../terminal/secret-input.ts';
import type { ColumnSpelling } from '../../terminal/table.ts';
import type { ApiClient } from '../connection/api-client.ts';

/** An entity of the management API, for the generic commands. */
export interface EntityDescriptor {
  /** The name to type; `aliases` are accepted too. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** The collection below `/edge/management/v1`, such as `/identities`. */
  readonly path: string;
  readonly help: string;
  /** Filter fields that find an entity, in addition to its id. */
  readonly lookupFields: readonly string[];
  /** Its id is that of one of these entities, so their names find it too. */
  readonly sharesIdsWith?: readonly string[];
  /** Other entities that belong to one of these: a field of theirs finds it too, if none has the text as its name. */
  readonly foundBy?: { readonly path: string; readonly field: string; readonly owner: string };
  readonly columns: readonly ColumnSpelling<JsonObject>[];
  /** Positional arguments of `create`. Without them the entity cannot be created here. */
  readonly createArguments: readonly TypedField[];
  /** Members of the body that `create` sends unless an option sets them. */
  readonly usually?: JsonObject;
  /** Options of `create` and `update`. */
  readonly options: readonly TypedField[];
  /** The entity that a text typed for `id` names. */
  readonly namedById?: (body: JsonObject) => string | undefined;
  readonly isUpdatable?: boolean;
  /** Whether `update --filter` changes many at once. */
  readonly changesMany?: boolean;
  /** Whether `update --dry-run` shows the effect of a change. */
  readonly hasPreview?: boolean;
  /** `list` only: nothing finds a single one by name. */
  readonly isListOnly?: boolean;
  /** Whether a single entity shows more than the list does. */
  readonly hasDetail?: boolean;
  /** It cannot be deleted: the service adds and removes it. */
  readonly isLasting?: boolean;
  /** Whether `create` and `update` take a document with `--file`. */
  readonly hasFile?: boolean;
  /**
   * Whether `--force` makes changes that would be refused: `changes` because of the last administrator, and with
   * `names` also a name that passes for that of another identity.
   */
  readonly forceable?: 'changes' | 'names';
  /** The password of a new authenticator: `create` asks for it, `update` sets it on request. */
  readonly hasPassword?: boolean;
  /** A second step of `create` with its own options; `run-entities.ts` imports it when needed. */
  readonly afterCreate?: { readonly options: Typed; readonly step: AfterCreateStep };
}

export type AfterCreateStep = 'identity' | 'authenticator' | 'enrollment';

type Derived = 'name' | 'aliases' | 'path' | 'lookupFields' | 'createArguments' | 'options';

type Own = Omit<EntityDescriptor, Derived> & Partial<Pick<EntityDescriptor, 'aliases' | 'lookupFields'>>;

/** An entity that is reported only, or described here. It is called as its path: `api-session`. */
export function reported(name: string, own: Own, described: Described = { fields: {} }): EntityDescriptor {
  const plural = name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
  return {
    name,
    aliases: [plural],
    path: `/${plural}`,
    lookupFields: [],
    createArguments: argumentsOf(described),
    options: optionsOf(described),
    ...own,
  };
}

/** A managed entity, by its table. */
export function managed(entity: Entity, own: Own): EntityDescriptor {
  const { kind, collection } = entity;
  const descriptor = reported(kind, { lookupFields: ['name'], ...own }, entity);
  return { ...descriptor, path: `/${collection}` };
}

/** The cell of its owner. */
export function identityName({ identity, identityId }: JsonObject): unknown {
  return asObject(identity).name ?? identityId;
}

/** Options as commander returns them, by camel-cased name. */
export type EntityOptions = SecretOptions &
  Texts<'server' | 'file' | 'filter'> &
  Readonly<Record<string, unknown>>;

export interface AfterCreate {
  /**
   * Asks and checks before anything is created.
   * @returns creates the entity with `create`, which returns its id, and what belongs to it; undefined: only the entity
   */
  prepare(
    report: Report,
    options: EntityOptions,
    body: JsonObject,
  ): Promise<((api: ApiClient, create: () => Promise<string>) => Promise<void>) | undefined>;
}

const abbreviations: Readonly<Record<string, string>> = { api: 'API', ca: 'CA', jwt: 'JWT' };

/** The entity as a sentence names it: `auth policy`, `ext JWT signer`, `CA`. */
export function entityNoun({ name }: Pick<EntityDescriptor, 'name'>): string {
  return name
    .split('-')
    .map((word) => abbreviations[word] ?? word)
    .join(' ');
}
