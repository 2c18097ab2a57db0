import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { named } from '../../parts/language.ts';
import { anyOf, contains, equal } from '../filter.ts';
import { type Column, codeColumn, PersonLink, textColumn } from '../lists/columns.tsx';
import { byAddress, byPeriod, byPerson, choiceOf, type Filter } from '../lists/filters.tsx';
import { ListScreen } from '../lists/list-screen.tsx';
import { Time } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';
import type { LoginAttempt } from '../types.ts';
import { subjectText } from '../words.ts';
import { OutcomeBadge } from './attempt.tsx';

const { attempts: words, reasons } = texts;

const columns: readonly Column<LoginAttempt>[] = [
  textColumn('at', words.time, {
    cell: ({ reference, at }) => (
      <Link to="/attempts/$id" params={{ id: reference }}>
        <Time at={at} isPrecise />
      </Link>
    ),
  }),
  {
    name: 'person',
    title: words.person,
    sort: 'identityName',
    cell: ({ identity, subject }) =>
      identity === null ? (
        <span className="hint">{subject === null ? words.unknown : subjectText(subject)}</span>
      ) : (
        <PersonLink of={identity} />
      ),
    text: ({ identity, subject }) => identity?.name ?? subject ?? '',
  },
  textColumn('step', words.step, { cell: ({ step }) => named(words.steps, step) }),
  textColumn('outcome', words.outcome, { cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> }),
  textColumn('reason', words.reason, {
    cell: ({ reason }) => (reason === null ? '' : named(reasons, reason)),
  }),
  codeColumn('ipAddress', words.address),
  codeColumn('reference', texts.reference, null),
];

const filters: readonly Filter[] = [
  {
    ...byPerson,
    where: (text) =>
      anyOf(equal('identityId', text), contains('identityName', text), contains('subject', text)),
  },
  choiceOf('outcome', words.outcome, { refused: texts.refused, passed: words.passed }),
  choiceOf('reason', words.reason, reasons),
  choiceOf('step', words.step, words.steps),
  { name: 'reference', label: texts.reference, where: (text) => equal('reference', referenceOf(text)) },
  byAddress,
  ...byPeriod,
];

/** How often a live list is read again. */
const liveEvery = 3_000;

export function AttemptsScreen() {
  const [isLive, setLive] = useState(true);
  return (
    <ListScreen
      screen="attempts"
      lead={words.text}
      tools={
        <label className="check" title={words.liveText}>
          <input
            id="live"
            type="checkbox"
            checked={isLive}
            onChange={(event) => setLive(event.target.checked)}
          />
          {words.live}
        </label>
      }
      filters={filters}
      path="login-attempts"
      columns={columns}
      keyOf={({ reference, step, at, checks }) => `${reference} ${step} ${at} ${checks.length}`}
      defaultSort="at desc"
      interval={isLive && liveEvery}
      empty={[words.nothing, words.nothingText]}
    />
  );
}

/** In the server's form, for every case and dash that people type. */
function referenceOf(text: string): string {
  return text.toUpperCase().replaceAll(/[-\s]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}
