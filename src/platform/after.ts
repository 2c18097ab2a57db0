/** Continues at once if there is nothing to wait for: a call that finds everything in memory costs no promise. */
export function after<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
