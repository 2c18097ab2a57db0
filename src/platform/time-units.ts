// Units of time. The file imports nothing, because tables that browsers read use it too.

/** Milliseconds: a point in time since 1970-01-01T00:00:00Z, or a duration. */
export type Millis = number;
/** Seconds; only in claims and response bodies. */
export type Seconds = number;

export const SECOND: Millis = 1000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;
