// Several test files may share a process (`scripts/test-group.mjs`). What is expensive to make is kept for all of
// them, and closed when the last one is through.

import { after } from 'node:test';

type Close = () => Promise<void> | void;

let kept: Close[] | undefined;

/** Closes something when nobody in this process needs it any more: after the group, or after a file that is alone. */
export function atTheEnd(close: Close): void {
  if (kept === undefined) after(close);
  else kept.push(close);
}

export interface Group {
  /** How many things are kept for all files. */
  keeps(): number;
  /** Closes them. */
  end(): Promise<void>;
}

/** Declares this process one of several files. */
export function beginGroup(): Group {
  const closing: Close[] = [];
  kept = closing;
  return {
    keeps: () => closing.length,
    async end() {
      for (const close of closing.reverse()) await close();
    },
  };
}
