import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { Failure } from './failure.tsx';

/**
 * The result of a query, or its progress, or its failure. If it cannot be refreshed, the old data stays, with a
 * notice.
 */
export function Loaded<Found>({
  query,
  children,
}: {
  query: UseQueryResult<Found>;
  children: (found: Found) => ReactNode;
}) {
  const { data, error, refetch } = query;
  if (data === undefined) {
    if (error !== null) return <Failure error={error} retry={() => refetch()} />;
    return (
      <p className="loading" role="status">
        {texts.loading}
      </p>
    );
  }
  return (
    <>
      {error !== null && (
        <>
          <p className="hint">{texts.failures.stale}</p>
          <Failure error={error} retry={() => refetch()} />
        </>
      )}
      {children(data)}
    </>
  );
}
