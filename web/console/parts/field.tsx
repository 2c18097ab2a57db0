// A label, its control, and its hints and errors.

import { type InputHTMLAttributes, type ReactNode, useState } from 'react';
import { announce } from '../../parts/announce.tsx';
import { texts } from '../texts/texts.ts';

export interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: ReactNode;
  /** The server's objection to it. */
  readonly problem?: string | null;
}

interface Described {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

/** @param control gets the attributes that tie it to its hints and errors */
function Field({
  id,
  label,
  hint,
  problem = null,
  control,
  isCheck = false,
}: FieldProps & { readonly control: (described: Described) => ReactNode; readonly isCheck?: boolean }) {
  const about = [problem === null ? [] : `${id}-problem`, hint === undefined ? [] : `${id}-hint`].flat();
  const made = control({
    id,
    'aria-invalid': problem !== null || undefined,
    'aria-describedby': about.length === 0 ? undefined : about.join(' '),
  });
  return (
    <div className="field">
      {isCheck ? (
        <label className="check" htmlFor={id}>
          {made}
          {label}
        </label>
      ) : (
        <>
          <label htmlFor={id}>{label}</label>
          {made}
        </>
      )}
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

type InputProps = FieldProps & {
  readonly value: string;
  readonly set: (text: string) => void;
  /** For several lines. */
  readonly rows?: number | undefined;
} & Pick<
    InputHTMLAttributes<HTMLInputElement>,
    'type' | 'required' | 'readOnly' | 'min' | 'max' | 'autoComplete' | 'spellCheck' | 'inputMode'
  >;

export function InputField({ id, label, hint, problem = null, value, set, rows, ...rest }: InputProps) {
  const { type, min, max, inputMode, ...ofBoth } = rest;
  const onChange = (event: { readonly target: { readonly value: string } }) => set(event.target.value);
  return (
    <Field
      {...{ id, label, hint, problem }}
      control={(described) =>
        rows === undefined ? (
          <input {...described} {...rest} value={value} onChange={onChange} />
        ) : (
          <textarea {...described} {...ofBoth} rows={rows} value={value} onChange={onChange} />
        )
      }
    />
  );
}

/** One of several. */
export function SelectField({
  value,
  set,
  choices,
  first,
  isDisabled = false,
  isRequired = false,
  ...about
}: FieldProps & {
  readonly value: string;
  readonly set: (value: string) => void;
  /** Texts by value. */
  readonly choices: Readonly<Record<string, string>>;
  /** The text of the empty value, if it may be chosen. */
  readonly first?: string | undefined;
  readonly isDisabled?: boolean;
  readonly isRequired?: boolean;
}) {
  return (
    <Field
      {...about}
      control={(described) => (
        <select
          {...described}
          value={value}
          disabled={isDisabled}
          required={isRequired}
          onChange={(event) => set(event.target.value)}
        >
          {first !== undefined && <option value="">{first}</option>}
          {Object.entries(choices).map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    />
  );
}

export function CheckField({
  isOn,
  set,
  isDisabled = false,
  ...about
}: FieldProps & {
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
}) {
  return (
    <Field
      {...about}
      isCheck
      control={(described) => (
        <input
          {...described}
          type="checkbox"
          checked={isOn}
          disabled={isDisabled}
          onChange={(event) => set(event.target.checked)}
        />
      )}
    />
  );
}

/**
 * @param choose gets undefined when the person begins to choose another file
 * @param unusable what is said of a file with which it fails
 */
export function FileField({
  accept,
  isDisabled = false,
  isRequired = false,
  choose,
  unusable = texts.forms.unreadable,
  problem = null,
  ...about
}: FieldProps & {
  readonly accept: string;
  readonly isDisabled?: boolean;
  readonly isRequired?: boolean;
  readonly choose: (file: File | undefined) => unknown;
  readonly unusable?: string;
}) {
  const [isUnusable, setUnusable] = useState(false);
  const take = async (file: File | undefined) => {
    try {
      await choose(file);
      setUnusable(false);
    } catch {
      setUnusable(true);
      announce(unusable);
    }
  };
  return (
    <Field
      {...about}
      problem={isUnusable ? unusable : problem}
      control={(described) => (
        <input
          {...described}
          type="file"
          accept={accept}
          disabled={isDisabled}
          required={isRequired}
          // A browser reports no change when the same file is chosen again, although its content may have changed.
          onClick={(event) => {
            event.currentTarget.value = '';
            take(undefined);
          }}
          onChange={(event) => take(event.target.files?.[0])}
        />
      )}
    />
  );
}
