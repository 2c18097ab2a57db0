// The OpenAPI 3.1 description of endpoints, made from their declarations alone.

import type { JsonSchema } from '../../model/json-schema.ts';
import type { Permission } from '../../model/permission.ts';
import { jsonType } from '../request/answer.ts';
import { bodyTypesOf, formType } from '../request/body.ts';
import { declaredRefusals } from '../request/declared-refusals.ts';
import type { DeclaredAnswer, Guard, Method, Route } from '../request/route.ts';
import { type SchemaCollection, schemaCollection } from './json-schemas.ts';
import { tagDescriptions } from './tags.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly deprecated?: true;
  /** The guard of the endpoint. */
  readonly 'x-guard': Guard;
  /** The permission that also opens an endpoint for administrators. */
  readonly 'x-permission'?: Permission;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    /** The operator, when a running server is asked. */
    readonly contact?: { readonly name: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
  };
}

/** The contents of one document. */
export interface DescribedApi {
  readonly title: string;
  readonly description: string;
  /** The beginning of most paths, such as `/edge/client/v1`. */
  readonly root: string;
}

/** Everything except `servers`, which depends on the bind point of the request. */
export function openApiDocument(
  api: DescribedApi,
  routes: readonly Route[],
): Omit<OpenApiDocument, 'servers'> {
  const schemas = schemaCollection();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    if (route.aliasOf !== undefined) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const operations = paths[path] ?? {};
    for (const method of route.methods) {
      // The same as GET without the body. Generated clients would only have everything twice.
      if (method === 'HEAD') continue;
      operations[method.toLowerCase()] = operationOf(api, route, { method, schemas });
    }
    paths[path] = operations;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: '1',
      description: `${api.description} Every read-only GET also supports HEAD.`,
    },
    tags: tagsOf(paths),
    paths,
    components: { schemas: schemas.components, securitySchemes },
  };
}

/** The groups of the operations, in their order. */
function tagsOf(paths: OpenApiDocument['paths']): OpenApiDocument['tags'] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const names = new Set(operations.flatMap(({ tags }) => tags));
  return [...names].map((name) => ({ name, description: tagDescriptions.get(name) ?? '' }));
}

const securitySchemes = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'An access token of the OpenID provider; one that is bound to a key comes in the scheme DPoP, with a proof in the header DPoP (RFC 9449). A policy may ask for an external JWT in a second Authorization line.',
  },
  ztSession: {
    type: 'apiKey',
    in: 'header',
    name: 'zt-session',
    description: 'A session token of POST …/authenticate. Deprecated.',
  },
} as const;

const guardWords: Readonly<Record<Guard, string>> = {
  anonymous: 'No authentication is needed.',
  partial: 'For callers who are logged in; outstanding factors may be allowed.',
  full: 'For callers who are logged in with every factor that their policy asks for.',
  admin: 'For administrators.',
};

/** The guard of an endpoint, in words. */
function accessWords({ guard, permission }: Route): string {
  return permission === undefined
    ? guardWords[guard]
    : `For administrators and those with the permission ${permission}.`;
}

function operationOf(
  { root }: DescribedApi,
  route: Route,
  { method, schemas }: { method: Method; schemas: SchemaCollection },
): Operation {
  const isInside = route.path.startsWith(`${root}/`);
  const inside = isInside ? route.path.slice(root.length) : route.path;
  const segments = inside.split('/').filter((segment) => segment !== '');
  // The same path may exist with and without the root.
  const words = isInside ? segments : ['root', ...segments];
  const body = requestBodyOf(route, method, schemas);
  return {
    operationId: route.operationId ?? method.toLowerCase() + words.map(capitalized).join(''),
    summary: route.summary,
    description: accessWords(route),
    tags: [segments[0] ?? 'start'],
    security: route.guard === 'anonymous' ? [] : [{ accessToken: [] }, { ztSession: [] }],
    ...(route.isDeprecated ? { deprecated: true as const } : {}),
    'x-guard': route.guard,
    ...(route.permission === undefined ? {} : { 'x-permission': route.permission }),
    parameters: [...pathParameters(route), ...queryParameters(route, schemas), ...headerParameters(route)],
    ...(body === undefined || method === 'GET' ? {} : { requestBody: body }),
    responses: responsesOf(route, schemas),
  };
}

function capitalized(segment: string): string {
  const words = segment.replace(/^:/, 'by-').split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function pathParameters(route: Route): Parameter[] {
  return [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(route: Route, schemas: SchemaCollection): Parameter[] {
  const schema = route.described?.query ?? route.query;
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.schemaOf(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: property,
  }));
}

function headerParameters({ reads = {} }: Route): Parameter[] {
  return Object.entries(reads).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    required: false,
    schema: text,
  }));
}

function requestBodyOf(route: Route, method: Method, schemas: SchemaCollection): Operation['requestBody'] {
  if (route.rawBody !== undefined) {
    const described = route.described?.body;
    const inJson = described === undefined ? {} : schemas.schemaOf(described);
    const content = route.rawBody.map((type) => [type, { schema: type === jsonType ? inJson : text }]);
    return { required: true, content: Object.fromEntries(content) };
  }
  if (route.takesFormToken === true && method === 'POST') {
    const properties = { access_token: text };
    return { required: false, content: { [formType]: { schema: { type: 'object', properties } } } };
  }
  if (route.body === undefined) return undefined;
  const schema = schemas.schemaOf(route.described?.body ?? route.body.schema);
  const types = bodyTypesOf(route);
  return {
    required: (schema.required ?? []).length > 0,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  };
}

const text: JsonSchema = { type: 'string' };

function responsesOf(route: Route, schemas: SchemaCollection): Operation['responses'] {
  const responses: Record<string, Response> = {};
  const refusals = Object.entries(declaredRefusals(route));
  for (const [status, declared] of refusals)
    responses[status] = responseOf(route, declared, { status: Number(status), schemas });
  for (const [status, declared] of Object.entries(route.answers)) {
    const refusal = responses[status];
    const success = responseOf(route, declared, { status: Number(status), schemas });
    responses[status] = refusal === undefined ? success : either(success, refusal);
  }
  return responses;
}

/** One status that is sometimes a result and sometimes a refusal. */
function either(success: Response, refusal: Response): Response {
  const content: Record<string, { schema: JsonSchema }> = { ...refusal.content };
  for (const [type, { schema }] of Object.entries(success.content ?? {})) {
    const other = content[type];
    const isSame = other === undefined || JSON.stringify(other.schema) === JSON.stringify(schema);
    content[type] = { schema: isSame ? schema : { anyOf: [schema, other.schema] } };
  }
  const headers = { ...refusal.headers, ...success.headers };
  return { description: `${success.description}; ${refusal.description}`, headers, content };
}

function responseOf(
  route: Route,
  { description, content, headers = {} }: DeclaredAnswer,
  { status, schemas }: { status: number; schemas: SchemaCollection },
): Response {
  const entries = Object.entries(content).map(([type, schema]) => [
    type,
    { schema: schemas.schemaOf(schema) },
  ]);
  return {
    description,
    headers: { ...responseHeaders(route, status), ...declaredHeaders(headers) },
    ...(entries.length > 0 ? { content: Object.fromEntries(entries) } : {}),
  };
}

function declaredHeaders(headers: Readonly<Record<string, string>>): NonNullable<Response['headers']> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: text }]),
  );
}

function responseHeaders(route: Route, status: number): NonNullable<Response['headers']> {
  const header = (description: string, schema = text) => ({ description, schema });
  return {
    'x-request-id': header('The reference id of this answer'),
    ...(route.isDeprecated
      ? {
          deprecation: header('Since when this is deprecated (RFC 9745)'),
          link: header('Its replacement, where the listener has one'),
        }
      : {}),
    ...(route.guard !== 'anonymous' && status < 400
      ? {
          'expires-at': header('When the session of the caller expires unless used before then', {
            ...text,
            format: 'date-time',
          }),
          'expiration-seconds': header('The same in seconds from now', { type: 'integer' }),
        }
      : {}),
    ...(status === 201 || status === 302 ? { location: header('Where to continue') } : {}),
    ...(status === 401 && route.guard !== 'anonymous'
      ? { 'www-authenticate': header('One line for each way to authenticate (RFC 6750)') }
      : {}),
    ...(status === 429 || status === 503 ? { 'retry-after': header('Seconds', { type: 'integer' }) } : {}),
  };
}
