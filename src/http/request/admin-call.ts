import type { AdminCall } from '../../admin/admin-call.ts';
import { ownerOf } from '../../model/actor.ts';
import type { Unchanged } from '../../store/contracts/versions.ts';
import type { AuthenticatedContext } from './request-context.ts';
import { originOf } from './request-context.ts';

/** The caller of an endpoint, as the rules of admin/ see it. */
export function adminCallOf(
  context: AuthenticatedContext,
  isForced = false,
  unchanged: Unchanged | null = null,
): AdminCall {
  const { principal, right } = context;
  const actor = { ...ownerOf(principal), right };
  return { actor, isAdmin: principal.isAdmin, origin: originOf(context), isForced, unchanged };
}
