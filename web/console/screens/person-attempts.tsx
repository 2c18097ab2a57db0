import { Link } from '@tanstack/react-router';
import { named } from '../../parts/language.ts';
import { Checks } from '../parts/checks.tsx';
import { EntriesCard } from '../parts/entries.tsx';
import { Time } from '../parts/time.tsx';
import { useList } from '../queries.ts';
import { quoted } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { LoginAttempt } from '../types.ts';
import { OutcomeBadge } from './attempt.tsx';

const { person: words } = texts;

/** Their last attempts, each with its verdicts step by step. */
export function PersonAttempts({ id }: { id: string }) {
  const query = useList<LoginAttempt>('login-attempts', {
    filter: `identityId = ${quoted(id)}`,
    limit: 10,
    options: { refetchInterval: 10_000 },
  });
  return (
    <EntriesCard
      id="attempts"
      title={words.attempts}
      tools={
        <Link to="/attempts" search={{ person: id }}>
          {words.allAttempts}
        </Link>
      }
      query={query}
      keyOf={({ reference, step }) => `${reference} ${step}`}
      empty={[words.noAttempts]}
      kind="ways"
      entry={(attempt) => <Attempt attempt={attempt} />}
    />
  );
}

function Attempt({ attempt }: { attempt: LoginAttempt }) {
  return (
    <details>
      <summary>
        <Time at={attempt.at} isPrecise /> <OutcomeBadge outcome={attempt.outcome} />{' '}
        {named(texts.attempts.steps, attempt.step)}
        {attempt.reason !== null && <strong>: {named(texts.reasons, attempt.reason)}</strong>}{' '}
        <span className="hint">{attempt.ipAddress}</span>
      </summary>
      <Checks checks={attempt.checks} />
      {attempt.explanation !== null && <p>{attempt.explanation.remedy}</p>}
      <p className="hint">
        {texts.reference}{' '}
        <Link to="/attempts/$id" params={{ id: attempt.reference }}>
          {attempt.reference}
        </Link>
      </p>
    </details>
  );
}
