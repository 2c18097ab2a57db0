import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashThreads, requestThreads } from './thread-count.ts';

const linux = (cores: number) => ({ cores, system: 'linux' });

test('auto takes half of the cores, eight at most, and hashes may use them all', () => {
  const auto = { threads: 'auto' } as const;
  const both = [1, 2, 3, 4, 8, 16, 64].map((cores) => [
    requestThreads(auto, linux(cores)),
    hashThreads(auto, linux(cores)),
  ]);
  assert.deepEqual(both, [
    [1, 1],
    [1, 2],
    [1, 3],
    [2, 4],
    [4, 8],
    [8, 16],
    [8, 64],
  ]);
});

test('a number is used as it is, and changes nothing for hashes', () => {
  assert.deepEqual([requestThreads({ threads: 6 }, linux(2)), hashThreads({ threads: 6 }, linux(2))], [6, 2]);
});

test('where the system cannot spread connections there is one thread', () => {
  assert.equal(requestThreads({ threads: 4 }, { cores: 8, system: 'darwin' }), 1);
  assert.equal(requestThreads({ threads: 'auto' }, { cores: 8, system: 'win32' }), 1);
});

test('where threads have no priority of their own, hashes get the cores that requests leave, at least one', () => {
  const mac = (cores: number) => ({ cores, system: 'darwin' });
  assert.deepEqual(
    [1, 2, 8].map((cores) => hashThreads({ threads: 'auto' }, mac(cores))),
    [1, 1, 7],
  );
});
