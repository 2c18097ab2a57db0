import { Refusal } from '@overlay-auth/client';
import type { ReactNode } from 'react';
import { useHasBeen, useIsAdmin } from '../me.ts';
import { Failure } from './failure.tsx';

/** For what only administrators may start. Others who come by the address are told so at once. */
export function OnlyAdministrators({ children }: { children: ReactNode }) {
  return useHasBeen(useIsAdmin()) ? children : <Failure error={new Refusal('', { status: 403, code: '' })} />;
}
