import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countedExactly, totalOf } from './list-total.ts';

const unread = () => assert.fail('nothing has to be read for this');
const counting = (entries: number) => async () => Math.min(entries, countedExactly + 1);

describe('the total of a list', () => {
  test('is known without counting when the page holds the last entry', async () => {
    for (const [limit, offset, found] of [
      [10, 0, 0],
      [10, 0, 9],
      [10, 90, 3],
    ] as const) {
      const total = await totalOf({ limit, offset }, found, unread);
      assert.deepEqual(total, { totalCount: offset + found, totalCountIsEstimate: false });
    }
  });

  test('is counted up to the bound', async () => {
    for (const counted of [10, countedExactly]) {
      const total = await totalOf({ limit: 10, offset: 0 }, 10, counting(counted));
      assert.deepEqual(total, { totalCount: counted, totalCountIsEstimate: false });
    }
    const beyond = await totalOf({ limit: 10, offset: 50 }, 0, counting(20));
    assert.deepEqual(beyond, { totalCount: 20, totalCountIsEstimate: false });
    const deletedMeanwhile = await totalOf({ limit: 10, offset: 20 }, 10, counting(28));
    assert.equal(deletedMeanwhile.totalCount, 30);
  });

  test('beyond it says that there are more, and how many are known to be there', async () => {
    for (const [offset, totalCount] of [
      [0, countedExactly + 1],
      [40_000, 40_011],
    ] as const) {
      const total = await totalOf({ limit: 10, offset }, 10, counting(1_000_000));
      assert.deepEqual(total, { totalCount, totalCountIsEstimate: true });
    }
  });

  test('lets a paging client see every entry and terminate', async () => {
    const length = 25_000;
    const limit = 500;
    let seen = 0;
    for (let pages = 0; pages <= length / limit + 1; pages += 1) {
      const found = Math.min(limit, length - seen);
      const { totalCount } = await totalOf({ limit, offset: seen }, found, counting(length));
      seen += found;
      if (seen >= totalCount) break;
      assert.ok(pages <= length / limit, 'it goes on after the end');
    }
    assert.equal(seen, length);
  });
});
