// Tests at each start that the server does what the service relies on. An engine or a pooler may speak PostgreSQL's
// protocol and only pretend: then a code would work twice, or a session that was ended live on, without any error.

import { once } from 'node:events';
import type pg from 'pg';
import { type Millis, SECOND } from '../../platform/clock.ts';
import { PostgresPoolerError } from '../../platform/network/postgres-pooler.ts';
import { systemRandom } from '../../platform/random.ts';
import { withinTime } from '../../platform/within-time.ts';
import { openClient, type PostgresSettings, readOnlyState, requireLimitsOfRole } from './connection.ts';
import { lockOfTrial } from './locks.ts';

const notificationTime: Millis = 5 * SECOND;

/**
 * Statements may change something, two connections cannot hold the same advisory lock, a notification arrives at one
 * that listens, and behind a pooler the role has its limits.
 * @throws PostgresPoolerError; an error with `readOnlyState`; and what `pg` throws for a server that cannot be reached
 */
export async function proveServer(settings: PostgresSettings): Promise<void> {
  const clients: pg.Client[] = [];
  const connected = async (to: PostgresSettings) => {
    const client = openClient(to);
    clients.push(client);
    await client.connect();
    return client;
  };
  try {
    const [holder, other] = [await connected(settings), await connected(settings)];
    await requireChanges(holder);
    if (settings.isPooled) await requireLimitsOfRole(holder);
    await proveLocks(holder, other);
    if (settings.session !== null) await proveNotifications(await connected(settings.session), other);
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
}

async function requireChanges(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`SELECT current_setting('transaction_read_only') AS is_read_only`);
  if (rows[0]?.is_read_only === 'off') return;
  const message = 'the server lets this user only read: default_transaction_read_only is on';
  throw Object.assign(new Error(message), { code: readOnlyState });
}

async function proveLocks(holder: pg.Client, other: pg.Client): Promise<void> {
  // Of this start alone: several nodes may start at once.
  const lock = lockOfTrial(systemRandom.bytes(4).readInt32BE());
  await holder.query('BEGIN');
  await holder.query(`SELECT pg_advisory_xact_lock(${lock})`);
  const { rows } = await other.query(`SELECT pg_try_advisory_xact_lock(${lock}) AS is_held_twice`);
  await holder.query('ROLLBACK');
  if (rows[0]?.is_held_twice === 0) return;
  throw new PostgresPoolerError(
    'two connections held the same advisory lock at the same time: the URL must name one server, of PostgreSQL itself',
  );
}

async function proveNotifications(listener: pg.Client, other: pg.Client): Promise<void> {
  const channel = `overlay_auth_${systemRandom.bytes(8).toString('hex')}`;
  await listener.query(`LISTEN ${channel}`);
  const notified = withinTime(once(listener, 'notification'), notificationTime, 'no notification').catch(
    () => {
      throw new PostgresPoolerError(
        'no notification arrives at a connection that listens: if this is a pooler in transaction mode, add pooler=transaction to the URL',
      );
    },
  );
  // Together: the listening connection may break before the other one answers.
  await Promise.all([notified, other.query(`SELECT pg_notify('${channel}', '')`)]);
}
