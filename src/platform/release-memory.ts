import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's own function. Only contexts created while its flag is set have it. */
type CollectGarbage = (options: {
  readonly type: 'major';
  readonly execution: 'sync';
  /** `last-resort` also returns empty pages to the system at once. */
  readonly flavor: 'last-resort';
}) => void;

/**
 * Collects all garbage of this thread and releases the memory. Blocks the thread for 30 to 60 ms. For the end of a
 * start: loading the modules leaves 28 MB that the engine would keep until much more was allocated. Does nothing while
 * another thread does the same, because flags belong to the process.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('globalThis.gc') as CollectGarbage | undefined;
  setFlagsFromString('--no-expose-gc');
  collectGarbage?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
