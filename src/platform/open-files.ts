import { readdirSync, readFileSync } from 'node:fs';

/**
 * How many files and connections the process has open, and how many it may open.
 * @returns null where the system has no `/proc`, or no limit
 */
export function openFiles(): { readonly open: number; readonly most: number } | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? null : { open: readdirSync('/proc/self/fd').length, most: Number(limit) };
  } catch {
    return null;
  }
}
