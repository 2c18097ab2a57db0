// The signed-in person, and their rights. The server decides; this only decides what to offer.

import { useState } from 'react';
import { hasPower } from '../../src/model/permission.ts';
import { useRead } from './queries.ts';
import type { Identity, Permission } from './types.ts';

export function useMe() {
  return useRead<Identity>('current-identity', { staleTime: 60_000 });
}

/** Whether it has ever been so while this is shown: what was typed stays when the person loses a right. */
export function useHasBeen(isSo: boolean): boolean {
  const [was, set] = useState(isSo);
  if (isSo && !was) set(true);
  return was || isSo;
}

type Right = Permission | 'all';

/** The highest right of a person. */
export function rightOf(me: Pick<Identity, 'isAdmin' | 'permissions'>): Right | null {
  if (me.isAdmin) return 'all';
  if (me.permissions.includes('helpdesk')) return 'helpdesk';
  return me.permissions.includes('read') ? 'read' : null;
}

/** Whether `me` may change everything. False until it is known. */
export function useIsAdmin(): boolean {
  return useMe().data?.isAdmin ?? false;
}

/** Whether `me` may only read. True until it is known. */
export function useIsReader(): boolean {
  const me = useMe().data;
  return me === undefined || rightOf(me) === 'read';
}

/** Whether the person who is signed in may let this one in again. */
export function useMayHelp(person: Parameters<typeof mayHelp>[1]): boolean {
  return mayHelp(useMe().data, person);
}

/** Whether `me` may help this person to sign in again: never a person with more rights. */
export function mayHelp(
  me: Identity | undefined,
  person: Pick<Identity, 'isAdmin' | 'permissions'>,
): boolean {
  if (me === undefined) return false;
  const right = rightOf(me);
  return right === 'all' || (right === 'helpdesk' && !hasPower(person));
}
