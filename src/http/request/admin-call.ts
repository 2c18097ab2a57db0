import type { AdminCall } from '../../admin/admin-call.ts';
import { ownerOf } from '../../model/actor.ts';
import { acceptedLanguages, languageFor } from '../../pages/texts/languages.ts';
import type { Unchanged } from '../../store/contracts/versions.ts';
import type { AuthenticatedContext } from './request-context.ts';
import { originOf } from './request-context.ts';

/** The language of the caller among those of our texts (BCP 47), by `Accept-Language`. */
export function languageOf({ headers }: Pick<AuthenticatedContext, 'headers'>): string {
  return languageFor(acceptedLanguages(headers['accept-language'])).tag;
}

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
