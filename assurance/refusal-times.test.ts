// T-17: refused passwords take equally long, and nearly the same work, whether the user exists, is locked or disabled.
// Hashes are cheap here, so that what is done besides shows all the more. OVERLAY_AUTH_REFUSALS for how many of each.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { passwordKey, sourceLimits } from '../src/login/throttle.ts';
import { systemClock } from '../src/platform/clock.ts';
import { systemRandom } from '../src/platform/random.ts';
import { authenticate, clientRoot } from '../test/legacy/support.ts';
import { fixedClock } from '../test/support/fixed-clock.ts';
import { beginLogin, submitPassword } from '../test/support/flow.ts';
import type { Answer } from '../test/support/https-client.ts';
import { userNamed } from '../test/support/names.ts';
import { seeded } from '../test/support/seeded.ts';
import { startTestServer, type TestServer } from '../test/support/test-server.ts';

const samples = Number(process.env.OVERLAY_AUTH_REFUSALS ?? 10_000);
const seed = Number(process.env.OVERLAY_AUTH_REFUSALS_SEED ?? systemRandom.bytes(4).readUInt32BE());
/** Not timed: caches, compilers. */
const warmUp = 200;
/** Two-sided, at p < 0.001. */
const outstanding = 3.29;
/**
 * By how much the work may differ, in microseconds: it is invisible outside. Hundreds of times less than a step of the
 * time of refusals, of which it would have to move an answer to the next one.
 */
const unequalWork = 100;
/** Of all times the longest are those of other work of the machine. */
const kept = 0.9;

const password = 'quiet lantern above 7 harbours';
const wrong = 'quiet lantern above 8 harbours';
const kinds = ['unknown', 'wrong', 'locked', 'disabled'] as const;
type Kind = (typeof kinds)[number];
const right: Record<Kind, string> = { unknown: wrong, wrong, locked: password, disabled: password };

let server: TestServer;
/** What is counted for the user whose password is wrong, and for where all of them come from. */
let counted: readonly string[];
before(async () => {
  // The date stands still, so neither the requests nor the locks end; time passes, since refusals wait for it.
  const { now } = fixedClock('2026-01-01T00:00:00Z');
  server = await startTestServer({ clock: { ...systemClock, now } });
  const ids = new Map<Kind, string>();
  for (const name of kinds.slice(1)) ids.set(name, await server.createUser({ name, password }));
  const { store, clock } = server;
  await store.identities.update(ids.get('disabled') as never, { disabledAt: clock.now() }, clock.now());
  const found = await store.authenticators.findPasswordLogin(userNamed('wrong').usernameKey);
  counted = [
    passwordKey(String(found?.authenticator.id)),
    ...sourceLimits('source', '127.0.0.1').map(({ key }) => key),
  ];
  const id = await beginLogin(server);
  for (let guess = 0; guess < 20; guess += 1) await submitPassword(server, id, 'locked', wrong);
});
after(() => server?.close());

type Ask = (kind: Kind) => Promise<Answer>;

/** Milliseconds of each request: as its sender sees it, and its processor time. */
type Times = Record<Kind, { readonly clock: number[]; readonly processor: number[] }>;

async function timesOf(ask: Ask): Promise<Times> {
  const none = () => ({ clock: [], processor: [] });
  const times: Times = { unknown: none(), wrong: none(), locked: none(), disabled: none() };
  const random = seeded(seed);
  for (let round = -warmUp; round < samples; round += 1) {
    await server.store.attempts.clear(counted);
    const order = [...kinds];
    for (let at = order.length - 1; at > 0; at -= 1) {
      const other = random.below(at + 1);
      [order[at], order[other]] = [order[other] as Kind, order[at] as Kind];
    }
    for (const kind of order) {
      const [begun, used] = [systemClock.monotonic(), process.cpuUsage()];
      const { status } = await ask(kind);
      const { user, system } = process.cpuUsage(used);
      const took = systemClock.monotonic() - begun;
      assert.equal(status, 401);
      if (round < 0) continue;
      times[kind].clock.push(took);
      times[kind].processor.push((user + system) / 1000);
    }
  }
  return times;
}

interface Moments {
  readonly mean: number;
  /** Of the mean. */
  readonly variance: number;
}

function momentsOf(times: readonly number[]): Moments {
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const squares = times.reduce((sum, time) => sum + (time - mean) ** 2, 0);
  return { mean, variance: squares / (times.length - 1) / times.length };
}

/** Welch's t of the times below the same bound. */
function difference(
  one: readonly number[],
  other: readonly number[],
): { readonly t: number; readonly micros: number } {
  const all = [...one, ...other].sort((a, b) => a - b);
  const bound = all[Math.floor(all.length * kept)] as number;
  const [a, b] = [one, other].map((times) => momentsOf(times.filter((time) => time < bound))) as [
    Moments,
    Moments,
  ];
  return { t: (a.mean - b.mean) / Math.sqrt(a.variance + b.variance), micros: (a.mean - b.mean) * 1000 };
}

describe(`${samples} refusals of each kind (seed ${seed})`, () => {
  const ways: Record<string, () => Promise<Ask>> = {
    OIDC: async () => {
      const id = await beginLogin(server);
      return (kind) => submitPassword(server, id, kind, right[kind]);
    },
    'the legacy mechanism': async () => (kind) => authenticate(server, kind, right[kind], clientRoot),
  };
  for (const [way, begin] of Object.entries(ways)) {
    test(`take equally long with ${way}`, async (t) => {
      const times = await timesOf(await begin());
      const standOut: string[] = [];
      for (const kind of kinds.slice(1)) {
        for (const gauge of ['clock', 'processor'] as const) {
          const { t: value, micros } = difference(times[kind][gauge], times.unknown[gauge]);
          const line = `${way}: ${kind} against unknown by the ${gauge}: ${micros.toFixed(1)} µs, t = ${value.toFixed(2)}`;
          t.diagnostic(line);
          const isNoticed = gauge === 'clock' || Math.abs(micros) > unequalWork;
          if (Math.abs(value) > outstanding && isNoticed) standOut.push(line);
        }
      }
      assert.deepEqual(standOut, []);
    });
  }
});
