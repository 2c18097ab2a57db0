/** The middle value; the mean of the two middle ones of an even number. NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? Number.NaN : (upper + lower) / 2;
}

/** The value that the share `q` (0 to 1) of the values does not exceed, by nearest rank. Sorts in place. */
export function quantile(values: Float64Array, q: number): number {
  values.sort();
  return values[Math.max(0, Math.ceil(values.length * q) - 1)] ?? Number.NaN;
}
