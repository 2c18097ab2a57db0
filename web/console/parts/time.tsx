import { preciseTime, timeText } from '../texts/texts.ts';

/** @param at RFC 3339 */
export function Time({ at, isPrecise = false }: { readonly at: string; readonly isPrecise?: boolean }) {
  return <time dateTime={at}>{isPrecise ? preciseTime(at) : timeText(at)}</time>;
}
