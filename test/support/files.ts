import { readFileSync } from 'node:fs';

/** Reads a file as text; what the configuration loader is given. */
export function readNamedFile(path: string): string {
  return readFileSync(path, 'utf8');
}
