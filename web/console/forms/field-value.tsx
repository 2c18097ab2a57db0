import { type EntityKind, type Field, isReference } from '../../../src/model/entities/entity.ts';
import { setApart } from '../../../src/pages/texts/both-languages.ts';
import { Time } from '../parts/time.tsx';
import { valueText } from '../texts/fields.ts';
import { texts } from '../texts/texts.ts';
import { useNames } from './names.ts';

/** The value of a field as people read it: other entities by name, times by the clock of this browser. */
export function FieldValue({
  kind,
  path,
  field,
  value,
}: {
  /** Of the entity. */
  kind: string;
  path: string;
  /** Absent: only a newer server knows it. */
  field: Field | undefined;
  /** As documents have it. */
  value: unknown;
}) {
  if (isReference(field) && value !== null) return <Names to={field.to} ids={[value].flat().map(String)} />;
  if (field?.kind === 'time' && typeof value === 'string') return <Time at={value} />;
  if (field?.kind === 'picture' && typeof value === 'string') {
    // The audit trail cuts long values.
    return value.endsWith('…') ? (
      valueText(kind, path, true)
    ) : (
      <img className="app-logo" src={value} alt="" />
    );
  }
  const text = valueText(kind, path, value);
  // One text stands alone, and may be copied.
  return typeof value === 'string' ? text : setApart(text);
}

function Names({ to, ids }: { to: EntityKind; ids: readonly string[] }) {
  const names = useNames(to);
  return ids.length === 0 ? texts.none : setApart(ids.map((id) => names[id] ?? id).join(', '));
}
