import { Refusal } from './refusal.ts';

const kibPerUnit: Readonly<Record<string, number>> = { KiB: 1, MiB: 1024, GiB: 1024 * 1024 };

/**
 * Reads a size such as `46MiB`: a whole number with the unit KiB, MiB or GiB.
 * @returns KiB
 * @throws Refusal
 */
export function parseMemorySize(text: string): number {
  const [, count, unit] = /^(\d{1,9})(KiB|MiB|GiB)$/.exec(text) ?? [];
  const perUnit = kibPerUnit[unit ?? ''];
  if (count === undefined || perUnit === undefined) {
    const shown = JSON.stringify(text.slice(0, 40));
    throw new Refusal(`${shown} is not a size: write a whole number with KiB, MiB or GiB, such as 46MiB`);
  }
  return Number(count) * perUnit;
}

/** In the largest unit that needs no fraction. @param kib whole */
export function formatMemorySize(kib: number): string {
  const [unit = 'KiB', size = 1] =
    Object.entries(kibPerUnit).findLast(([, perUnit]) => kib > 0 && kib % perUnit === 0) ?? [];
  return `${kib / size}${unit}`;
}
