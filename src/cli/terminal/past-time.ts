import { DurationError, parseDuration } from '../../platform/formats/durations.ts';
import { usageError } from './output.ts';

/**
 * Reads the value of an option: a time, or how long ago.
 * @returns RFC 3339
 * @throws CliError exit 2: it is neither
 */
export function pastTime(option: string, text: string, now: number): string {
  const at = Date.parse(text);
  if (/^\d{4}-/.test(text) && !Number.isNaN(at)) return new Date(at).toISOString();
  try {
    return new Date(now - parseDuration(text)).toISOString();
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw usageError(
      `${option} is neither a time nor a duration: ${text}.`,
      'write a time such as 2030-01-31T12:00:00Z, or how long ago, such as 7d',
    );
  }
}
