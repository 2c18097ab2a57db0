// The types of the Edge APIs, generated from the OpenAPI documents of a running server by openapi-typescript.

import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';

/** The APIs with types: the root of their paths, and the file for the types. */
export const describedApis = [
  { root: '/edge/client/v1', file: new URL('../src/api/client-api.gen.ts', import.meta.url) },
  { root: '/edge/management/v1', file: new URL('../src/api/management-api.gen.ts', import.meta.url) },
] as const;

type Members = Record<string, unknown>;
type Operation = Members & { responses: Record<string, Members> };

/**
 * The text of the file with the types of one API.
 *
 * Omits what a program cannot use: paths outside the root, the descriptions of the API itself, refusals (each becomes
 * an `ApiError`) and everything about headers.
 * @param document the OpenAPI document, as the server sends it
 */
export async function apiTypes(document: object, root: string): Promise<string> {
  const { paths, components, ...rest } = structuredClone(document) as Members & {
    paths: Record<string, Record<string, Operation>>;
    components: Members;
  };
  const kept = Object.entries(paths)
    .filter(([path]) => path.startsWith(`${root}/`) && !/\/(?:openapi\.json|docs)$/.test(path))
    .map(([path, operations]) => [path.slice(root.length), mapValues(operations, withoutRefusals)]);
  const { securitySchemes: _, ...schemas } = components;
  // Addresses differ from one server to the next.
  const { servers: _servers, ...described } = rest;
  const ast = await openapiTS(
    { ...described, paths: Object.fromEntries(kept), components: schemas } as never,
    { silent: true },
  );
  return `${COMMENT_HEADER}${astToString(ast)}`;
}

function withoutRefusals({ responses, ...operation }: Operation): Operation {
  const successes = Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, { headers: _, ...response }]) => [status, response]);
  return { ...operation, responses: Object.fromEntries(successes) };
}

function mapValues<T>(object: Record<string, T>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}
