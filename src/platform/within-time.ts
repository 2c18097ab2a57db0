import type { Millis } from './clock.ts';

/**
 * The result of `work`, unless it takes longer than `limit`: then it continues, but the caller does not wait for it.
 * @param message of the error in that case
 */
export function withinTime<T>(work: Promise<T>, limit: Millis, message: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(message)), limit);
    timer.unref();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
