import { asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import type { Report } from '../../terminal/output.ts';
import type { SecretOptions } from '../../terminal/secret-input.ts';
import type { Column } from '../../terminal/table.ts';
import type { ApiClient } from '../connection/api-client.ts';

/**
 * How a value is typed:
 * - `text`: as it is; empty text clears a nullable field
 * - `flag`: `--x` is true, `--no-x` is false
 * - `integer`
 * - `list`: separated by commas
 * - `tags`: `key=value`, the option may be repeated
 * - `file`: the name of a file whose content is sent
 * - `reference`: the name or id of another entity whose id is sent
 * - `revoked`: the same for the entity that the preceding field `type` selects
 */
export type EntityField = {
  /** Where the value goes in the body; dots lead into objects (`primary.updb.allowed`). */
  readonly path: string;
  readonly help: string;
  readonly choices?: readonly string[];
  /** Only for one of the two commands. Default: for both. */
  readonly only?: 'create' | 'update';
  readonly nullable?: boolean;
} & (
  | { readonly kind: 'text' | 'integer' | 'list' | 'tags' | 'file' | 'revoked' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'reference'; readonly entity: string }
);

/** An option such as `--external-id <id>`; a flag has no placeholder. */
export type EntityOption = EntityField & { readonly flags: string };

/** A positional argument of `create`, such as `<name>`. */
export type EntityArgument = EntityField & { readonly argument: string };

/** What does not follow from the spelling of an option or an argument; see `option`. */
interface FieldDetails {
  readonly path?: string;
  readonly kind?: 'list' | 'file' | 'revoked';
  /** The entity that a `reference` names. */
  readonly entity?: string;
  readonly choices?: readonly string[];
  readonly only?: 'create' | 'update';
  readonly nullable?: boolean;
}

/**
 * An option of `create` and `update`. Its path is its name (`--external-id` is `externalId`), and its kind follows from
 * its placeholder: without one it is a flag.
 */
export function option(flags: string, help: string, details: FieldDetails = {}): EntityOption {
  return { flags, ...fieldOf(flags, help, details) };
}

/** A positional argument of `create`, read in the same way. */
export function argument(spelling: string, help: string, details: FieldDetails = {}): EntityArgument {
  return { argument: spelling, ...fieldOf(spelling, help, details) };
}

function fieldOf(spelling: string, help: string, { entity, ...details }: FieldDetails): EntityField {
  const field = { path: memberName(spelling), help, ...details };
  return entity === undefined
    ? { kind: kindOf(spelling), ...field }
    : { ...field, kind: 'reference', entity };
}

const kinds = {
  list: 'list',
  n: 'integer',
  seconds: 'integer',
  file: 'file',
  'key=value': 'tags',
  'name=source': 'tags',
} as const;

function kindOf(spelling: string): 'flag' | 'text' | (typeof kinds)[keyof typeof kinds] {
  const placeholder = /[<[]([^>\]]+)/.exec(spelling)?.[1];
  if (placeholder === undefined) return 'flag';
  return Object.hasOwn(kinds, placeholder) ? kinds[placeholder as keyof typeof kinds] : 'text';
}

/** The name under which commander returns an option: `--external-id <id>` is `externalId`. */
export function memberName(spelling: string): string {
  const name = /(?:--|[<[])([a-z0-9-]+)/.exec(spelling)?.[1] ?? '';
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

// Options of most entities.
export const newNameOption = option('--name <name>', 'a new name', { only: 'update' });
export const tagOption = option('--tag <key=value>', 'may be repeated; an update replaces all', {
  path: 'tags',
});

type ColumnSpelling = string | readonly [heading: string, of: string | ((row: JsonObject) => unknown)];

/** Columns of the list: a heading that is also the member, or a heading with the member or with what makes the cell. */
export function columns(...given: readonly ColumnSpelling[]): readonly Column<JsonObject>[] {
  return given.map((one) => {
    const [heading, of] = typeof one === 'string' ? [one, one] : one;
    return { heading, cell: typeof of === 'string' ? (row) => row[of] : of };
  });
}

/** The cell of whose it is. */
export function identityName({ identity, identityId }: JsonObject): unknown {
  return asObject(identity).name ?? identityId;
}

/** What the generic commands need to know about an entity of the management API. */
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
  readonly columns: readonly Column<JsonObject>[];
  /** Positional arguments of `create`. Without them the entity cannot be created here. */
  readonly createArguments?: readonly EntityArgument[];
  /** Options of `create` and `update`. */
  readonly options?: readonly EntityOption[];
  readonly isUpdatable?: boolean;
  /** `list` only: nothing finds a single one by name. */
  readonly isListOnly?: boolean;
  /** Whether a single entity shows more than the list does. */
  readonly hasDetail?: boolean;
  /** Nobody deletes it: the service adds and removes it. */
  readonly isLasting?: boolean;
  /** Whether `create` and `update` take a document with `--file`. */
  readonly hasFile?: boolean;
  /**
   * Whether `--force` makes what would be refused: `changes` because of the last administrator, and with `names` also a
   * name that passes for that of another identity.
   */
  readonly forceable?: 'changes' | 'names';
  /** The password of a new authenticator: `create` asks for it, `update` sets it on request. */
  readonly hasPassword?: boolean;
  /** A second step of `create` with its own options; `run-entities.ts` imports it when needed. */
  readonly afterCreate?: {
    readonly options: readonly { readonly flags: string; readonly help: string }[];
    readonly step: AfterCreateStep;
  };
}

export type AfterCreateStep = 'identity' | 'authenticator' | 'enrollment';

/** Options as commander returns them, by camel-cased name. */
export type EntityOptions = SecretOptions & Readonly<Record<string, unknown>>;

export interface AfterCreate {
  /** Asks and checks before anything is created. Returns what to do afterwards, or undefined. */
  prepare(
    report: Report,
    options: EntityOptions,
    body: JsonObject,
  ): Promise<((api: ApiClient, id: string) => Promise<void>) | undefined>;
}
