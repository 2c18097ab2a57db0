// The server of the model, and the four people whose logins are tried on it: new people for each run, with the same
// names, passwords, certificates and external JWTs.

import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { recoveryCodeHash } from '../../src/login/totp/totp.ts';
import { type AuthPolicyId, asId, defaultAuthPolicyId, type IdentityId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { usualPolicy } from '../../src/model/usual-policy.ts';
import { DAY, type Millis, SECOND, systemClock } from '../../src/platform/clock.ts';
import { keyVault, vaultKey } from '../../src/platform/secrets/key-vault.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import { openServerSecrets } from '../../src/tokens/server-secrets.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { registerCa } from '../support/certificates.ts';
import {
  authority,
  client,
  clientExtensions,
  generalName,
  type Made,
  subjectAltName,
} from '../support/chains.ts';
import { createPolicy, createSigner, tokenOf } from '../support/external-jwt.ts';
import { type FixedClock, fixedClock } from '../support/fixed-clock.ts';
import { type HttpsClient, httpsClient } from '../support/https-client.ts';
import { rootOf } from '../support/management.ts';
import { userNamed } from '../support/names.ts';
import { storePasskey } from '../support/passkeys.ts';
import { startTestIdp, type TestIdp } from '../support/test-idp.ts';
import { masterKey, startTestServer, type TestServer } from '../support/test-server.ts';
import { patience, until } from '../support/until.ts';
import { type Actor, type JwtMethod, firstPassword as password, people, type Who } from './steps.ts';

/** The TOTP seed of a person who had enrolled before a run. */
const seed = Buffer.from('an old seed of twenty');
export const oldEnrollment = {
  secret: base32(seed.subarray(0, 20)),
  recoveryCodes: ['ABCDE22222', 'ABCDE33333', 'ABCDE44444'],
};

export interface House {
  readonly server: TestServer;
  readonly clock: FixedClock;
  /** Whose certificate the connections of an actor have. */
  certificateOf(actor: Actor): Who | null;
  connectionOf(actor: Actor): HttpsClient;
  /** An unused external JWT: of the signer that cyd's policy requires, unless said otherwise. */
  newToken(who: Who, method?: JwtMethod): Promise<string>;
  /** Runs something while the calls of the store wait before they are made: one pause each, in turn, then none. */
  pausing<Result>(pauses: readonly Millis[], run: () => Promise<Result>): Promise<Result>;
  /** Four people who have never logged in. */
  movePeopleIn(enrolled: readonly Who[], mustChange: readonly Who[]): Promise<Household>;
  close(): Promise<void>;
}

export interface Household {
  whose(identityId: unknown): Who | null;
  isEnrolled(who: Who): Promise<boolean>;
  /** With the person's only passkey. */
  deviceOf(who: Who): SoftAuthenticator;
  /** The number of API sessions of these people, including ended ones. */
  sessions(): number;
  /** Resets wrong guesses: the model is not about how they are counted. */
  forgive(): Promise<void>;
  moveOut(): Promise<void>;
}

/** In memory, if such a folder exists: the model is not about the time that a disk takes to sync. */
const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const certified: Partial<Record<Actor, Who>> = { 'program 2': 'bob', 'browser 2': 'ann' };

export async function openHouse(): Promise<House> {
  const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
  const server = await startTestServer({ clock, home: mkdtempSync(join(memory, 'overlay-auth-model-')) });
  const idps = await Promise.all([startTestIdp(), startTestIdp()]);
  try {
    return await furnished(server, clock, idps);
  } catch (error) {
    await Promise.all([server, ...idps].map((one) => one.close()));
    throw error;
  }
}

async function furnished(
  server: TestServer,
  clock: FixedClock,
  [idp, other]: readonly [TestIdp, TestIdp],
): Promise<House> {
  const admin = await rootOf(server);
  const signerId = await createSigner(admin, idp, 'provider');
  const signers: Record<JwtMethod, string> = {
    'ext-jwt': signerId,
    'sister-jwt': await createSigner(admin, idp, 'sister', { audience: 'sister' }),
    'other-jwt': await createSigner(admin, other, 'other'),
  };
  const makers = authority({ subject: 'Makers', until: 365 * DAY });
  const externalIdClaim = { location: 'SAN_EMAIL', matcher: 'ALL', parser: 'NONE' };
  await registerCa(admin, makers, { externalIdClaim });
  const leaves = new Map<Actor, Made>();
  for (const [actor, who] of Object.entries(certified) as [Actor, Who][]) {
    const name = subjectAltName(generalName.email(`${who}@idp`));
    leaves.set(actor, client({ issuer: makers, until: 365 * DAY }, clientExtensions(name)));
  }
  const passkey = { ...usualPolicy.primary.passkey, allowed: true };
  const policies: Record<Who, AuthPolicyId> = {
    ann: defaultAuthPolicyId,
    bob: await createPolicy(server, 'TOTP', {
      primary: { passkey: { ...passkey, satisfiesSecondary: true } },
      secondary: { requireTotp: true },
    }),
    cyd: await createPolicy(server, 'all', {
      primary: { passkey: { ...passkey, userVerification: 'preferred' } },
      secondary: { requireTotp: true, requireExtJwt: signerId },
    }),
    dee: await createPolicy(server, 'passkey', {
      primary: { passkey },
      secondary: { requirePasskey: true },
    }),
  };
  const passwordHash = await server.controller.services.hasher.hash(password, 'test');
  const connections = new Map<Actor, HttpsClient>();
  const connectionOf = (actor: Actor) => {
    const leaf = leaves.get(actor);
    const known = connections.get(actor);
    if (known !== undefined) return known;
    const tls = leaf === undefined ? {} : { cert: leaf.certPem, key: leaf.keyPem };
    const made = httpsClient(server.url, server.caPem, tls);
    connections.set(actor, made);
    return made;
  };
  const database = new DatabaseSync(join(server.home, 'overlay.db'), { readOnly: true });
  const vault = keyVault(vaultKey(masterKey));
  const { recoveryKey } = await openServerSecrets({ keys: server.store.keys, vault, random: server.random });
  let tokens = 0;

  function newToken(who: Who, method: JwtMethod = 'ext-jwt'): Promise<string> {
    tokens += 1;
    const aud = method === 'sister-jwt' ? { aud: 'sister' } : {};
    const from = method === 'other-jwt' ? other : idp;
    return tokenOf(server, from, `${who}@idp`, { jti: `token ${tokens}`, ...aud });
  }

  // The first fetch of keys reads the roots of the system. A login waits two seconds for keys, whatever the machine does.
  for (const [method, signer] of Object.entries(signers) as [JwtMethod, string][]) {
    await until(patience, async () => {
      const token = await newToken('ann', method);
      const { json } = await admin.call('POST', `external-jwt-signers/${signer}/verify`, { token });
      if (json.data.reason !== 'keys-unavailable') return true;
      // After a fetch that failed, the next one comes ten seconds later.
      clock.advance(10 * SECOND);
      return false;
    });
  }

  async function createPerson(
    who: Who,
    isEnrolled: boolean,
    passwordMustChange: boolean,
  ): Promise<IdentityId> {
    const id = asId<IdentityId>(server.random.id());
    const now = clock.now();
    await server.store.identities.create(
      {
        id,
        name: typedName(who),
        type: 'User',
        externalId: `${who}@idp`,
        authPolicyId: policies[who],
        isAdmin: false,
        passwordMustChange,
        roleAttributes: [],
        tags: {},
      },
      { id: server.random.id(), ...userNamed(who), passwordHash },
      now,
    );
    if (isEnrolled) {
      const flow = `before ${id}`;
      const old = seed.subarray(0, 20);
      const recoveryHashes = oldEnrollment.recoveryCodes.map((code) =>
        recoveryCodeHash(recoveryKey, id, code),
      );
      const pending = { identityId: id, sealedSeed: '', recoveryHashes, expiresAt: now + SECOND };
      await server.store.totp.start(flow, pending, now);
      const sealedSeed = vault.seal(old, `totp/${id}`);
      const step = Math.floor(now / (30 * SECOND)) - 2;
      await server.store.totp.verify(flow, { sealedSeed, step, now });
    }
    return id;
  }

  return {
    server,
    clock,
    pausing: pausingCalls(server.store),
    certificateOf: (actor) => certified[actor] ?? null,
    connectionOf,
    newToken,
    async movePeopleIn(enrolled, mustChange) {
      const ids = new Map<Who, IdentityId>();
      const devices = new Map<Who, SoftAuthenticator>();
      await Promise.all(
        people.map(async (who) => {
          const id = await createPerson(who, enrolled.includes(who), mustChange.includes(who));
          const device = new SoftAuthenticator(server.url, { counter: 0 });
          await storePasskey(server, id, device);
          ids.set(who, id);
          devices.set(who, device);
        }),
      );
      const idOf = (who: Who) => ids.get(who) as IdentityId;
      return {
        deviceOf: (who) => devices.get(who) as SoftAuthenticator,
        whose: (id) => people.find((who) => idOf(who) === id) ?? null,
        async isEnrolled(who) {
          return (await server.store.identities.findAccount(idOf(who)))?.isTotpEnrolled ?? false;
        },
        sessions() {
          const sql = 'SELECT count(*) AS n FROM api_sessions WHERE identity_id IN (?, ?, ?, ?)';
          return Number(database.prepare(sql).get(...people.map(idOf))?.n);
        },
        async forgive() {
          const rows = database.prepare('SELECT key FROM attempts').all();
          await server.store.attempts.clear(rows.map(({ key }) => String(key)));
        },
        async moveOut() {
          await Promise.all(people.map((who) => server.store.identities.delete(idOf(who), clock.now())));
        },
      };
    },
    async close() {
      for (const connection of connections.values()) connection.closeConnections();
      database.close();
      await server.close();
      await Promise.all([idp.close(), other.close()]);
    },
  };
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** Of the concerns that a login step reads and writes. */
const paused = ['authRequests', 'totp', 'passkeys', 'attempts', 'identities', 'apiSessions'] as const;

function pausingCalls(store: Store): House['pausing'] {
  let left: Millis[] = [];
  for (const concern of paused) {
    const methods = store[concern] as unknown as Record<string, Method>;
    for (const [name, method] of Object.entries(methods)) {
      // Gives what it reads part by part, in place of a promise.
      if (name === 'listEnded') continue;
      methods[name] = async (...args) => {
        const pause = left.shift() ?? 0;
        if (pause > 0) await setTimeout(pause);
        return method(...args);
      };
    }
  }
  return async (pauses, run) => {
    left = [...pauses];
    try {
      return await run();
    } finally {
      left = [];
    }
  };
}

/** RFC 4648 section 6, without padding. */
function base32(bytes: Uint8Array): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => letters[Number.parseInt(five, 2)]).join('');
}
