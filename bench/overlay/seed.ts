// Fills the database of a home with identities and sessions, and hands out tokens of some of them. Works beside
// the running controller, as the offline commands do.

import { createPrivateKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadConfig } from '../../src/config/load.ts';
import { openFoundations } from '../../src/controller/foundations.ts';
import { passwordHasher } from '../../src/login/password/password.ts';
import type { ApiSession } from '../../src/model/api-session.ts';
import { externalJwtSignerDefaults } from '../../src/model/entities/external-jwt-signer.ts';
import {
  type AuthenticatorId,
  type AuthRequestKey,
  asId,
  defaultAuthPolicyId,
  type IdentityId,
  type SignerId,
} from '../../src/model/ids.ts';
import type { ProvenFactors } from '../../src/model/login.ts';
import { typedName } from '../../src/model/names.ts';
import { DAY, HOUR, systemClock } from '../../src/platform/clock.ts';
import { sha256 } from '../../src/platform/digest.ts';
import { silentLogger } from '../../src/platform/log/logger.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { certifyClientKey } from '../../src/platform/x509/pki.ts';
import { mintAccessToken } from '../../src/tokens/access-token.ts';
import { openKeyRing } from '../../src/tokens/key-ring.ts';
import { firstRefreshToken, mintOpaqueToken } from '../../src/tokens/opaque-token.ts';
import { openServerSecrets } from '../../src/tokens/server-secrets.ts';
import { userNamed } from '../../test/support/names.ts';
import type { OverlayHome } from './home.ts';
import { openSeedDatabase, type SeedDatabase } from './seed-database.ts';

export const userPassword = 'seven quiet lanterns';

export interface SampledSession {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** PEM, as `node:tls` takes them. */
export interface Device {
  readonly cert: string;
  readonly key: string;
}

/** A provider of external JWTs (ES256). */
export interface Provider {
  /** An unseen token, for one identity after the other. */
  nextToken(): string;
}

export interface Seed {
  readonly database: SeedDatabase;
  /** Names with the password `userPassword`. */
  users(count: number): Promise<readonly string[]>;
  /** Identities of which each logs in with a certificate of its own, all for one key. */
  devices(count: number): Promise<readonly Device[]>;
  /** An external JWT signer that is trusted for so many identities. */
  provider(identities: number): Promise<Provider>;
  /** So many more identities, each with a live session; one statement each, for every schema. */
  fill(count: number): Promise<void>;
  /** What a login by password leaves beside its session, once for each identity of the last `fill`: copied from that of a user. */
  fillLogins(username: string): Promise<void>;
  /** Ends every session, now. */
  endAll(): Promise<void>;
  /** Tokens of sessions that are spread over all that `fill` made. */
  sample(count: number): Promise<readonly SampledSession[]>;
  /** Unseen access tokens, one for each of so many sessions in a row. @param first number of the session */
  freshTokens(count: number, first?: number): readonly string[];
  close(): Promise<void>;
}

/** @throws Error before the controller ran once: its keys are not there yet */
export async function openSeed(home: OverlayHome): Promise<Seed> {
  const { config } = loadConfig(home.configFile, { readFile: (path) => readFileSync(path, 'utf8'), env: {} });
  const needs = { clock: systemClock, random: systemRandom };
  const foundations = await openFoundations({ ...needs, config, log: silentLogger, env: {} });
  const { store, vault } = foundations;
  const ring = await openKeyRing({ keys: store.keys, vault, clock: systemClock });
  const { tagKey } = await openServerSecrets({ keys: store.keys, vault, random: systemRandom });
  const issuer = `https://localhost:${home.port}/oidc`;
  const database = await openSeedDatabase(config);
  let filled = 0;
  const lastFill = { first: 0 };
  let template: ApiSession | undefined;

  async function createIdentity(name: string, passwordHash: string | null): Promise<IdentityId> {
    const id = asId<IdentityId>(systemRandom.id());
    await store.identities.create(
      {
        id,
        name: typedName(name),
        type: 'User',
        externalId: null,
        authPolicyId: defaultAuthPolicyId,
        isAdmin: false,
        roleAttributes: [typedName('benchmark')],
        tags: {},
      },
      passwordHash === null ? null : { id: systemRandom.id(), ...userNamed(name), passwordHash },
      systemClock.now(),
    );
    return id;
  }

  /** An identity and a session that came about as they do, to copy from. */
  async function makeTemplate(): Promise<ApiSession> {
    const identityId = await createIdentity('template', null);
    const now = systemClock.now();
    const key = asId<AuthRequestKey>(systemRandom.id());
    const code = mintOpaqueToken({ random: systemRandom, tagKey }, 'code', { id: key, generation: 1 });
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
      keyThumbprint: null,
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
      certThumbprint: null,
      keyThumbprint: null,
      now,
      session: {
        id: sessionId,
        ipAddress: '127.0.0.1',
        program: null,
        isForProgram: true,
        toldUntil: null,
        expiresAt,
        refresh: { ...refresh, familyExpiresAt: now + 30 * DAY },
      },
    });
    if (redeemed.outcome !== 'redeemed') throw new Error('the template session was refused');
    return redeemed.session;
  }

  /** @param changed SQL for columns that differ; `i` is the number of the copy */
  async function copyRows(
    table: string,
    id: string,
    changed: Readonly<Record<string, string>>,
    count: number,
    first = filled,
  ): Promise<void> {
    const columns = await database.columnsOf(table);
    const values = columns.map((column) => changed[column] ?? `${table}.${column}`);
    await database.run(
      `WITH RECURSIVE numbers (i) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i < $2)
       INSERT INTO ${table} (${columns.join(', ')})
       SELECT ${values.join(', ')} FROM numbers, ${table} WHERE ${table}.id = $3`,
      first,
      first + count - 1,
      id,
    );
  }

  function spread(count: number): readonly number[] {
    if (filled === 0) throw new Error('fill() comes first');
    return Array.from({ length: count }, (_, index) => Math.floor((index * filled) / count) % filled);
  }

  function accessTokenOf(number: number): string {
    if (template === undefined) throw new Error('fill() comes first');
    const session = {
      ...template,
      passed: template.passed as ProvenFactors,
      id: asId<ApiSession['id']>(idOf('b', number)),
      identityId: asId<IdentityId>(idOf('a', number)),
    };
    const lifetime = config.edge.oidc.accessTokenDuration;
    return mintAccessToken(
      { ring, random: systemRandom },
      { session, isAdmin: false, isCertExtendable: false, lifetime },
      systemClock.now(),
    );
  }

  return {
    database,
    async users(count) {
      const passwordHash = await passwordHasher(foundations.hashPool).hash(userPassword, 'bench');
      const names = Array.from({ length: count }, (_, index) => `user-${index}`);
      for (const name of names) await createIdentity(name, passwordHash);
      return names;
    },
    async devices(count) {
      const certPem = readFileSync(home.clientCa.cert, 'utf8');
      const ca = { certPem, keyPem: readFileSync(home.clientCa.key, 'utf8') };
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
      const make = async (name: string): Promise<Device> => {
        const cert = await certifyClientKey(needs, { commonName: name, days: 1, ca, publicKey });
        const identityId = await createIdentity(name, null);
        const id = asId<AuthenticatorId>(systemRandom.id());
        const thumbprint = sha256(new X509Certificate(cert).raw);
        await store.authenticators.createCertificate(
          { id, identityId, certPem: cert, thumbprint, tags: {} },
          systemClock.now(),
        );
        return { cert, key };
      };
      const made: Device[] = [];
      // Side by side, so that they share commits.
      while (made.length < count) {
        const together = Math.min(500, count - made.length);
        const names = Array.from({ length: together }, () => `device-${systemRandom.id()}`);
        made.push(...(await Promise.all(names.map(make))));
      }
      return made;
    },
    async provider(identities) {
      const certPem = readFileSync(home.clientCa.cert, 'utf8');
      const privateKey = createPrivateKey(readFileSync(home.clientCa.key, 'utf8'));
      const { subject, validFrom, validTo, fingerprint256 } = new X509Certificate(certPem);
      const url = 'https://provider.example';
      await store.externalJwtSigners.create(
        {
          ...externalJwtSignerDefaults,
          id: asId<SignerId>(systemRandom.id()),
          name: typedName('benchmark'),
          enabled: true,
          issuer: url,
          audience: 'overlay',
          certPem,
          jwksEndpoint: null,
          kid: null,
          externalAuthUrl: null,
          clientId: null,
          enrollAuthPolicyId: null,
          enrollAttributeClaimsSelector: null,
          fingerprint: fingerprint256,
          commonName: subject,
          notBefore: Date.parse(validFrom),
          notAfter: Date.parse(validTo),
          tags: {},
        },
        systemClock.now(),
      );
      const subjects = await Promise.all(
        Array.from({ length: identities }, () => createIdentity(`federated-${systemRandom.id()}`, null)),
      );
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const head = encode({ alg: 'ES256', typ: 'JWT' });
      let count = 0;
      return {
        nextToken() {
          count += 1;
          const now = Math.floor(systemClock.now() / 1000);
          const sub = subjects[count % subjects.length];
          const times = { iat: now, nbf: now, exp: now + 600, jti: systemRandom.id() };
          const text = `${head}.${encode({ iss: url, aud: 'overlay', sub, ...times })}`;
          const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
          return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
        },
      };
    },
    async fill(count) {
      template ??= await makeTemplate();
      const { id, identityId } = template;
      const copyId = idInSql('a', database);
      const changed = { id: copyId, name: `'filled-' || i`, external_id: 'NULL' };
      await database.together(async () => {
        await copyRows('identities', identityId, changed, count);
        await copyRows('api_sessions', id, { id: idInSql('b', database), identity_id: copyId }, count);
      });
      lastFill.first = filled;
      filled += count;
      await database.settle();
    },
    async fillLogins(username) {
      const [row] = await database.rows(
        `SELECT authenticators.id, authenticators.identity_id,
           (SELECT max(id) FROM auth_requests WHERE identity_id = authenticators.identity_id) AS request,
           (SELECT max(id) FROM login_attempts WHERE identity_id = authenticators.identity_id) AS attempt
         FROM authenticators WHERE username = '${username}'`,
      );
      if (row === undefined || row.attempt === null) throw new Error(`${username} has not logged in`);
      const [first, count] = [lastFill.first, filled - lastFill.first];
      const owner = { identity_id: idInSql('a', database) };
      const name = `'filled-' || i`;
      await database.together(async () => {
        const copy = (table: string, id: unknown, kind: Kind, changed: Readonly<Record<string, string>>) =>
          copyRows(table, String(id), { id: idInSql(kind, database), ...owner, ...changed }, count, first);
        await copy('authenticators', row.id, 'c', { username: name, username_key: name });
        await copy('auth_requests', row.request, 'd', {});
        await copy('login_attempts', row.attempt, 'e', { reference: name });
      });
      await database.settle();
    },
    async endAll() {
      await database.run(
        `UPDATE api_sessions SET ended_at = $1, end_reason = 'administrator', refresh_hash = NULL`,
        systemClock.now(),
      );
      await database.settle();
    },
    async sample(count) {
      const sampled: SampledSession[] = [];
      await database.together(async () => {
        for (const number of spread(count)) {
          const sessionId = asId<ApiSession['id']>(idOf('b', number));
          const refresh = firstRefreshToken({ random: systemRandom, tagKey }, sessionId);
          await database.run(
            'UPDATE api_sessions SET refresh_hash = $1, refresh_generation = 1, expires_at = $2 WHERE id = $3',
            refresh.hash,
            systemClock.now() + 24 * HOUR,
            sessionId,
          );
          sampled.push({ accessToken: accessTokenOf(number), refreshToken: refresh.text });
        }
      });
      return sampled;
    },
    freshTokens: (count, first = 0) =>
      Array.from({ length: count }, (_, index) => accessTokenOf((first + index) % filled)),
    async close() {
      await database.close();
      await foundations[Symbol.asyncDispose]();
    },
  };
}

type Kind = 'a' | 'b' | 'c' | 'd' | 'e';
const someTime = '0198c0000000';

/** Ids of version 7 whose order is that of their numbers. */
function idOf(kind: Kind, number: number): string {
  return `${someTime.slice(0, 8)}-${someTime.slice(8)}-7000-a${kind}00-${number.toString(16).padStart(12, '0')}`;
}

function idInSql(kind: Kind, { hexOfNumber }: SeedDatabase): string {
  return `'${idOf(kind, 0).slice(0, -12)}' || ${hexOfNumber}`;
}
