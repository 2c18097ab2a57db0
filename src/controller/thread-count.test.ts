import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashThreads, requestThreads } from './thread-count.ts';

const linux = (cores: number) => ({ cores, system: 'linux' });

test('auto takes half of the cores, eight at most, and hashes have the rest', () => {
  const auto = { threads: 'auto' } as const;
  const both = [1, 2, 3, 4, 8, 16, 64].map((cores) => [
    requestThreads(auto, linux(cores)),
    hashThreads(auto, linux(cores)),
  ]);
  assert.deepEqual(both, [
    [1, 1],
    [1, 1],
    [1, 2],
    [2, 2],
    [4, 4],
    [8, 8],
    [8, 56],
  ]);
});

test('a number is used as it is, and one thread leaves as much for hashes as before', () => {
  assert.deepEqual([requestThreads({ threads: 6 }, linux(2)), hashThreads({ threads: 6 }, linux(2))], [6, 1]);
  assert.deepEqual([requestThreads({ threads: 1 }, linux(8)), hashThreads({ threads: 1 }, linux(8))], [1, 7]);
});

test('where the system cannot spread connections there is one thread', () => {
  assert.equal(requestThreads({ threads: 4 }, { cores: 8, system: 'darwin' }), 1);
  assert.equal(requestThreads({ threads: 'auto' }, { cores: 8, system: 'win32' }), 1);
});
