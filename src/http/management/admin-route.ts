import type { z } from 'zod';
import type { ErrorCode } from '../../errors/codes.ts';
import type { Permission } from '../../model/permission.ts';
import type { Answer } from '../request/answer.ts';
import type { AuthenticatedContext } from '../request/request-context.ts';
import { type DeclaredAnswer, type Input, type Method, type Route, route } from '../request/route.ts';

export const managementRoot = '/edge/management/v1';

export interface AdminRouteDefinition<Body extends z.ZodType, Query extends z.ZodType> {
  readonly summary: string;
  /** As for any route. */
  readonly operationId?: string;
  /** Who may call apart from administrators; null: nobody. By default `read` for GET and nobody for the others. */
  readonly permission?: Permission | null;
  /** The success. Its status is 200 unless given. */
  readonly answer: DeclaredAnswer;
  readonly status?: number;
  readonly refusals?: readonly ErrorCode[];
  /** As for any route. */
  readonly reads?: Readonly<Record<string, string>>;
  /** Rules for a JSON body. */
  readonly body?: Body;
  /** As for any route. */
  readonly produces?: readonly string[];
  /** As for any route. */
  readonly rawBody?: readonly string[];
  /** As for any route. */
  readonly bodyLimit?: number;
  /** The schema of the JSON among `rawBody`, for the API description. */
  readonly describedBody?: z.ZodType;
  readonly query?: Query;
  handler(
    context: AuthenticatedContext,
    input: Input<z.output<Body>, z.output<Query>, undefined>,
  ): Promise<Answer>;
}

/**
 * An endpoint of the management API, for administrators and those who have the permission.
 * @param path below the root of the API, without a leading slash
 */
export function adminRoute<Body extends z.ZodType = z.ZodUndefined, Query extends z.ZodType = z.ZodUndefined>(
  method: Method,
  path: string,
  definition: AdminRouteDefinition<Body, Query>,
): Route {
  const { answer, status = 200, body, describedBody, permission, ...shared } = definition;
  const asked = permission === undefined && method === 'GET' ? 'read' : permission;
  return route<'admin', Body, Query>({
    refusals: [],
    ...shared,
    // Reading changes nothing, so HEAD is allowed (RFC 9110 section 9.3.2).
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    path: `${managementRoot}/${path}`,
    api: 'edge-management',
    guard: 'admin',
    errors: 'edge',
    ...(asked == null ? {} : { permission: asked }),
    answers: { [status]: answer },
    ...(body === undefined ? {} : { body: { json: true, form: false, schema: body } }),
    ...(describedBody === undefined ? {} : { described: { body: describedBody } }),
  });
}
