// How many one-row rotations a second the store acknowledges, and what they cost.
//   node bench/store-rotations.ts [sessions] [seconds] [URL of an empty PostgreSQL database]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type ApiSessionId, type AuthRequestKey, asId, defaultAuthPolicyId } from '../src/model/ids.ts';
import { typedName } from '../src/model/names.ts';
import { HOUR, MINUTE, systemClock } from '../src/platform/clock.ts';
import { systemRandom } from '../src/platform/random.ts';
import type { Store } from '../src/store/contracts/store.ts';
import { openPostgresStore } from '../src/store/postgres/open.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';

const sessionCount = Number(process.argv[2] ?? 20_000);
const seconds = Number(process.argv[3] ?? 3);
const inFlight = 64;
const issuer = 'https://localhost:1280/oidc';

const home = mkdtempSync(join(tmpdir(), 'overlay-auth-bench-'));
const url = process.argv[4];
const store =
  url === undefined
    ? await openSqliteStore({ path: join(home, 'bench.db') })
    : await openPostgresStore({ url });

interface Held {
  readonly id: ApiSessionId;
  generation: number;
}

async function openSession(identityId: string): Promise<Held> {
  const key = asId<AuthRequestKey>(systemRandom.id());
  const id = asId<ApiSessionId>(systemRandom.id());
  const now = systemClock.now();
  const hash = `code-${key}`;
  await store.authRequests.recordPrimaryLogin({
    authRequest: {
      key,
      clientId: 'overlay',
      redirectUri: 'http://localhost:8400/auth/callback',
      scopes: ['openid', 'offline_access'],
      state: 's',
      nonce: 'n',
      codeChallenge: 'c',
      issuer,
      requestedMethod: null,
      configTypes: [],
      browserBinding: null,
      createdAt: now,
    },
    progress: {
      identityId: asId(identityId),
      authenticatorId: null,
      signerId: null,
      caId: null,
      passed: ['password'],
      authTime: now,
      certThumbprint: null,
    },
    code: { hash, expiresAt: now + MINUTE, forgetFailures: [] },
    expiresAt: now + 10 * MINUTE,
    now,
  });
  await store.authRequests.redeemCode({
    key,
    codeHash: hash,
    clientId: 'overlay',
    redirectUri: 'http://localhost:8400/auth/callback',
    codeChallenge: 'c',
    issuer,
    certThumbprint: null,
    keyThumbprint: null,
    now,
    session: {
      id,
      ipAddress: '127.0.0.1',
      program: null,
      isForProgram: true,
      toldUntil: null,
      expiresAt: now + 24 * HOUR,
      refresh: { hash: hashOf(id, 1), expiresAt: now + 24 * HOUR, familyExpiresAt: now + 720 * HOUR },
    },
  });
  return { id, generation: 1 };
}

function hashOf(id: string, generation: number): string {
  return `${id}-refresh-${generation}`;
}

async function rotate(held: Held): Promise<void> {
  const now = systemClock.now();
  const { outcome } = await store.apiSessions.rotateRefreshToken({
    sessionId: held.id,
    presentedHash: hashOf(held.id, held.generation),
    presentedGeneration: held.generation,
    nextGeneration: held.generation + 1,
    clientId: 'overlay',
    issuer,
    certThumbprint: null,
    keyThumbprint: null,
    nextHash: hashOf(held.id, held.generation + 1),
    nextExpiresAt: now + 24 * HOUR,
    sessionExpiresAt: now + 24 * HOUR,
    ipAddress: '127.0.0.1',
    now,
    duplicateWindow: 2000,
  });
  if (outcome !== 'rotated') throw new Error(outcome);
  held.generation += 1;
}

function percentile(sorted: readonly number[], p: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0;
}

/** Drives rotations and prints rate, latency and CPU. */
async function measure(name: string, lanes: readonly (readonly Held[])[]): Promise<void> {
  const latencies: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const cpu = process.cpuUsage();
  const mainCpu = process.threadCpuUsage();
  const started = systemClock.monotonic();
  const end = started + seconds * 1000;
  delay.enable();
  await Promise.all(
    lanes.map(async (lane) => {
      for (let at = 0; systemClock.monotonic() < end; at += 1) {
        const begun = systemClock.monotonic();
        await rotate(lane[(at * 7919) % lane.length] as Held);
        latencies.push(systemClock.monotonic() - begun);
      }
    }),
  );
  delay.disable();
  const elapsed = (systemClock.monotonic() - started) / 1000;
  const all = process.cpuUsage(cpu);
  const main = process.threadCpuUsage(mainCpu);
  latencies.sort((a, b) => a - b);
  const each = (used: { user: number; system: number }) =>
    ((used.user + used.system) / latencies.length).toFixed(1);
  process.stdout.write(
    `${name}: ${Math.round(latencies.length / elapsed)}/s, p50 ${percentile(latencies, 0.5).toFixed(2)} ms, ` +
      `p99 ${percentile(latencies, 0.99).toFixed(2)} ms, max ${(latencies.at(-1) ?? 0).toFixed(1)} ms, ` +
      `CPU each ${each(all)} us (main thread ${each(main)} us), loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms\n`,
  );
}

async function prepare(store: Store): Promise<readonly (readonly Held[])[]> {
  const identities: string[] = [];
  for (let at = 0; at < 1000; at += 1) identities.push(systemRandom.id());
  const now = systemClock.now();
  await Promise.all(
    identities.map((id) =>
      store.identities.create(
        {
          id: asId(id),
          name: typedName(`user ${id}`),
          type: 'User',
          externalId: null,
          authPolicyId: defaultAuthPolicyId,
          isAdmin: false,
          roleAttributes: [],
          tags: {},
        },
        null,
        now,
      ),
    ),
  );
  const lanes: Held[][] = Array.from({ length: inFlight }, () => []);
  const started = systemClock.monotonic();
  await Promise.all(
    lanes.map(async (lane, laneAt) => {
      for (let at = 0; at < sessionCount / inFlight; at += 1) {
        lane.push(await openSession(identities[(at * inFlight + laneAt) % 1000] ?? ''));
      }
    }),
  );
  const elapsed = (systemClock.monotonic() - started) / 1000;
  process.stdout.write(
    `logins (record and redeem), ${inFlight} in flight: ${Math.round(sessionCount / elapsed)}/s\n`,
  );
  return lanes;
}

const lanes = await prepare(store);
for (let round = 0; round < 2; round += 1) {
  await measure(`rotations, ${inFlight} in flight`, lanes);
  await measure('rotations, one at a time', lanes.slice(0, 1));
}
await store.close();
rmSync(home, { recursive: true, force: true });
