import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';
import { texts } from './texts.ts';

/** What was read, or that it is being read, or that it cannot be. */
export function Loaded<Found>({
  query: { data, error, refetch },
  children,
}: {
  query: UseQueryResult<Found>;
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
