// How long an operation takes where the database is far away: `npm run assurance -- assurance/distant-database.test.ts`.

import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, test } from 'node:test';
import { callWith, login, obtainCode, refresh } from '../test/support/flow.ts';
import { loggedIn, password } from '../test/support/management.ts';
import { startNode } from '../test/support/nodes.ts';
import { startPostgres } from '../test/support/postgres.ts';

const distances = [0, 10, 40];
const repetitions = 9;

const database = await startPostgres({ unsynced: true });
/** Of one way, in ms. */
let delay = 0;
const wire = createServer((near) => {
  near.setNoDelay(true);
  const far = connect(database.socket);
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
    from.on(
      'data',
      (bytes) => void (delay === 0 ? to.write(bytes) : setTimeout(() => to.write(bytes), delay)),
    );
  }
}).listen(0, '127.0.0.1');
await new Promise((resolve) => wire.once('listening', resolve));
const url = new URL(await database.createDatabase());
url.searchParams.set('host', '127.0.0.1');
url.port = String((wire.address() as AddressInfo).port);
url.searchParams.set('sslmode', 'disable');
const node = await startNode(url.href);
after(async () => {
  await node.server.close();
  wire.close();
  await database.close();
});

async function median(operation: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < repetitions; count += 1) {
    const begun = performance.now();
    await operation();
    times.push(performance.now() - begun);
  }
  return times.sort((one, other) => one - other)[repetitions >> 1] ?? Number.NaN;
}

test('a call waits for no database, however far away that is', async (t) => {
  await node.server.createUser({ name: 'alice', password });
  await node.server.createUser({ name: 'root', password, isAdmin: true });
  const root = await loggedIn(node, 'root');
  let created = 0;
  let tokens = await login(node, 'alice', password);
  const operations: Readonly<Record<string, () => Promise<unknown>>> = {
    'keys and discovery': () => node.get('/oidc/keys'),
    'call of a caller in memory': () =>
      node.get('/auth/verify', { headers: { authorization: `Bearer ${tokens.access_token}` } }),
    'own session': () => callWith(node, tokens.access_token),
    refresh: async () => {
      tokens = { ...tokens, ...(await refresh(node, tokens.refresh_token)).json };
    },
    'login by password, until its code': () => obtainCode(node, 'alice', password),
    'the whole code flow': () => login(node, 'alice', password),
    'page of a list': () => root.get('identities'),
    'identity created by an administrator': () => {
      created += 1;
      const identity = { name: `created-${created}`, type: 'Default', isAdmin: false };
      return root.call('POST', 'identities', identity);
    },
  };
  for (const [name, operation] of Object.entries(operations)) {
    const times: number[] = [];
    for (const distance of distances) {
      delay = distance / 2;
      await operation();
      times.push(await median(operation));
    }
    const [near = 0, , far = 0] = times;
    const roundTrips = Math.max(0, (far - near) / 40);
    t.diagnostic(
      `${name}: ${times.map((time) => time.toFixed(0)).join(', ')} ms, ${roundTrips.toFixed(1)} round trips`,
    );
    if (name === 'call of a caller in memory') assert.ok(roundTrips < 1, `${roundTrips} round trips`);
  }
});
