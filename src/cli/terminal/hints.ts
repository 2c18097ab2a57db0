import type { Argument, Option } from 'commander';

/** What kind of value an argument or option takes, if its choices or its placeholder do not say it. */
export type Hint = { readonly entity: string } | 'login';

const hints = new WeakMap<Argument | Option, Hint>();

/** Records what completes `what`. Returns `what`. */
export function completedBy<T extends Argument | Option>(what: T, hint: Hint): T {
  hints.set(what, hint);
  return what;
}

export function hintOf(what: Argument | Option): Hint | undefined {
  return hints.get(what);
}
