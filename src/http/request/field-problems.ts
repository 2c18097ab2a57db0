import { z } from 'zod';
import { nearestKey } from '../../config/nearest-key.ts';
import type { FieldProblem } from '../../errors/auth-error.ts';

/** Fields whose value is never repeated, wherever the word stands in their name. */
const SECRET = /pass|secret|token|code|verifier|assertion|jwt|key|hint|credential|cert|seed/i;
const LONGEST_VALUE = 100;
const LONGEST_NAME = 80;
const MOST_PROBLEMS = 10;

/** The names that would have been right where a member is unknown: zod tells them only while it judges. */
export interface KnownNames {
  /** For `safeParse`. */
  note(issue: z.core.$ZodRawIssue): undefined;
  at(path: readonly PropertyKey[]): readonly string[];
}

export function knownNames(): KnownNames {
  const byPath = new Map<string, readonly string[]>();
  return {
    note({ code, inst, path = [] }) {
      if (code === 'unrecognized_keys' && inst instanceof z.ZodObject) {
        byPath.set(JSON.stringify(path), Object.keys(inst.shape));
      }
      return undefined;
    },
    at: (path) => byPath.get(JSON.stringify(path)) ?? [],
  };
}

/**
 * What is wrong with which field, for the client.
 * @param sent what the schema was applied to
 */
export function fieldProblems(error: z.ZodError, sent: unknown, names: KnownNames): FieldProblem[] {
  return error.issues.flatMap((issue) => problemsOf(issue, sent, names)).slice(0, MOST_PROBLEMS);
}

function problemsOf(issue: z.core.$ZodIssue, sent: unknown, names: KnownNames): FieldProblem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MOST_PROBLEMS).map((key) => ({
      field: [...path, key.toWellFormed().slice(0, LONGEST_NAME)].join('.'),
      reason: unknownName(key, names.at(issue.path)),
    }));
  }
  const value = valueAt(sent, path);
  const field = path.join('.') || 'body';
  const reason = reasonOf(issue, value);
  const shown = shownValue(path, value);
  return [shown === undefined ? { field, reason } : { field, reason, value: shown }];
}

function unknownName(key: string, known: readonly string[]): string {
  const nearest = nearestKey(key, known);
  return nearest === undefined
    ? 'is not known: nothing is taken here'
    : `is not known here: the nearest known name is ${nearest}`;
}

function reasonOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'custom') return issue.message;
  if (value === undefined) return 'is required';
  if (issue.code === 'invalid_type' && issue.expected === 'string' && Array.isArray(value)) {
    return 'must be a single text value';
  }
  return lowerFirst(issue.message);
}

// Only own properties: a path never leads into a prototype.
function valueAt(sent: unknown, path: readonly string[]): unknown {
  let value = sent;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function shownValue(path: readonly string[], value: unknown): string | number | boolean | undefined {
  if (path.length === 0 || path.some((name) => SECRET.test(name))) return undefined;
  if (typeof value === 'string') return value.toWellFormed().slice(0, LONGEST_VALUE);
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
