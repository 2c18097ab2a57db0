import type { rightOf } from '../../me.ts';
import { useList } from '../../queries.ts';
import { texts } from '../../texts/texts.ts';
import type { Identity } from '../../types.ts';

export type Right = NonNullable<ReturnType<typeof rightOf>>;

export const rightNames: Readonly<Record<Right, string>> = {
  all: texts.administrator,
  helpdesk: texts.who.helpdesk,
  read: texts.who.read,
};

/** The people with each right, in the filter language. */
export const rightFilters: Readonly<Record<Right, string>> = {
  all: 'isAdmin = true',
  helpdesk: 'isAdmin = false and permissions contains "helpdesk"',
  read: 'isAdmin = false and permissions contains "read" and permissions not contains "helpdesk"',
};

/** The ids of all people with a right, whom a helper must not act on. Null until they are loaded. */
export function usePowerful(isAsked: boolean): ReadonlySet<string> | null {
  const filter = 'isAdmin = true or permissions contains "read" or permissions contains "helpdesk"';
  const query = useList<Identity>('identities', { filter, limit: 500, options: { enabled: isAsked } });
  return query.data === undefined ? null : new Set(query.data.items.map(({ id }) => id));
}
