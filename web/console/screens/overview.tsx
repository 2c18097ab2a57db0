import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/keep.tsx';
import { named } from '../../parts/language.ts';
import { Card, Empty, Screen } from '../../parts/screen.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Time } from '../parts/time.tsx';
import { list, read } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { Controller, HourlyAttempts, LoginAttempt } from '../types.ts';
import { AdministratorNamers } from './administrator-namers.tsx';
import { EndsSoon } from './ends-soon.tsx';

const { overview: words } = texts;

const Chart = lazy(async () => ({ default: (await import('../parts/attempts-chart.tsx')).AttemptsChart }));

export function OverviewScreen() {
  return (
    <Screen title={texts.screens.overview}>
      <Find />
      <LastDay />
      <div className="columns">
        <Refusals />
        <EndsSoon />
      </div>
      <div className="columns">
        <AdministratorNamers />
        <Issuers />
      </div>
    </Screen>
  );
}

function Find() {
  const navigate = useNavigate();
  const [q, setQ] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    navigate({ to: '/people', search: { q } });
  };
  return (
    <search>
      <form className="find" onSubmit={submit}>
        <label htmlFor="find">{texts.people.find}</label>
        <div className="buttons">
          <input id="find" type="search" value={q} onChange={(event) => setQ(event.target.value)} />
          <Button type="submit" kind="main">
            {texts.search}
          </Button>
        </div>
      </form>
    </search>
  );
}

function LastDay() {
  const query = useQuery({
    queryKey: ['attempts', 'hourly'],
    queryFn: ({ signal }) => read<HourlyAttempts>('login-attempts/hourly', signal),
    refetchInterval: 60_000,
  });
  return (
    <Card id="last-day" title={words.chartTitle}>
      <Loaded query={query}>
        {({ hours }) =>
          hours.every(({ passed, refused }) => passed + refused === 0) ? (
            <Empty title={words.nobody} />
          ) : (
            <Suspense fallback={<p className="loading">{texts.loading}</p>}>
              <Chart hours={hours} />
            </Suspense>
          )
        }
      </Loaded>
    </Card>
  );
}

function Refusals() {
  const query = useQuery({
    queryKey: ['attempts', 'refused'],
    queryFn: ({ signal }) =>
      list<LoginAttempt>('login-attempts', { filter: 'outcome = "refused"', limit: 8 }, signal),
    refetchInterval: 10_000,
  });
  return (
    <Card
      id="refusals"
      title={words.recentRefusals}
      tools={
        <Link to="/attempts" search={{}}>
          {words.all}
        </Link>
      }
    >
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={words.noRefusals} />
          ) : (
            <ul className="entries">
              {items.map(({ reference, step, at, reason, identity, subject }) => (
                <li key={`${reference} ${step} ${at}`}>
                  <Link to="/attempts/$id" params={{ id: reference }}>
                    {named(texts.reasons, reason ?? '')}
                  </Link>
                  <span className="hint">
                    {identity?.name ?? subject ?? texts.attempts.unknown} · <Time at={at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function Issuers() {
  const query = useQuery({
    queryKey: ['controllers'],
    queryFn: ({ signal }) => list<Controller>('controllers', { limit: 100 }, signal),
  });
  return (
    <Card id="issuers" title={words.issuers}>
      <p className="hint">{words.issuersText}</p>
      <Loaded query={query}>
        {({ items }) => (
          <ul className="entries">
            {issuersOf(items).map((url) => (
              <li key={url}>
                <code>{url}</code> <CopyButton text={url} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function issuersOf(nodes: readonly Controller[]): readonly string[] {
  const all = nodes.flatMap(({ apiAddresses }) => apiAddresses['edge-oidc'] ?? []);
  return [...new Set(all.map(({ url }) => url))];
}
