import { Refusal } from '@overlay-auth/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty, Screen } from '../../parts/screen.tsx';
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

type ScreenName = keyof typeof texts.screens;

/** The screen of an entity, named by it. If it is gone, the screen says so and leads to the list. */
export function LoadedScreen<Found>({
  query,
  list,
  title,
  tools,
  children,
}: {
  query: UseQueryResult<Found>;
  list: ScreenName;
  title: (found: Found) => string;
  tools?: (found: Found) => ReactNode;
  children: (found: Found) => ReactNode;
}) {
  const { data, error } = query;
  const isGone = error instanceof Refusal && error.status === 404;
  if (data === undefined && isGone) return <NotFound list={list} />;
  return (
    <Screen title={data === undefined ? texts.screens[list] : title(data)} tools={data && tools?.(data)}>
      {/* Since it was read: what was typed stays. */}
      {isGone && <ToList list={list} />}
      <Loaded query={query}>{children}</Loaded>
    </Screen>
  );
}

/** @param list which screen to go on at */
export function NotFound({ list = 'overview' }: { list?: ScreenName }) {
  return (
    <Screen title={texts.failures.notFoundTitle}>
      <Empty title={texts.failures.notFound}>
        <ToList list={list} />
      </Empty>
    </Screen>
  );
}

function ToList({ list }: { list: ScreenName }) {
  return (
    <p>
      <Link to={list === 'overview' ? '/' : `/${list}`}>{texts.screens[list]}</Link>
    </p>
  );
}
