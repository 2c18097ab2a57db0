// Events to where people collect them, as a receiver gets them. Webhooks are verified by the library of Standard Webhooks.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { queueOf } from '../../src/model/delivery.ts';
import { asId, type EventSubscriptionId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { DAY, HOUR, MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { authority, client } from '../support/chains.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin } from '../support/flow.ts';
import { assertRefused, type Caller, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { type ReceivedMessage, startMessageReceiver } from '../support/message-receiver.ts';
import { serverOfFile, startTestServer, usualThreads } from '../support/test-server.ts';
import { eventually } from '../support/until.ts';

// The judge compares with the system's clock.
const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await serverOfFile({ clock });
let root = await rootOf(server);

let loggedInAt = clock.now();
/** The administrator's tokens expire while the clock advances. */
async function asRoot(): Promise<Caller> {
  if (clock.now() - loggedInAt < 20 * MINUTE) return root;
  loggedInAt = clock.now();
  root = await loggedIn(server, 'root');
  return root;
}

const all = { events: ['admin.changed'] } as const;

/** A webhook that is subscribed to its receiver. */
async function subscribed(t: TestContext, fields: Record<string, unknown> = all) {
  const receiver = await startMessageReceiver();
  t.after(() => receiver.close());
  const answer = await (await asRoot()).call('POST', 'event-subscriptions', {
    type: 'webhook',
    url: `${receiver.url}/events?tenant=1`,
    ...fields,
  });
  const id = createdId(answer);
  const path = `event-subscriptions/${id}`;
  t.after(async () => (await asRoot()).call('DELETE', path));
  const secret: string = answer.json.data.secret;
  return {
    ...{ id, path, secret, receiver },
    read: async () => (await (await asRoot()).get(path)).json.data,
    deliveries: async (query = '') => (await (await asRoot()).get(`${path}/deliveries${query}`)).json.data,
  };
}
type Subscribed = Awaited<ReturnType<typeof subscribed>>;

/** Something that an administrator does, which is an event about a configuration type. @returns its id */
async function something(): Promise<string> {
  // Events of one moment have an order only within one thread.
  clock.advance(1);
  return createdId(await (await asRoot()).call('POST', 'config-types', { name: `t ${crypto.randomUUID()}` }));
}

/** While the clock is right, the judge verifies; later it says which signature it expects. */
function verified(secret: string, { headers, body }: ReceivedMessage) {
  const judge = new Webhook(secret);
  if (Math.abs(clock.now() - systemClock.now()) < MINUTE)
    judge.verify(body, headers as Record<string, string>);
  const sentAt = Number(headers['webhook-timestamp']) * SECOND;
  assert.ok(Math.abs(sentAt - clock.now()) < MINUTE);
  const expected = judge.sign(String(headers['webhook-id']), new Date(sentAt), body);
  assert.ok(headers['webhook-signature']?.toString().split(' ').includes(expected));
  return JSON.parse(body) as { type: string; timestamp: string; data: Record<string, unknown> };
}

/** The entities of the received events, without those of the subscription itself. */
function entitiesOf({ receiver }: Subscribed) {
  return receiver.received
    .map(({ body }) => JSON.parse(body).data)
    .filter(({ entity }) => entity !== 'event-subscription')
    .map(({ entityId }) => entityId);
}

const areDelivered = (deliveries: readonly { readonly state: string }[]) =>
  deliveries.every(({ state }) => state === 'delivered');

const untilSent = (of: Subscribed, ids: readonly string[]) =>
  eventually(
    () => entitiesOf(of),
    (found) => ids.every((id) => found.includes(id)),
  );

describe('a webhook', () => {
  test('is signed as Standard Webhooks says, and contains the entry of the audit trail', async (t) => {
    const of = await subscribed(t);
    assert.match(of.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const id = await something();
    await untilSent(of, [id]);
    const message = of.receiver.received.at(-1) as ReceivedMessage;
    assert.deepEqual(
      [message.method, message.path, message.headers['content-type']],
      ['POST', '/events?tenant=1', 'application/json'],
    );
    const { type, timestamp, data } = verified(of.secret, message);
    const {
      identity: _who,
      byIdentity: _by,
      _links,
      ...entry
    } = (await (await asRoot()).get(`audit-events/${message.headers['webhook-id']}`)).json.data;
    assert.deepEqual(data, entry);
    assert.deepEqual([type, timestamp, data.entityId], ['admin.changed', entry.at, id]);
    assert.throws(() => verified(of.secret, { ...message, body: message.body.replace('create', 'delete') }));
    const [delivery] = await eventually(of.deliveries, ([first]) => first.state === 'delivered');
    assert.deepEqual(
      [delivery.id, delivery.event, delivery.attempts, delivery.result],
      [entry.id, 'admin.changed', 1, 'HTTP 200'],
    );
  });

  test('is signed with both secrets while one replaces the other', async (t) => {
    const of = await subscribed(t);
    const rotate = async (overlap: string) =>
      (await asRoot()).call('POST', `${of.path}/secrets`, { overlap });
    const rotated = await rotate('1h');
    assert.equal(rotated.status, 201, rotated.text);
    const { secret, formerSecretUntil } = rotated.json.data;
    assert.equal(formerSecretUntil, new Date(clock.now() + HOUR).toISOString());
    await untilSent(of, [await something()]);
    const both = of.receiver.received.at(-1) as ReceivedMessage;
    for (const each of [of.secret, secret]) assert.equal(verified(each, both).type, 'admin.changed');
    const third = (await rotate('0s')).json.data.secret;
    await untilSent(of, [await something()]);
    const one = of.receiver.received.at(-1) as ReceivedMessage;
    assert.equal(verified(third, one).type, 'admin.changed');
    for (const each of [of.secret, secret]) assert.throws(() => verified(each, one));
    assert.equal(one.headers['webhook-signature']?.toString().split(' ').length, 1);
    assertRefused(await rotate('31d'), 'overlap');
    const text =
      (await (await asRoot()).get(of.path)).text + (await (await asRoot()).get('audit-events')).text;
    for (const each of [of.secret, secret, third]) assert.ok(!text.includes(each));
  });

  const skip = usualThreads > 1 && 'it changes the store of the only thread that it can reach';
  test('is signed with every secret that was shown, even if another one is created at the same moment', {
    skip,
  }, async (t) => {
    const of = await subscribed(t);
    const rotate = () => root.call('POST', `${of.path}/secrets`, { overlap: '1h' });
    const { certPem: clientCertPem, keyPem: clientKey } = client({ issuer: authority() });
    const changes = [rotate, () => root.call('PATCH', of.path, { clientCertPem, clientKey })];
    const { eventSubscriptions } = server.store;
    for (const change of changes) {
      // Sending asks the store too: nothing may be left to send when the change reads the subscription.
      await untilSent(of, [await something()]);
      const { find } = eventSubscriptions;
      let meanwhile = '';
      eventSubscriptions.find = async (id) => {
        const read = await find(id);
        eventSubscriptions.find = find;
        meanwhile = (await rotate()).json.data.secret;
        return read;
      };
      assertRefused(await change(), 412, 'PRECONDITION_FAILED');
      await untilSent(of, [await something()]);
      assert.equal(verified(meanwhile, of.receiver.received.at(-1) as ReceivedMessage).type, 'admin.changed');
      assert.notEqual((await change()).status, 412);
    }
  });

  test('arrives again with the same id, in order, however the receiver fails', async (t) => {
    const of = await subscribed(t);
    await eventually(of.deliveries, (list) => list.length > 0 && areDelivered(list));
    const before = of.receiver.received.length;
    const elsewhere = await startMessageReceiver();
    t.after(() => elsewhere.close());
    of.receiver.answer((response) => response.writeHead(307, { location: elsewhere.url }).end());
    const ids = [await something(), await something()];
    const answers: readonly Parameters<typeof of.receiver.answer>[0][] = [
      ...[301, 400, 404, 410, 500, 503],
      (response) => response.destroy(),
    ];
    for (const answer of answers) {
      await eventually(of.read, ({ failures }) => failures > 0);
      const sent = of.receiver.received.length;
      of.receiver.answer(answer);
      clock.advance(5 * MINUTE);
      ids.push(await something());
      await eventually(
        () => of.receiver.received.length,
        (length) => length > sent,
      );
    }
    assert.equal(elsewhere.received.length, 0, 'no redirect is followed');
    assert.deepEqual(
      new Set(entitiesOf(of).slice(before - 1)),
      new Set([ids[0]]),
      'the others wait for the first',
    );
    assert.equal((await of.read()).waiting, ids.length);
    of.receiver.answer(204);
    clock.advance(5 * MINUTE);
    ids.push(await something());
    await untilSent(of, ids);
    assert.deepEqual(entitiesOf(of).slice(-ids.length), ids);
    const repeated = of.receiver.received.filter(({ body }) => JSON.parse(body).data.entityId === ids[0]);
    assert.ok(repeated.length > 5);
    assert.equal(new Set(repeated.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(repeated.map(({ body }) => body)).size, 1);
    await eventually(of.read, ({ waiting, failures }) => waiting === 0 && failures === 0);
  });
});

test('subscriptions of one host without a name get different names, which they keep', async () => {
  const url = 'https://hooks.example.com/first';
  const create = async () =>
    createdId(await (await asRoot()).call('POST', 'event-subscriptions', { type: 'webhook', url }));
  const nameOf = async (id: string) =>
    (await (await asRoot()).get(`event-subscriptions/${id}`)).json.data.name;
  const ids = [await create(), await create(), await create()];
  assert.deepEqual(await Promise.all(ids.map(nameOf)), [
    'https://hooks.example.com',
    'https://hooks.example.com 2',
    'https://hooks.example.com 3',
  ]);
  const [, second = ''] = ids;
  const changed = { type: 'webhook', url, enabled: false };
  const answer = await (await asRoot()).call('PUT', `event-subscriptions/${second}`, changed);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(await nameOf(second), 'https://hooks.example.com 2');
  for (const id of ids) await (await asRoot()).call('DELETE', `event-subscriptions/${id}`);
});

describe('a receiver', () => {
  test('that takes nothing is quoted before the newest of all that wait for it', async (t) => {
    const of = await subscribed(t);
    of.receiver.answer(503);
    await something();
    await eventually(of.read, ({ failures }) => failures > 0);
    await something();
    await something();
    const [tried, newest, ...older] = await of.deliveries();
    assert.deepEqual([tried.state, tried.result], ['waiting', 'HTTP 503']);
    assert.ok(newest.at > tried.at && older.every(({ at }: { at: string }) => at < newest.at));
    assert.ok(
      older.every(({ id }: { id: string }) => id !== tried.id),
      'once',
    );
    const [one, ...others] = await of.deliveries('?limit=1&state=waiting');
    assert.deepEqual([one.id, others], [tried.id, []]);
    assert.deepEqual(await of.deliveries('?state=failed'), []);
  });

  test('that is away for a day loses nothing, and delays no other', async (t) => {
    const [away, there] = [await subscribed(t), await subscribed(t)];
    away.receiver.answer(503);
    const ids: string[] = [];
    for (let hour = 0; hour < 24; hour += 3) {
      clock.advance(3 * HOUR);
      ids.push(await something());
      await untilSent(there, ids);
    }
    away.receiver.answer(200);
    clock.advance(5 * MINUTE);
    await untilSent(away, ids);
    const arrived = entitiesOf(away).filter((id, at, every) => ids.includes(id) && every.indexOf(id) === at);
    assert.deepEqual(arrived, ids);
  });

  test('that is away for more than three days gets what it missed by a replay', async (t) => {
    const of = await subscribed(t);
    const first = await something();
    await untilSent(of, [first]);
    of.receiver.answer(500);
    const id = await something();
    await eventually(of.read, ({ failures }) => failures > 0);
    clock.advance(3 * DAY + MINUTE);
    const [failed] = await eventually(
      () => of.deliveries('?state=failed'),
      (list) => list.length > 0,
    );
    assert.match(failed.result, /^given up after: HTTP 500$/);
    of.receiver.answer(200);
    const replay = async (body?: object) => (await asRoot()).call('POST', `${of.path}/replay`, body ?? {});
    assert.deepEqual((await replay()).json.data, { replayed: 1 });
    await eventually(
      () => of.receiver.received.at(-1),
      (last) =>
        last !== undefined && JSON.parse(last.body).data.entityId === id && of.receiver.received.length > 2,
    );
    await eventually(of.deliveries, areDelivered);
    // Everything since a time, and by id.
    const count = of.receiver.received.length;
    const since = new Date(clock.now() - 6 * DAY).toISOString();
    const again = (await replay({ since })).json.data.replayed;
    assert.ok(again >= 3);
    await eventually(
      () => of.receiver.received.length,
      (length) => length >= count + again,
    );
    assert.deepEqual((await replay({ ids: [failed.id, 'unknown'] })).json.data, { replayed: 1 });
    await eventually(
      () => of.receiver.received.slice(count + again),
      (later) => later.some(({ headers }) => headers['webhook-id'] === failed.id),
    );
    assert.deepEqual((await replay({ since: new Date(clock.now() + DAY).toISOString() })).json.data, {
      replayed: 0,
    });
    assertRefused(await replay({ ids: ['x'], since }), 400, 'COULD_NOT_VALIDATE');
  });

  test('that objects to one event gets the next ones after an hour, and that one by a replay', async (t) => {
    const of = await subscribed(t);
    const poison = await something();
    let isMended = false;
    of.receiver.answer((response) => {
      const isPoison = of.receiver.received.at(-1)?.body.includes(poison);
      response.writeHead(isPoison && !isMended ? 422 : 200).end();
    });
    const behind = [await something(), await something()];
    const begun = clock.now();
    for (let attempts = 0; !entitiesOf(of).includes(behind[1] ?? ''); attempts += 1) {
      assert.ok(attempts < 40);
      const sent = of.receiver.received.length;
      await eventually(
        async () => {
          clock.advance(MINUTE);
          // Wakes the deliverer, as time would.
          behind.push(await something());
          return of.receiver.received.length;
        },
        (length) => length > sent,
      );
    }
    assert.ok(clock.now() - begun >= 60 * MINUTE, 'order is kept for an hour');
    await untilSent(of, behind);
    const [skipped] = await of.deliveries('?state=failed');
    assert.match(skipped.result, /^skipped after \d+ attempts: HTTP 422$/);
    isMended = true;
    const before = of.receiver.received.length;
    const replayed = await (await asRoot()).call('POST', `${of.path}/replay`, { ids: [skipped.id] });
    assert.deepEqual(replayed.json.data, { replayed: 1 });
    // That of the replay itself comes too, before it or after it.
    await eventually(
      () => of.receiver.received.slice(before),
      (later) => later.some(({ body }) => body.includes(poison)),
    );
  });

  test('gets nothing while its subscription is disabled, and what waited then', async (t) => {
    const of = await subscribed(t);
    of.receiver.answer(503);
    const waited = await something();
    await eventually(of.read, ({ failures }) => failures > 0);
    const enable = async (enabled: boolean) => (await asRoot()).call('PATCH', of.path, { enabled });
    assert.equal((await enable(false)).status, 200);
    of.receiver.answer(200);
    clock.advance(10 * MINUTE);
    const [count, missed] = [of.receiver.received.length, await something()];
    const tested = await (await asRoot()).call('POST', `${of.path}/test`);
    assert.deepEqual(tested.json.data, { isDelivered: true, result: 'HTTP 200' });
    assert.equal(of.receiver.received.length, count + 1, 'the test only');
    assert.equal((await of.read()).waiting, 0, 'it is no backlog');
    await enable(true);
    const later = await something();
    await untilSent(of, [waited, later]);
    assert.ok(!entitiesOf(of).includes(missed));
  });
});

test('a controller that stops waits for one slow answer of a receiver, and leaves the rest to the next start', async (t) => {
  const stopping = await startTestServer({ clock });
  const { home } = stopping;
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const receiver = await startMessageReceiver();
  t.after(() => receiver.close());
  const held: ServerResponse[] = [];
  receiver.answer((response) => held.push(response));
  const admin = await rootOf(stopping);
  const fields = { type: 'webhook', url: `${receiver.url}/events`, ...all };
  createdId(await admin.call('POST', 'event-subscriptions', fields));
  for (const name of ['one', 'two', 'three'])
    createdId(await admin.call('POST', 'config-types', { name: `t ${name}` }));
  // It takes the first one, and the next ones are sent together.
  await receiver.at(0);
  held.shift()?.writeHead(200).end();
  await receiver.at(1);

  const closed = stopping.stop();
  const isListening = () =>
    stopping.get('/version').then(
      () => true,
      () => false,
    );
  await eventually(isListening, (is) => !is);
  receiver.answer(200);
  for (const response of held) response.writeHead(200).end();
  await closed;
  assert.equal(receiver.received.length, 2);

  const again = await startTestServer({ home, clock });
  t.after(() => again.close());
  await receiver.at(3);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  assert.equal(new Set(ids).size, 4, 'each arrives once');
});

test('refused logins delay no event of the audit trail', async (t) => {
  const of = await subscribed(t, { events: ['admin.changed', 'login.refused'] });
  of.receiver.answer((response) => {
    const isRefusal = of.receiver.received.at(-1)?.body.includes('"type":"login.refused"');
    if (!isRefusal) response.writeHead(200).end();
  });
  const authRequest = await beginLogin(server);
  const form = { id: authRequest, username: 'nobody', password: 'wrong wrong wrong' };
  assert.equal((await server.post('/oidc/login/username', { form })).status, 401);
  await eventually(
    () => of.receiver.received,
    (received) => received.some(({ body }) => body.includes('"type":"login.refused"')),
  );
  await untilSent(of, [await something()]);
  of.receiver.answer(200);
});

test('a test is sent at once, signed, and says how it went', async (t) => {
  const of = await subscribed(t, { events: ['key.rotated'] });
  const run = async () => (await (await asRoot()).call('POST', `${of.path}/test`)).json.data;
  assert.deepEqual(await run(), { isDelivered: true, result: 'HTTP 200' });
  assert.equal(verified(of.secret, await of.receiver.at(0)).type, 'test');
  of.receiver.answer(500);
  assert.deepEqual(await run(), { isDelivered: false, result: 'HTTP 500' });
  of.receiver.answer((response) => response.destroy());
  assert.match((await run()).result, /could not be reached/);
  assert.deepEqual(await of.deliveries(), [], 'it is no event');
});

describe('a subscription gets', () => {
  test('the events that it names and that match its filter', async (t) => {
    const cases = [
      [{ events: ['admin.changed'], filter: 'entity = "config-type" and action = "delete"' }, 'delete'],
      [
        {
          events: ['admin.changed'],
          filter: 'not entity in ["event-subscription", "identity"] and byIdentityId != null',
        },
        'both',
      ],
      [{ events: ['key.rotated', 'login.refused'] }, 'none'],
      [{ filter: 'entityId = "0"' }, 'none'],
    ] as const;
    const made = [];
    for (const [fields, expected] of cases) made.push([await subscribed(t, fields), expected] as const);
    const id = await something();
    await (await asRoot()).call('DELETE', `config-types/${id}`);
    const [first] = made;
    assert.ok(first);
    await untilSent(first[0], [id]);
    for (const [of, expected] of made) {
      await eventually(of.deliveries, areDelivered);
      const actions = of.receiver.received.map(({ body }) => JSON.parse(body).data.action);
      const wanted = { delete: ['delete'], both: ['create', 'delete'], none: [] }[expected];
      assert.deepEqual(actions, wanted, expected);
    }
  });

  test('refused logins, without what was typed as a name', async (t) => {
    const of = await subscribed(t, { events: ['login.refused'] });
    const id = await server.createUser({ name: 'ada', password });
    for (const username of ['ada', 'my secret passphrase']) {
      const authRequest = await beginLogin(server);
      const form = { id: authRequest, username, password: 'wrong wrong wrong' };
      assert.equal((await server.post('/oidc/login/username', { form })).status, 401);
    }
    await eventually(
      () => of.receiver.received.length,
      (length) => length === 2,
    );
    const [known, unknown] = of.receiver.received.map((message) => verified(of.secret, message));
    assert.deepEqual(
      [known?.type, known?.data.identityId, known?.data.method, known?.data.reason],
      ['login.refused', id, 'password', 'wrong-password'],
    );
    assert.equal(unknown?.data.identityId, null);
    const attempt = await (await asRoot()).get(`login-attempts/${unknown?.data.requestId}`);
    assert.equal(attempt.status, 200);
    for (const { body } of of.receiver.received) assert.ok(!/secret passphrase|wrong wrong/.test(body));
  });
});

test('of a subscription whose filter this release cannot read, the log says so, and the others get their events', async (t) => {
  const others = await subscribed(t);
  const id = asId<EventSubscriptionId>(crypto.randomUUID());
  const url = 'https://other.example';
  const unread = { id, name: typedName(`newer ${id}`), type: 'webhook', url, filter: 'newer = "x"' } as const;
  const kept = { trustedRoots: null, clientCertPem: null, sealedSecrets: null, secretCreatedAt: null };
  await server.store.eventSubscriptions.create(
    { ...unread, ...kept, enabled: true, events: [], formerSecretUntil: null, tags: {} },
    clock.now(),
  );
  t.after(() => server.store.eventSubscriptions.delete(id, clock.now()));
  await untilSent(others, [await something()]);
  const own = server.log.entries.filter(({ fields }) => fields.subscription === id);
  assert.match(own[0]?.message ?? '', /gets no events.*set another filter/);
  assert.deepEqual(await server.store.deliveries.list(queueOf('event', id), null, 10), []);
});

test('wrong subscriptions are refused by the field', async () => {
  const good = { type: 'webhook', url: 'https://siem.example/in' };
  const cases: readonly (readonly [object, string])[] = [
    [{ ...good, url: 'http://siem.example/in' }, 'url'],
    [{ ...good, url: 'https://user:pw@siem.example/in' }, 'url'],
    [{ ...good, url: 'https://169.254.169.254/latest' }, 'url'],
    [{ ...good, name: 'x', url: '' }, 'url'],
    [{ url: good.url }, 'type'],
    [{ ...good, type: 'email' }, 'type'],
    [{ ...good, events: ['admin.changes'] }, 'events.0'],
    [{ ...good, events: ['login.passed'] }, 'events.0'],
    [{ ...good, filter: 'entity = ' }, 'filter'],
    [{ ...good, filter: 'password = "x"' }, 'filter'],
    [{ ...good, filter: 'true limit 3' }, 'filter'],
    [{ ...good, trustedRoots: 'no certificate' }, 'trustedRoots'],
    [{ ...good, clientKey: 'a key' }, 'clientCertPem'],
    [{ ...good, evnts: [] }, 'evnts'],
  ];
  for (const [body, field] of cases)
    assertRefused(await (await asRoot()).call('POST', 'event-subscriptions', body), field);
  const unknown = { ...good, name: 'x', filter: 'entty = "x"' };
  const { json } = await (await asRoot()).call('POST', 'event-subscriptions', unknown);
  assert.match(json.error.cause.reason, /one of the fields event, action/);
  assert.doesNotMatch(json.error.cause.reason, /invalid_filter/);
});

test('a name that another one has is refused, for a new subscription and for one that exists', async (t) => {
  const caller = await asRoot();
  const subscribe = async (name: string) => {
    const answer = await caller.call('POST', 'event-subscriptions', {
      ...{ name, type: 'webhook', url: 'https://siem.example/in' },
    });
    if (answer.status === 201)
      t.after(() => caller.call('DELETE', `event-subscriptions/${answer.json.data.id}`));
    return answer;
  };
  createdId(await subscribe('first'));
  const second = createdId(await subscribe('second'));
  assertRefused(await subscribe('first'), 'name');
  assertRefused(await caller.call('PATCH', `event-subscriptions/${second}`, { name: 'first' }), 'name');
});

test('a private key beside a certificate is refused, because every reader would see it', async (t) => {
  const of = await subscribed(t);
  const { certPem, keyPem } = authority();
  const both = `${certPem}\n${keyPem}`;
  const webhook = { type: 'webhook', url: 'https://siem.example/in' };
  const signer = { name: 'keyed', issuer: 'https://idp.example', audience: 'overlay', enabled: true };
  const cases: readonly (readonly [method: string, path: string, body: object, field: string])[] = [
    ['POST', 'event-subscriptions', { ...webhook, trustedRoots: both }, 'trustedRoots'],
    ['POST', 'event-subscriptions', { ...webhook, clientCertPem: both, clientKey: keyPem }, 'clientCertPem'],
    ['PATCH', of.path, { clientCertPem: both, clientKey: keyPem }, 'clientCertPem'],
    ['POST', 'external-jwt-signers', { ...signer, certPem: both }, 'certPem'],
    ['POST', 'cas', { name: 'keyed', certPem: both }, 'certPem'],
    ['POST', 'cas', { name: 'keyed', certPem, revocation: { crlPem: both } }, 'revocation.crlPem'],
  ];
  const admin = await asRoot();
  for (const [method, path, body, field] of cases) {
    const answer = await admin.call(method, path, body);
    assertRefused(answer, field);
    assert.match(answer.text, /must not contain a private key/);
    assert.doesNotMatch(answer.text, /PRIVATE KEY-----/);
  }
  const state = { 'event-subscription': [{ name: 'applied', ...webhook, trustedRoots: both }] };
  assertRefused(await admin.call('POST', 'state', { state }), 400, 'COULD_NOT_VALIDATE');
});

test('a caller who may read sees them without secrets', async (t) => {
  const of = await subscribed(t);
  const readerId = await server.createUser({ name: 'reader', password });
  await (await asRoot()).call('PATCH', `identities/${readerId}`, { permissions: ['read'] });
  const reader = await loggedIn(server, 'reader');
  for (const path of ['event-subscriptions', of.path, `${of.path}/deliveries`]) {
    const answer = await reader.get(path);
    assert.equal(answer.status, 200);
    assert.ok(!/whsec|sealed|secret"/i.test(answer.text), answer.text);
  }
});

test('path and query of the address, which may be a secret, are seen by those who may change it', async (t) => {
  const readerId = await server.createUser({ name: 'watcher', password });
  await (await asRoot()).call('PATCH', `identities/${readerId}`, { permissions: ['helpdesk'] });
  const reader = await loggedIn(server, 'watcher');
  const watching = await subscribed(t);
  const of = await subscribed(t);
  const address = (token: string) => `${of.receiver.url}/services/${token}?tenant=1`;
  const admin = await asRoot();
  const whole = { ...(await of.read()), url: address('T0K3N') };
  assert.equal((await admin.call('PUT', of.path, whole)).status, 200);
  assert.equal((await admin.call('PATCH', of.path, { url: address('T0K4N') })).status, 200);
  assert.equal((await of.read()).url, address('T0K4N'));
  assert.ok((await admin.get('state?kinds=event-subscription')).text.includes(address('T0K4N')));

  const { data } = (await reader.get(of.path)).json;
  assert.deepEqual([data.url, data.name], [of.receiver.url, of.receiver.url]);
  const filter = encodeURIComponent(`entityId = "${of.id}"`);
  const lists = ['event-subscriptions', 'state?kinds=event-subscription', `audit-events?filter=${filter}`];
  for (const path of [...lists, of.path]) {
    const { status, text } = await reader.get(path);
    assert.equal(status, 200);
    assert.ok(text.includes(of.receiver.url), path);
    assert.doesNotMatch(text, /T0K[34]N|tenant/, path);
  }
  for (const query of ['filter=url%20contains%20%22T0K%22', 'sort=url'])
    assertRefused(await reader.get(`event-subscriptions?${query}`), 400, 'INVALID_FILTER');
  await untilSent(watching, [await something()]);
  const sent = watching.receiver.received.map(({ body }) => body).join();
  assert.ok(sent.includes(of.receiver.url));
  assert.doesNotMatch(sent + JSON.stringify(server.log.entries), /T0K[34]N|tenant/);
});
