// The operations that all managed entities have, declared once: addresses, guard, envelope, paging and the
// statuses of the answers. An entity describes its schemas and how its documents look.
//
// Members of a body that its schema does not name are ignored: clients send back whole documents that they read,
// with members that only the service sets. Nothing is ever taken from a body except by name.

import { z } from 'zod';
import type { AdminCall } from '../../admin/admin-call.ts';
import { listQuery } from '../../admin/list-parameters.ts';
import type { ListFields } from '../../model/list-fields.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Permission } from '../../model/permission.ts';
import type { Principal } from '../../model/principal.ts';
import { adminCallOf } from '../admin-call.ts';
import { type Answer, envelope } from '../answer.ts';
import { dataAnswer, listAnswer as declaredList, doneAnswer } from '../declared-answers.ts';
import type { Route } from '../routes.ts';
import { linksSchema, selfLink } from '../wire.ts';
import { adminRoute, idOf, managementRoot } from './admin-route.ts';
import { changeParameters, listParameters } from './schemas.ts';

/** A body and what is done with it. Made by `operation`. */
export interface Operation<Result> {
  readonly schema: z.ZodType;
  /** @param id of the entity; empty when creating */
  readonly run: (by: AdminCall, body: unknown, id: string) => Promise<Result>;
}

/** Ties a schema to what takes its output. */
export function operation<Schema extends z.ZodType, Result>(
  schema: Schema,
  run: (by: AdminCall, body: z.output<Schema>, id: string) => Promise<Result>,
): Operation<Result> {
  // Sound because the endpoint gives `run` what this very schema returned.
  return { schema, run: (by, body, id) => run(by, body as z.output<Schema>, id) };
}

/** How an entity is managed; an operation that is missing is answered with 405. Lists are of documents. */
export interface Resource {
  /** The last part of its path, such as `identities`. */
  readonly collection: string;
  /** What one of them is called in the API description, with its article, such as `an identity`. */
  readonly noun: string;
  /** The documents of the list, and of one where `detail` is not given. */
  readonly document: z.ZodType;
  readonly detail?: z.ZodType;
  readonly listFields: ListFields;
  list(query: ListQuery, reader: Reader): Promise<Page<unknown>>;
  /** @throws AuthError not_found */
  get(id: string, reader: Reader): Promise<unknown>;
  /** Returns the id. */
  readonly create?: Operation<string>;
  /** All fields; those that may be left out get their default. */
  readonly replace?: Operation<void>;
  /** The fields that are given. */
  readonly patch?: Operation<void>;
  remove?(by: AdminCall, id: string): Promise<void>;
  /**
   * Who may call besides administrators: by `read` for reading the entity, `delete`, and the names of actions, removals
   * and parts (for emptying them). By default `read` is for reading and nobody for the rest; null: nobody.
   */
  readonly permissions?: Readonly<Record<string, Permission | null>>;
  /** POST `/{id}/NAME` */
  readonly actions?: Readonly<Record<string, Operation<void>>>;
  /** DELETE `/{id}/NAME` */
  readonly removals?: Readonly<Record<string, (by: AdminCall, id: string) => Promise<void>>>;
  /** Lists at `/{id}/NAME`, of other entities that belong to this one. */
  readonly parts?: Readonly<Record<string, Part>>;
}

/** Who reads. What would let somebody log in is for administrators alone (model/permission.ts). */
export type Reader = Pick<Principal, 'isAdmin'>;

export interface Part {
  readonly document: z.ZodType;
  readonly listFields: ListFields;
  /** @throws AuthError not_found */
  list(id: string, query: ListQuery, reader: Reader): Promise<Page<unknown>>;
  removeAll?(by: AdminCall, id: string): Promise<void>;
}

export function resourceRoutes(resource: Resource): readonly Route[] {
  const { collection, noun, create, replace, patch, remove } = resource;
  const { actions = {}, removals = {}, parts = {} } = resource;
  const one = `${collection}/:id`;
  const permissions = { read: 'read' as const, ...resource.permissions };
  const of = (name: string) => ({ permission: permissions[name as 'read'] ?? null });
  const routes = [
    adminRoute('GET', collection, {
      ...of('read'),
      summary: `List the ${wordsOf(collection)}`,
      answer: declaredList(resource.document, 'One page of the list'),
      refusals: ['invalid_filter'],
      query: listParameters,
      handler: ({ principal }, { query }) =>
        listAnswer(query, resource.listFields, (asked) => resource.list(asked, principal)),
    }),
    adminRoute('GET', one, {
      ...of('read'),
      summary: `Read ${noun}`,
      answer: dataAnswer(resource.detail ?? resource.document, 'The document'),
      handler: async (context) => envelope(await resource.get(idOf(context), context.principal)),
    }),
  ];
  if (create !== undefined) routes.push(creation(collection, noun, create));
  if (replace !== undefined) routes.push(change('PUT', one, of('replace'), `Replace ${noun}`, replace));
  if (patch !== undefined)
    routes.push(change('PATCH', one, of('patch'), `Change some fields of ${noun}`, patch));
  if (remove !== undefined) routes.push(removal(one, of('delete'), `Delete ${noun}`, remove));
  for (const [name, action] of Object.entries(actions)) {
    routes.push(change('POST', `${one}/${name}`, of(name), `${capitalized(wordsOf(name))} ${noun}`, action));
  }
  for (const [name, step] of Object.entries(removals)) {
    routes.push(removal(`${one}/${name}`, of(name), `Remove the ${wordsOf(name)} of ${noun}`, step));
  }
  for (const [name, part] of Object.entries(parts)) {
    routes.push(...partRoutes(`${one}/${name}`, of(name), `the ${wordsOf(name)} of ${noun}`, part));
  }
  return routes;
}

function wordsOf(name: string): string {
  return name
    .replace(/^mfa$/, 'TOTP enrolment')
    .replaceAll('-', ' ')
    .replace(/\b(?:api|jwt)\b/g, (word) => word.toUpperCase());
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface Permitted {
  readonly permission: Permission | null;
}

/** What the rules of any entity may refuse of a change. */
const changeRefusals = [
  'conflict',
  'invalid_field',
  'cannot_be_deleted',
  'cannot_delete_referenced',
  'password_not_acceptable',
] as const;

const created = dataAnswer(
  z.strictObject({ id: z.string(), _links: linksSchema }).meta({ id: 'Created' }),
  'Created; its address is in the header Location too',
);

function creation(collection: string, noun: string, { schema, run }: Operation<string>): Route {
  return adminRoute('POST', collection, {
    summary: `Create ${noun}`,
    answer: created,
    status: 201,
    refusals: changeRefusals,
    body: schema,
    async handler(context, { body }) {
      const id = await run(adminCallOf(context), body, '');
      return envelope(
        { id, _links: { self: selfLink(collection, id) } },
        {},
        { status: 201, headers: { location: `${managementRoot}/${collection}/${id}` } },
      );
    },
  });
}

function change(
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  permitted: Permitted,
  summary: string,
  { schema, run }: Operation<void>,
): Route {
  return adminRoute(method, path, {
    ...permitted,
    summary,
    answer: doneAnswer,
    refusals: changeRefusals,
    body: schema,
    query: changeParameters,
    async handler(context, { body, query }) {
      await run(adminCallOf(context, query.force), body, idOf(context));
      return done();
    },
  });
}

function removal(
  path: string,
  permitted: Permitted,
  summary: string,
  remove: (by: AdminCall, id: string) => Promise<void>,
): Route {
  return adminRoute('DELETE', path, {
    ...permitted,
    summary,
    answer: doneAnswer,
    refusals: changeRefusals,
    query: changeParameters,
    async handler(context, { query }) {
      await remove(adminCallOf(context, query.force), idOf(context));
      return done();
    },
  });
}

function partRoutes(
  path: string,
  permitted: Permitted,
  what: string,
  { document, listFields, list, removeAll }: Part,
): Route[] {
  const routes = [
    adminRoute('GET', path, {
      summary: `List ${what}`,
      answer: declaredList(document, 'One page of the list'),
      refusals: ['invalid_filter'],
      query: listParameters,
      handler: (context, { query }) =>
        listAnswer(query, listFields, (asked) => list(idOf(context), asked, context.principal)),
    }),
  ];
  if (removeAll !== undefined) routes.push(removal(path, permitted, `End ${what}`, removeAll));
  return routes;
}

/** The answer to a change that has nothing more to say. */
function done(): Answer {
  return envelope({});
}

/** A page of a list, with what it says about itself. @throws AuthError invalid_filter, could_not_validate */
export async function listAnswer(
  parameters: z.output<typeof listParameters>,
  fields: ListFields,
  list: (query: ListQuery) => Promise<Page<unknown>>,
): Promise<Answer> {
  const query = listQuery(parameters, fields);
  const { items, totalCount } = await list(query);
  // Clients expect a number, also where there was no limit.
  const pagination = { limit: query.limit ?? items.length, offset: query.offset, totalCount };
  return envelope(items, { filterableFields: [...fields.keys()], pagination });
}
