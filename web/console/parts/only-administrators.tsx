import type { ReactNode } from 'react';
import { useIsAdmin } from '../me.ts';
import { Refusal } from '../session/api.ts';
import { Failure } from './failure.tsx';

/** What begins something that only administrators may do. Who comes by the address alone is told so at once. */
export function OnlyAdministrators({ children }: { readonly children: ReactNode }) {
  return useIsAdmin() ? children : <Failure error={new Refusal(403)} />;
}
