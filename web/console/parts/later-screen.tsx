import { useQuery } from '@tanstack/react-query';
import type { FunctionComponent } from 'react';
import { Screen } from '../../parts/screen.tsx';
import { texts } from '../texts/texts.ts';
import { Loaded } from './loaded.tsx';

let made = 0;

/**
 * A screen whose code loads when somebody opens it. If that fails, a button tries again.
 * @param title of the page until it has loaded
 */
export function laterScreen(
  load: () => Promise<FunctionComponent>,
  title: string = texts.console,
): FunctionComponent {
  made += 1;
  const queryKey = ['screen', made];
  return function LaterScreen() {
    const query = useQuery({
      queryKey,
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
