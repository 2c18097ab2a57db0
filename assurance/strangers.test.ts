// T-15 and T-16: what strangers can take of memory, and of the time of others.

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { MINUTE, SECOND, systemClock } from '../src/platform/clock.ts';
import { authorizationQuery, callWith, login } from '../test/support/flow.ts';
import { password } from '../test/support/management.ts';
import { loopback, quantile, type RunningProgram, startProgram, username } from './controller.ts';

const connections = Number(process.env.OVERLAY_AUTH_BODIES ?? 1000);
const bodySize = 100 * 1024 * 1024;
const loginsBegun = Number(process.env.OVERLAY_AUTH_LOGINS_BEGUN ?? 50_000);
const slowClients = Number(process.env.OVERLAY_AUTH_SLOW_CLIENTS ?? 1000);
const timedCalls = 10_000;
/** Connections of one source. */
const perSource = 50;
const megabyte = 1024 * 1024;

const from = (number: number) => loopback(Math.floor(number / perSource));

/** The most that `work` makes the program have, over what it had before. */
async function growth(program: RunningProgram, work: () => Promise<void>): Promise<number> {
  const before = program.memory();
  let most = before;
  const look = setInterval(() => {
    most = Math.max(most, program.memory());
  }, 50);
  try {
    await work();
  } finally {
    clearInterval(look);
  }
  return Math.max(most, program.memory()) - before;
}

/** Resolves when one of these has happened, or it has closed. */
function until(socket: TLSSocket, event: 'secureConnect' | 'drain'): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off(event, done).off('close', done);
      resolve();
    };
    socket.on(event, done).on('close', done);
  });
}

/** Sends what the other side takes of a body, and ends when it takes no more. @returns how many bytes that were */
async function sendBody(socket: TLSSocket, hasLength: boolean): Promise<number> {
  const chunk = Buffer.alloc(64 * 1024, 'a');
  let sent = 0;
  const length = hasLength ? `content-length: ${bodySize}` : 'transfer-encoding: chunked';
  const type = 'content-type: application/x-www-form-urlencoded';
  socket.write(`POST /oidc/token HTTP/1.1\r\nhost: localhost\r\n${type}\r\n${length}\r\n\r\n`);
  // Some are neither taken nor refused.
  const patience = setTimeout(() => socket.destroy(), MINUTE);
  while (!socket.destroyed && sent < bodySize) {
    if (!hasLength) socket.write(`${chunk.length.toString(16)}\r\n`);
    const isTaken = socket.write(hasLength ? chunk : Buffer.concat([chunk, Buffer.from('\r\n')]));
    sent += chunk.length;
    if (!isTaken && !socket.destroyed) await until(socket, 'drain');
  }
  clearTimeout(patience);
  socket.destroy();
  return sent;
}

describe('strangers', () => {
  let program: RunningProgram;
  let accessToken: string;
  before(async () => {
    program = await startProgram();
    accessToken = (await login(program.client, username, password)).access_token;
    // What grows with the first requests of anybody has grown.
    for (let at = 0; at < 500; at += 1) await callWith(program.client, accessToken);
  });
  after(() => program?.close());

  test(`${connections} connections with bodies of 100 MB take less than 100 MB`, async (t) => {
    let [begun, sent] = [0, 0];
    const bodies: Promise<void>[] = [];
    const lane = async () => {
      while (begun < connections) {
        const at = begun;
        begun += 1;
        const socket = program.connectFrom(from(at));
        // The answers are of no interest, but have to be taken.
        socket.on('error', () => undefined).resume();
        await until(socket, 'secureConnect');
        const counted = async () => {
          sent += await sendBody(socket, at % 2 === 0);
        };
        bodies.push(counted());
      }
    };
    const most = await growth(program, async () => {
      // Who waits too long for a handshake is sent away: some at a time.
      await Promise.all(Array.from({ length: 20 }, lane));
      await Promise.all(bodies);
    });
    t.diagnostic(`grew by ${Math.round(most / megabyte)} MB; ${Math.round(sent / megabyte)} MB were sent`);
    assert.equal((await callWith(program.client, accessToken)).status, 200);
    assert.ok(most < 100 * megabyte, `grew by ${Math.round(most / megabyte)} MB`);
  });

  test(`${loginsBegun} logins begun take less than 256 MB`, async (t) => {
    const path = `/oidc/authorization?${authorizationQuery({ method: 'password' })}`;
    let left = loginsBegun;
    // One source is faster than it may be.
    const begin = async () => {
      for (;;) {
        const { status, headers } = await program.client.get(path);
        if (status === 302) return;
        assert.deepEqual([status, headers['retry-after']], [429, '1']);
        await wait(SECOND);
      }
    };
    const most = await growth(program, async () => {
      const lane = async () => {
        for (; left > 0; left -= 1) {
          if (left % 10_000 === 0) t.diagnostic(`${loginsBegun - left} begun`);
          await begin();
        }
      };
      await Promise.all(Array.from({ length: 8 }, lane));
    });
    t.diagnostic(`grew by ${Math.round(most / megabyte)} MB`);
    assert.ok(most < 256 * megabyte, `grew by ${Math.round(most / megabyte)} MB`);
  });

  test(`${slowClients} slow clients change the p99 of others by less than a tenth`, async (t) => {
    const timed = async () => {
      const times: number[] = [];
      while (times.length < timedCalls) {
        const begun = systemClock.monotonic();
        assert.equal((await callWith(program.client, accessToken)).status, 200);
        times.push(systemClock.monotonic() - begun);
      }
      return times;
    };
    const alone = await timed();
    const slow = fork(new URL('./slow-clients.ts', import.meta.url), [`${program.port}`, `${slowClients}`]);
    const ended = once(slow, 'exit');
    let connected = 0;
    slow.on('message', (count) => {
      connected = Number(count);
    });
    try {
      while (connected < slowClients * 0.8) await once(slow, 'message');
      const beside = await timed();
      const stillConnected = connected;
      slow.disconnect();
      await ended;
      // The server learns that they are gone.
      await wait(2 * SECOND);
      alone.push(...(await timed()));
      const [usual, now] = [quantile(alone, 0.99), quantile(beside, 0.99)];
      const [median, nowMedian] = [quantile(alone, 0.5), quantile(beside, 0.5)];
      t.diagnostic(
        `p50 ${median.toFixed(2)} and p99 ${usual.toFixed(2)} ms alone, ` +
          `${nowMedian.toFixed(2)} and ${now.toFixed(2)} ms beside ${stillConnected} slow clients`,
      );
      assert.ok(now < usual * 1.1, `${now.toFixed(2)} ms instead of ${usual.toFixed(2)} ms`);
    } finally {
      if (slow.connected) slow.disconnect();
      await ended;
    }
  });
});
