// Times as a field takes them: by the clock and the zone of this browser, to the minute.

/** @param at RFC 3339 */
export function localTime(at: string): string {
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** RFC 3339. Null for what is no time; a field gives an empty text for that. */
export function timeOfLocal(text: string): string | null {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
