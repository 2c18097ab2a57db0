import type { z } from 'zod';
import type { FieldProblem } from '../../errors/auth-error.ts';

/** Fields whose value is never repeated, wherever the word stands in their name. */
const SECRET = /pass|secret|token|code|verifier|assertion|jwt|key|hint|credential|cert|seed/i;
const LONGEST_VALUE = 100;
const MOST_PROBLEMS = 10;

/**
 * What is wrong with which field, for the client.
 * @param sent what the schema was applied to
 */
export function fieldProblems(error: z.ZodError, sent: unknown): FieldProblem[] {
  return error.issues.slice(0, MOST_PROBLEMS).map((issue) => {
    const path = issue.path.map(String);
    const value = valueAt(sent, path);
    const field = path.join('.') || 'body';
    const reason = reasonOf(issue, value);
    const shown = shownValue(path, value);
    return shown === undefined ? { field, reason } : { field, reason, value: shown };
  });
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
