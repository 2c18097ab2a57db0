import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';
import { Loaded } from './loaded.tsx';

/**
 * Loads the page again once the server answers. A browser does not fetch a module again that it could not load, and a
 * newer release has other files.
 */
async function reloadWhenReachable(): Promise<void> {
  await fetch(location.href);
  location.reload();
}

/** Contents whose code loads when they are first shown. If that fails, a button loads the page again. */
export function Later<Module>({
  name,
  load,
  mayReload = true,
  frame = (progress) => progress,
  children,
}: {
  /** Of the module. */
  name: string;
  load: () => Promise<Module>;
  /** False where the page shows something that it shows only once. */
  mayReload?: boolean;
  /** Around the progress and the failure. */
  frame?: (progress: ReactNode) => ReactNode;
  children: (loaded: Module) => ReactNode;
}) {
  const query = useQuery({
    queryKey: ['module', name],
    queryFn: load,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  if (query.data !== undefined) return children(query.data);
  if (!query.isError) return frame(<Loaded query={query}>{() => null}</Loaded>);
  const retry = mayReload ? () => reloadWhenReachable().catch(() => undefined) : undefined;
  return frame(<Failure error={query.error} retry={retry} />);
}
