// How an endpoint is declared. The declaration contains everything that applies before its handler runs (methods, who
// may call, media types, schemas, form of errors), so that mounting can enforce it and the API description can be made
// from it. mount.ts mounts it on the HTTP framework.
import { z } from 'zod';
import type { Binding, Listener } from '../../config/config.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { Permission } from '../../model/permission.ts';
import { type Answer, enveloped, htmlType, jsonType } from './answer.ts';
import type { ErrorFormat } from './error-answers.ts';
import type { AuthenticatedContext, RequestContext } from './request-context.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** HEAD is answered only if listed. The framework drops the body. */
export type Methods = Method | readonly Method[];

/** Which API an endpoint belongs to. A listener mounts the endpoints of the APIs it binds. */
export type Api =
  | 'oidc'
  | 'pages'
  | 'account'
  | 'console'
  | 'edge-client'
  | 'edge-management'
  | 'health'
  | 'metrics';

const bindingsOfApi: Readonly<Record<Api, readonly Binding[]>> = {
  oidc: ['edge-oidc'],
  pages: ['edge-oidc'],
  // The account page calls both.
  account: ['edge-oidc', 'edge-client'],
  // The console calls both.
  console: ['edge-oidc', 'edge-management'],
  'edge-client': ['edge-client'],
  'edge-management': ['edge-management'],
  health: ['health-checks'],
  metrics: ['metrics'],
};

/** Whether a listener serves the API: it binds all that the API needs. */
export function servesApi({ apis }: Pick<Listener, 'apis'>, api: Api): boolean {
  return bindingsOfApi[api].every((needed) => apis.some(({ binding }) => binding === needed));
}

/**
 * The callers that are admitted: all; those with a session whose factors may still be outstanding; those with none
 * outstanding; those who are also administrators or have the endpoint's permission.
 */
export type Guard = 'anonymous' | 'partial' | 'full' | 'admin';

/**
 * The cost of an anonymous answer. `fixed`: it is made once (fixed-route.ts). `light`: less than a tenth of a TLS
 * handshake. `counted`: it may cost more, so it counts against its source (platform/network/sources.ts);
 * `counted-unless-proven`: not when a request that may change something succeeds, since a proof came with it.
 */
export type Load = 'fixed' | 'light' | 'counted' | 'counted-unless-proven';

type LoadOf<G extends Guard> = G extends 'anonymous' ? { readonly load: Load } : { readonly load?: never };

/** Which bodies an endpoint reads. */
export interface BodyRule<Schema extends z.ZodType = z.ZodType> {
  /** Accept `application/json`. */
  readonly json: boolean;
  /** Accept `application/x-www-form-urlencoded`. */
  readonly form: boolean;
  /** Applied to a record without prototype, in which a repeated form field is an array. An empty body is `{}`. */
  readonly schema: Schema;
}

/** The request as the declared schemas return it. */
export interface Input<Body, Query, Params> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
}

type ContextOf<G extends Guard> = G extends 'anonymous' ? RequestContext : AuthenticatedContext;

export interface RouteRules {
  readonly api: Api;
  /** The path in the API description, if this one is only another way to reach the endpoint. */
  readonly aliasOf?: string;
  readonly errors: ErrorFormat;
  /** With the guard `admin`: callers with this permission are admitted too. If absent: administrators only. */
  readonly permission?: Permission;
  /** One line for the API description, in the imperative: `List the identities`. */
  readonly summary: string;
  /** The name in generated clients, if the path makes a bad name: `listIdentities`. */
  readonly operationId?: string;
  /** Every success. The test server compares each answer with it. */
  readonly answers: DeclaredAnswers;
  /** The codes with which it refuses, beyond those that follow from guard, body, query and path. */
  readonly refusals?: readonly ErrorCode[];
  /** Media types of the answer in order of preference. By default JSON, and HTML where errors may be pages. */
  readonly produces?: readonly string[];
  /** Every answer says so, refusals included. */
  readonly isDeprecated?: true;
  /** Headers that it reads, beyond those that follow from guard and body, with their purpose. */
  readonly reads?: Readonly<Record<string, string>>;
  /** Media types of a body that the handler reads itself, as text or bytes. */
  readonly rawBody?: readonly string[];
  /**
   * For the API description, where the handler checks the parameters itself because the standards define their own
   * errors for them.
   */
  readonly described?: { readonly query?: z.ZodType; readonly body?: z.ZodType };
  /**
   * Why the forms of other sites may lead here, where they have to. They are redirected to the same address with GET,
   * as if a link had led here: what a browser adds by itself does not count for such a form.
   */
  readonly acceptsForeignPages?: string;
  /**
   * OPTIONS is 405: no page sends it, and a proxy that takes every 2xx for a yes must not get one without the guard.
   */
  readonly refusesPreflight?: boolean;
  /** The access token may also come in the form of a POST request (takeFormToken). Only where a guard requires one. */
  readonly takesFormToken?: boolean;
  /** Proxies ask about requests of others: a DPoP proof is about those. */
  readonly answersProxies?: boolean;
  /** Scripts of every origin may read it: a public document that names no person. */
  readonly readableByAll?: boolean;
  /** Set where anybody may call. */
  readonly load?: Load;
  /** Largest body in bytes, if it differs from the API's. */
  readonly bodyLimit?: number;
}

export interface RouteDefinition<
  G extends Guard,
  Body extends z.ZodType,
  Query extends z.ZodType,
  Params extends z.ZodType,
> extends RouteRules {
  readonly guard: G;
  readonly body?: BodyRule<Body>;
  readonly query?: Query;
  readonly params?: Params;
  handler(
    context: ContextOf<G>,
    input: Input<z.output<Body>, z.output<Query>, z.output<Params>>,
  ): Answer | Promise<Answer>;
}

/** A declared endpoint without the types of its input. Made by `route`. */
export interface Route extends RouteRules {
  readonly methods: readonly Method[];
  readonly path: string;
  readonly guard: Guard;
  readonly body: BodyRule | undefined;
  readonly query: z.ZodType | undefined;
  readonly params: z.ZodType | undefined;
  readonly handler: (
    context: RequestContext,
    input: Input<unknown, unknown, unknown>,
  ) => Answer | Promise<Answer>;
}

/** The media types of an endpoint's answers, in order of preference. */
export function mediaTypesOf({ produces, errors }: Pick<Route, 'produces' | 'errors'>): readonly string[] {
  return produces ?? (errors === 'oauth' || errors === 'edge' ? [jsonType] : [jsonType, htmlType]);
}

/** Where a declaration says that anybody may call: of which API, at what cost, and the form of errors. */
export function anonymous<const A extends Api, const L extends Load, const E extends ErrorFormat>(
  api: A,
  load: L,
  errors: E,
) {
  return { api, guard: 'anonymous', load, errors } as const;
}

/**
 * Declares an endpoint. The handler's input has the types of the schemas, undefined where there is no schema.
 * @param path matched exactly; `:name` matches one segment. A trailing slash makes another path.
 */
export function route<
  const G extends Guard,
  Body extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Params extends z.ZodType = z.ZodUndefined,
>(methods: Methods, path: string, definition: RouteDefinition<G, Body, Query, Params> & LoadOf<G>): Route {
  const { body, query, params, ...rules }: RouteDefinition<G, Body, Query, Params> = definition;
  return {
    ...rules,
    methods: typeof methods === 'string' ? [methods] : methods,
    path,
    body,
    query,
    params,
    // Sound because mount.ts passes to the handler what the guard and the schemas of this declaration returned.
    handler: definition.handler as unknown as Route['handler'],
  };
}

/** Whether its answers count against the source that asks. */
export function countsAgainstSource({ load }: Pick<Route, 'load'>): boolean {
  return load === 'counted' || load === 'counted-unless-proven';
}

// The successes of an endpoint, which are part of its declaration. The API description is made from them and from
// declared-refusals.ts, and tests compare every answer with both.

/** One answer, by media type. Without content, the answer has no body. */
export interface DeclaredAnswer {
  readonly description: string;
  /** The schema of a JSON document. Other contents are text or bytes. */
  readonly content: Readonly<Record<string, z.ZodType>>;
  /** Headers that this answer may have beyond those that follow from guard and status, with their meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** For a login that is not complete. */
export const totpRequiredHeader = { 'totp-required': 'true: a TOTP code is still to be given' } as const;

/** By status. */
export type DeclaredAnswers = Readonly<Record<number, DeclaredAnswer>>;

/**
 * The schema of an object without further members.
 * @param id its name in the API description, where it stands once
 */
export function schemaNamed<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.strictObject(shape).meta({ id });
}

const text = z.string();
const noMeta = z.strictObject({});

/** A JSON document as it is. */
export function documentAnswer(schema: z.ZodType, description: string): DeclaredAnswer {
  return { description, content: { [jsonType]: schema } };
}

/** The envelope of the Edge APIs around one document. */
export function dataAnswer(schema: z.ZodType, description: string): DeclaredAnswer {
  return documentAnswer(z.strictObject({ data: schema, meta: noMeta }), description);
}

const pageMeta = schemaNamed('ListMeta', {
  filterableFields: z.array(z.string()),
  pagination: z.strictObject({
    limit: z.int(),
    offset: z.int(),
    totalCount: z.int(),
    totalCountIsEstimate: z
      .literal(true)
      .optional()
      .describe(
        'Only there when the list is too long to be counted: it has about `totalCount` entries if that is a multiple of 1000, otherwise `totalCount` or more',
      ),
  }),
});

/** The envelope around one page of a list. */
export function listAnswer(schema: z.ZodType, description: string): DeclaredAnswer {
  return documentAnswer(z.strictObject({ data: z.array(schema), meta: pageMeta }), description);
}

/** Says only that it is done. */
export const doneAnswer: DeclaredAnswer = dataAnswer(z.strictObject({}), 'Done');

export function redirectAnswer(description: string): DeclaredAnswer {
  return { description, content: {} };
}

/** Of endpoints that accept the forms of other sites; see route.ts. */
export const byLinkAnswer: DeclaredAnswer = redirectAnswer(
  'Here again with GET, if the form of another site has led here',
);

export function contentAnswer(mediaType: string, description: string): DeclaredAnswer {
  return { description, content: { [mediaType]: text } };
}

export const somePage: DeclaredAnswer = contentAnswer(htmlType, 'A page for people');

/** The same answer, which people get as a page. */
export function orPage({ content, ...answer }: DeclaredAnswer): DeclaredAnswer {
  return { ...answer, content: { ...content, [htmlType]: text } };
}

export interface EdgeApi {
  readonly api: 'edge-client' | 'edge-management';
  readonly root: string;
}

export const clientApi: EdgeApi = { api: 'edge-client', root: '/edge/client/v1' };
export const managementApi: EdgeApi = { api: 'edge-management', root: '/edge/management/v1' };

type SessionGuard = 'partial' | 'full' | 'admin';

type Definition<Body extends z.ZodType, Query extends z.ZodType> = RouteDefinition<
  SessionGuard,
  Body,
  Query,
  z.ZodUndefined
>;

export interface EdgeRouteRules<Body extends z.ZodType, Query extends z.ZodType>
  extends Omit<
    Definition<Body, Query>,
    'api' | 'errors' | 'guard' | 'answers' | 'body' | 'params' | 'load' | 'handler'
  > {
  /** Of a GET that uses something up: it answers no HEAD. */
  readonly methods?: Methods;
  /** `full` unless given. */
  readonly guard?: SessionGuard;
  /** Of the success; 200 unless given. */
  readonly status?: number;
  /** Rules for a JSON body. */
  readonly body?: Body;
}

type Handler<Body extends z.ZodType, Query extends z.ZodType> = Definition<Body, Query>['handler'];

/**
 * How it answers: without `answer` it never succeeds. `data` makes what the envelope contains; `does` is for what has
 * nothing to say but that it is done.
 */
export type EdgeOutcome<Body extends z.ZodType, Query extends z.ZodType> = OneOf<{
  readonly handler: Handler<Body, Query>;
  data(...given: Parameters<Handler<Body, Query>>): unknown;
  does(...given: Parameters<Handler<Body, Query>>): Promise<unknown>;
}> & { readonly answer?: DeclaredAnswer };

type OneOf<All> = {
  [One in keyof All]: Pick<All, One> & { readonly [Other in Exclude<keyof All, One>]?: never };
}[keyof All];

/**
 * Declares endpoints of one of the Edge APIs.
 * @returns `path` is below the root of the API, without a leading slash
 */
export function edgeRoutes({ api, root }: EdgeApi) {
  return <Body extends z.ZodType = z.ZodUndefined, Query extends z.ZodType = z.ZodUndefined>(
    method: Method,
    path: string,
    definition: EdgeRouteRules<Body, Query> & EdgeOutcome<Body, Query>,
  ): Route => {
    const { does, data, handler, answer = does && doneAnswer, status = 200, body, ...others } = definition;
    // Reading changes nothing, so HEAD is allowed (RFC 9110 section 9.3.2).
    const { methods = method === 'GET' ? ['GET', 'HEAD'] : method, ...rules } = others;
    return route<SessionGuard, Body, Query>(methods, `${root}/${path}`, {
      api,
      guard: 'full',
      errors: 'edge',
      ...rules,
      handler: handler ?? enveloped(data ?? ((...given) => does?.(...given).then(() => ({}))), status),
      answers: answer === undefined ? {} : { [status]: answer },
      ...(body === undefined ? {} : { body: { json: true, form: false, schema: body } }),
    });
  };
}

export const { root: managementRoot } = managementApi;
const at = edgeRoutes(managementApi);

type AdminRouteDefinition<Body extends z.ZodType, Query extends z.ZodType> = Omit<
  EdgeRouteRules<Body, Query>,
  'permission' | 'guard'
> &
  EdgeOutcome<Body, Query> & {
    /** The permission that opens it to callers who are not administrators; null: none does. Default: `read` for GET. */
    readonly permission?: Permission | null;
  };

/**
 * An endpoint of the management API, for administrators and those who have the permission.
 * @param path below the root of the API, without a leading slash
 */
export function adminRoute<Body extends z.ZodType = z.ZodUndefined, Query extends z.ZodType = z.ZodUndefined>(
  method: Method,
  path: string,
  { permission = method === 'GET' ? 'read' : null, ...rules }: AdminRouteDefinition<Body, Query>,
): Route {
  const asked = permission === null ? {} : { permission };
  return at<Body, Query>(method, path, { refusals: [], ...rules, ...asked, guard: 'admin' });
}
