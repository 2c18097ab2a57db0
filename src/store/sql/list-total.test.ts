import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countedExactly, totalOf } from './list-total.ts';

const unread = () => assert.fail('nothing has to be read for this');
const reads = (counted: number, estimate?: number) => ({
  count: async () => Math.min(counted, countedExactly + 1),
  estimate: estimate === undefined ? unread : async () => estimate,
});

describe('the total of a list', () => {
  test('is known without counting when the page holds the last entry', async () => {
    for (const [limit, offset, found] of [
      [10, 0, 0],
      [10, 0, 9],
      [10, 90, 3],
    ] as const) {
      const total = await totalOf({ limit, offset }, found, { count: unread, estimate: unread });
      assert.deepEqual(total, { totalCount: offset + found, totalCountIsEstimate: false });
    }
  });

  test('is counted up to the bound', async () => {
    for (const counted of [10, countedExactly]) {
      const total = await totalOf({ limit: 10, offset: 0 }, 10, reads(counted));
      assert.deepEqual(total, { totalCount: counted, totalCountIsEstimate: false });
    }
    const beyond = await totalOf({ limit: 10, offset: 50 }, 0, reads(20));
    assert.deepEqual(beyond, { totalCount: 20, totalCountIsEstimate: false });
    const deletedMeanwhile = await totalOf({ limit: 10, offset: 20 }, 10, reads(28));
    assert.equal(deletedMeanwhile.totalCount, 30);
  });

  test('is an estimate beyond it, never below what is known to be there', async () => {
    const far = { limit: 10, offset: 0 };
    const many = countedExactly + 1;
    assert.deepEqual(await totalOf(far, 10, reads(many, 98_765_432)), {
      totalCount: 98_765_432,
      totalCountIsEstimate: true,
    });
    for (const estimate of [0, 5, countedExactly]) {
      assert.equal((await totalOf(far, 10, reads(many, estimate))).totalCount, many);
      assert.equal(
        (await totalOf({ limit: 10, offset: 40_000 }, 10, reads(many, estimate))).totalCount,
        40_011,
      );
    }
  });

  test('lets a paging client see every entry and terminate, however wrong the estimate is', async () => {
    const length = 25_000;
    for (const estimate of [0, 12_000, length, 1_000_000]) {
      const limit = 500;
      let seen = 0;
      for (let pages = 0; pages <= length / limit + 1; pages += 1) {
        const found = Math.min(limit, length - seen);
        const { totalCount } = await totalOf({ limit, offset: seen }, found, reads(length, estimate));
        seen += found;
        if (seen >= totalCount) break;
        assert.ok(pages <= length / limit, `it goes on after the end, by an estimate of ${estimate}`);
      }
      assert.equal(seen, length);
    }
  });
});
