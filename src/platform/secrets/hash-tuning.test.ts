import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HashCost, leastHashCost } from './hash-cost.ts';
import { tunedHashCost } from './hash-tuning.ts';

const mib = 1024;
/** A machine that needs so long for a MiB and pass, and longer for each where memory does not fit its caches. */
const machine =
  (millisPerMib: number) =>
  async ({ memoryKiB, passes }: HashCost) =>
    (memoryKiB / mib) * passes * millisPerMib * (memoryKiB > 64 * mib ? 1.2 : 1);

test('the proposal takes as long as wanted, or a little less', async () => {
  for (const speed of [0.05, 0.2, 0.5]) {
    for (const wanted of [50, 100, 250, 1000]) {
      const { cost, took } = await tunedHashCost(machine(speed), { wanted, memoryKiB: 1024 * mib });
      assert.ok(took <= wanted, `${speed} ${wanted}: ${took}`);
      assert.ok(took > 0.8 * wanted, `${speed} ${wanted}: ${took}`);
      assert.equal(took, await machine(speed)(cost));
      assert.equal(cost.lanes, 1);
      assert.equal(cost.memoryKiB % mib, 0);
    }
  }
});

test('memory is used up before passes are raised', async () => {
  const roomy = await tunedHashCost(machine(0.2), { wanted: 100, memoryKiB: 1024 * mib });
  assert.equal(roomy.cost.passes, 2);
  const narrow = await tunedHashCost(machine(0.2), { wanted: 100, memoryKiB: 32 * mib });
  assert.ok(narrow.cost.memoryKiB <= 32 * mib);
  assert.ok(narrow.cost.passes >= 15);
  assert.ok(narrow.took <= 100 && narrow.took > 80);
});

test('nothing goes below the least that protects passwords', async () => {
  for (const speed of [10, 1000]) {
    const { cost, took } = await tunedHashCost(machine(speed), { wanted: 1, memoryKiB: 1 });
    assert.deepEqual(cost, leastHashCost);
    assert.equal(took, 38 * speed);
  }
});

test('a machine that is busy now and then does not make it propose too much', async () => {
  let calls = 0;
  const unsteady = async (cost: HashCost) => {
    calls += 1;
    return (await machine(0.2)(cost)) * (calls % 2 === 1 ? 3 : 1);
  };
  const { took } = await tunedHashCost(unsteady, { wanted: 100, memoryKiB: 1024 * mib });
  assert.ok(took <= 100);
});
