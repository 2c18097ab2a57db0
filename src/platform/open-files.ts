import { readdirSync, readFileSync } from 'node:fs';
import type { Logger } from './log/logger.ts';

let most: number | undefined;

/**
 * How many files and connections the process has open, and how many it may open.
 * @returns null where the system has no `/proc`, or no limit
 */
export function openFiles(): { readonly open: number; readonly most: number } | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    most = limit === undefined ? undefined : Number(limit);
    return most === undefined ? null : { open: readdirSync('/proc/self/fd').length, most };
  } catch (error) {
    // To count them takes an open file.
    const areUsedUp = error instanceof Error && 'code' in error && error.code === 'EMFILE';
    return areUsedUp && most !== undefined ? { open: most, most } : null;
  }
}

/** Beyond the limit the runtime closes new connections and reports nothing. */
export function warnOfOpenFiles(log: Logger, read = openFiles): void {
  const files = read();
  if (files === null || files.open <= 0.8 * files.most) return;
  log.warn(
    'most of the files and connections that may be open are open; beyond the limit new connections are closed: raise LimitNOFILE of the unit, or ulimit -n',
    { event: 'files.near-limit', ...files },
  );
}
