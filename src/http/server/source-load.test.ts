import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../platform/clock.ts';
import { sourceLoad } from './source-load.ts';

describe('what strangers may ask for without a proof', () => {
  test('comes back with time, and with proofs', () => {
    let now = 0;
    const load = sourceLoad({ clock: { ...systemClock, monotonic: () => now } });
    const taken = () => {
      let count = 0;
      while (load.count('192.0.2.7')) count += 1;
      return count;
    };
    assert.equal(taken(), 10_000);
    now += 1000;
    assert.equal(taken(), 500);
    load.giveBack('192.0.2.7');
    assert.equal(taken(), 1);
    assert.ok(load.count('192.0.2.8'));
  });

  test('is bounded for a whole IPv6 network, which has as many addresses as it likes', () => {
    const load = sourceLoad({ clock: { ...systemClock, monotonic: () => 0 } });
    let count = 0;
    for (let at = 0; at < 100_000; at += 1)
      if (load.count(`2001:db8:1:${(at % 60_000).toString(16)}::1`)) count += 1;
    assert.equal(count, 80_000);
    assert.ok(load.count('2001:db8:2::1'));
  });
});
