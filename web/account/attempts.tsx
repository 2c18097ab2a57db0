import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { named, timeText } from '../parts/language.ts';
import { Button, Screen } from '../parts/screen.tsx';
import { Loaded } from './loaded.tsx';
import { api } from './session.ts';
import { texts } from './texts.ts';

const pageSize = 10;

/** Recent login attempts, the newest first. */
export function AttemptsPart() {
  const query = useInfiniteQuery({
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
  const list = useRef<HTMLUListElement>(null);
  const pages = query.data?.pages.length ?? 0;
  useEffect(() => {
    // Not for the first page. A person who asked for more continues reading there.
    const first = list.current?.children[(pages - 1) * pageSize];
    if (pages > 1 && first instanceof HTMLElement) first.focus();
  }, [pages]);
  return (
    <Screen title={texts.attempts} lead={texts.attemptsText}>
      <Loaded query={query}>
        {(found) => {
          const items = found.pages.flatMap((page) => page.data);
          if (items.length === 0) return <p>{texts.noAttempts}</p>;
          return (
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
          );
        }}
      </Loaded>
      {query.hasNextPage && (
        <Button id="more-attempts" isBusy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
          {texts.more}
        </Button>
      )}
    </Screen>
  );
}
