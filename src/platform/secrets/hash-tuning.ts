import type { Millis } from '../clock.ts';
import { type HashCost, largestHashCost, leastHashCost } from './hash-cost.ts';

const mib = 1024;
/** Measuring again improves the proposal on a steady machine. */
const corrections = 3;

/**
 * Finds the cost whose hash takes the wanted time, or a little less. Memory comes first, because it is what guessing
 * hardware has to buy; passes are raised when there is no more memory. One lane: hashes run in parallel, each on its
 * own thread.
 * @param measure how long one hash of that cost takes
 * @param limits.memoryKiB the most memory for one hash
 * @returns `took`: how long one hash of this cost took; the lowest allowed cost if even that takes longer
 * @see RFC 9106 section 4
 */
export async function tunedHashCost(
  measure: (cost: HashCost) => Promise<Millis>,
  { wanted, memoryKiB }: { readonly wanted: Millis; readonly memoryKiB: number },
) {
  let cost = leastHashCost;
  let took = await measure(cost);
  let best = { cost, took };
  for (let round = 0; round < corrections; round += 1) {
    // The time is proportional to memory times passes.
    const work = (cost.memoryKiB * cost.passes * wanted) / took;
    const next = costOfWork(work, Math.min(memoryKiB, largestHashCost.memoryKiB));
    if (isSame(next, cost)) break;
    cost = next;
    took = await measure(cost);
    const isNearer = best.took > wanted || (took <= wanted && took > best.took);
    if (isNearer && (took <= wanted || took < best.took)) best = { cost, took };
  }
  return best;
}

/** @param work KiB times passes */
function costOfWork(work: number, mostMemory: number): HashCost {
  const { memoryKiB: leastMemory, passes: leastPasses, lanes } = leastHashCost;
  const whole = (kib: number) => Math.max(leastMemory, Math.floor(Math.min(kib, mostMemory) / mib) * mib);
  const passes = Math.max(leastPasses, Math.floor(work / whole(work / leastPasses)));
  const bounded = Math.min(passes, largestHashCost.passes);
  return { memoryKiB: whole(work / bounded), passes: bounded, lanes };
}

function isSame(one: HashCost, other: HashCost): boolean {
  return one.memoryKiB === other.memoryKiB && one.passes === other.passes;
}
