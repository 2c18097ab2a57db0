import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';
import { texts } from './texts.ts';

/** The result of a query, or its progress, or its failure. */
export function Loaded<Found>({
  query: { data, error, refetch },
  children,
}: {
  query: Pick<UseQueryResult<Found>, 'data' | 'error'> & { readonly refetch: () => unknown };
  children: (found: Found) => ReactNode;
}) {
  return (
    <>
      {error !== null && <Failure error={error} retry={refetch} />}
      {data !== undefined && children(data)}
      {data === undefined && error === null && (
        <p className="loading" role="status">
          {texts.loading}
        </p>
      )}
    </>
  );
}
