// Who is signed in, and what they may do. The server decides; here it only decides what is offered.

import { useQuery } from '@tanstack/react-query';
import { read } from './session/api.ts';
import type { Identity, Permission } from './types.ts';

export function useMe() {
  return useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => read<Identity>('current-identity', signal),
    staleTime: 60_000,
  });
}

type Right = Permission | 'all';

/** What somebody may do at most. */
export function rightOf(me: Pick<Identity, 'isAdmin' | 'permissions'>): Right | null {
  if (me.isAdmin) return 'all';
  if (me.permissions.includes('helpdesk')) return 'helpdesk';
  return me.permissions.includes('read') ? 'read' : null;
}

/** Whether `me` may change everything; while nobody knows yet, no. */
export function useIsAdmin(): boolean {
  return useMe().data?.isAdmin ?? false;
}

/** Whether `me` may let this person in again: never somebody who may do more. */
export function mayHelp(
  me: Identity | undefined,
  person: Pick<Identity, 'isAdmin' | 'permissions'>,
): boolean {
  if (me === undefined) return false;
  const right = rightOf(me);
  return right === 'all' || (right === 'helpdesk' && !person.isAdmin && person.permissions.length === 0);
}
