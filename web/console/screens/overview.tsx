import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { CopyButton } from '../../parts/keep.tsx';
import { named } from '../../parts/language.ts';
import { Button, Card, Empty, Screen } from '../../parts/screen.tsx';
import { EntriesCard } from '../parts/entries.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Time } from '../parts/time.tsx';
import { useList, useRead } from '../queries.ts';
import { texts } from '../texts/texts.ts';
import type { Controller, HourlyAttempts, LoginAttempt } from '../types.ts';
import { subjectText } from '../words.ts';
import { AdministratorNamers } from './administrator-namers.tsx';
import { EndsSoon } from './ends-soon.tsx';
import { FailingSubscriptions } from './events/failing.tsx';
import { GettingStarted } from './getting-started.tsx';
import { MailsGivenUp } from './mails-given-up.tsx';
import { words } from './overview-words.ts';

const Chart = lazy(async () => ({ default: (await import('./attempts-chart.tsx')).AttemptsChart }));

export function OverviewScreen() {
  return (
    <Screen title={texts.screens.overview}>
      <GettingStarted />
      <Find />
      <MailsGivenUp />
      <FailingSubscriptions />
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
  const query = useRead<HourlyAttempts>(['attempts', 'hourly'], 'login-attempts/hourly', {
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
  const query = useList<LoginAttempt>(['attempts', 'refused'], 'login-attempts', {
    filter: 'outcome = "refused"',
    limit: 8,
    options: { refetchInterval: 10_000 },
  });
  return (
    <EntriesCard
      id="refusals"
      title={words.recentRefusals}
      tools={
        <Link to="/attempts" search={{}}>
          {words.all}
        </Link>
      }
      query={query}
      keyOf={({ reference, step, at }) => `${reference} ${step} ${at}`}
      empty={[words.noRefusals]}
      entry={({ reference, at, reason, identity, subject }) => (
        <>
          <Link to="/attempts/$id" params={{ id: reference }}>
            {named(texts.reasons, reason ?? '')}
          </Link>
          <span className="hint">
            {identity?.name ?? subjectText(subject ?? texts.attempts.unknown)} · <Time at={at} />
          </span>
        </>
      )}
    />
  );
}

function Issuers() {
  const query = useList<Controller>(['controllers'], 'controllers', { limit: 100 });
  return (
    <EntriesCard
      id="issuers"
      title={words.issuers}
      lead={words.issuersText}
      query={query}
      itemsOf={({ items }) => issuersOf(items)}
      keyOf={(url) => url}
      entry={(url) => (
        <>
          <code>{url}</code> <CopyButton text={url} />
        </>
      )}
    />
  );
}

function issuersOf(nodes: readonly Controller[]): readonly string[] {
  const all = nodes.flatMap(({ apiAddresses }) => apiAddresses['edge-oidc'] ?? []);
  return [...new Set(all.map(({ url }) => url))];
}
