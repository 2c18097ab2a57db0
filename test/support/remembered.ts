// What a process remembers of what was done to it: entries of maps and sets that outlive the request.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { serialize, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface Addition {
  readonly owner: WeakRef<Map<unknown, unknown> | Set<unknown>>;
  /** Objects are referenced weakly: this list must not keep an entry alive after its request. */
  readonly key: unknown;
}

setFlagsFromString('--expose-gc');
export const collectGarbage: () => void = runInNewContext('gc');

/** Runs something and counts the bytes of keys and values that remain in maps and sets afterwards. */
export async function bytesRemembered(run: () => Promise<void>): Promise<number> {
  const bytes = await remembering(run);
  await forgetGarbage();
  return bytes();
}

/** Collects what `remembering` must not count. */
export async function forgetGarbage(): Promise<void> {
  // An object whose weak reference was asked for lives until the end of the turn.
  await nextTurn();
  collectGarbage();
}

/**
 * Like `bytesRemembered`, for several in a row: collecting garbage costs more than most of them.
 * @returns says how many bytes, after `forgetGarbage`: of entries that were there after the run, in maps and sets that live
 */
export async function remembering(run: () => Promise<void>): Promise<() => number> {
  const additions: Addition[] = [];
  const note = (owner: Map<unknown, unknown> | Set<unknown>, key: unknown) => {
    const held = typeof key === 'object' && key !== null ? new WeakRef(key) : key;
    additions.push({ owner: new WeakRef(owner), key: held });
  };
  const { set } = Map.prototype;
  const { add } = Set.prototype;
  Map.prototype.set = function (this: Map<unknown, unknown>, key, value) {
    if (!this.has(key)) note(this, key);
    return set.call(this, key, value);
  } as typeof set;
  Set.prototype.add = function (this: Set<unknown>, key) {
    if (!this.has(key)) note(this, key);
    return add.call(this, key);
  } as typeof add;
  try {
    await run();
  } finally {
    Map.prototype.set = set;
    Set.prototype.add = add;
  }
  // Entries that end with their connection, or that a later turn removes, are not remembered.
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  const left = additions.map(({ owner, key }) => ({ owner, bytes: sizeIn(owner.deref(), key) }));
  return () => left.reduce((sum, { owner, bytes }) => sum + (owner.deref() === undefined ? 0 : bytes), 0);
}

function sizeIn(owner: Map<unknown, unknown> | Set<unknown> | undefined, held: unknown): number {
  const key = held instanceof WeakRef ? held.deref() : held;
  if (owner === undefined || key === undefined || !owner.has(key)) return 0;
  return sizeOf(key) + (owner instanceof Map ? sizeOf(owner.get(key)) : 0);
}

/** An object that cannot be serialized, such as a promise, counts as a small one. */
const small = 64;

function sizeOf(value: unknown): number {
  try {
    return serialize(value).length;
  } catch {
    return small;
  }
}
