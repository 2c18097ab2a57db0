// Fields of a form about one entity. People who may not change it read the same fields.

import type { ReactNode } from 'react';
import { localTime, timeOfLocal } from '../parts/local-time.ts';
import { texts } from '../texts/texts.ts';
import type { FormState } from './entity-form.tsx';
import { pairsIn, pairsText } from './pairs.ts';

interface FieldProps<Draft, Value> {
  readonly form: FormState<Draft>;
  readonly name: { [Name in keyof Draft]: Draft[Name] extends Value ? Name : never }[keyof Draft] & string;
  readonly hint?: ReactNode;
}

/** A label, its control, and what the server refused about it. */
function Field({
  id,
  label,
  hint,
  problem,
  children,
}: {
  readonly id: string;
  readonly label: string;
  readonly hint: ReactNode;
  readonly problem: string | null;
  readonly children: ReactNode;
}) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      {problem !== null && (
        <span className="problem" id={`${id}-problem`}>
          {problem}
        </span>
      )}
      {hint !== undefined && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

/** What a control and its field share. */
function bound<Draft>(form: FormState<Draft>, name: keyof Draft & string, hint: ReactNode) {
  const id = `field-${name}`;
  const problem = form.problemOf(name);
  const described = [problem === null ? '' : `${id}-problem`, hint === undefined ? '' : `${id}-hint`].join(
    ' ',
  );
  return {
    field: { id, label: form.labels[name], hint, problem },
    control: {
      id,
      'aria-invalid': problem !== null || undefined,
      'aria-describedby': described.trim() === '' ? undefined : described.trim(),
    },
  };
}

/** A text. If the entity may have none, an empty field means none. */
export function TextField<Draft>({
  form,
  name,
  hint,
  type = 'text',
  isRequired = false,
  rows,
  also,
}: FieldProps<Draft, string | null> & {
  readonly type?: 'text' | 'url';
  readonly isRequired?: boolean;
  /** For several lines. */
  readonly rows?: number;
  /** Other changes that follow from the text. */
  readonly also?: (value: string | null) => Partial<Draft>;
}) {
  const { field, control } = bound(form, name, hint);
  const given = form.draft[name] as string | null;
  const props = {
    ...control,
    required: isRequired,
    readOnly: form.isReadOnly,
    spellCheck: false,
    autoComplete: 'off',
    value: given ?? '',
    onChange: (event: { readonly target: { readonly value: string } }) => {
      const text = event.target.value;
      const value = text === '' && form.isNullable(name) ? null : text;
      form.set({ [name]: value, ...also?.(value) } as Partial<Draft>);
    },
  };
  return (
    <Field {...field}>
      {rows === undefined ? <input {...props} type={type} /> : <textarea {...props} rows={rows} />}
    </Field>
  );
}

export function NumberField<Draft>({
  form,
  name,
  hint,
  range: [least, most],
}: FieldProps<Draft, number | null> & { readonly range: readonly [number, number] }) {
  const { field, control } = bound(form, name, hint);
  const value = form.draft[name] as number | null;
  return (
    <Field {...field}>
      <input
        {...control}
        type="number"
        required={!form.isNullable(name)}
        readOnly={form.isReadOnly}
        min={least}
        max={most}
        value={value ?? ''}
        onChange={({ target: { value: text } }) =>
          form.set({ [name]: text === '' && form.isNullable(name) ? null : Number(text) } as Partial<Draft>)
        }
      />
    </Field>
  );
}

/** A time. An empty field means none. */
export function TimeField<Draft>({ form, name, hint }: FieldProps<Draft, string | null>) {
  const { field, control } = bound(form, name, hint);
  const given = form.draft[name] as string | null;
  return (
    <Field {...field}>
      <input
        {...control}
        type="datetime-local"
        readOnly={form.isReadOnly}
        value={given === null ? '' : localTime(given)}
        onChange={({ target: { value } }) => form.set({ [name]: timeOfLocal(value) } as Partial<Draft>)}
      />
    </Field>
  );
}

/** Texts, one per line. */
export function LinesField<Draft>({ form, name, hint }: FieldProps<Draft, readonly string[]>) {
  const { field, control } = bound(form, name, hint);
  const lines = form.draft[name] as readonly string[];
  return (
    <Field {...field}>
      <textarea
        {...control}
        readOnly={form.isReadOnly}
        spellCheck={false}
        rows={Math.min(8, Math.max(2, lines.length + 1))}
        value={form.textOf(name) ?? lines.join('\n')}
        onChange={({ target: { value: text } }) => {
          const given = text.split('\n').map((line) => line.trim());
          form.set({ [name]: given.filter((line) => line !== '') } as Partial<Draft>, { [name]: text });
        }}
      />
    </Field>
  );
}

/** Names and values, one per line: `name=value`. */
export function PairsField<Draft>({
  form,
  name,
  hint,
}: FieldProps<Draft, Readonly<Record<string, unknown>>>) {
  const { field, control } = bound(form, name, hint);
  const pairs = form.draft[name] as Readonly<Record<string, unknown>>;
  return (
    <Field {...field}>
      <textarea
        {...control}
        readOnly={form.isReadOnly}
        spellCheck={false}
        rows={Math.min(8, Math.max(2, Object.keys(pairs).length + 1))}
        value={form.textOf(name) ?? pairsText(pairs)}
        onChange={({ target: { value: text } }) =>
          form.set({ [name]: pairsIn(text, pairs) } as Partial<Draft>, { [name]: text })
        }
      />
    </Field>
  );
}

export function CheckField<Draft>({
  form,
  name,
  hint,
  also,
}: FieldProps<Draft, boolean> & {
  /** What else follows from it. */
  readonly also?: (checked: boolean) => Partial<Draft>;
}) {
  const { field, control } = bound(form, name, hint);
  return (
    <div className="field">
      <label className="check">
        <input
          {...control}
          type="checkbox"
          disabled={form.isReadOnly}
          checked={form.draft[name] as boolean}
          onChange={({ target: { checked } }) =>
            form.set({ [name]: checked, ...also?.(checked) } as Partial<Draft>)
          }
        />
        {field.label}
      </label>
      {field.problem !== null && (
        <span className="problem" id={`${field.id}-problem`}>
          {field.problem}
        </span>
      )}
      {hint !== undefined && (
        <span className="hint" id={`${field.id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

/** One of several. @param choices by value; with `none`, the empty value means none */
export function ChoiceField<Draft>({
  form,
  name,
  hint,
  choices,
  hasNone = false,
  also,
}: FieldProps<Draft, string | null> & {
  readonly choices: Readonly<Record<string, string>>;
  readonly hasNone?: boolean;
  /** Other changes that follow from the choice. */
  readonly also?: (value: string) => Partial<Draft>;
}) {
  const { field, control } = bound(form, name, hint);
  return (
    <Field {...field}>
      <select
        {...control}
        disabled={form.isReadOnly}
        value={(form.draft[name] as string | null) ?? ''}
        onChange={({ target: { value } }) =>
          form.set({ [name]: value === '' && hasNone ? null : value, ...also?.(value) } as Partial<Draft>)
        }
      >
        {hasNone && <option value="">{texts.none}</option>}
        {Object.entries(choices).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  );
}
