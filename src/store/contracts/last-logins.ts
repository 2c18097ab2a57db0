import type { LastLogin } from '../../model/last-login.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';

export type ListedLastLogin = LastLogin & { readonly identityName: string };

/**
 * Which identities have logged in to which applications with which programs. The steps that open sessions write it. An
 * identity has fifty at most; the one that was used last the longest time ago makes room.
 */
export interface LastLoginStore {
  list(query: ListQuery): Promise<Page<ListedLastLogin>>;
}
