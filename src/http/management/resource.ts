// The operations that all managed entities share, declared once: addresses, guard, envelope, paging and the statuses of
// the answers. An entity describes its schemas and how its documents look.
//
// A body with an unknown member is refused, because a mistyped rule would be missing. But clients send back whole
// documents that they have read, so the members of documents are known everywhere.

import { z } from 'zod';
import type { AdminCall } from '../../admin/admin-call.ts';
import type { LanguageTag } from '../../model/languages.ts';
import type { ListFields } from '../../model/list-fields.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Permission } from '../../model/permission.ts';
import type { Unchanged, VersionedEntity, VersionStore } from '../../store/contracts/versions.ts';
import { ignoring, membersOf, type Repeated } from '../documents/entity-schemas.ts';
import { type Listed, listRules } from '../documents/lists.ts';
import { linksSchema, selfLink } from '../documents/wire.ts';
import { type AnswerHeaders, envelope } from '../request/answer.ts';
import { changeParameters } from '../request/fields.ts';
import type { AuthenticatedContext, RequestContext } from '../request/request-context.ts';
import { adminRoute, dataAnswer, managementRoot, type Route } from '../request/route.ts';

/** A body and what to do with it. Made by `operation`. */
export interface Operation<Result> {
  readonly schema: z.ZodType;
  /** @param id of the entity; empty when creating */
  readonly run: (by: AdminCall, body: unknown, id: string) => Promise<Result>;
}

/** Ties a schema to the function that takes its output. */
export function operation<Schema extends z.ZodType, Result>(
  schema: Schema,
  run: (by: AdminCall, body: z.output<Schema>, id: string) => Promise<Result>,
): Operation<Result> {
  // Sound because the endpoint passes to `run` what this very schema returned.
  return { schema, run: (by, body, id) => run(by, body as z.output<Schema>, id) };
}

/** How an entity is managed. A missing operation is answered with 405. Lists consist of documents. */
export interface Resource {
  /** The last part of its path, such as `identities`. */
  readonly collection: string;
  /**
   * Its versions, so that a change may require that there was no other change meanwhile. For all entities that can
   * change.
   */
  readonly versioned?: Versioned;
  /** The name of one entity in the API description, with its article, such as `an identity`. */
  readonly noun: string;
  /** The documents of the list, and of a single entity unless `detail` is given. */
  readonly document: z.ZodType;
  readonly detail?: z.ZodType;
  /** Members that existing clients send in bodies and nothing here uses. They are ignored, like those of documents. */
  readonly ignoredMembers?: readonly string[];
  readonly repeated?: Repeated;
  readonly listFields: ListFields;
  list(query: ListQuery, reader: Reader): Promise<Page<unknown>>;
  /** @throws AuthError not_found */
  get(id: string, reader: Reader): Promise<unknown>;
  /** Returns the id. */
  readonly create?: Operation<string>;
  /** Fields of the answer to a creation, besides the id. */
  readonly created?: Created;
  /** All fields. Those that may be omitted get their default. */
  readonly replace?: Operation<void>;
  /** Only the given fields. */
  readonly patch?: Operation<void>;
  remove?(by: AdminCall, id: string): Promise<void>;
  /**
   * The permissions that open an endpoint to callers who are not administrators: `read` for reading the entity,
   * `delete`, and the names of actions, removals and parts (for emptying them). By default the permission `read` opens
   * reading and nothing else; null: administrators only.
   */
  readonly permissions?: Readonly<Record<string, Permission | null>>;
  /** POST `/{id}/NAME` */
  readonly actions?: Readonly<Record<string, Operation<void>>>;
  /** DELETE `/{id}/NAME` */
  readonly removals?: Readonly<Record<string, (by: AdminCall, id: string) => Promise<void>>>;
  /** Lists at `/{id}/NAME` of other entities that belong to this one. */
  readonly parts?: Readonly<Record<string, Part>>;
}

interface Created {
  readonly shape: Readonly<Record<string, z.ZodType>>;
  /** @param id of the new entity */
  read(id: string): Promise<object>;
}

/** The caller who reads. Only administrators see credentials (model/permission.ts). */
export type Reader = Pick<AdminCall, 'actor' | 'isAdmin' | 'origin'> & { readonly language: LanguageTag };

function readerOf(context: AuthenticatedContext): Reader {
  return { ...context.adminCall(), language: context.language };
}

export interface Part extends Listed {
  /** @throws AuthError not_found */
  list(id: string, query: ListQuery, reader: Reader): Promise<Page<unknown>>;
  removeAll?(by: AdminCall, id: string): Promise<void>;
}

export function resourceRoutes(resource: Resource): readonly Route[] {
  const { collection, noun, versioned, remove } = resource;
  const { create, replace, patch } = tolerantOperations(resource);
  const { actions = {}, removals = {}, parts = {} } = resource;
  const path = `${collection}/:id`;
  const permissions = { read: 'read' as const, ...resource.permissions };
  const of = (name: string) => ({ permission: permissions[name as 'read'] ?? null });
  const routes = [
    adminRoute('GET', collection, {
      ...of('read'),
      operationId: `list${named(collection)}`,
      summary: `List the ${wordsOf(collection)}`,
      ...listRules(resource, (query, context) => resource.list(query, readerOf(context))),
    }),
    adminRoute('GET', path, {
      ...of('read'),
      operationId: `get${one(noun)}`,
      summary: `Read ${noun}`,
      answer: {
        ...dataAnswer(resource.detail ?? resource.document, 'The document'),
        ...(versioned && { headers: versionHeader }),
      },
      async handler(context) {
        const headers = versioned === undefined ? {} : await versionHeaders(versioned, context);
        return envelope(await resource.get(context.id, readerOf(context)), {}, { headers });
      },
    }),
  ];
  if (create !== undefined) routes.push(creation(resource, create));
  const singular = one(noun);
  if (replace !== undefined) {
    const named = { ...of('replace'), operationId: `replace${singular}`, summary: `Replace ${noun}` };
    routes.push(change({ method: 'PUT', path, ...named, versioned }, replace));
  }
  if (patch !== undefined) {
    const named = {
      ...of('patch'),
      operationId: `update${singular}`,
      summary: `Change some fields of ${noun}`,
    };
    routes.push(change({ method: 'PATCH', path, ...named, versioned }, patch));
  }
  if (remove !== undefined) {
    const named = { ...of('delete'), operationId: `delete${singular}`, summary: `Delete ${noun}` };
    routes.push(removal(path, { ...named, versioned }, remove));
  }
  for (const [name, action] of Object.entries(actions)) {
    const operationId = `${camelCased(name)}${singular}`;
    const summary = `${capitalized(wordsOf(name))} ${noun}`;
    routes.push(
      change({ method: 'POST', path: `${path}/${name}`, ...of(name), operationId, summary }, action),
    );
  }
  for (const [name, step] of Object.entries(removals)) {
    const operationId = `remove${singular}${named(name)}`;
    const summary = `Remove the ${wordsOf(name)} of ${noun}`;
    routes.push(removal(`${path}/${name}`, { ...of(name), operationId, summary }, step));
  }
  for (const [name, part] of Object.entries(parts)) {
    const parts = { ...of(name), operationId: `${singular}${named(name)}` };
    routes.push(
      ...partRoutes({ path: `${path}/${name}`, what: `the ${wordsOf(name)} of ${noun}`, ...parts }, part),
    );
  }
  return routes;
}

/** The operations that take a whole entity, without the members that are known but not accepted. */
function tolerantOperations(resource: Resource): Pick<Resource, 'create' | 'replace' | 'patch'> {
  const { document, detail = document, ignoredMembers = [], repeated, create, replace, patch } = resource;
  const known = [...membersOf(document), ...membersOf(detail), ...ignoredMembers];
  const tolerant = <Result>({ schema, run }: Operation<Result>) => ({
    schema: ignoring(known, schema, repeated),
    run,
  });
  return {
    ...(create && { create: tolerant(create) }),
    ...(replace && { replace: tolerant(replace) }),
    ...(patch && { patch: tolerant(patch) }),
  };
}

function wordsOf(name: string): string {
  return name
    .replace(/^mfa$/, 'TOTP enrollment')
    .replaceAll('-', ' ')
    .replace(/\b(?:api|jwt)\b/g, (word) => word.toUpperCase());
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `api-sessions` as a part of a name: `ApiSessions`. */
function named(name: string): string {
  return name.split('-').map(capitalized).join('');
}

function camelCased(name: string): string {
  return name.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** The name of one entity in operation ids: `ApiSession` for `an API session`. */
function one(noun: string): string {
  const [, ...words] = noun.split(' ');
  return words.map((word) => capitalized(word === word.toUpperCase() ? word.toLowerCase() : word)).join('');
}

/** The permission for calling, and the name in operation ids. */
interface Named {
  readonly permission: Permission | null;
  readonly operationId: string;
  readonly summary: string;
  /** For entities whose changes may name a version. */
  readonly versioned?: Versioned | undefined;
}

/** Refusals that the rules of any entity may give for a change. */
const changeRefusals = [
  'conflict',
  'invalid_field',
  'cannot_be_deleted',
  'cannot_delete_referenced',
  'password_not_acceptable',
] as const;

const createdSchema = z.strictObject({ id: z.string(), _links: linksSchema });

function creation({ collection, noun, created }: Resource, { schema, run }: Operation<string>): Route {
  const named = `Created${created === undefined ? '' : one(noun)}`;
  return adminRoute('POST', collection, {
    operationId: `create${one(noun)}`,
    summary: `Create ${noun}`,
    answer: dataAnswer(
      createdSchema.extend(created?.shape ?? {}).meta({ id: named }),
      'Created; its address is in the header Location too',
    ),
    status: 201,
    refusals: changeRefusals,
    body: schema,
    query: changeParameters,
    async handler(context, { body, query }) {
      const id = await run(context.adminCall(query.force), body, '');
      const more = (await created?.read(id)) ?? {};
      return envelope(
        { id, ...more, _links: { self: selfLink(collection, id) } },
        {},
        { status: 201, headers: { location: `${managementRoot}/${collection}/${id}` } },
      );
    },
  });
}

function change(
  { method, path, versioned, ...named }: { method: 'POST' | 'PUT' | 'PATCH'; path: string } & Named,
  { schema, run }: Operation<void>,
): Route {
  return adminRoute(method, path, {
    ...named,
    ...conditional(versioned),
    body: schema,
    query: changeParameters,
    does: (context, { body, query }) => run(changeOf(context, query.force, versioned), body, context.id),
  });
}

function removal(
  path: string,
  { versioned, ...named }: Named,
  remove: (by: AdminCall, id: string) => Promise<void>,
): Route {
  return adminRoute('DELETE', path, {
    ...named,
    ...conditional(versioned),
    query: changeParameters,
    does: (context, { query }) => remove(changeOf(context, query.force, versioned), context.id),
  });
}

/** The declaration of a change that may name a version. */
function conditional(versioned: Versioned | undefined) {
  return versioned === undefined
    ? { refusals: changeRefusals }
    : { refusals: [...changeRefusals, 'precondition_failed'] as const, reads: conditionHeader };
}

function changeOf(
  context: AuthenticatedContext,
  isForced: boolean,
  versioned: Versioned | undefined,
): AdminCall {
  const unchanged = versioned === undefined ? null : conditionOf(versioned, context);
  return context.adminCall(isForced, unchanged);
}

function partRoutes(
  { path, what, permission, operationId }: { path: string; what: string } & Omit<Named, 'summary'>,
  part: Part,
): Route[] {
  const routes = [
    adminRoute('GET', path, {
      operationId: `list${operationId}`,
      summary: `List ${what}`,
      ...listRules(part, (query, context) => part.list(context.id, query, readerOf(context))),
    }),
  ];
  const { removeAll } = part;
  if (removeAll !== undefined) {
    const summary = `End ${what}`;
    routes.push(removal(path, { permission, operationId: `end${operationId}`, summary }, removeAll));
  }
  return routes;
}

// Conditional changes (RFC 9110 section 13.1.1): the answer to a read has the version in `etag`, and a change with that
// version in `if-match` is made only while the entity still has it. The store checks this in the transaction of the
// change itself.

/** The entity whose versions count. */
export interface Versioned {
  readonly entity: VersionedEntity;
  readonly versions: VersionStore;
}

/** For the declaration of the answer to a read. */
export const versionHeader = {
  etag: 'The version of the fields of the entity itself, for If-Match of a change',
} as const;

/** For the declaration of a change. */
export const conditionHeader = {
  'if-match':
    'The etag that was read: the change is made only if the entity still has it. Without the header the change is always made.',
} as const;

/**
 * Headers of the answer to a read. Read before the entity: an older version leads to a refusal, a newer one would hide
 * a change.
 */
async function versionHeaders(
  { entity, versions }: Versioned,
  context: RequestContext,
): Promise<AnswerHeaders> {
  const version = await versions.find(entity, context.id);
  return version === null ? {} : { etag: `"${version}"` };
}

/** The version that a change requires; null: none. */
function conditionOf({ entity }: Versioned, context: RequestContext): Unchanged | null {
  const condition = context.headers['if-match'];
  // An asterisk requires only that the entity exists, as every change does.
  if (condition === undefined || condition.trim() === '*') return null;
  // Weak tags match nothing, and neither does a header that cannot be read.
  const strong = [...condition.matchAll(/(W\/)?"([^"]*)"/g)].filter(([, weak]) => weak === undefined);
  return { entity, id: context.id, versions: strong.map(([, , version = '']) => version) };
}
