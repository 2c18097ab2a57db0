/** Milliseconds: since the Unix epoch for a point in time, otherwise a length. The only unit inside the program. */
export type Millis = number;
/** Whole seconds, as they stand in claims and bodies; never used to compute with. */
export type Seconds = number;

export const second: Millis = 1000;
export const minute: Millis = 60 * second;
export const hour: Millis = 60 * minute;
export const day: Millis = 24 * hour;

/** Rounds down, as RFC 7519 NumericDate values are written. */
export function toSeconds(millis: Millis): Seconds {
  return Math.floor(millis / 1000);
}
