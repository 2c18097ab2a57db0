// What PostgreSQL needs beyond the contracts: several nodes that start, collide, and change tables together.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { type AuthPolicyId, asId, type IdentityId } from '../../src/model/ids.ts';
import { nameKeys, typedName } from '../../src/model/names.ts';
import { AlreadyTaken, type Store, StoreUnavailable } from '../../src/store/contracts/store.ts';
import { SchemaError, schemaVersion } from '../../src/store/migrations/migrate.ts';
import { beginConcurrent, holdKeys } from '../../src/store/postgres/locks.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { postgresServer, query } from '../support/postgres.ts';
import { patience, until } from '../support/until.ts';
import {
  createUser,
  isAlive,
  loginWithCode,
  MINUTE,
  newId,
  newIdentity,
  openSession,
  redemption,
  rotation,
  t0,
  uniqueName,
} from './fixtures.ts';
import { openPostgresDatabase } from './postgres-database.ts';

let url: string;
let store: Store;
before(async () => {
  const database = await openPostgresDatabase();
  ({ url, store } = database);
});
after(() => store.close());

/** A node that another store made. */
async function withClient<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Resolves when so many wait for a lock, by default an advisory one. */
async function untilLockIsAwaited(count = 1, kind = `AND locktype = 'advisory'`): Promise<void> {
  const waiting = `SELECT DISTINCT pg_locks.pid FROM pg_locks JOIN pg_stat_activity ON pg_stat_activity.pid = pg_locks.pid
    WHERE datname = current_database() AND NOT granted ${kind}`;
  await until(patience, async () => (await query(url, waiting)).length >= count);
}

/** The keys that are held for a name. */
const namesOf = (name: string) => nameKeys(name).map((key) => `name:${key}`);

describe('the first start', () => {
  test('of several nodes at once makes one schema', async () => {
    const fresh = await (await postgresServer()).createDatabase();
    const stores = await Promise.all(Array.from({ length: 5 }, () => openPostgresStore({ url: fresh })));
    assert.deepEqual(await query(fresh, 'SELECT version::int FROM schema_version'), [
      { version: schemaVersion },
    ]);
    assert.equal((await query(fresh, 'SELECT 1 FROM auth_policies')).length, 1);
    for (const one of stores) await one.close();
  });

  test('refuses what it cannot use, and does not change it', async () => {
    const server = await postgresServer();
    const [foreign, newer] = [await server.createDatabase(), await server.createDatabase()];
    await query(foreign, 'CREATE TABLE theirs (id int)');
    await assert.rejects(openPostgresStore({ url: foreign }), SchemaError);
    assert.equal((await query(foreign, `SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)).length, 1);
    await (await openPostgresStore({ url: newer })).close();
    await query(newer, 'UPDATE schema_version SET version = 999, usable_by = 998');
    await assert.rejects(openPostgresStore({ url: newer }), /schema version 999, this release knows/);
    const latin = uniqueName('latin').replaceAll('-', '_');
    await query(
      server.urlOf('postgres'),
      `CREATE DATABASE ${latin} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`,
    );
    await assert.rejects(openPostgresStore({ url: server.urlOf(latin) }), /ENCODING 'UTF8'/);
  });

  test('uses its own schema in a database with others', async () => {
    const shared = await (await postgresServer()).createDatabase();
    await query(shared, 'CREATE TABLE theirs (id int)');
    await query(shared, 'CREATE SCHEMA ours');
    const inSchema = await openPostgresStore({ url: `${shared}&options=-c%20search_path%3Dours` });
    await createUser(inSchema);
    await inSchema.close();
    assert.equal((await query(shared, 'SELECT 1 FROM ours.identities')).length, 1);
  });
});

describe('the change feed of several nodes', () => {
  test('shows each entry once it is committed, and none twice, in any order of commits', async () => {
    const user = await createUser(store);
    const sessions = [await openSession(store, user), await openSession(store, user)] as const;
    let position = await store.changes.latest();
    const read = async () => {
      const reading = await store.changes.readAfter(position);
      ({ position } = reading);
      return reading.changes.map(({ entityId }) => entityId);
    };
    const add = (entity: string) =>
      `INSERT INTO changes (kind, entity_id, at) VALUES ('session-ended', '${entity}', ${t0})`;
    await withClient(async (early) => {
      await withClient(async (late) => {
        for (const client of [early, late]) await client.query(beginConcurrent);
        await early.query(add('early'));
        await late.query(add('late'));
        await query(url, add('between'));
        // It does not wait for either of them, which is what this is for.
        assert.equal(await store.apiSessions.end(sessions[0], 'logout', t0 + MINUTE), true);
        assert.deepEqual(await read(), ['between', sessions[0]]);
        assert.deepEqual(await read(), []);
        await late.query('COMMIT');
        assert.deepEqual(await read(), ['late']);
        assert.equal(await store.apiSessions.end(sessions[1], 'logout', t0 + MINUTE), true);
        await early.query('COMMIT');
        assert.deepEqual(await read(), ['early', sessions[1]]);
        await early.query(`BEGIN; ${add('undone')}; ROLLBACK`);
        assert.deepEqual(await read(), []);
      });
    });
  });

  test('shows every entry to every reader, with any commits meanwhile', async () => {
    const users = await Promise.all(Array.from({ length: 4 }, () => createUser(store)));
    const sessions = await Promise.all(
      Array.from({ length: 80 }, (_, at) => openSession(store, users[at % users.length] as never)),
    );
    const another = await openPostgresStore({ url });
    const from = await store.changes.latest();
    let isEnding = true;
    const follow = async () => {
      const seen: string[] = [];
      for (let [position, isLast] = [from, false]; !isLast; ) {
        isLast = !isEnding;
        const reading = await another.changes.readAfter(position);
        ({ position } = reading);
        seen.push(...reading.changes.map(({ entityId }) => entityId));
      }
      return seen.toSorted();
    };
    const following = [follow(), follow()];
    await Promise.all(
      sessions.map((id, at) => [store, another][at % 2]?.apiSessions.end(id, 'logout', t0 + MINUTE)),
    );
    isEnding = false;
    for (const seen of await Promise.all(following)) assert.deepEqual(seen, sessions.toSorted());
    await another.close();
  });

  test('is followed again after the connection that listens was lost', async () => {
    const user = await createUser(store);
    await query(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    const from = await store.changes.latest();
    const noticed = new EventTarget();
    const stop = store.changes.onChange(async () => {
      const entries = (await store.changes.readAfter(from)).changes;
      if (entries.some(({ entityId }) => entityId === user.id)) noticed.dispatchEvent(new Event('change'));
    });
    const change = once(noticed, 'change');
    const another = await openPostgresStore({ url });
    await another.identities.update(user.id, { tags: {} }, t0);
    await change;
    stop();
    await another.close();
  });
});

describe('an intent', () => {
  test('that decides over several rows runs alone; the frequent ones do not wait for one another', async () => {
    const user = await createUser(store);
    const session = await openSession(store, user);
    const policy = await store.authPolicies.find(asId<AuthPolicyId>('default'));
    assert.ok(policy);
    await withClient(async (other) => {
      await other.query(beginConcurrent);
      const rotated = await store.apiSessions.rotateRefreshToken(rotation(session, 1));
      assert.equal(rotated.outcome, 'rotated');
      const changing = store.authPolicies.update(policy.id, { ...policy, name: 'renamed' }, t0);
      await untilLockIsAwaited();
      assert.equal((await store.authPolicies.find(policy.id))?.name, policy.name);
      await other.query('COMMIT');
      await changing;
    });
  });

  test('of a caller waits for what it changes or relies on, and for nothing else', async () => {
    const [admin, colleague] = [
      await createUser(store, { isAdmin: true }),
      await createUser(store, { isAdmin: true }),
    ];
    const [busy, other] = [await createUser(store), await createUser(store)];
    const ended = await openSession(store, other);
    const actorOf = async (user: typeof admin) => ({
      identityId: user.id,
      sessionId: await openSession(store, user),
      right: 'administrator' as const,
    });
    const ofAdmin = store.onBehalfOf(await actorOf(admin), t0);
    const ofColleague = store.onBehalfOf(await actorOf(colleague), t0);
    const made = newIdentity();
    const held = [`identity:${busy.id}`, `identity:${colleague.id}`, ...namesOf(made.name)];
    await withClient(async (change) => {
      await change.query(beginConcurrent);
      await change.query(holdKeys, [held, held.map(() => false)]);
      await ofAdmin.identities.create(newIdentity(), null, t0);
      assert.equal(await ofAdmin.identities.update(other.id, { tags: { a: 1 } }, t0), true);
      assert.equal(await ofAdmin.apiSessions.end(ended, 'administrator', t0), true);
      assert.equal(await ofAdmin.identities.update(other.id, { disabledAt: t0 }, t0), true);
      assert.equal(await ofAdmin.identities.delete(other.id, t0), true);
      const waiting = [
        ofAdmin.identities.update(busy.id, { tags: { a: 1 } }, t0),
        ofAdmin.identities.create(made, null, t0),
        // The right of a caller may be what the other change takes away.
        ofColleague.identities.create(newIdentity(), null, t0),
      ];
      await untilLockIsAwaited(waiting.length);
      await change.query('COMMIT');
      await Promise.all(waiting);
    });
  });

  /** Holds every transaction of an intent that inserts into a table, before its commit, until the test lets it go. */
  async function heldAtInsert(table: string, intent: () => Promise<unknown>, during: () => Promise<void>) {
    const name = `hold_${table}`;
    await query(
      url,
      `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         PERFORM pg_advisory_xact_lock(77); RETURN NEW;
       END $$;
       CREATE CONSTRAINT TRIGGER ${name} AFTER INSERT ON ${table} DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION ${name}()`,
    );
    await withClient(async (gate) => {
      await gate.query('BEGIN; SELECT pg_advisory_xact_lock(77)');
      const held = intent();
      await untilLockIsAwaited();
      const meanwhile = during();
      await untilLockIsAwaited(2, '');
      await gate.query('COMMIT');
      await Promise.all([held, meanwhile]);
    });
    await query(url, `DROP TRIGGER ${name} ON ${table}; DROP FUNCTION ${name}`);
  }

  for (const [what, takeAway] of [
    ['disables', (id: IdentityId) => store.identities.update(id, { disabledAt: t0 }, t0)],
    ['deletes', (id: IdentityId) => store.identities.delete(id, t0)],
    ['ends all of', (id: IdentityId) => store.apiSessions.endAllOf(id, 'administrator', t0)],
  ] as const) {
    test(`that ${what} an identity also ends the session that a code is just opening`, async () => {
      const user = await createUser(store);
      const redeemed = redemption(await loginWithCode(store, user));
      await heldAtInsert(
        'api_sessions',
        () => store.authRequests.redeemCode(redeemed),
        async () => void (await takeAway(user.id)),
      );
      assert.equal(await isAlive(store, redeemed.session.id), false);
    });

    test(`that ${what} an identity also forgets the login that is just recorded`, async () => {
      const user = await createUser(store);
      let login: Awaited<ReturnType<typeof loginWithCode>> | undefined;
      await heldAtInsert(
        'auth_requests',
        async () => {
          login = await loginWithCode(store, user);
        },
        async () => void (await takeAway(user.id)),
      );
      assert.ok(login);
      assert.equal((await store.authRequests.redeemCode(redemption(login))).outcome, 'refused');
    });
  }

  test('is repeated after collisions, and has one effect', async () => {
    await query(
      url,
      `CREATE SEQUENCE collisions;
       CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('collisions') < 4 THEN RAISE 'collision' USING ERRCODE = '40001'; END IF;
         RETURN NEW;
       END $$;
       CREATE TRIGGER collide BEFORE INSERT ON identities FOR EACH ROW EXECUTE FUNCTION collide()`,
    );
    const identity = newIdentity();
    await store.identities.create(identity, null, t0);
    assert.equal((await store.identities.find(identity.id))?.name, identity.name);
    await query(url, `ALTER SEQUENCE collisions RESTART MINVALUE -1000 START -1000`);
    await query(url, `ALTER SEQUENCE collisions RESTART`);
    await assert.rejects(store.identities.create(newIdentity(), null, t0), StoreUnavailable);
    await query(url, 'DROP TRIGGER collide ON identities');
    await assert.rejects(
      store.identities.create(newIdentity({ name: identity.name }), null, t0),
      (error) => error instanceof AlreadyTaken && error.field === 'name',
    );
  });

  test('is undone whole when a statement fails that COMMIT was sent with, and can be repeated', async () => {
    const login = await loginWithCode(store, await createUser(store));
    await query(
      url,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room' USING ERRCODE = '53100'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON api_sessions FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    await assert.rejects(store.authRequests.redeemCode(redemption(login)), StoreUnavailable);
    await query(url, 'DROP TRIGGER refuse ON api_sessions');
    const redeemed = redemption(login);
    assert.equal((await store.authRequests.redeemCode(redeemed)).outcome, 'redeemed');
    assert.equal(await isAlive(store, redeemed.session.id), true);
  });

  test('and a read continue after another node has changed the tables under their prepared statements', async () => {
    const user = await createUser(store);
    const session = await openSession(store, user);
    assert.notEqual(await store.identities.find(user.id), null);
    await query(url, 'ALTER TABLE identities ADD COLUMN of_a_newer_release TEXT');
    await query(url, 'ALTER TABLE api_sessions ADD COLUMN of_a_newer_release TEXT');
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        assert.notEqual(await store.identities.find(user.id), null);
      }),
    );
    assert.equal((await store.apiSessions.rotateRefreshToken(rotation(session, 1))).outcome, 'rotated');
  });

  test('accepts a text with a NUL, which the server cannot store', async () => {
    assert.equal(await store.identities.findByName(typedName('a\0b')), null);
    const identity = newIdentity({ id: newId(), name: typedName(`${uniqueName()}\0`) });
    await store.identities.create(identity, null, t0);
    assert.equal((await store.identities.find(identity.id))?.name, identity.name.replace('\0', '\ufffd'));
  });

  test('is refused once the store closes', async () => {
    const closing = await openPostgresStore({ url });
    await closing.close();
    await assert.rejects(closing.identities.find(newId()), StoreUnavailable);
    await assert.rejects(closing.identities.create(newIdentity(), null, t0), StoreUnavailable);
  });
});
