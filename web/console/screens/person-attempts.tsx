import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { named } from '../../parts/language.ts';
import { Card, Empty } from '../../parts/screen.tsx';
import { Checks } from '../parts/checks.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Time } from '../parts/time.tsx';
import type { Page } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { LoginAttempt } from '../types.ts';
import { OutcomeBadge } from './attempt.tsx';

const { person: words } = texts;

/** Their last attempts, each with its verdicts step by step. */
export function PersonAttempts({
  id,
  query,
}: {
  readonly id: string;
  readonly query: UseQueryResult<Page<LoginAttempt>>;
}) {
  return (
    <Card
      id="attempts"
      title={words.attempts}
      tools={
        <Link to="/attempts" search={{ person: id }}>
          {words.allAttempts}
        </Link>
      }
    >
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={words.noAttempts} />
          ) : (
            <ul className="ways">
              {items.map((attempt) => (
                <li key={`${attempt.reference} ${attempt.step}`}>
                  <Attempt attempt={attempt} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function Attempt({ attempt }: { readonly attempt: LoginAttempt }) {
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
