/**
 * Lets a client give up work that is under way.
 * @param giveUp called once, at once if the client has gone already, and not after the work is over
 * @returns the outcome of the work, which may be that it was given up
 */
export function whileWanted<T>(
  gone: AbortSignal | undefined,
  work: Promise<T>,
  giveUp: () => void,
): Promise<T> {
  if (gone === undefined) return work;
  if (gone.aborted) giveUp();
  else gone.addEventListener('abort', giveUp);
  return work.finally(() => gone.removeEventListener('abort', giveUp));
}
