import type { ReactNode } from 'react';
import { useIsAdmin } from '../../me.ts';
import { usePowerful } from './rights.ts';

/** Offers actions on a person to those who may perform them: never to a helper if the person has rights. */
export function IfMayHelp({ id, children }: { id: string; children: ReactNode }) {
  const isAdmin = useIsAdmin();
  const powerful = usePowerful(!isAdmin);
  return isAdmin || powerful?.has(id) === false ? children : null;
}
