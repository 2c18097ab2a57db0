import type { ReactNode } from 'react';
import { useIsAdmin } from '../../me.ts';
import { usePowerful } from './rights.ts';

/** Offers what may be done to a person to those who may do it: whoever only helps, to nobody with a right of their own. */
export function IfMayHelp({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  const isAdmin = useIsAdmin();
  const powerful = usePowerful(!isAdmin);
  return isAdmin || powerful?.has(id) === false ? children : null;
}
