import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { named } from '../../parts/language.ts';
import { allOf, contains, equal, since } from '../filter.ts';
import { type Column, codeColumn, PersonLink, textColumn } from '../lists/columns.tsx';
import { useListAddress } from '../lists/data-list.tsx';
import { ChoiceFilter, PeriodFilter, TextFilter } from '../lists/filters.tsx';
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

/** How often a live list is read again. */
const liveEvery = 3_000;

export function AttemptsScreen() {
  const [address] = useListAddress();
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
      filters={
        <>
          <TextFilter name="person" label={words.person} />
          <ChoiceFilter
            name="outcome"
            label={words.outcome}
            choices={{ refused: texts.refused, passed: words.passed }}
          />
          <ChoiceFilter name="reason" label={words.reason} choices={reasons} />
          <ChoiceFilter name="step" label={words.step} choices={words.steps} />
          <TextFilter name="reference" label={texts.reference} />
          <TextFilter name="address" label={words.address} />
          <PeriodFilter />
        </>
      }
      path="login-attempts"
      columns={columns}
      keyOf={({ reference, step, at, checks }) => `${reference} ${step} ${at} ${checks.length}`}
      filter={filterOf(address)}
      defaultSort="at desc"
      interval={isLive && liveEvery}
      empty={[words.nothing, words.nothingText]}
    />
  );
}

function filterOf(address: Readonly<Record<string, string | undefined>>): string {
  const { person } = address;
  return allOf(
    person === undefined || person === ''
      ? null
      : [equal('identityId', person), contains('identityName', person), contains('subject', person)].join(
          ' or ',
        ),
    equal('outcome', address.outcome),
    equal('reason', address.reason),
    equal('step', address.step),
    equal('reference', referenceOf(address.reference)),
    contains('ipAddress', address.address),
    since('at', '>=', address.from),
    since('at', '<=', address.to),
  );
}

/** In the server's form, for every case and dash that people type. */
function referenceOf(text: string | undefined): string | undefined {
  return text?.toUpperCase().replaceAll(/[-\s]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}
