import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { named, timeText } from '../parts/language.ts';
import { Button, Screen } from '../parts/screen.tsx';
import { Failure } from './failure.tsx';
import { api } from './session.ts';
import { texts } from './texts.ts';

const pageSize = 10;

/** Recent login attempts, the newest first. */
export function AttemptsPart() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['attempts'],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: pageSize, offset: pageParam };
      return (await api.GET('/current-identity/login-attempts', { params: { query }, signal })).data;
    },
    getNextPageParam: ({ meta: { pagination } }) => {
      const next = pagination.offset + pageSize;
      return next < pagination.totalCount ? next : undefined;
    },
  });
  const items = data?.pages.flatMap((page) => page.data) ?? [];
  const list = useRef<HTMLUListElement>(null);
  const pages = data?.pages.length ?? 0;
  useEffect(() => {
    // Not for the first page. A person who asked for more continues reading there.
    const first = list.current?.children[(pages - 1) * pageSize];
    if (pages > 1 && first instanceof HTMLElement) first.focus();
  }, [pages]);
  return (
    <Screen title={texts.attempts} lead={texts.attemptsText}>
      {error !== null && <Failure error={error} retry={refetch} />}
      {data === undefined && error === null && (
        <p className="loading" role="status">
          {texts.loading}
        </p>
      )}
      {data !== undefined && items.length === 0 && <p>{texts.noAttempts}</p>}
      <ul className="cards" id="attempts-list" ref={list}>
        {items.map(({ reference, outcome, method, at, ipAddress }) => (
          <li key={`${reference} ${method}`} className="card" tabIndex={-1}>
            <strong className={outcome}>{outcome === 'passed' ? texts.passed : texts.refused}</strong>
            <p>{texts.attemptLine(named(texts.method, method), timeText(at), ipAddress)}</p>
            <p className="hint">
              {texts.reference}: <code>{reference}</code>
            </p>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button id="more-attempts" isBusy={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {texts.more}
        </Button>
      )}
    </Screen>
  );
}
