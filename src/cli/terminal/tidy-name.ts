import { usageError } from './output.ts';

/**
 * Refuses spaces around a name: they come from a quoting mistake.
 * @throws CliError exit 2
 */
export function requireTidyName(label: string, text: string): void {
  if (text === text.trim()) return;
  throw usageError(
    `${label} ${JSON.stringify(text)} begins or ends with a space.`,
    'type it without the space',
  );
}
