import { useQuery } from '@tanstack/react-query';
import type { FunctionComponent } from 'react';
import { Screen } from '../../parts/screen.tsx';
import { texts } from '../texts/texts.ts';
import { Loaded } from './loaded.tsx';

/**
 * A screen whose code is read when somebody opens it, and again at the press of a button when that failed.
 * @param title of the page until it is there
 */
export function laterScreen(
  name: string,
  load: () => Promise<FunctionComponent>,
  title: string = texts.console,
): FunctionComponent {
  return function LaterScreen() {
    const query = useQuery({
      queryKey: ['screen', name],
      queryFn: async () => ({ Found: await load() }),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: Number.POSITIVE_INFINITY,
    });
    const found = query.data;
    if (found !== undefined) return <found.Found />;
    return (
      <Screen title={title}>
        <Loaded query={query}>{() => null}</Loaded>
      </Screen>
    );
  };
}
