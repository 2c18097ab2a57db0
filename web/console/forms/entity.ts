// One entity with its version: the values that a form starts from, and requires to be unchanged when it saves.

import { useQuery } from '@tanstack/react-query';
import { queries } from '../queries.ts';
import { readVersioned, type Versioned } from '../session/api.ts';

const keyOf = (path: string) => ['entity', path];

// Forgotten with the form: one that began with a remembered version could not be saved.
queries.setQueryDefaults(['entity'], { gcTime: 0 });

/** @param path such as `oidc-clients/ID` */
export function useEntity<Document>(path: string) {
  return useQuery({
    queryKey: keyOf(path),
    queryFn: ({ signal }) => readVersioned<Document>(path, signal),
    // The edited entity is not replaced during editing.
    refetchOnWindowFocus: false,
  });
}

/** Reads it again, also for other places that show it. */
export async function rereadEntity<Document>(path: string): Promise<Versioned<Document>> {
  const fresh = await readVersioned<Document>(path);
  queries.setQueryData(keyOf(path), fresh);
  return fresh;
}
