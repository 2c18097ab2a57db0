import { AuthError } from '../errors/auth-error.ts';
import type { Millis } from '../platform/clock.ts';

/** A token of a filter; `at` counts UTF-16 units from 0. */
export type FilterToken =
  | { readonly kind: 'word'; readonly text: string; readonly at: number }
  | { readonly kind: 'symbol'; readonly text: string; readonly at: number }
  | { readonly kind: 'string'; readonly value: string; readonly at: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | { readonly kind: 'time'; readonly value: Millis; readonly at: number }
  | { readonly kind: 'end'; readonly at: number };

const longestFilter = 4096;

const spacePattern = /[ \t\r\n]*/y;
const timePattern = /datetime\(([^()]*)\)/iy;
const wordPattern = /[A-Za-z_][A-Za-z0-9_.]*/y;
const numberPattern = /-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?(?![\w.])/iy;
const symbolPattern = /!=|<=|>=|[=<>()[\],]/y;
const stringPattern = /"((?:[^"\\]|\\.)*)"/sy;
const rfc3339Pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
};

/**
 * Splits a filter into tokens; the last one is `end`.
 * @throws AuthError invalid_filter
 */
export function filterTokens(text: string): FilterToken[] {
  if (text.length > longestFilter) throw invalidFilter(longestFilter, 'the end of the filter');
  const tokens: FilterToken[] = [];
  let at = match(spacePattern, text, 0)?.[0].length ?? 0;
  while (at < text.length) {
    const [token, length] = tokenAt(text, at);
    tokens.push(token);
    at += length;
    at += match(spacePattern, text, at)?.[0].length ?? 0;
  }
  tokens.push({ kind: 'end', at: text.length });
  return tokens;
}

/** The refusal of a filter, with the position of the mistake; `at` counts from 0. */
export function invalidFilter(at: number, expected: string): AuthError {
  const reason = `expected at position ${at + 1}: ${expected}`;
  return new AuthError('invalid_filter', {
    description: `The filter could not be parsed: ${reason}`,
    fields: [{ field: 'filter', reason }],
  });
}

function tokenAt(text: string, at: number): [FilterToken, number] {
  const time = match(timePattern, text, at);
  if (time !== null) return [{ kind: 'time', value: timeOf(time[1] ?? '', at), at }, time[0].length];
  const word = match(wordPattern, text, at);
  if (word !== null) return [{ kind: 'word', text: word[0], at }, word[0].length];
  const number = match(numberPattern, text, at);
  if (number !== null) return [{ kind: 'number', value: Number(number[0]), at }, number[0].length];
  const symbol = match(symbolPattern, text, at);
  if (symbol !== null) return [{ kind: 'symbol', text: symbol[0], at }, symbol[0].length];
  const string = match(stringPattern, text, at);
  if (string !== null)
    return [{ kind: 'string', value: plainText(string[1] ?? '', at), at }, string[0].length];
  throw invalidFilter(
    at,
    text[at] === '"' ? 'a text that ends with a quotation mark' : 'a name, a value or an operator',
  );
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function timeOf(written: string, at: number): Millis {
  const text = written.trim().replaceAll(/^"|"$/g, '');
  const value = rfc3339Pattern.test(text) ? Date.parse(text.toUpperCase()) : Number.NaN;
  if (!Number.isFinite(value)) throw invalidFilter(at, 'a time such as datetime(2026-01-31T12:00:00Z)');
  return value;
}

function plainText(quoted: string, at: number): string {
  const text = quoted.replace(/\\(.)/gs, (_whole, escaped: string) => {
    const character = escapes[escaped];
    if (character === undefined) throw invalidFilter(at, 'a text with the escapes \\" \\\\ \\n \\r \\t \\f');
    return character;
  });
  // No engine stores such text, and some refuse to compare with it.
  if (text.includes('\0') || !text.isWellFormed()) throw invalidFilter(at, 'a text of Unicode characters');
  return text;
}
