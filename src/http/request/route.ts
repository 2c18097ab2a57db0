// How an endpoint is declared. The declaration says everything that is true of the endpoint before its handler
// runs (methods, who may call, media types, schemas, wording of errors), so that mounting can enforce it and
// the API description can be written from it. Mounting on the HTTP framework is mount.ts.
import type { z } from 'zod';
import type { Binding } from '../../config/config.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { Permission } from '../../model/permission.ts';
import { type Answer, htmlType, jsonType } from './answer.ts';
import type { DeclaredAnswers } from './declared-answers.ts';
import type { ErrorFormat } from './error-answers.ts';
import type { AuthenticatedContext, RequestContext } from './request-context.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

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

export const bindingsOfApi: Readonly<Record<Api, readonly Binding[]>> = {
  oidc: ['edge-oidc'],
  pages: ['edge-oidc'],
  // A client of both.
  account: ['edge-oidc', 'edge-client'],
  // Likewise.
  console: ['edge-oidc', 'edge-management'],
  'edge-client': ['edge-client'],
  'edge-management': ['edge-management'],
  health: ['health-checks'],
  metrics: ['metrics'],
};

/** Whether a listener with these bindings serves the API. */
export function servesApi(bound: ReadonlySet<Binding>, api: Api): boolean {
  return bindingsOfApi[api].every((binding) => bound.has(binding));
}

/**
 * Who may call: anybody; a caller with a session whose factors may still be outstanding; with none outstanding;
 * the same who is an administrator, or has the permission of the endpoint.
 */
export type Guard = 'anonymous' | 'partial' | 'full' | 'admin';

/** Which bodies an endpoint reads. */
export interface BodyRule<Schema extends z.ZodType = z.ZodType> {
  /** Accept `application/json`. */
  readonly json: boolean;
  /** Accept `application/x-www-form-urlencoded`. */
  readonly form: boolean;
  /** Applied to a record without prototype; a repeated form field is an array there. An empty body is `{}`. */
  readonly schema: Schema;
}

/** What the declared schemas make of the request. */
export interface Input<Body, Query, Params> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
}

type ContextOf<G extends Guard> = G extends 'anonymous' ? RequestContext : AuthenticatedContext;

interface RouteRules {
  /** HEAD is answered only where it is listed; the framework drops the body. */
  readonly methods: readonly Method[];
  /** Matched exactly; `:name` stands for one segment. A trailing slash makes another path. */
  readonly path: string;
  readonly api: Api;
  /** The path that the API description names, where this one is only another way to reach the endpoint. */
  readonly aliasOf?: string;
  readonly errors: ErrorFormat;
  /** With the guard `admin`: who has this permission may call too. None: administrators only. */
  readonly permission?: Permission;
  /** One line for the API description, in the imperative: `List the identities`. */
  readonly summary: string;
  /** What generated clients call it, where the path does not say it well: `listIdentities`. */
  readonly operationId?: string;
  /** Every success; the test server compares each answer with it. */
  readonly answers: DeclaredAnswers;
  /** The codes with which it refuses besides those that follow from guard, body, query and path. */
  readonly refusals?: readonly ErrorCode[];
  /** Media types of the answer in order of preference; by default JSON, and HTML where errors may be pages. */
  readonly produces?: readonly string[];
  /** On every answer, refusals included. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that it reads besides those that follow from guard and body, with what they are for. */
  readonly reads?: Readonly<Record<string, string>>;
  /** Media types of a body that the handler reads itself, as text or bytes. */
  readonly rawBody?: readonly string[];
  /**
   * For the API description, where the handler checks the parameters itself: the standards have their own errors for
   * them.
   */
  readonly described?: { readonly query?: z.ZodType; readonly body?: z.ZodType };
  /**
   * Why the pages of other sites may send what could change something, where they have to (begin-request.ts). An
   * endpoint that says so changes nothing on the strength of what a browser adds by itself.
   */
  readonly acceptsForeignPages?: string;
  /**
   * OPTIONS is 405: no page asks, and a proxy that takes every 2xx for a yes must not get one without a guard.
   */
  readonly refusesPreflight?: boolean;
  /** The access token may also come in the form of a POST request (takeFormToken). Only where a guard asks for one. */
  readonly takesFormToken?: boolean;
  /** Scripts of every origin may read it: a document that is public and names no one. */
  readonly readableByAll?: boolean;
  /** Largest body in bytes, if not that of the API. */
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

/** A declared endpoint with the types of its input forgotten. Made by `route`. */
export interface Route extends RouteRules {
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

/** Declares an endpoint; the handler's input has the types of the schemas. Without a schema it is undefined. */
export function route<
  const G extends Guard,
  Body extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Params extends z.ZodType = z.ZodUndefined,
>(definition: RouteDefinition<G, Body, Query, Params>): Route {
  const { body, query, params, ...rules } = definition;
  return {
    ...rules,
    body,
    query,
    params,
    // Sound because mount.ts gives the handler what the guard and the schemas of this very declaration returned.
    handler: definition.handler as unknown as Route['handler'],
  };
}
