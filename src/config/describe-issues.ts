import type { z } from 'zod';
import { type ConfigPath, formatPath } from './config-error.ts';
import { describedFile, nodesAt, type SettingNode, valueAt } from './described-file.ts';
import { nearChoice, nearestKey } from './nearest-key.ts';

/** A problem that has no place in the file yet. */
export interface Finding {
  readonly path: ConfigPath;
  /** Whether the key itself is wrong (unknown), or its value. */
  readonly at: 'key' | 'value';
  readonly message: string;
  readonly hint: string | null;
}

/** Sections in the files of larger controllers that this service does not have. */
const foreignSections: readonly string[] = [
  'cluster',
  'commandRateLimiter',
  'ctrl',
  'events',
  'fabric',
  'healthChecks',
  'mgmt',
  'network',
  'profile',
  'raft',
  'tls',
  'trustDomain',
];

/**
 * Turns the issues of the validation into sentences for the person who edits the file.
 * @param file the file's plain value
 */
export function describeIssues(file: unknown, issues: readonly z.core.$ZodIssue[]): readonly Finding[] {
  return issues.flatMap((issue): readonly Finding[] => {
    const path = issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment));
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => describeUnknownKey({ file, parent: path, key }));
    const found = valueAt(file, path);
    const meaning = nodesAt(file, path).find(({ description }) => description !== undefined)?.description;
    if (found === undefined && path.length > 0) {
      const message = `the required key ${String(path.at(-1))} is missing`;
      return [{ path, at: 'key', message, hint: meaning ?? null }];
    }
    const message = describeWrongValue(issue, found);
    return [{ path, at: 'value', message, hint: hintForWrongValue(issue, found, { path, meaning }) }];
  });
}

function describeUnknownKey(unknown: { file: unknown; parent: ConfigPath; key: string }): Finding {
  const { file, parent, key } = unknown;
  const known = [
    ...new Set(nodesAt(file, parent).flatMap(({ properties }) => Object.keys(properties ?? {}))),
  ];
  const nearest = nearestKey(key, known);
  const where = parent.length === 0 ? 'at the top of the file' : `in ${formatPath(parent)}`;
  const elsewhere = pathsOfKey(key);
  const sentences = [
    ...(parent.length === 0 && foreignSections.includes(key)
      ? ['This service has no such section: remove it.']
      : []),
    ...(elsewhere.length > 0 ? [`${key} belongs at ${elsewhere.join(' or ')}.`] : []),
    ...(nearest === undefined ? [] : [`The nearest known key is ${nearest}.`]),
    known.length === 0 ? 'Remove it: no key is known here.' : `Known here: ${known.join(', ')}.`,
  ];
  return {
    path: [...parent, key],
    at: 'key',
    message: `unknown key ${JSON.stringify(key.slice(0, 80))} ${where}`,
    hint: sentences.join(' '),
  };
}

function hintForWrongValue(
  issue: z.core.$ZodIssue,
  found: unknown,
  { path, meaning }: { path: ConfigPath; meaning: string | undefined },
): string | null {
  const name = path.findLast((segment) => typeof segment === 'string') ?? '';
  if (typeof found === 'number' && /(duration|timeout)$/i.test(name))
    return `Write a duration with its unit, for example ${found}s or ${found}m.`;
  const choices = choicesOf(issue);
  if (choices !== undefined && typeof found === 'string') {
    if (issue.code === 'invalid_value' && issue.values.includes(Number(found)))
      return 'Write it without quotation marks.';
    const near = nearChoice(found, choices);
    if (near !== undefined) return [`The nearest is ${near}.`, meaning ?? []].flat().join(' ');
  }
  // Our own sentences already say what to do.
  return issue.code === 'custom' ? null : (meaning ?? null);
}

/** The possible values, if the value is not one of them. */
function choicesOf(issue: z.core.$ZodIssue): readonly string[] | undefined {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options))
    return issue.options.map(String);
  return undefined;
}

function describeWrongValue(issue: z.core.$ZodIssue, found: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${kindWanted(issue.expected)}, found ${kindFound(found)}`;
    case 'invalid_value':
    case 'invalid_union':
      return `must be ${listOf(choicesOf(issue) ?? [])}, found ${shown(found)}`;
    case 'too_small':
      return Array.isArray(found)
        ? `needs at least ${String(issue.minimum)} entry, found ${found.length}`
        : `must be at least ${String(issue.minimum)}, found ${shown(found)}`;
    case 'too_big':
      return Array.isArray(found)
        ? `has at most ${String(issue.maximum)} entries, found ${found.length}`
        : `must be at most ${String(issue.maximum)}, found ${shown(found)}`;
    default:
      return issue.message;
  }
}

function kindWanted(expected: string): string {
  const kinds: Readonly<Record<string, string>> = {
    object: 'a map of keys and values',
    array: 'a list',
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
  };
  return kinds[expected] ?? expected;
}

function kindFound(value: unknown): string {
  if (value === null)
    return 'nothing (give it a value, in quotation marks if it begins with #, or remove the key)';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map of keys and values';
  if (typeof value === 'string') return 'text';
  return shown(value);
}

/** Repeats only short scalars; names the kind of everything else. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value.length <= 60 ? JSON.stringify(value) : 'a long text';
  return value === null || typeof value === 'object' ? kindFound(value) : String(value);
}

function listOf(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

/** Where else in the file this key is known. */
function pathsOfKey(key: string): readonly string[] {
  const found = new Set<string>();
  const search = (node: SettingNode, path: string): void => {
    for (const [name, child] of Object.entries(node.properties ?? {})) {
      const childPath = path === '' ? name : `${path}.${name}`;
      if (name === key) found.add(childPath);
      search(child, childPath);
    }
    if (node.items !== undefined) search(node.items, `${path}[]`);
    for (const choice of node.oneOf ?? []) search(choice, path);
  };
  search(describedFile(), '');
  return [...found].slice(0, 3);
}
