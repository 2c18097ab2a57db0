import type { AdminCall } from '../../admin/admin-call.ts';
import type { AuthenticatedContext } from './request-context.ts';
import { originOf } from './request-context.ts';

/** The caller of an endpoint, as the rules of admin/ see it. */
export function adminCallOf(context: AuthenticatedContext, isForced = false): AdminCall {
  const { identityId, apiSessionId, isAdmin } = context.principal;
  return { identityId, isAdmin, sessionId: apiSessionId, origin: originOf(context), isForced };
}
