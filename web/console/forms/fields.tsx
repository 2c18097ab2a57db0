// Fields of a form about an entity, by their kind. People who may not change it read the same fields.

import { createContext, type ReactNode, useContext, useState } from 'react';
import { defaultOf, type Entity, type EntityKind } from '../../../src/model/entities/entity.ts';
import { Button, Card } from '../../parts/screen.tsx';
import { pemIn } from '../parts/certificate.ts';
import { CheckField, type FieldProps, FileField, InputField, SelectField } from '../parts/field.tsx';
import { localTime, timeOfLocal } from '../parts/local-time.ts';
import { fieldWords, writingHints } from '../texts/fields.ts';
import { texts } from '../texts/texts.ts';
import { fieldAt, type Values, valueAt } from './entity-fields.ts';
import { useNames } from './names.ts';
import { pairsIn, pairsText } from './pairs.ts';

/** The state that the fields of a form work with. */
export interface FormState<Draft extends object = object> {
  readonly entity: Entity;
  readonly draft: Draft;
  /** @param typed texts for several values, as they were typed */
  set(changes: Values, typed?: Typed): void;
  textOf(path: string): string | undefined;
  readonly isReadOnly: boolean;
  /** Why the server refused the field; null if it did not. */
  problemOf(path: string): string | null;
}

/** The form around the fields of an entity. */
export const CurrentForm = createContext<FormState | null>(null);

/** Inside a form of an entity. */
export function useForm<Draft extends object>(): FormState<Draft> {
  return useContext(CurrentForm) as FormState<Draft>;
}

/** By the path of the field. */
export type Typed = Readonly<Record<string, string>>;

/** Details that do not follow from the table. */
interface FieldDetails {
  readonly type?: 'url';
  readonly isRequired?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** Texts by value; those of a reference may not be loaded yet. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Of a reference that may be null: what that is called. */
  readonly none?: string;
  /** Other changes that follow. */
  readonly also?: (value: unknown) => Values;
}

/** A card with fields of an entity. */
export function FieldCard({
  id,
  title,
  names,
  details = {},
  children,
}: {
  id: string;
  title: string;
  names: readonly string[];
  details?: Readonly<Record<string, FieldDetails>>;
  children?: ReactNode;
}) {
  return (
    <Card id={id} title={title}>
      {names.map((name) => (
        <EntityField key={name} name={name} {...details[name]} />
      ))}
      {children}
    </Card>
  );
}

export function EntityField({ name, also, ...details }: FieldDetails & { readonly name: string }) {
  const form = useForm();
  const field = fieldAt(form.entity, name);
  const { labels, hints, choices } = fieldWords(form.entity.kind);
  const value = valueAt(form.draft, name);
  const set = (next: unknown, typed?: Typed) => form.set({ [name]: next, ...also?.(next) }, typed);
  const about: FieldProps = {
    id: `field-${name.replaceAll('.', '-')}`,
    label: labels[name] ?? name,
    hint: hints[name] ?? writingHints[field.kind],
    problem: form.problemOf(name),
  };
  const isDisabled = form.isReadOnly;
  const input = {
    ...about,
    readOnly: form.isReadOnly,
    spellCheck: false,
    autoComplete: field.isSecret ? 'new-password' : 'off',
  };
  const isNullable = field.isNullable === true;
  const setText = (text: string) => set(text === '' && isNullable ? null : text);
  const isNeeded = details.isRequired ?? (!isNullable && defaultOf(field) !== '');
  switch (field.kind) {
    case 'flag':
      return <CheckField {...about} isDisabled={isDisabled} isOn={value === true} set={set} />;
    case 'choice': {
      const own =
        details.choices ?? choices[name] ?? Object.fromEntries(field.choices.map((one) => [one, one]));
      return <SelectField {...about} {...{ isDisabled, choices: own }} value={String(value)} set={set} />;
    }
    case 'reference':
      return (
        <ReferenceField
          {...about}
          {...{ isDisabled, to: field.to, given: details.choices ?? {} }}
          none={isNullable ? (details.none ?? texts.none) : undefined}
          value={String(value ?? '')}
          set={setText}
        />
      );
    case 'references':
      return (
        <ReferenceFields {...about} {...{ isDisabled, to: field.to }} value={textsOf(value)} set={set} />
      );
    case 'number':
    case 'integer':
      return (
        <InputField
          {...input}
          type="number"
          required={!isNullable}
          {...(field.kind === 'integer' && { min: field.least, max: field.most })}
          {...(details.max !== undefined && { min: details.min ?? 0, max: details.max })}
          value={String(value ?? '')}
          set={(text) => set(text === '' && isNullable ? null : Number(text))}
        />
      );
    case 'time':
      return (
        <InputField
          {...input}
          type="datetime-local"
          // As it is typed: a year begins as one of the first century, when clocks did not show whole minutes.
          value={form.textOf(name) ?? (typeof value === 'string' ? localTime(value) : '')}
          set={(text) => set(timeOfLocal(text), { [name]: text })}
        />
      );
    case 'choices':
      return (
        <CheckFields
          {...about}
          {...{ isDisabled, names: Object.fromEntries(field.choices.map((one) => [one, one])) }}
          value={textsOf(value)}
          set={set}
        />
      );
    case 'texts':
      return (
        <InputField
          {...input}
          rows={rowsFor(textsOf(value).length)}
          value={form.textOf(name) ?? textsOf(value).join('\n')}
          set={(text) => set(linesIn(text), { [name]: text })}
        />
      );
    case 'tags':
    case 'pairs': {
      const pairs = (value ?? {}) as Values;
      return (
        <InputField
          {...input}
          rows={rowsFor(Object.keys(pairs).length)}
          value={form.textOf(name) ?? pairsText(pairs)}
          set={(text) => set(pairsIn(text, pairs), { [name]: text })}
        />
      );
    }
    case 'picture':
      return <PictureField {...about} isReadOnly={isDisabled} value={String(value ?? '')} set={setText} />;
    case 'pem':
      return (
        <PemField
          {...input}
          // Those of revocation lists end so.
          holds={name.endsWith('crlPem') ? 'X509 CRL' : 'CERTIFICATE'}
          required={isNeeded}
          value={String(value ?? '')}
          set={setText}
        />
      );
    default: {
      const { type } = details;
      return (
        <InputField
          {...input}
          type={field.isSecret ? 'password' : (type ?? 'text')}
          required={isNeeded}
          value={String(value ?? '')}
          set={setText}
        />
      );
    }
  }
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function linesIn(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function rowsFor(values: number): number {
  return Math.min(8, Math.max(2, values + 1));
}

interface ReferenceProps extends FieldProps {
  readonly to: EntityKind;
  readonly isDisabled: boolean;
}

/** Another entity, by its name. */
function ReferenceField({
  to,
  none,
  given,
  ...rest
}: ReferenceProps & {
  /** The first choice; undefined: there has to be one. */
  readonly none: string | undefined;
  readonly given: Readonly<Record<string, string>>;
  readonly value: string;
  readonly set: (id: string) => void;
}) {
  const names = useNames(to);
  const { value } = rest;
  // By its id as long as its name is not known: otherwise another choice, or none, would seem to be made.
  const chosen = value === '' || Object.hasOwn(names, value) ? {} : { [value]: given[value] ?? value };
  return <SelectField {...rest} choices={{ ...chosen, ...names }} first={none} />;
}

interface SeveralProps extends FieldProps {
  readonly isDisabled: boolean;
  readonly value: readonly string[];
  readonly set: (chosen: readonly string[]) => void;
}

/** Some of all entities of a kind. */
function ReferenceFields({ to, ...rest }: SeveralProps & { readonly to: EntityKind }) {
  return <CheckFields {...rest} names={useNames(to)} />;
}

/** Some of several. @param names texts by value */
function CheckFields({
  id,
  hint,
  names: known,
  isDisabled,
  value,
  set,
}: SeveralProps & { readonly names: Readonly<Record<string, string>> }) {
  // What was chosen at first stays here, so that the focus does too.
  const [first] = useState(value);
  // An imported value may refer to what is not here. It is shown by its id, so that it can be removed.
  const missing = [...first, ...value].filter((one) => !Object.hasOwn(known, one));
  const names = Object.entries({ ...known, ...Object.fromEntries(missing.map((one) => [one, one])) });
  return (
    <>
      {names.length > 0 && <p className="hint">{hint}</p>}
      {names.map(([one, label]) => (
        <CheckField
          key={one}
          id={`${id}-${one}`}
          {...{ label, isDisabled }}
          isOn={value.includes(one)}
          set={(isOn) => set(isOn ? [...value, one] : value.filter((other) => other !== one))}
        />
      ))}
    </>
  );
}

interface TextProps extends FieldProps {
  readonly value: string;
  readonly set: (text: string) => void;
}

/** A certificate, pasted or from a file. @param holds the label of its PEM */
export function PemField({
  holds = 'CERTIFICATE',
  ...input
}: TextProps & { readonly holds?: string; readonly required: boolean; readonly readOnly?: boolean }) {
  const { id, label, readOnly, set } = input;
  return (
    <>
      <InputField rows={5} spellCheck={false} autoComplete="off" {...input} />
      {readOnly !== true && (
        <FileField
          id={`${id}-file`}
          label={texts.forms.file(label)}
          accept=".pem,.crt,.cer,.der,.crl"
          choose={async (file) => file !== undefined && set(await pemIn(file, holds))}
          unusable={texts.forms.noPem}
        />
      )}
    </>
  );
}

const side = 64;

/** Any file that the browser can show, drawn again as a PNG of a few pixels. @throws it cannot be read as a picture */
async function smallPng(file: File): Promise<string> {
  const picture = await createImageBitmap(file);
  const canvas = document.createElement('canvas');
  canvas.width = side;
  canvas.height = side;
  const scale = Math.min(side / picture.width, side / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  canvas.getContext('2d')?.drawImage(picture, (side - width) / 2, (side - height) / 2, width, height);
  return canvas.toDataURL('image/png');
}

/** A small picture that goes into a document. @param value a data URI; empty: none */
function PictureField({ value, set, isReadOnly, ...about }: TextProps & { readonly isReadOnly: boolean }) {
  return (
    <>
      <FileField
        {...about}
        accept="image/*"
        isDisabled={isReadOnly}
        choose={async (file) => file !== undefined && set(await smallPng(file))}
        unusable={texts.forms.noPicture}
      />
      {value !== '' && (
        <p className="buttons">
          <img className="app-logo" id={`${about.id}-preview`} src={value} alt={about.label} />
          {!isReadOnly && <Button onClick={() => set('')}>{texts.forms.removePicture}</Button>}
        </p>
      )}
    </>
  );
}
