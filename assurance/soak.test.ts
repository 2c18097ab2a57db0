// T-13: a controller at 60 % of what it can do. No request fails, and memory and descriptors stay where they are. One
// round is OVERLAY_AUTH_SOAK_MINUTES; the rounds are counted by `npm run assurance`, so that they add up over days.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { MINUTE, SECOND, systemClock } from '../src/platform/clock.ts';
import { callWith, login, refresh } from '../test/support/flow.ts';
import { password } from '../test/support/management.ts';
import { quantile, type RunningProgram, startProgram, username } from './controller.ts';

const minutes = Number(process.env.OVERLAY_AUTH_SOAK_MINUTES ?? 10);
const clients = 16;
/** So many calls for each refresh. */
const callsPerRefresh = 20;
const share = 0.6;
const megabyte = 1024 * 1024;

type Client = () => Promise<number>;

/** A caller who calls, and refreshes now and then. @returns how long an answer took, in Millis */
async function clientOf({ client }: RunningProgram): Promise<Client> {
  let tokens = await login(client, username, password);
  let count = 0;
  return async () => {
    count += 1;
    const begun = systemClock.monotonic();
    const isRefresh = count % callsPerRefresh === 0;
    const answer = isRefresh
      ? await refresh(client, tokens.refresh_token)
      : await callWith(client, tokens.access_token);
    assert.equal(answer.status, 200, answer.text);
    if (isRefresh) tokens = answer.json;
    return systemClock.monotonic() - begun;
  };
}

/** Everybody asks again as soon as there is an answer. @returns requests a second */
async function capacityOf(all: readonly Client[], millis: number): Promise<number> {
  const end = systemClock.monotonic() + millis;
  let count = 0;
  await Promise.all(
    all.map(async (ask) => {
      for (; systemClock.monotonic() < end; count += 1) await ask();
    }),
  );
  return (count * 1000) / millis;
}

const third = (values: readonly number[], at: number): readonly number[] =>
  values.slice((at * values.length) / 3, ((at + 1) * values.length) / 3);
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

test(`${minutes} minutes at ${share * 100} % of capacity`, async (t) => {
  const program = await startProgram();
  t.after(() => program.close());
  const all: Client[] = [];
  for (let at = 0; at < clients; at += 1) all.push(await clientOf(program));
  await capacityOf(all, 5 * SECOND);
  const rate = share * (await capacityOf(all, 10 * SECOND));

  const memory: number[] = [];
  const descriptors: number[] = [];
  const times: number[] = [];
  const end = systemClock.monotonic() + minutes * MINUTE;
  let said = systemClock.monotonic();
  const pause = (clients * SECOND) / rate;
  const watch = setInterval(() => {
    memory.push(program.memory());
    descriptors.push(program.descriptors());
    if (systemClock.monotonic() - said < MINUTE) return;
    said = systemClock.monotonic();
    const left = Math.round((end - said) / MINUTE);
    t.diagnostic(
      `${left} min left; ${times.length} requests, ${Math.round((memory.at(-1) ?? 0) / megabyte)} MB`,
    );
  }, SECOND);
  try {
    await Promise.all(
      all.map(async (ask) => {
        while (systemClock.monotonic() < end) {
          const next = systemClock.monotonic() + pause;
          times.push(await ask());
          await wait(Math.max(0, next - systemClock.monotonic()));
        }
      }),
    );
  } finally {
    clearInterval(watch);
  }
  const [early, late] = [mean(third(memory, 1)), mean(third(memory, 2))];
  const p99 = [third(times, 0), third(times, 2)].map((part) => quantile(part, 0.99));
  t.diagnostic(
    `${times.length} requests, ${Math.round(rate)} a second; memory ${Math.round(early / megabyte)} MB in the middle third, ${Math.round(late / megabyte)} MB in the last; p99 ${p99.map((ms) => ms.toFixed(1)).join(' and ')} ms in the first and last third`,
  );
  assert.ok(late < early + 10 * megabyte, 'memory grows');
  assert.ok(mean(third(descriptors, 2)) <= mean(third(descriptors, 1)) + 2, 'descriptors grow');
});
