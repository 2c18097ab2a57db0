// The cost of an input, for tests of limits against hostile input. Processor time of this thread, the least of three
// runs: other load on the machine does not count.

import assert from 'node:assert/strict';

/** Milliseconds of processor time; `work` runs three times. */
function processorTimeOf(work: () => void): number {
  const runs = [0, 1, 2].map(() => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

/** Asserts that `work` costs less. `limit` is far above the normal cost and far below what would hurt. */
export function assertCostsLess(limit: number, work: () => void, label = 'this input'): void {
  const cost = processorTimeOf(work);
  assert.ok(cost < limit, `${label} cost ${cost.toFixed(1)} ms of processor time, more than ${limit}`);
}
