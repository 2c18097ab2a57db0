import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Empty, Screen } from '../../parts/screen.tsx';
import { allOf, contains, equal, since } from '../filter.ts';
import { type Column, DataList, useListAddress } from '../lists/data-list.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../lists/filters.tsx';
import { Time } from '../parts/time.tsx';
import { named, texts } from '../texts/texts.ts';
import type { LoginAttempt } from '../types.ts';
import { OutcomeBadge } from './attempt.tsx';

const { attempts: words, reasons } = texts;

const columns: readonly Column<LoginAttempt>[] = [
  {
    name: 'at',
    title: words.time,
    sort: 'at',
    cell: ({ reference, at }) => (
      <Link to="/attempts/$id" params={{ id: reference }}>
        <Time at={at} isPrecise />
      </Link>
    ),
    text: ({ at }) => at,
  },
  {
    name: 'person',
    title: words.person,
    sort: 'identityName',
    cell: ({ identity, subject }) =>
      identity === null ? (
        <span className="hint">{subject ?? words.unknown}</span>
      ) : (
        <Link to="/people/$id" params={{ id: identity.id }}>
          {identity.name === '' ? identity.id : identity.name}
        </Link>
      ),
    text: ({ identity, subject }) => identity?.name ?? subject ?? '',
  },
  {
    name: 'step',
    title: words.step,
    sort: 'step',
    cell: ({ step }) => named(words.steps, step),
    text: ({ step }) => step,
  },
  {
    name: 'outcome',
    title: words.outcome,
    sort: 'outcome',
    cell: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
    text: ({ outcome }) => outcome,
  },
  {
    name: 'reason',
    title: words.reason,
    sort: 'reason',
    cell: ({ reason }) => (reason === null ? '' : named(reasons, reason)),
    text: ({ reason }) => reason ?? '',
  },
  {
    name: 'address',
    title: words.address,
    sort: 'ipAddress',
    cell: ({ ipAddress }) => <code>{ipAddress}</code>,
    text: ({ ipAddress }) => ipAddress,
  },
  {
    name: 'reference',
    title: texts.reference,
    cell: ({ reference }) => <code>{reference}</code>,
    text: ({ reference }) => reference,
  },
];

/** How often a live list is read again. */
const liveEvery = 3_000;

export function AttemptsScreen() {
  const [address] = useListAddress();
  const [isLive, setLive] = useState(true);
  return (
    <Screen
      title={texts.screens.attempts}
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
    >
      <Filters>
        <TextFilter name="person" label={words.person} />
        <ChoiceFilter
          name="outcome"
          label={words.outcome}
          choices={{ refused: words.refused, passed: words.passed }}
        />
        <ChoiceFilter name="reason" label={words.reason} choices={reasons} />
        <ChoiceFilter name="step" label={words.step} choices={words.steps} />
        <TextFilter name="reference" label={texts.reference} />
        <TextFilter name="address" label={words.address} />
        <TextFilter name="from" label={words.from} type="datetime-local" />
        <TextFilter name="to" label={words.to} type="datetime-local" />
      </Filters>
      <DataList
        path="login-attempts"
        caption={texts.screens.attempts}
        columns={columns}
        keyOf={({ reference, step, at, checks }) => `${reference} ${step} ${at} ${checks.length}`}
        filter={filterOf(address)}
        defaultSort="at desc"
        interval={isLive && liveEvery}
        empty={
          <Empty title={words.nothing}>
            <p>{words.nothingText}</p>
          </Empty>
        }
      />
    </Screen>
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

/** As the server writes it, whatever case and dashes somebody typed. */
function referenceOf(text: string | undefined): string | undefined {
  return text?.toUpperCase().replaceAll(/[-\s]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}
