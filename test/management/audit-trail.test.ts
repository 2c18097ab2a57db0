// Administrators can change nothing without a trace, even on a disk that is really full.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { auditLog, keptAudit } from '../../src/explain/audit-trail.ts';
import type { AuditRecord } from '../../src/model/audit-event.ts';
import { DAY, MINUTE } from '../../src/platform/clock.ts';
import { openLogger } from '../../src/platform/log/logger.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { deleteExpired } from '../../src/tasks/expire.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, login, obtainCode, redeem, refresh, submitPassword } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, type Caller, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { fill, smallDisk } from '../support/small-disk.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { eventually } from '../support/until.ts';

interface AuditLine {
  readonly event?: string;
  readonly request?: string;
  readonly requestId?: string;
  readonly byIdentityId?: string;
}

function linesIn(file: string): readonly AuditLine[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as AuditLine);
}

test('a request of an administrator is recorded before it is executed', async (t) => {
  const server = await startTestServer();
  t.after(() => server.close());
  const admin = await rootOf(server);
  const made = await admin.call('POST', 'identities', { name: 'ann', type: 'User', isAdmin: false });
  const { message, fields } = server.log.entries.find(
    ({ fields }) => fields.event === 'admin.requested',
  ) as (typeof server.log.entries)[number];
  assert.equal(message, 'audit');
  assert.equal(fields.request, 'POST /edge/management/v1/identities');
  assert.equal(fields.requestId, made.headers['x-request-id']);
  assert.ok(fields.byIdentityId);
});

describe('the list of audit events', () => {
  const clock = fixedClock('2026-01-01T00:00:00Z');
  let server: TestServer;
  let admin: Caller;
  let annId: string;
  before(async () => {
    server = await startTestServer({ clock, signing: true });
    admin = await rootOf(server);
    annId = await server.createUser({ name: 'ann', password });
  });
  after(() => server.close());

  const list = async (filter: string, by = admin) => {
    const answer = await by.get(`audit-events?filter=${encodeURIComponent(filter)}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json.data;
  };

  test('says who changed what about whom and from where, as soon as the change is answered', async () => {
    const changed = await admin.call('PATCH', `identities/${annId}`, { externalId: 'ann-1' });
    const [event, ...others] = await list(`requestId = "${changed.headers['x-request-id']}"`);
    assert.deepEqual(others, []);
    const { id, byIdentityId, byIdentity, identity, ...rest } = event;
    assert.deepEqual(rest, {
      at: '2026-01-01T00:00:00.000Z',
      event: 'admin.changed',
      action: 'update',
      entity: 'identity',
      entityId: annId,
      identityId: annId,
      requestId: changed.headers['x-request-id'],
      ipAddress: '127.0.0.1',
      issuer: server.issuer,
      changes: [{ field: 'externalId', from: null, to: 'ann-1' }],
      details: { fields: ['externalId'] },
    });
    assert.deepEqual([identity.name, byIdentity.name, byIdentity.id], ['ann', 'root', byIdentityId]);
    assert.deepEqual((await admin.get(`audit-events/${id}`)).json.data, event);
    assertRefused(await admin.get('audit-events/nobody'), 404, 'NOT_FOUND');
  });

  test('says which fields of a managed entity changed, from what and to what', async () => {
    const changesOf = async (answer: Answer) => {
      const [event] = await list(`requestId = "${answer.headers['x-request-id']}"`);
      return event.changes;
    };
    const made = await admin.call('POST', 'config-types', { name: 'host.v1' });
    const path = `config-types/${createdId(made)}`;
    assert.deepEqual(await changesOf(made), [{ field: 'name', from: null, to: 'host.v1' }]);
    const same = await admin.call('PATCH', path, { name: 'host.v1', tags: {} });
    assert.deepEqual(await changesOf(same), []);
    const long = { a: 'x'.repeat(1000), b: 'y' };
    const [change, ...others] = await changesOf(
      await admin.call('PUT', path, { name: 'host.v1', tags: long }),
    );
    assert.deepEqual([change.field, change.from, others], ['tags', {}, []]);
    assert.equal(change.to, `${JSON.stringify(long).slice(0, 1000)}…`, 'long values are cut');
    assert.deepEqual(await changesOf(await admin.call('DELETE', path)), [
      { field: 'name', from: 'host.v1', to: null },
      { field: 'tags', from: change.to, to: null },
    ]);
  });

  test('names actor, entity and the one field, for applications and event subscriptions; no secret', async () => {
    const theEvent = async (answer: Answer) => {
      assert.ok(answer.status < 300, answer.text);
      const [event, ...others] = await list(`requestId = "${answer.headers['x-request-id']}"`);
      const { byIdentity, entity, entityId, action, changes } = event;
      assert.deepEqual([others, byIdentity.name], [[], 'root']);
      return { entity, entityId, action, changes };
    };
    const client = { name: 'Wiki', type: 'confidential', redirectUris: ['https://wiki.example/cb'] };
    const subscription = { name: 'siem', type: 'webhook', url: 'https://siem.example/in', enabled: false };
    const kinds = [
      ['oidc-clients', 'oidc-client', client, { accessTokenDuration: '4m' }],
      ['oidc-clients', 'oidc-client', { ...client, name: 'Git' }, { requirePkce: false }],
      ['oidc-clients', 'oidc-client', { ...client, name: 'Files' }, { name: 'Drive' }],
      ['event-subscriptions', 'event-subscription', subscription, { name: 'siem 2' }],
      [
        'event-subscriptions',
        'event-subscription',
        // Path and query are in no event (event-subscriptions.test.ts).
        { ...subscription, name: 'audit', url: 'https://siem.example' },
        { url: 'https://other.example' },
      ],
    ] as const;
    for (const [collection, entity, body, fields] of kinds) {
      const made = await admin.call('POST', collection, body);
      const entityId = createdId(made);
      const path = `${collection}/${entityId}`;
      const { changes: atFirst, ...head } = await theEvent(made);
      assert.deepEqual(head, { entity, entityId, action: 'create' });
      assert.ok(
        atFirst.some(({ field, to }: { field: string; to: unknown }) => field === 'name' && to === body.name),
      );
      for (const [field, to] of Object.entries(fields)) {
        const was = (await admin.get(path)).json.data[field];
        const { changes, ...changed } = await theEvent(await admin.call('PATCH', path, { [field]: to }));
        assert.deepEqual(changed, { entity, entityId, action: 'update' });
        assert.deepEqual(changes, [{ field, from: was, to }]);
      }
      const given = await admin.call('POST', `${path}/secrets`, {});
      const { changes: ofSecret } = await theEvent(given);
      const { secret } = given.json.data;
      assert.ok(secret.length > 20 && !JSON.stringify(ofSecret).includes(secret), JSON.stringify(ofSecret));
      const { action, changes: last } = await theEvent(await admin.call('DELETE', path));
      assert.equal(action, 'delete');
      assert.ok(!JSON.stringify(last).includes(secret));
    }
  });

  test('is sorted by id as asked, and newest first only if no order is', async () => {
    const idsOf = async (list: string, sort = '') =>
      (await admin.get(`${list}?limit=none${sort}`)).json.data.map(
        ({ id, at }: { id?: string; at: string }) => id ?? at,
      );
    for (let at = 0; at < 2; at += 1) await admin.call('PATCH', `identities/${annId}`, { tags: { at } });
    const newest = await idsOf('audit-events');
    assert.ok(newest.length > 1);
    assert.deepEqual(newest, newest.toSorted().reverse());
    assert.deepEqual(await idsOf('audit-events', '&sort=id'), newest.toReversed());
    assert.deepEqual(await idsOf('audit-events', '&sort=id+desc'), newest);
    assert.deepEqual(
      await idsOf('audit-events', `&filter=${encodeURIComponent('true sort by id')}`),
      newest.toReversed(),
    );
  });

  test('shows what belongs to a person with that person, even when it is gone', async () => {
    const made = await admin.call('POST', 'enrollments', { identityId: annId, method: 'ott' });
    const id = createdId(made);
    clock.advance(MINUTE);
    assert.equal((await admin.call('DELETE', `enrollments/${id}`)).status, 200);
    const events = await list(`identityName = "ann" and entity = "enrollment" and entityId = "${id}"`);
    assert.deepEqual(
      events.map(({ action }: { action: string }) => action),
      ['delete', 'create'],
    );
  });

  test("keeps ends of other people's sessions, but no login, no refresh and no refusal", async () => {
    const before = (await admin.get('audit-events?limit=0')).json.meta.pagination.totalCount;
    const ann = await loggedIn(server, 'ann');
    await submitPassword(server, await beginLogin(server), 'ann', 'wrong');
    assertRefused(await ann.call('PATCH', `identities/${annId}`, { name: 'x' }), 403, 'FORBIDDEN');
    assertRefused(await admin.call('PATCH', 'identities/nobody', { name: 'x' }), 404, 'NOT_FOUND');
    const count = (await admin.get('audit-events?limit=0')).json.meta.pagination.totalCount;
    assert.equal(count, before);
    const [session] = (await admin.get(`identities/${annId}/api-sessions`)).json.data;
    assert.equal((await admin.call('DELETE', `api-sessions/${session.id}`)).status, 200);
    const [ended] = await list('event = "session.ended"');
    assert.deepEqual([ended.identity.name, ended.entityId], ['ann', session.id]);
    assertRefused(await ann.get('audit-events'), 401, 'UNAUTHORIZED');
  });

  test('is for callers with the right to read, and cannot be changed', async () => {
    const bobId = createdId(
      await admin.call('POST', 'identities', { name: 'bob', type: 'User', isAdmin: false }),
    );
    await admin.call('POST', 'authenticators', {
      method: 'updb',
      identityId: bobId,
      username: 'bob',
      password,
    });
    const bob = await loggedIn(server, 'bob');
    assertRefused(await bob.get('audit-events'), 403, 'FORBIDDEN');
    await admin.call('PATCH', `identities/${bobId}`, { permissions: ['read'] });
    assert.ok((await list('entity = "identity"', bob)).length > 0);
    assert.ok(!(await admin.get('audit-events?limit=none')).text.includes(password), 'no secret is kept');
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const path = method === 'POST' ? 'audit-events' : 'audit-events/x';
      assert.equal((await admin.call(method, path, {})).status, 405);
    }
  });

  test('shows a code or token that was used twice with the person whose session it ended', async () => {
    const { refresh_token } = await login(server, 'ann', password);
    assert.equal((await refresh(server, refresh_token)).status, 200);
    clock.advance(MINUTE);
    assert.equal((await refresh(server, refresh_token)).status, 400);
    clock.advance(MINUTE);
    const code = await obtainCode(server, 'ann', password);
    assert.equal((await redeem(server, code)).status, 200);
    assert.equal((await redeem(server, code)).status, 400);
    const events = await list('identityName = "ann" and event in ["refresh.refused", "code.refused"]');
    assert.deepEqual(
      events.map(({ event, details }: { event: string; details: { reason: string } }) => [
        event,
        details.reason,
      ]),
      [
        ['code.refused', 'already-used'],
        ['refresh.refused', 'reused'],
      ],
    );
  });

  function trailOver(append: (records: readonly AuditRecord[]) => Promise<void>) {
    const { log } = server;
    return keptAudit(
      auditLog(log),
      {
        store: { auditEvents: { append } },
        clock,
        random: systemRandom,
        log,
        subscribers: { deliveriesOf: () => [] },
        noticeOf: () => null,
      },
      () => 1000,
    );
  }

  test('an owner cannot push out what others did: each may add only so many an hour', async () => {
    const kept: AuditRecord[] = [];
    const trail = trailOver(async (records) => void kept.push(...records));
    const { log } = server;
    const reused = { event: 'refresh.refused', reason: 'reused', clientId: 'overlay' } as const;
    for (let round = 0; round < 700; round += 1) {
      const sessionId = `session-${round}`;
      trail.record({ ...reused, sessionId, identityId: 'mallory' }, null);
    }
    trail.record({ ...reused, sessionId: 'of ann', identityId: 'ann' }, null);
    trail.record({ event: 'key.rotated', kid: 'k', alg: 'ES256' }, null);
    assert.equal(await trail.kept(), true);
    const of = (identityId: string | null) =>
      kept.filter((record) => record.identityId === identityId).length;
    assert.deepEqual([of('mallory'), of('ann'), of(null)], [600, 1, 1]);
    const lines = log.entries.filter(({ fields }) => fields.identityId === 'mallory');
    assert.equal(lines.length, 700, 'the log has all');
  });

  test('lets a caller wait for the events until then, and not for those that others add meanwhile', async () => {
    const writes: PromiseWithResolvers<void>[] = [];
    const trail = trailOver(() => {
      const write = Promise.withResolvers<void>();
      writes.push(write);
      return write.promise;
    });
    const rotated = { event: 'key.rotated', kid: 'k', alg: 'ES256' } as const;
    const begun = (count: number) =>
      eventually(
        () => writes.length,
        (made) => made === count,
      );
    trail.record(rotated, null);
    const first = trail.kept();
    await begun(1);
    const same = trail.kept();
    trail.record(rotated, null);
    const second = trail.kept();
    writes[0]?.resolve();
    assert.deepEqual(await Promise.all([first, same]), [true, true]);
    await begun(2);
    trail.record(rotated, null);
    const third = trail.kept();
    writes[1]?.reject(new Error('no room'));
    assert.deepEqual(await Promise.all([second, third]), [false, false]);
    const retried = trail.kept();
    await begun(3);
    writes[2]?.resolve();
    assert.equal(await retried, true);
    assert.equal(await trail.kept(), true);
    assert.equal(writes.length, 3);
  });

  test('is deleted when its time is over', async () => {
    const before = (await admin.get('audit-events?limit=0')).json.meta.pagination.totalCount;
    const needs = { store: server.store, clock, keepAttempts: DAY, keepAuditEvents: 2 * DAY };
    await deleteExpired(needs);
    assert.equal((await admin.get('audit-events?limit=0')).json.meta.pagination.totalCount, before);
    assert.ok((await server.store.auditEvents.deleteBefore(clock.now() + 1, 500)) >= before);
    assert.equal((await admin.get('audit-events?limit=0')).json.meta.pagination.totalCount, 0);
  });
});

test('a change whose event cannot be kept is not acknowledged', async (t) => {
  const server = await startTestServer({ threads: 1 });
  t.after(() => server.close());
  const admin = await rootOf(server);
  const { append } = server.store.auditEvents;
  Object.assign(server.store.auditEvents, { append: () => Promise.reject(new Error('no room')) });
  const made = await admin.call('POST', 'identities', { name: 'ann', type: 'User', isAdmin: false });
  assertRefused(made, 503, 'UNAVAILABLE');
  assert.match(made.json.error.message, /change was made/);
  assert.equal(made.headers['retry-after'], undefined, 'nobody is invited to make it twice');
  Object.assign(server.store.auditEvents, { append });
  createdId(await admin.call('POST', 'identities', { name: 'bob', type: 'User', isAdmin: false }));
  const filter = encodeURIComponent('entity = "identity" and action = "create"');
  const { data } = (await admin.get(`audit-events?filter=${filter}`)).json;
  const names = data.map(({ identity }: { identity: { name: string } }) => identity.name);
  assert.deepEqual(names, ['bob', 'ann'], 'what waited is kept as soon as it can be');
});

test('on a full disk the first change is refused too, and everything can be read', async (t) => {
  const disk = smallDisk('1m');
  if (disk === null) return t.skip('only a user who may mount file systems can run this');
  const file = join(disk.folder, 'controller.log');
  const log = openLogger({ level: 'info', format: 'json', to: { file } });
  const server = await startTestServer({ log });
  t.after(async () => {
    await server.close();
    disk.remove();
  });
  const admin = await rootOf(server);
  const id = createdId(await admin.call('POST', 'identities', { name: 'ann', type: 'User', isAdmin: false }));

  const release = fill(disk.folder);
  const change = (round: number) => admin.call('PATCH', `identities/${id}`, { name: `ann ${round}` });
  let [name, refused] = ['ann', 0];
  // The last page of the file has room for a few lines.
  for (let round = 0; refused < 3; round += 1) {
    const answer = await change(round);
    if (answer.status === 200) {
      assert.equal(refused, 0, 'no room comes by itself');
      name = `ann ${round}`;
      const line = readFileSync(file, 'utf8').includes(String(answer.headers['x-request-id']));
      assert.ok(line, 'what was done can be seen when it is answered');
    } else {
      assertRefused(answer, 503, 'UNAVAILABLE');
      assert.match(answer.json.error.message, /audit trail cannot be written/);
      assert.ok(answer.headers['retry-after']);
      refused += 1;
    }
    assert.equal((await admin.get(`identities/${id}`)).json.data.name, name);
  }
  for (const [method, path, body] of [
    ['POST', 'identities', { name: 'bob', type: 'User', isAdmin: true }],
    ['POST', `identities/${id}/disable`, { durationMinutes: 0 }],
    ['DELETE', `identities/${id}`, undefined],
  ] as const) {
    assertRefused(await admin.call(method, path, body), 503, 'UNAVAILABLE');
  }
  const { data } = (await admin.get(`identities/${id}`)).json;
  assert.deepEqual([data.name, data.isAdmin, data.disabled], [name, false, false]);

  release();
  const made = await change(99);
  assert.equal(made.status, 200);
  const asked = linesIn(file).find(
    ({ event, requestId }) => event === 'admin.requested' && requestId === made.headers['x-request-id'],
  );
  assert.equal(asked?.request, `PATCH /edge/management/v1/identities/${id}`);
});
