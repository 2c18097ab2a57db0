import type { RequestContext } from '../request/request-context.ts';
import { servesApi } from '../request/route.ts';

/** Where the account page is. */
export const accountPaths = {
  page: '/account',
  /** Where its logins return: the same page. */
  callback: '/account/callback',
  /** Where people are after signing out: the same page. */
  signedOut: '/account/signed-out',
} as const;

/** Where the console is. */
export const consolePaths = {
  page: '/console',
  /** Where its logins return. */
  callback: '/console/callback',
  /** Where people are after signing out. */
  signedOut: '/console/signed-out',
} as const;

/** The console's address on this listener; null: it has none. */
export function consoleOf({ listener }: Pick<RequestContext, 'listener'>): string | null {
  return servesApi(listener, 'console') ? consolePaths.page : null;
}
