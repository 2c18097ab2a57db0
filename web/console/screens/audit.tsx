import { Link } from '@tanstack/react-router';
import { Empty, Screen } from '../../parts/screen.tsx';
import { allOf, contains, equal, since } from '../filter.ts';
import { type Column, DataList, useListAddress } from '../lists/data-list.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../lists/filters.tsx';
import { Time } from '../parts/time.tsx';
import { named, texts } from '../texts/texts.ts';
import type { AuditEvent } from '../types.ts';
import { words } from './audit-words.ts';

const columns: readonly Column<AuditEvent>[] = [
  {
    name: 'at',
    title: texts.attempts.time,
    sort: 'at',
    cell: ({ at }) => <Time at={at} isPrecise />,
    text: ({ at }) => at,
  },
  {
    name: 'by',
    title: words.by,
    sort: 'byIdentityName',
    cell: ({ byIdentity }) =>
      byIdentity === null ? <span className="hint">{words.itself}</span> : <Person of={byIdentity} />,
    text: ({ byIdentity }) => byIdentity?.name ?? '',
  },
  {
    name: 'what',
    title: words.what,
    sort: 'event',
    cell: whatOf,
    text: ({ event, action, entity }) => [event, action, entity].filter((word) => word !== null).join(' '),
  },
  {
    name: 'about',
    title: words.about,
    sort: 'identityName',
    cell: ({ identity, entityId }) =>
      identity === null ? <code>{entityId}</code> : <Person of={identity} />,
    text: ({ identity, entityId }) => identity?.name ?? entityId ?? '',
  },
  {
    name: 'details',
    title: words.details,
    cell: ({ details }) => {
      const text = detailsOf(details);
      return text !== '' && <span className="hint">{text}</span>;
    },
    text: ({ details }) => detailsOf(details),
  },
  {
    name: 'address',
    title: texts.attempts.address,
    sort: 'ipAddress',
    cell: ({ ipAddress }) => ipAddress !== null && <code>{ipAddress}</code>,
    text: ({ ipAddress }) => ipAddress ?? '',
  },
  {
    name: 'reference',
    title: texts.reference,
    cell: ({ requestId }) => requestId !== null && <code>{requestId}</code>,
    text: ({ requestId }) => requestId ?? '',
  },
];

/** A deleted person no longer has a name. */
function Person({ of: { id, name } }: { readonly of: { readonly id: string; readonly name: string } }) {
  if (name === '') return <code>{id}</code>;
  return (
    <Link to="/people/$id" params={{ id }}>
      {name}
    </Link>
  );
}

function whatOf({ event, action, entity }: AuditEvent): string {
  if (action === null) return named(words.events, event);
  return `${named(words.actions, action)}: ${named(words.entities, entity ?? '')}`;
}

/** As `name: value`, several values separated by commas. */
function detailsOf(details: AuditEvent['details']): string {
  const shown = Object.entries(details).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return shown
    .map(([name, value]) => (name === 'fields' ? said(value) : `${name}: ${said(value)}`))
    .join('; ');
}

function said(value: unknown): string {
  if (Array.isArray(value)) return value.map(said).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Who changed what about whom. */
export function AuditScreen() {
  const [address] = useListAddress();
  return (
    <Screen title={texts.screens.audit} lead={words.text}>
      <Filters>
        <TextFilter name="person" label={words.about} />
        <TextFilter name="by" label={words.by} />
        <ChoiceFilter name="event" label={words.what} choices={words.events} />
        <ChoiceFilter name="entity" label={words.entity} choices={words.entities} />
        <TextFilter name="reference" label={texts.reference} />
        <TextFilter name="address" label={texts.attempts.address} />
        <TextFilter name="from" label={texts.attempts.from} type="datetime-local" />
        <TextFilter name="to" label={texts.attempts.to} type="datetime-local" />
      </Filters>
      <DataList
        path="audit-events"
        caption={texts.screens.audit}
        columns={columns}
        keyOf={({ id }) => id}
        filter={filterOf(address)}
        defaultSort="at desc"
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
  return allOf(
    who('identity', address.person),
    who('byIdentity', address.by),
    equal('event', address.event),
    equal('entity', address.entity),
    equal('requestId', address.reference?.toUpperCase()),
    contains('ipAddress', address.address),
    since('at', '>=', address.from),
    since('at', '<=', address.to),
  );
}

/** By id, as the link on a person's page passes it, or by part of the name. */
function who(of: 'identity' | 'byIdentity', text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  return `${equal(`${of}Id`, text)} or ${contains(`${of}Name`, text)}`;
}
