// Mails that a mail server does not take: none is lost while it is away, and those that it refuses for good are listed.

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { HOUR, MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { assertRefused, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { withMetrics } from '../support/metrics.ts';
import { startSmtpReceiver, withMail } from '../support/smtp-receiver.ts';
import { serverOfFile } from '../support/test-server.ts';
import { eventually } from '../support/until.ts';

const clock = fixedClock('2026-03-01T12:00:00Z');
const receiver = await startSmtpReceiver();
const { configure, addFiles } = withMail(receiver);
const server = await serverOfFile({
  clock,
  addFiles,
  configure: (yaml) => withMetrics(configure(yaml)),
});
await rootOf(server);
/** The clock of these tests outlives sessions. */
const asRoot = () => loggedIn(server, 'root');
after(() => receiver.close());

const mails = async (state: string) =>
  (await (await asRoot()).get(`mails?state=${state}`)).json.data as readonly {
    readonly id: string;
    readonly to: string;
    readonly about: string;
    readonly attempts: number;
    readonly result: string;
    readonly identity: { readonly id: string; readonly name: string };
  }[];

/** @returns the id of a person to whom a mail with an invitation is queued */
async function invited(name: string): Promise<string> {
  const root = await asRoot();
  const person = { name, type: 'User', email: `${name}@example.com` };
  const id = createdId(await root.call('POST', 'identities', person));
  assert.equal(
    (await root.call('POST', `identities/${id}/invitation`, { send: true, expiresIn: '72h' })).status,
    201,
  );
  return id;
}

/** In a row, noted when an attempt is over. */
const failures = async () =>
  Math.max(0, ...(await server.store.deliveries.backlog()).map(({ failures }) => failures));

const sentTo = (name: string) => receiver.received.filter(({ to }) => to.includes(`${name}@example.com`));

describe('a mail server', () => {
  test('that is away for a day gets every mail, once, when it is back', async () => {
    receiver.refuse({ at: 'connect', code: 421 });
    const names = Array.from({ length: 24 }, (_none, hour) => `hour-${hour}`);
    for (const name of names) {
      const before = await failures();
      clock.advance(HOUR);
      await invited(name);
      await eventually(failures, (now) => now > before);
    }
    assert.equal(receiver.received.length, 0);
    assert.deepEqual(await mails('failed'), []);
    assert.equal((await mails('waiting')).length, names.length);
    receiver.refuse(null);
    clock.advance(HOUR);
    await invited('back');
    await eventually(
      () => mails('waiting'),
      (waiting) => waiting.length === 0,
    );
    for (const name of names) assert.equal(sentTo(name).length, 1, name);
  });

  test('gets every mail at once when the clock, which was hours ahead, is set right', async () => {
    const right = clock.now();
    clock.set(right + 5 * HOUR);
    receiver.refuse({ at: 'connect', code: 421 });
    await invited('ahead');
    await eventually(failures, (now) => now > 0);
    receiver.refuse(null);
    clock.set(right + MINUTE);
    await invited('right');
    await eventually(
      () => mails('waiting'),
      (waiting) => waiting.length === 0,
    );
    for (const name of ['ahead', 'right']) assert.equal(sentTo(name).length, 1, name);
  });

  test('gets a mail whose link leads to a node of which this one has not heard yet', async () => {
    receiver.refuse({ at: 'connect', code: 421 });
    await invited('elsewhere');
    await eventually(failures, (now) => now > 0);
    // What another node writes, before the change feed is read again.
    using database = new DatabaseSync(`${server.home}/overlay.db`, { timeout: 5000 });
    const issuer = 'https://other.example/oidc';
    const addresses = JSON.stringify([{ binding: 'edge-oidc', url: issuer, version: 'v1' }]);
    database.exec(`INSERT INTO nodes (id, name, address, api_addresses, version, created_at, started_at, last_seen_at)
      SELECT 'other', 'other', 'other.example:443', '${addresses}', version, created_at, started_at, last_seen_at FROM nodes;
      UPDATE deliveries SET payload = json_set(payload, '$.issuer', '${issuer}') WHERE state = 'waiting'`);
    receiver.refuse(null);
    clock.advance(10 * MINUTE);
    await invited('wakes');
    await eventually(
      () => mails('waiting'),
      (waiting) => waiting.length === 0,
    );
    const [mail] = sentTo('elsewhere');
    assert.match(String(mail?.text), /https:\/\/other\.example\//);
  });

  test('that refuses a mail for good has it listed, and gets it again', async () => {
    receiver.refuse({ at: 'recipient', code: 550 });
    const id = await invited('typo');
    const other = await invited('other');
    const failed = await eventually(
      () => mails('failed'),
      (found) => found.length === 2,
    );
    const mail = failed.find(({ identity }) => identity.id === id);
    assert.ok(mail);
    assert.deepEqual([mail.to, mail.about, mail.identity.name], ['typo@example.com', 'invitation', 'typo']);
    assert.match(mail.result, /550/);
    assert.doesNotMatch(JSON.stringify(failed), /nonce|invite\?/);
    assert.match(
      (await server.get('/metrics')).text,
      /overlay_auth_deliveries_given_up_total\{kind="mail"\} 2/,
    );

    const root = await asRoot();
    receiver.refuse(null);
    const again = (body: object) => root.call('POST', 'mails/send-again', body);
    assert.deepEqual((await again({ ids: ['unknown'] })).json.data, { replayed: 0 });
    assert.deepEqual((await again({ ids: [mail.id] })).json.data, { replayed: 1 });
    await eventually(
      () => sentTo('typo'),
      (sent) => sent.length === 1,
    );
    assert.equal(sentTo('other').length, 0);
    const filter = encodeURIComponent(`entityId = "${id}" and action = "update"`);
    const { data } = (await root.get(`audit-events?filter=${filter}`)).json;
    assert.ok(
      data.some(({ details }: { details: { fields?: string[] } }) => details.fields?.includes('mail')),
      JSON.stringify(data),
    );
    // A link that opens nothing any more is not sent, and the list says why.
    assert.equal((await root.call('DELETE', `identities/${other}`)).status, 200);
    assert.deepEqual((await again({})).json.data, { replayed: 1 });
    const [gone] = await eventually(
      () => mails('failed'),
      (found) => found.length === 1 && found[0]?.result !== null,
    );
    assert.equal(gone?.identity, null);
    assert.equal(sentTo('other').length, 0);
  });

  test('that refuses a mistyped address gets no mail for it once that was corrected', async () => {
    receiver.refuse({ at: 'recipient', code: 550 });
    const id = await invited('mistyped');
    const failedOf = async () => (await mails('failed')).filter(({ identity }) => identity?.id === id);
    await eventually(failedOf, (found) => found.length === 1);
    const root = await asRoot();
    const change = (email: string) => root.call('PATCH', `identities/${id}`, { email });
    assert.equal((await change('mistaken@example.com')).status, 200);
    // The link is in the mail, and an administrator has it too.
    const both = { send: true, show: true };
    assert.equal((await root.call('POST', `identities/${id}/invitation`, both)).status, 201);
    await eventually(failedOf, (found) => found.length === 2);
    assert.equal((await change('right@example.com')).status, 200);
    receiver.refuse(null);
    await root.call('POST', 'mails/send-again', {});
    const again = await eventually(
      failedOf,
      (found) => found.length === 2 && found.every(({ result }) => !/550/.test(result)),
    );
    const mistaken = again.find(({ to }) => to === 'mistaken@example.com');
    assert.match(mistaken?.result ?? '', /withdrawn, as by a change of the address/);
    assert.deepEqual([...sentTo('mistyped'), ...sentTo('mistaken')], []);
  });

  test('is asked again by administrators only', async () => {
    const root = await asRoot();
    for (const permission of ['read', 'helpdesk']) {
      const id = await server.createUser({ name: permission, password });
      await root.call('PATCH', `identities/${id}`, { permissions: [permission] });
      const caller = await loggedIn(server, permission);
      assert.equal((await caller.get('mails')).status, 200);
      assertRefused(await caller.call('POST', 'mails/send-again', {}), 403, 'FORBIDDEN');
    }
  });
});
