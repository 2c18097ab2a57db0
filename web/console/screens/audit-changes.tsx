// The changed fields of an entity in an audit event.

import { Link } from '@tanstack/react-router';
import { describedEntities } from '../../../src/model/entities/all-entities.ts';
import { certificateFields, passwordFields } from '../../../src/model/entities/authenticator.ts';
import type { EntityKind, Field, Fields } from '../../../src/model/entities/entity.ts';
import { memberAt } from '../forms/entity-fields.ts';
import { FieldValue } from '../forms/field-value.tsx';
import { hasNames, screens, useNames } from '../forms/names.ts';
import { PersonLink } from '../lists/columns.tsx';
import { fieldWords, valueText } from '../texts/fields.ts';
import type { AuditEvent } from '../types.ts';
import { words } from './audit-words.ts';

const tables: Readonly<Record<string, Fields>> = {
  ...Object.fromEntries(describedEntities.map(({ kind, fields }) => [kind, fields])),
  authenticator: { ...passwordFields, ...certificateFields },
};

interface FieldChange {
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** Of an entity the changed fields; of a setting of the server, its key. */
function changesIn({ changes, details }: AuditEvent): readonly FieldChange[] {
  const { path, before, after } = details;
  return typeof path === 'string' && 'after' in details
    ? [{ field: path, from: before, to: after }]
    : changes;
}

function fieldOf(kind: string, path: string): Field | undefined {
  return memberAt(tables[kind] ?? {}, path);
}

function labelOf(kind: string, path: string): string {
  const { labels } = fieldWords(kind);
  return labels[path] ?? labels[fieldOf(kind, path)?.shownAs ?? ''] ?? path;
}

/** A secret is never shown, only that it was changed. */
function isSecret(kind: string, path: string): boolean {
  return fieldOf(kind, path)?.isSecret === true || (kind === 'oidc-client' && path === 'secrets');
}

/** Each changed field with its old and new value. */
export function Changes({ event }: { event: AuditEvent }) {
  const kind = event.entity ?? '';
  const value = (path: string, of: unknown) => (
    <FieldValue kind={kind} path={path} field={fieldOf(kind, path)} value={of ?? null} />
  );
  const changed = changesIn(event);
  if (changed.length === 0) return null;
  return (
    <ul className="changes">
      {changed.map(({ field, from, to }) => (
        <li key={field}>
          <strong>{labelOf(kind, field)}</strong>
          {': '}
          {isSecret(kind, field) ? (
            words.changed
          ) : (
            <>
              {event.action !== 'create' && <del>{value(field, from)}</del>}
              {event.action !== 'create' && event.action !== 'delete' && ' → '}
              {event.action !== 'delete' && <ins>{value(field, to)}</ins>}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The same as text, for exports. */
export function changesText(event: AuditEvent): string {
  const kind = event.entity ?? '';
  return changesIn(event)
    .map(({ field, from, to }) => {
      const said = isSecret(kind, field)
        ? words.changed
        : `${valueText(kind, field, from)} → ${valueText(kind, field, to)}`;
      return `${labelOf(kind, field)}: ${said}`;
    })
    .join('; ');
}

/** The person or entity that an event is about. */
export function About({ event }: { event: AuditEvent }) {
  const { identity, entity, entityId } = event;
  if (identity !== null) return <PersonLink of={identity} />;
  if (entityId === null || !hasNames(entity)) return entityId !== null && <code>{entityId}</code>;
  return <EntityName kind={entity} id={entityId} then={nameIn(event)} />;
}

/** The name that it had at the change, if that says it: of what was created, renamed or deleted. */
export function nameIn({ changes }: AuditEvent): string | null {
  const change = changes.find(({ field }) => field === 'name');
  const name = change?.to ?? change?.from;
  return typeof name === 'string' ? name : null;
}

/** @param then the name that it had; null: as now */
function EntityName({ kind, id, then }: { kind: EntityKind; id: string; then: string | null }) {
  const now = useNames(kind)[id];
  const shown = then ?? now ?? id;
  if (now === undefined || !isOnScreen(kind)) return <bdi>{shown}</bdi>;
  return (
    <Link to={`/${screens[kind]}/$id`} params={{ id }}>
      {shown}
    </Link>
  );
}

function isOnScreen(kind: string): kind is keyof typeof screens {
  return Object.hasOwn(screens, kind);
}
