import { useQuery } from '@tanstack/react-query';
import type { FunctionComponent } from 'react';
import { Loaded } from './loaded.tsx';

/** A screen whose code is read when somebody opens it, and again at the press of a button when that failed. */
export function laterScreen(name: string, load: () => Promise<FunctionComponent>): FunctionComponent {
  return function LaterScreen() {
    const query = useQuery({
      queryKey: ['screen', name],
      queryFn: async () => ({ Screen: await load() }),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: Number.POSITIVE_INFINITY,
    });
    return <Loaded query={query}>{({ Screen }) => <Screen />}</Loaded>;
  };
}
