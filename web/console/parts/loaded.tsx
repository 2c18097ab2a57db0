import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { Failure } from './failure.tsx';

/** What was read, while it is read, and when it cannot be. Old data stays when it cannot be refreshed, and says so. */
export function Loaded<Found>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Found>;
  readonly children: (found: Found) => ReactNode;
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
