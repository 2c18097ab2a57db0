// Fills the database of a home with identities and sessions, and hands out tokens of some of them. Works beside
// the running controller, as the offline commands do.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { loadConfig } from '../../src/config/load.ts';
import { sqliteFile } from '../../src/database.ts';
import { openFoundations } from '../../src/foundations.ts';
import { passwordHasher } from '../../src/login/password-hasher.ts';
import { usernameKey } from '../../src/login/username.ts';
import type { ApiSession } from '../../src/model/api-session.ts';
import { asId, defaultAuthPolicyId, type IdentityId } from '../../src/model/ids.ts';
import { mintCode } from '../../src/oidc/authorization-code.ts';
import { DAY, HOUR, systemClock } from '../../src/platform/clock.ts';
import { keyVault } from '../../src/platform/key-vault.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { mintAccessToken } from '../../src/tokens/access-token.ts';
import { openKeyRing } from '../../src/tokens/key-ring.ts';
import { firstRefreshToken } from '../../src/tokens/refresh-token.ts';
import { openServerSecrets } from '../../src/tokens/server-secrets.ts';
import type { OverlayHome } from './home.ts';

export const userPassword = 'seven quiet lanterns';

export interface SampledSession {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface Seed {
  /** Names with the password `userPassword`. */
  users(count: number): Promise<readonly string[]>;
  /** So many more identities, each with a live session; one statement each, whatever the schema. */
  fill(count: number): Promise<void>;
  /** Tokens of sessions that are spread over all that `fill` made. */
  sample(count: number): readonly SampledSession[];
  /** Access tokens that nobody has seen, one for each of so many sessions in a row. @param first number of the session */
  freshTokens(count: number, first?: number): readonly string[];
  close(): Promise<void>;
}

/** @throws Error before the controller ran once: its keys are not there yet */
export async function openSeed(home: OverlayHome): Promise<Seed> {
  const { config } = loadConfig(home.configFile, { readFile: (path) => readFileSync(path, 'utf8'), env: {} });
  const needs = { clock: systemClock, random: systemRandom };
  const foundations = await openFoundations({ ...needs, config, log: silentLogger, env: {} });
  const { store } = foundations;
  const vault = keyVault(foundations.masterKey);
  const ring = await openKeyRing({ keys: store.keys, vault, clock: systemClock });
  const { tagKey } = await openServerSecrets({ keys: store.keys, vault, random: systemRandom });
  const issuer = `https://localhost:${home.port}/oidc`;
  const database = new DatabaseSync(sqliteFile(config), { timeout: 10_000 });
  let filled = 0;
  let template: ApiSession | undefined;

  async function createIdentity(name: string, passwordHash: string | null): Promise<IdentityId> {
    const id = asId<IdentityId>(systemRandom.id());
    await store.identities.create(
      {
        id,
        name,
        type: 'User',
        externalId: null,
        authPolicyId: defaultAuthPolicyId,
        isAdmin: false,
        roleAttributes: ['benchmark'],
        tags: {},
      },
      passwordHash === null
        ? null
        : { id: systemRandom.id(), username: name, usernameKey: usernameKey(name) ?? name, passwordHash },
      systemClock.now(),
    );
    return id;
  }

  /** An identity and a session that came about as they do, to copy from. */
  async function makeTemplate(): Promise<ApiSession> {
    const identityId = await createIdentity('template', null);
    const now = systemClock.now();
    const key = asId<Parameters<typeof mintCode>[1]>(systemRandom.id());
    const code = mintCode({ random: systemRandom, tagKey }, key);
    const expiresAt = now + DAY;
    const authRequest = {
      key,
      clientId: 'overlay',
      redirectUri: 'http://localhost:8400/auth/callback',
      scopes: ['openid', 'offline_access'],
      state: null,
      nonce: null,
      codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      issuer,
      requestedMethod: null,
      configTypes: [],
      browserBinding: null,
      createdAt: now,
    };
    const progress = {
      identityId,
      authenticatorId: null,
      signerId: null,
      caId: null,
      passed: ['password' as const],
      authTime: now,
      certThumbprint: null,
    };
    await store.authRequests.recordPrimaryLogin({
      authRequest,
      progress,
      code: { hash: code.hash, expiresAt, forgetFailures: [] },
      expiresAt,
      now,
    });
    const sessionId = asId<ApiSession['id']>(systemRandom.id());
    const refresh = { hash: firstRefreshToken({ random: systemRandom, tagKey }, sessionId).hash, expiresAt };
    const redeemed = await store.authRequests.redeemCode({
      key,
      codeHash: code.hash,
      clientId: authRequest.clientId,
      redirectUri: authRequest.redirectUri,
      codeChallenge: authRequest.codeChallenge,
      issuer,
      now,
      session: {
        id: sessionId,
        ipAddress: '127.0.0.1',
        expiresAt,
        refresh: { ...refresh, familyExpiresAt: now + 30 * DAY },
      },
    });
    if (redeemed.outcome !== 'redeemed') throw new Error('the template session was refused');
    return redeemed.session;
  }

  function columnsOf(table: string): readonly string[] {
    return database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name));
  }

  /** @param changed SQL for columns that differ; `i` is the number of the copy */
  function copyRows(
    table: string,
    id: string,
    changed: Readonly<Record<string, string>>,
    count: number,
  ): void {
    const columns = columnsOf(table);
    const values = columns.map((column) => changed[column] ?? `${table}.${column}`);
    database
      .prepare(
        `WITH RECURSIVE numbers (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM numbers WHERE i < ?)
         INSERT INTO ${table} (${columns.join(', ')})
         SELECT ${values.join(', ')} FROM numbers, ${table} WHERE ${table}.id = ?`,
      )
      .run(filled, filled + count - 1, id);
  }

  function spread(count: number): readonly number[] {
    if (filled === 0) throw new Error('fill() comes first');
    return Array.from({ length: count }, (_, index) => Math.floor((index * filled) / count) % filled);
  }

  function accessTokenOf(number: number): string {
    if (template === undefined) throw new Error('fill() comes first');
    const session = {
      ...template,
      id: asId<ApiSession['id']>(idOf('b', number)),
      identityId: asId<IdentityId>(idOf('a', number)),
    };
    const lifetime = config.edge.oidc.accessTokenDuration;
    return mintAccessToken(
      { ring, random: systemRandom },
      session,
      { isAdmin: false, isCertExtendable: false },
      lifetime,
      systemClock.now(),
    );
  }

  return {
    async users(count) {
      const passwordHash = await passwordHasher(foundations.hashPool).hash(userPassword);
      const names = Array.from({ length: count }, (_, index) => `user-${index}`);
      for (const name of names) await createIdentity(name, passwordHash);
      return names;
    },
    async fill(count) {
      template ??= await makeTemplate();
      database.exec('BEGIN IMMEDIATE');
      const identityId = idInSql('a');
      const changed = { id: identityId, name: `'filled-' || i`, external_id: 'NULL' };
      copyRows('identities', template.identityId, changed, count);
      copyRows(
        'api_sessions',
        template.id,
        { id: idInSql('b'), identity_id: identityId, refresh_hash: 'NULL' },
        count,
      );
      filled += count;
      database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
    },
    sample(count) {
      const update = database.prepare(
        'UPDATE api_sessions SET refresh_hash = ?, refresh_generation = 1, expires_at = ? WHERE id = ?',
      );
      database.exec('BEGIN IMMEDIATE');
      const sampled = spread(count).map((number) => {
        const sessionId = asId<ApiSession['id']>(idOf('b', number));
        const refresh = firstRefreshToken({ random: systemRandom, tagKey }, sessionId);
        update.run(refresh.hash, systemClock.now() + 24 * HOUR, sessionId);
        return { accessToken: accessTokenOf(number), refreshToken: refresh.text };
      });
      database.exec('COMMIT');
      return sampled;
    },
    freshTokens: (count, first = 0) =>
      Array.from({ length: count }, (_, index) => accessTokenOf((first + index) % filled)),
    async close() {
      database.close();
      await foundations.close();
    },
  };
}

const someTime = '0198c0000000';

/** Ids of version 7 whose order is that of their numbers. */
function idOf(kind: 'a' | 'b', number: number): string {
  return `${someTime.slice(0, 8)}-${someTime.slice(8)}-7000-${kind}000-${number.toString(16).padStart(12, '0')}`;
}

function idInSql(kind: 'a' | 'b'): string {
  return `printf('${idOf(kind, 0).slice(0, -12)}%012x', i)`;
}
