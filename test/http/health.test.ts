import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { healthRoutes } from '../../src/http/server/health.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { recordingLogger, send, startTestListener, testListener } from './support.ts';

describe('health checks', () => {
  test('ready tells what works, live only that the process answers', async (t) => {
    const clock = fixedClock('2030-01-01T00:00:00Z');
    const log = recordingLogger();
    let fails = false;
    let asked = 0;
    const store = {
      id: 'store.read',
      async check() {
        asked += 1;
        if (fails) throw new Error('leak');
      },
    };
    const { port } = await startTestListener(t, { routes: healthRoutes({ clock, log }, [store]) });
    const anyHost = { headers: { host: '10.0.0.7' } };

    const good = await send(port, '/health-checks', anyHost);
    assert.equal(good.status, 200);
    assert.deepEqual(good.json, {
      data: {
        checks: [
          {
            id: 'store.read',
            healthy: true,
            lastCheckTime: '2030-01-01T00:00:00.000Z',
            lastCheckDuration: '0ms',
          },
        ],
        healthy: true,
      },
      meta: {},
    });

    fails = true;
    assert.equal(
      (await send(port, '/health-checks/ready', anyHost)).status,
      200,
      'findings are kept a second',
    );
    assert.equal(asked, 1);
    clock.advance(1000);
    const bad = await send(port, '/health-checks/ready', anyHost);
    assert.equal(bad.status, 503);
    assert.equal(bad.json.data.healthy, false);
    assert.equal(bad.json.data.checks[0].healthy, false);
    assert.ok(!bad.text.includes('leak'));
    assert.equal(log.lines[0]?.level, 'warn');

    const live = await send(port, '/health-checks/live', anyHost);
    assert.equal(live.status, 200);
    assert.deepEqual(live.json.data, { checks: [], healthy: true });
  });

  test('a listener that does not bind them has no health checks', async (t) => {
    const apis = testListener().apis.filter((api) => api.binding !== 'health-checks');
    const routes = healthRoutes({ clock: systemClock, log: recordingLogger() }, []);
    const { port } = await startTestListener(t, { routes, listener: { apis } });
    assert.equal((await send(port, '/health-checks')).status, 404);
  });
});
