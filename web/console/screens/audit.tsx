import { named, programText } from '../../parts/language.ts';
import { anyOf, contains, equal } from '../filter.ts';
import { type Column, codeColumn, PersonLink, timeColumn } from '../lists/columns.tsx';
import { byAddress, byPeriod, choiceOf, type Filter } from '../lists/filters.tsx';
import { ListScreen } from '../lists/list-screen.tsx';
import { Said } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';
import type { AuditEvent } from '../types.ts';
import { About, Changes, changesText, nameIn } from './audit-changes.tsx';
import { words } from './audit-words.ts';

const columns: readonly Column<AuditEvent>[] = [
  timeColumn('at', texts.attempts.time, { isPrecise: true }),
  {
    name: 'by',
    title: words.by,
    sort: 'byIdentityName',
    cell: ({ byIdentity }) =>
      byIdentity === null ? <span className="hint">{words.itself}</span> : <PersonLink of={byIdentity} />,
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
    cell: (event) => <About event={event} />,
    text: (event) => event.identity?.name ?? nameIn(event) ?? event.entityId ?? '',
  },
  {
    name: 'details',
    title: texts.details,
    cell: (event) => {
      const text = detailsOf(event.details);
      return (
        <>
          <Changes event={event} />
          {text !== '' && (
            <span className="hint">
              <Said text={text} />
            </span>
          )}
        </>
      );
    },
    text: (event) => [changesText(event), detailsOf(event.details)].filter((text) => text !== '').join('; '),
  },
  codeColumn('ipAddress', texts.attempts.address),
  codeColumn('requestId', texts.reference, null),
];

function whatOf({ event, action, entity }: AuditEvent): string {
  if (action === null) return named(words.events, event);
  return `${named(words.actions, action)}: ${named(words.entities, entity ?? '')}`;
}

/**
 * As `name: value`, several values separated by commas. The fields and settings that changed have their own column, and
 * a new program is said in words.
 */
function detailsOf(details: AuditEvent['details']): string {
  const { fields, path, before, after, program, operatingSystem, newWithinHour, ...others } = details;
  const said = { program, operatingSystem } as Parameters<typeof programText>[0];
  const first = newWithinHour === undefined ? [] : [programText(said) ?? texts.unknownProgram];
  const shown = Object.entries(others).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return [...first, ...shown.map(([name, value]) => `${name}: ${textOf(value)}`)].join('; ');
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const filters: readonly Filter[] = [
  { name: 'person', label: words.about, where: (text) => isOf('identity', text) },
  { name: 'by', label: words.by, where: (text) => isOf('byIdentity', text) },
  choiceOf('event', words.what, words.events),
  choiceOf('entity', words.entity, words.entities),
  { name: 'reference', label: texts.reference, where: (text) => equal('requestId', text.toUpperCase()) },
  byAddress,
  ...byPeriod,
];

/** By id, as the link on a person's page passes it, or by part of the name. */
function isOf(person: 'identity' | 'byIdentity', text: string): string {
  return anyOf(equal(`${person}Id`, text), contains(`${person}Name`, text));
}

/** The audit trail: changes, with actor and subject. */
export function AuditScreen() {
  return (
    <ListScreen
      screen="audit"
      lead={words.text}
      filters={filters}
      path="audit-events"
      columns={columns}
      defaultSort="at desc"
      empty={[words.nothing, words.nothingText]}
    />
  );
}
