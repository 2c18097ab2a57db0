// Several test files may share a process (`scripts/test-group.mjs`). Everything expensive is kept for all of
// them, and closed when the last one has finished.

import { after } from 'node:test';

type Close = () => Promise<void> | void;

const closing: Close[] = [];

/** Closes something when this process no longer needs it: after the group, or after a file that runs alone. */
export function atTheEnd(close: Close): void {
  closing.push(close);
}

/** How many things are kept. */
export function kept(): number {
  return closing.length;
}

/** Closes what is kept. */
export async function endGroup(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

// For a file that runs alone. In a group, this would be the end of its first file.
if (process.send === undefined) after(endGroup);
