import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { CopyButton } from '../../parts/keep.tsx';
import { named } from '../../parts/language.ts';
import { Button, Card, Empty, Screen } from '../../parts/screen.tsx';
import { useIsAdmin } from '../me.ts';
import { EntriesCard } from '../parts/entries.tsx';
import { Later } from '../parts/later.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Time } from '../parts/time.tsx';
import { useList, useRead } from '../queries.ts';
import { list } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { Controller, AdministratorNamers as Found, HourlyAttempts, LoginAttempt } from '../types.ts';
import { subjectText } from '../words.ts';
import { EndsSoon } from './ends-soon.tsx';
import { FailingSubscriptions } from './events/failing.tsx';
import { MailsGivenUp } from './mails-given-up.tsx';
import { words } from './overview-words.ts';

const loadChart = () => import('./attempts-chart.tsx');

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
  const query = useRead<HourlyAttempts>('login-attempts/hourly', { refetchInterval: 60_000 });
  return (
    <Card id="last-day" title={words.chartTitle}>
      <Loaded query={query}>
        {({ hours }) =>
          hours.every(({ passed, refused }) => passed + refused === 0) ? (
            <Empty title={words.noAttempts} />
          ) : (
            <Later name="chart" load={loadChart}>
              {({ AttemptsChart }) => <AttemptsChart hours={hours} />}
            </Later>
          )
        }
      </Loaded>
    </Card>
  );
}

function Refusals() {
  const query = useList<LoginAttempt>('login-attempts', {
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
            <bdi>{identity?.name ?? subjectText(subject ?? texts.attempts.unknown)}</bdi> · <Time at={at} />
          </span>
        </>
      )}
    />
  );
}

function Issuers() {
  const query = useList<Controller>('controllers', { limit: 100 });
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

/** The signers and CAs whose operators can sign in as an administrator. */
export function AdministratorNamers() {
  // A signer that was made or disabled a moment ago shows here at once.
  const query = useRead<Found>('administrators/named-by', { staleTime: 0 });
  return (
    <EntriesCard
      id="namers"
      title={words.namers}
      lead={words.namersText}
      query={query}
      itemsOf={({ namedBy }) => namedBy}
      keyOf={({ issuer }) => issuer.id}
      empty={[words.namersNone]}
      entry={({ issuer: { entity, id, name }, administrators }) => (
        <>
          <Link to={entity === 'cas' ? '/cas/$id' : '/signers/$id'} params={{ id }}>
            {name}
          </Link>
          <span className="hint">{words.namersOf(administrators.map((one) => one.name).join(', '))}</span>
        </>
      )}
    />
  );
}

const ways = [
  ['invite', '/people/new'],
  ['connect', '/signers/new'],
  ['register', '/clients/new'],
] as const;

/** The first steps, shown to administrators until one has begun. */
export function GettingStarted() {
  const isAdmin = useIsAdmin();
  const { data: isUntouched = false } = useQuery({
    queryKey: ['list', 'getting started'],
    queryFn: ({ signal }) => findUntouched(signal),
    enabled: isAdmin,
    // Another administrator may have begun meanwhile.
    staleTime: 0,
  });
  if (!isUntouched) return null;
  return (
    <Card id="begin" title={words.begin}>
      <ul className="entries">
        {ways.map(([way, to]) => (
          <li key={way}>
            <Link to={to} id={`begin-${way}`}>
              {words.beginWays[way][0]}
            </Link>
            <span className="hint">{words.beginWays[way][1]}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Whether there is only the first administrator, no signer and no application. */
async function findUntouched(signal: AbortSignal): Promise<boolean> {
  for (const [path, begins] of [
    ['identities', 1],
    ['external-jwt-signers', 0],
    ['oidc-clients', 0],
  ] as const)
    if ((await list(path, { limit: 1 }, signal)).total > begins) return false;
  return true;
}
