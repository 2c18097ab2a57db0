import { useQuery } from '@tanstack/react-query';
import type { rightOf } from '../../me.ts';
import { list } from '../../session/api.ts';
import { texts } from '../../texts/texts.ts';
import type { Identity } from '../../types.ts';

export type Right = NonNullable<ReturnType<typeof rightOf>>;

export const rightNames: Readonly<Record<Right, string>> = {
  all: texts.administrator,
  helpdesk: texts.who.helpdesk,
  read: texts.who.read,
};

/** Who has each right, in the filter language. */
export const rightFilters: Readonly<Record<Right, string>> = {
  all: 'isAdmin = true',
  helpdesk: 'isAdmin = false and permissions contains "helpdesk"',
  read: 'isAdmin = false and permissions contains "read" and permissions not contains "helpdesk"',
};

/** The ids of everybody with a right, whom a helper must not act on. Null until they are loaded. */
export function usePowerful(isAsked: boolean): ReadonlySet<string> | null {
  const filter = 'isAdmin = true or permissions contains "read" or permissions contains "helpdesk"';
  const query = useQuery({
    queryKey: ['list', 'powerful'],
    enabled: isAsked,
    queryFn: ({ signal }) => list<Identity>('identities', { filter, limit: 500 }, signal),
  });
  return query.data === undefined ? null : new Set(query.data.items.map(({ id }) => id));
}
