import { Refusal } from '@overlay-auth/client';
import { Link, useParams } from '@tanstack/react-router';
import { expiredCertificateChecks, newcomerChecks } from '../../../src/model/refusal-reason.ts';
import { named } from '../../parts/language.ts';
import { Badge, Card, Empty, Facts, Screen } from '../../parts/screen.tsx';
import { PersonLink } from '../lists/columns.tsx';
import { useIsAdmin } from '../me.ts';
import { Checks, Explanation } from '../parts/checks.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Said, Time } from '../parts/time.tsx';
import { useRead } from '../queries.ts';
import { texts } from '../texts/texts.ts';
import type { LoginAttempt } from '../types.ts';
import { subjectText } from '../words.ts';
import { Remedies } from './remedies.tsx';

const { attempts: words } = texts;

/** The decision records of one request. */
export function useAttempt(reference: string) {
  return useRead<{ readonly reference: string; readonly attempts: readonly LoginAttempt[] }>(
    `login-attempts/${encodeURIComponent(reference)}`,
  );
}

/** Every step of the request with one reference id. */
export function AttemptScreen() {
  const { id: reference = '' } = useParams({ strict: false });
  const query = useAttempt(reference);
  const isGone = query.error instanceof Refusal && query.error.status === 404;
  return (
    <Screen
      title={words.title(reference)}
      tools={
        <Link to="/attempts" search={{}}>
          {words.back}
        </Link>
      }
    >
      {isGone ? (
        <Empty title={texts.failures.notFoundTitle} text={words.gone} />
      ) : (
        <Loaded query={query}>
          {({ attempts }) =>
            attempts.map((attempt, at) => (
              <Step key={`${attempt.step} ${attempt.at}`} attempt={attempt} at={at} />
            ))
          }
        </Loaded>
      )}
    </Screen>
  );
}

function Step({ attempt, at }: { attempt: LoginAttempt; at: number }) {
  const { identity, reason, explanation } = attempt;
  const isLogin = attempt.mechanism !== 'request';
  const title = named(words.steps, attempt.step);
  return (
    <Card id={`step-${at}`} title={title} tools={<OutcomeBadge outcome={attempt.outcome} />}>
      {reason !== null && <p className="answer bad">{named(texts.reasons, reason)}</p>}
      <Explanation explanation={explanation} />
      <Remedies attempt={attempt} />
      <Facts
        facts={[
          [words.time, <Time key="t" at={attempt.at} isPrecise />],
          isLogin || identity !== null
            ? [words.person, identity === null ? words.unknown : <PersonLink key="p" of={identity} />]
            : null,
          ...expiredCertificate(attempt),
          attempt.subject === null
            ? null
            : [isLogin ? words.said : words.about, subjectText(attempt.subject)],
          [words.address, <code key="a">{attempt.ipAddress}</code>],
          [words.issuer, attempt.issuer],
          [words.mechanism, named(words.mechanisms, attempt.mechanism)],
        ]}
      />
      <AddPerson attempt={attempt} />
      <h3>{texts.person.checks}</h3>
      <Checks checks={attempt.checks} />
    </Card>
  );
}

/** Which certificate has expired; nothing if none has. */
function expiredCertificate({ checks }: LoginAttempt): readonly (readonly [string, React.ReactNode])[] {
  return (['end', 'serialNumber', 'fingerprint'] as const).flatMap((part) => {
    const saw = checks.find(({ check }) => check === expiredCertificateChecks[part])?.saw ?? null;
    return saw === null ? [] : [[words.expired[part], <Said key={part} text={saw} />]];
  });
}

/** For a person without an identity whom a valid token of a provider names: its claims are filled in. */
function AddPerson({ attempt: { step, reason, subject, checks } }: { attempt: LoginAttempt }) {
  const isAdmin = useIsAdmin();
  if (!isAdmin || step !== 'ext-jwt' || reason !== 'no-identity-for-claim' || subject === null) return null;
  const said = (name: string) => checks.find(({ check }) => check === name)?.saw ?? undefined;
  const email = said(newcomerChecks.email);
  const search = { externalId: subject, name: said(newcomerChecks.name) ?? email ?? subject, email };
  return (
    <p className="buttons">
      <Link to="/people/new" search={search} className="button main" id="add-person">
        {words.addPerson}
      </Link>
    </p>
  );
}

export function OutcomeBadge({ outcome }: { outcome: LoginAttempt['outcome'] }) {
  const isPassed = outcome === 'passed';
  return <Badge kind={isPassed ? 'good' : 'bad'}>{isPassed ? words.passed : texts.refused}</Badge>;
}
