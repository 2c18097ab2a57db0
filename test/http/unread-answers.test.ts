// Many clients that send requests to every anonymous address and read nothing.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { httpsClient } from '../support/https-client.ts';
import { collectGarbage } from '../support/remembered.ts';
import { sized } from '../support/size.ts';
import { serverOfFile } from '../support/test-server.ts';
import { promised } from '../support/until.ts';

const connections = sized({ small: 60, full: 1000 });
const requestsEach = 280;
const seconds = sized({ small: 2, full: 15 });
/** Bytes beyond what idle connections take. */
const mostMemory = sized({ small: 48, full: 128 }) * 1024 * 1024;
/** Of the calls of others, in Millis. A small run shares the machine with other tests: it is enough that they are answered. */
const mostDelay = promised(50);

const server = await serverOfFile({ threads: 1 });

/** Every address that anybody may read. */
function anonymousPaths(): readonly string[] {
  return server.controller.services.routes
    .filter(({ guard, methods }) => guard === 'anonymous' && methods.includes('GET'))
    .map(({ path }) => path.replaceAll(/:\w+/g, 'x'));
}

function memory(): number {
  collectGarbage();
  return process.memoryUsage().rss;
}

test('clients that read no answers take little memory and delay no other client', async (t) => {
  const paths = anonymousPaths();
  const client = httpsClient(server.url, server.caPem);
  t.after(() => client.closeConnections());
  // What is made once is there before.
  for (const path of paths) await client.get(path);
  const program = new URL('../support/unread-requests.ts', import.meta.url).pathname;
  const { port } = new URL(server.url);
  const crowd = spawn(
    process.execPath,
    [program, port, String(connections), String(requestsEach), ...paths],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  t.after(async () => {
    crowd.stdin.end();
    if (crowd.exitCode === null) await once(crowd, 'exit');
  });
  await once(crowd.stdout, 'data');
  await client.get('/version');
  const idle = memory();
  crowd.stdin.write('go\n');
  const delays: number[] = [];
  let most = 0;
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const begun = performance.now();
    assert.equal((await client.get('/version')).status, 200);
    delays.push(performance.now() - begun);
    most = Math.max(most, process.memoryUsage().rss - idle);
    await wait(10);
  }
  const settled = memory() - idle;
  delays.sort((one, other) => one - other);
  const p99 = delays[Math.floor(delays.length * 0.99)] ?? 0;
  t.diagnostic(
    `${connections} connections: ${Math.round(most / 2 ** 20)} MB at most, ${Math.round(settled / 2 ** 20)} MB in the end; calls of others: p99 ${p99.toFixed(1)} ms, most ${delays.at(-1)?.toFixed(1)} ms`,
  );
  assert.ok(most <= mostMemory, `${Math.round(most / 2 ** 20)} MB`);
  assert.ok(p99 <= mostDelay, `p99 ${p99.toFixed(1)} ms`);
});
