// The words for fields of managed entities in forms, lists and the audit trail.

import { fieldsOfOthers } from './fields-of-others.ts';
import { fieldsOfSignIns } from './fields-of-sign-ins.ts';
import { texts } from './texts.ts';

/** The texts of an entity's fields. */
interface FieldWords {
  readonly labels: Readonly<Record<string, string>>;
  /** Heads of columns, where the label is too long. */
  readonly columns?: Readonly<Record<string, string>>;
  readonly hints: Readonly<Record<string, string>>;
  /** Of fields with a few values. */
  readonly choices: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The same in lists, where they are too long. */
  readonly shortChoices?: FieldWords['choices'];
}

const { common, tagsHint, onePerLine, ...others } = fieldsOfSignIns;
const byKind = { ...others, ...fieldsOfOthers };

/** @param kind of a managed entity; one that only a newer server knows has the words of all */
export function fieldWords(kind: string): FieldWords {
  const own: FieldWords = Object.hasOwn(byKind, kind)
    ? byKind[kind as keyof typeof byKind]
    : { labels: {}, hints: {}, choices: {} };
  return { ...own, labels: { ...common, ...own.labels } };
}

/** How several values are written, by the kind of the field. */
export const writingHints: Readonly<Record<string, string>> = {
  texts: onePerLine,
  tags: tagsHint,
  pairs: tagsHint,
};

/** A field's value for people to read. Long ones are cut. @param value as documents have it */
export function valueText(kind: string, path: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (value === null || value === undefined || value === '') return texts.none;
  const { choices, shortChoices } = fieldWords(kind);
  if (typeof value === 'string') {
    const text = shortChoices?.[path]?.[value] ?? choices[path]?.[value] ?? value;
    return text.length > 200 ? `${text.slice(0, 200)}…` : text;
  }
  const said = Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'object'
      ? pairsOf(value)
      : String(value);
  return valueText('', '', said);
}

/** Names and values of an object. */
function pairsOf(value: object): string {
  return Object.entries(value)
    .map(([name, of]) => `${name}: ${typeof of === 'object' ? JSON.stringify(of) : of}`)
    .join(', ');
}
