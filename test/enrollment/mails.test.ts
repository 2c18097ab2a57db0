// Mails to people: invitations, forgotten passwords, notices, at a real mail server.

import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { sourceLimits } from '../../src/login/throttle.ts';
import { queueOf } from '../../src/model/delivery.ts';
import { defaultAuthPolicyId } from '../../src/model/ids.ts';
import { mailServer } from '../../src/model/mail.ts';
import { HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { overlayRoot } from '../support/certificates.ts';
import { client as clientCertificate } from '../support/chains.ts';
import { createPolicy } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, login } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, type Caller, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { addOwn } from '../support/passkeys.ts';
import { type ReceivedMail, startSmtpReceiver, withMail } from '../support/smtp-receiver.ts';
import { serverOfFile, startTestServer, usualThreads } from '../support/test-server.ts';
import { scan } from '../support/totp.ts';

const chosen = 'eleven loud umbrellas';
const clock = fixedClock('2026-03-01T12:00:00Z');
const receiver = await startSmtpReceiver();
const { configure, addFiles } = withMail(receiver);
const server = await serverOfFile({
  clock,
  addFiles,
  configure: (yaml) => configure(yaml).replace('accessTokenDuration: 30m', 'accessTokenDuration: 20h'),
});
const admin = await rootOf(server);
after(() => receiver.close());

// All tests ask from one source.
beforeEach(() => server.store.attempts.clear(sourceLimits('reset', '127.0.0.1').map(({ key }) => key)));

let count = 0;
interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

async function newPerson(more: object = {}): Promise<Person> {
  count += 1;
  const name = `person ${count}`;
  const email = `person${count}@example.com`;
  const body = { name, type: 'User', email, emailVerified: true, ...more };
  return { name, email, id: createdId(await admin.call('POST', 'identities', body)) };
}

async function withPassword(more: object = {}, secret = chosen): Promise<Person> {
  const person = await newPerson(more);
  const link = await admin.call('POST', `identities/${person.id}/invitation`, {});
  assert.equal((await use(link.json.data.url, secret)).status, 200);
  return person;
}

const taken = new Set<ReceivedMail>();

/** The next mail to the person, as soon as it is there. */
async function mailTo({ email }: Pick<Person, 'email'>, subject = /./): Promise<ReceivedMail> {
  for (let at = 0; ; at += 1) {
    const mail = await receiver.at(at);
    if (taken.has(mail) || !mail.to.includes(email) || !subject.test(mail.subject)) continue;
    taken.add(mail);
    return mail;
  }
}

const untaken = ({ email }: Pick<Person, 'email'>) =>
  receiver.received.filter(
    (mail) => mail.to.includes(email) && !taken.has(mail) && !/^Your password was/.test(mail.subject),
  );

const tokenOf = (url: string) => new URL(url).searchParams.get('t') ?? '';

function open(url: string): Promise<Answer> {
  return server.get(url.slice(server.url.length), { headers: { accept: 'text/html' } });
}

function use(url: string, secret = chosen): Promise<Answer> {
  const form = { t: tokenOf(url), password: secret, repeated: secret };
  return server.post('/invite', { form, headers: { accept: 'text/html' } });
}

function ask(name: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return server.post('/forgotten', { form: { name }, headers: { accept: 'text/html', ...headers } });
}

describe('an invitation by mail', () => {
  test('brings the link to the person alone, and verifies the address', async () => {
    const person = await newPerson({ emailVerified: false });
    const invited = await admin.call('POST', `identities/${person.id}/invitation`, { send: true });
    assert.equal(invited.status, 201, invited.text);
    const { sentTo, ...rest } = invited.json.data;
    assert.equal(sentTo, person.email);
    assert.deepEqual(Object.keys(rest), ['expiresAt']);
    const mail = await mailTo(person);
    assert.equal(mail.subject, 'Your access to Overlay');
    assert.ok(mail.isEncrypted);
    const [link = ''] = mail.links;
    assert.ok(link.startsWith(`${server.url}/invite?t=`), mail.text);
    assert.ok(mail.html.includes(`href="${link.replace('&', '&amp;')}"`), mail.html);
    assert.doesNotMatch(JSON.stringify(server.log.entries), new RegExp(tokenOf(link)));
    // Programs that look at links do not use them up.
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      await server.request(method, link.slice(server.url.length));
    assert.equal((await use(link)).status, 200);
    await login(server, person.name, chosen);
    const { emailVerified } = (await admin.get(`identities/${person.id}`)).json.data;
    assert.equal(emailVerified, true);
    assert.equal((await use(link)).status, 404);
  });

  test('ends with the address that it went to: a wrong recipient cannot choose a password', async () => {
    const person = await newPerson();
    const invite = () => admin.call('POST', `identities/${person.id}/invitation`, { send: true });
    assert.equal((await invite()).status, 201);
    const [mistaken = ''] = (await mailTo(person)).links;
    const correct = (email: string | null) => admin.call('PATCH', `identities/${person.id}`, { email });
    assert.equal((await admin.call('PATCH', `identities/${person.id}`, { tags: { a: 'b' } })).status, 200);
    assert.equal((await open(mistaken)).status, 200);
    assert.equal((await correct('right@example.com')).status, 200);
    for (const look of [open, use]) assert.equal((await look(mistaken)).status, 404);
    await assert.rejects(login(server, person.name, chosen));

    // One that was also shown to the administrator verifies no address, and ends in the mail and on the screen.
    const both = await admin.call('POST', `identities/${person.id}/invitation`, { send: true, show: true });
    const [sent = ''] = (await mailTo({ email: 'right@example.com' })).links;
    assert.equal(sent, both.json.data.url);
    assert.equal((await correct('other@example.com')).status, 200);
    for (const look of [open, use]) assert.equal((await look(sent)).status, 404);

    // One that is handed over does not depend on the address.
    const shown = await admin.call('POST', `identities/${person.id}/invitation`, {});
    assert.equal((await correct('righter@example.com')).status, 200);
    assert.equal((await open(shown.json.data.url)).status, 200);
    assert.equal((await invite()).status, 201);
    const [last = ''] = (await mailTo({ email: 'righter@example.com' })).links;
    assert.equal((await correct(null)).status, 200);
    assert.equal((await use(last)).status, 404);
  });
});

const mailQueue = queueOf('mail', mailServer);

/** Resolves when nothing that was asked for is still to be looked up. */
async function lookedUp(): Promise<void> {
  for (;;) {
    const backlog = await server.store.deliveries.backlog();
    if (!backlog.some(({ queue }) => queue.startsWith('reset:'))) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Notes what the request itself has the store do; it can do no more (`askForReset`). @returns ends it */
function recordingStore(asked: string[]): () => void {
  const { attempts, deliveries } = server.store;
  const { count: counted } = attempts;
  const { add } = deliveries;
  attempts.count = (limits, failures, now) => {
    // Of an identity, which is counted when it has been looked up.
    if (limits.length > 1) asked.push(`count ${limits.length} ${failures}`);
    return counted(limits, failures, now);
  };
  deliveries.add = (delivery, now) => {
    if (delivery.kind === 'reset') asked.push('add');
    return add(delivery, now);
  };
  return () => {
    attempts.count = counted;
    deliveries.add = add;
  };
}

/** The link of the mail that the person gets for a forgotten password. */
async function resetLinkOf(person: Person, name = person.name): Promise<string> {
  assert.equal((await ask(name)).status, 200);
  const [link = ''] = (await mailTo(person, /Choose a new password/)).links;
  assert.ok(link.startsWith(`${server.url}/invite?t=`), link);
  return link;
}

describe('a forgotten password', () => {
  test('is replaced with the link of a mail, once, and ends every session', async () => {
    const person = await withPassword();
    const before = await login(server, person.name, chosen);
    const link = await resetLinkOf(person);
    for (const method of ['GET', 'HEAD']) await server.request(method, link.slice(server.url.length));
    const shown = await open(link);
    assert.equal(shown.status, 200);
    assert.match(shown.text, /You asked for this link/);
    assert.doesNotMatch(shown.text, /data-passkey="new"/);
    assert.equal((await use(link, 'twelve loud umbrellas')).status, 200);
    await login(server, person.name, 'twelve loud umbrellas');
    await assert.rejects(login(server, person.name, chosen));
    const headers = { authorization: `Bearer ${before.access_token}` };
    assert.equal((await server.get('/edge/client/v1/current-identity', { headers })).status, 401);
    for (const dead of [await open(link), await use(link, 'thirteen loud umbrellas')]) {
      assert.equal(dead.status, 404);
      assert.match(dead.text, /href="\/forgotten"/);
    }
  });

  test('is asked for by verified address too, in any case, and the mail goes to the stored one', async () => {
    const person = await withPassword();
    await resetLinkOf(person, person.email.toUpperCase());
    const email = 'j\u00fcrgen@example.com';
    const composed = await withPassword({ email: email.normalize('NFD') });
    assert.equal((await admin.get(`identities/${composed.id}`)).json.data.email, email);
    await resetLinkOf({ ...composed, email }, email);
  });

  test('is asked for by verified address also where that is the user name of another person', async () => {
    const person = await withPassword();
    const namesake = await withPassword({ name: person.email });
    await resetLinkOf(person, person.email);
    await mailTo(namesake, /Choose a new password/);
    await withPassword({ name: 'own@example.com', email: 'own@example.com' });
    await ask('own@example.com');
    await lookedUp();
    const queued = await server.store.deliveries.list(mailQueue, null, 1000);
    const toOwn = queued.filter(
      ({ payload: { to, matter } }) => to === 'own@example.com' && matter.kind === 'reset',
    );
    assert.equal(toOwn.length, 1);
  });

  test('is asked for by verified address, however many have it who could get no mail', async () => {
    const person = await withPassword();
    for (let others = 0; others < 6; others += 1) await newPerson({ email: person.email });
    await ask(person.email);
    await lookedUp();
    const queued = await server.store.deliveries.list(mailQueue, null, 1000);
    const resets = queued.filter(({ payload }) => payload.matter.kind === 'reset');
    assert.equal(resets.filter(({ payload: { to } }) => to === person.email).length, 1);
  });

  const skip = usualThreads > 1 && 'it records the store of the only thread that it can reach';
  test('gives the same answer for every name, after the same work', { skip }, async () => {
    const person = await withPassword();
    const disabled = await withPassword();
    await admin.call('POST', `identities/${disabled.id}/disable`, {});
    const names = [
      person.name,
      disabled.name,
      'nobody',
      'nobody@example.com',
      person.email,
      ' ',
      'x'.repeat(256),
    ];
    const bodies = new Set<string>();
    const work = new Set<string>();
    for (const name of names) {
      const asked: string[] = [];
      const undo = recordingStore(asked);
      const answer = await ask(name);
      undo();
      assert.equal(answer.status, 200, name);
      bodies.add(answer.text);
      work.add(asked.join(' '));
    }
    assert.equal(bodies.size, 1);
    assert.equal(work.size, 1, [...work].join('\n'));
  });

  test('brings no mail to an address that is not verified, to a person without a password, or to an administrator', async () => {
    const passwordless = await newPerson();
    const unverified = await withPassword();
    await admin.call('PATCH', `identities/${unverified.id}`, { emailVerified: false });
    const disabled = await withPassword();
    await admin.call('POST', `identities/${disabled.id}/disable`, {});
    const admins = await withPassword();
    await admin.call('PATCH', `identities/${admins.id}`, { isAdmin: true });
    const helper = await withPassword();
    await admin.call('PATCH', `identities/${helper.id}`, { permissions: ['helpdesk'] });
    const noPassword = await withPassword();
    const policy = await createPolicy(server, 'passkeys only', {
      primary: {
        updb: {
          ...((await server.store.authPolicies.find(defaultAuthPolicyId)) ?? assert.fail()).primary.updb,
          allowed: false,
        },
      },
    });
    await admin.call('PATCH', `identities/${noPassword.id}`, { authPolicyId: policy });
    const without = [passwordless, unverified, disabled, admins, helper, noPassword];
    for (const { name, email } of without) {
      for (const asked of [name, email]) assert.equal((await ask(asked)).status, 200);
    }
    await lookedUp();
    const queued = await server.store.deliveries.list(mailQueue, null, 1000);
    for (const { id, name } of without) {
      assert.ok(
        !queued.some(({ payload }) => payload.identityId === id && payload.matter.kind === 'reset'),
        name,
      );
    }
  });

  test('has a link that ends with the password, the address, its time, and what the account may', async () => {
    const others: readonly (readonly [string, (person: Person) => Promise<unknown>])[] = [
      [
        'another password',
        (person) =>
          admin
            .call('POST', `identities/${person.id}/invitation`, {})
            .then(({ json }) => use(json.data.url, 'twelve loud umbrellas')),
      ],
      [
        'another address',
        (person) =>
          admin.call('PATCH', `identities/${person.id}`, { email: 'other@example.com', emailVerified: true }),
      ],
      [
        'an address that is no longer verified',
        (person) => admin.call('PATCH', `identities/${person.id}`, { emailVerified: false }),
      ],
      ['disabled', (person) => admin.call('POST', `identities/${person.id}/disable`, {})],
      [
        'disabled, also once it is enabled again',
        async (person) => {
          clock.advance(SECOND);
          await admin.call('POST', `identities/${person.id}/disable`, {});
          await admin.call('POST', `identities/${person.id}/enable`);
        },
      ],
      ['an administrator now', (person) => admin.call('PATCH', `identities/${person.id}`, { isAdmin: true })],
      ['deleted', (person) => admin.call('DELETE', `identities/${person.id}`)],
    ];
    for (const [about, change] of others) {
      const person = await withPassword();
      const link = await resetLinkOf(person);
      assert.equal((await open(link)).status, 200);
      await change(person);
      assert.equal((await open(link)).status, 404, about);
      assert.equal((await use(link, 'thirteen loud umbrellas')).status, 404, about);
      await assert.rejects(login(server, person.name, 'thirteen loud umbrellas'), about);
    }
    const person = await withPassword();
    const link = await resetLinkOf(person);
    clock.advance(30 * MINUTE);
    assert.equal((await use(link, 'thirteen loud umbrellas')).status, 410);
    for (const at of [0, 40, 200]) {
      const token = tokenOf(link);
      const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
      assert.equal((await open(`${server.url}/invite?t=${changed}`)).status, 404);
    }
  });

  test('lets exactly one of several uses of a link through', async () => {
    const person = await withPassword();
    const link = await resetLinkOf(person);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_none, at) => use(link, `loud umbrellas ${at} x`)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404]);
  });

  test('leaves second factors as they are, and the next login asks for them', async () => {
    const policy = await createPolicy(server, 'with totp', { secondary: { requireTotp: true } });
    const person = await withPassword();
    await admin.call('PATCH', `identities/${person.id}`, { authPolicyId: policy });
    const link = await resetLinkOf(person);
    assert.equal((await use(link, 'twelve loud umbrellas')).status, 200);
    await assert.rejects(login(server, person.name, 'twelve loud umbrellas'), /TOTP|queries|302|200/);
  });

  test('does not end an invitation that an administrator made', async () => {
    const person = await withPassword();
    const invited = await admin.call('POST', `identities/${person.id}/invitation`, {});
    await resetLinkOf(person);
    assert.equal((await open(invited.json.data.url)).status, 200);
  });

  test('brings three mails an hour to a person, however many sources ask, under all of their names', async () => {
    const person = await withPassword();
    clock.advance(HOUR);
    for (let round = 0; round < 5; round += 1) {
      for (const name of [person.name, person.email, ` ${person.name.toUpperCase()} `])
        assert.equal((await ask(name)).status, 200);
      clock.advance(10 * SECOND);
    }
    await lookedUp();
    const queued = await server.store.deliveries.list(mailQueue, null, 1000);
    const { length } = queued.filter(
      ({ payload }) => payload.identityId === person.id && payload.matter.kind === 'reset',
    );
    assert.equal(length, 3);
  });

  test('is refused to a source that asks for many people, and to a page of another site', async () => {
    clock.advance(HOUR);
    const statuses: number[] = [];
    for (let at = 0; at < 25; at += 1) statuses.push((await ask(`many ${at}`)).status);
    assert.deepEqual(statuses.slice(0, 20), Array(20).fill(200));
    assert.ok(
      statuses.slice(21).every((status) => status === 429),
      statuses.join(),
    );
    clock.advance(HOUR);
    const person = await withPassword();
    const foreign = [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ];
    for (const headers of foreign) assert.equal((await ask(person.name, headers)).status, 403);
    const host = await server.post('/forgotten', {
      form: { name: person.name },
      headers: { host: 'evil.example' },
    });
    assert.equal(host.status, 421);
    await lookedUp();
    assert.deepEqual(
      untaken(person).map(({ subject }) => subject),
      [],
    );
  });

  test('keeps nothing in the database that opens anything, and no secret in the log', async () => {
    const person = await withPassword();
    const link = await resetLinkOf(person);
    const stored = JSON.stringify(await server.store.deliveries.list(mailQueue, null, 1000));
    for (const text of [stored, JSON.stringify(server.log.entries)])
      assert.ok(!text.includes(tokenOf(link).slice(40, 80)));
  });

  test('is explained to administrators', async () => {
    const person = await withPassword();
    await admin.call('PATCH', `identities/${person.id}`, { emailVerified: false });
    const answer = await ask(person.name);
    await lookedUp();
    const attempt = await admin.get(`login-attempts/${answer.headers['x-request-id']}`);
    assert.equal(attempt.status, 200, attempt.text);
    assert.match(attempt.text, /reset-unverified/);
  });
});

const passwordChanged = /^Your password was changed – Overlay$/;
const ownApi = '/edge/client/v1/current-identity';

/** What was queued for the person, by kind of notice. */
async function noticesTo({ id }: Person): Promise<readonly string[]> {
  const queued = await server.store.deliveries.list(mailQueue, null, 1000);
  return queued.flatMap(({ payload: { identityId, matter } }) =>
    identityId === id && matter.kind === 'notice' ? [matter.notice] : [],
  );
}

/** A person whose first password was announced, an hour later. */
async function announced(): Promise<Person & { readonly own: Caller }> {
  const person = await withPassword({}, password);
  await mailTo(person, passwordChanged);
  clock.advance(HOUR);
  return { ...person, own: await loggedIn(server, person.name) };
}

describe('a notice', () => {
  test('tells the person of each change of what opens the account, without a link', async () => {
    const authenticator = async (person: Person, method: string) => {
      const { data } = (await admin.get(`identities/${person.id}/authenticators`)).json;
      return data.find((one: { method: string }) => one.method === method).id;
    };
    const changes: readonly (readonly [RegExp, (person: Person & { readonly own: Caller }) => unknown])[] = [
      [
        passwordChanged,
        async (person) => {
          const path = `${ownApi}/authenticators/${await authenticator(person, 'updb')}`;
          return person.own.call('PATCH', path, { currentPassword: password, password: chosen });
        },
      ],
      [passwordChanged, async (person) => use(await resetLinkOf(person))],
      [
        passwordChanged,
        async (person) =>
          admin.call('PATCH', `authenticators/${await authenticator(person, 'updb')}`, { password: chosen }),
      ],
      [
        /^Your password was removed/,
        async (person) => admin.call('DELETE', `authenticators/${await authenticator(person, 'updb')}`),
      ],
      [
        /^An authenticator app was added/,
        async ({ own }) => {
          await own.call('POST', `${ownApi}/mfa`);
          const { provisioningUrl } = (await own.get(`${ownApi}/mfa`)).json.data;
          return own.call('POST', `${ownApi}/mfa/verify`, { code: scan(clock, provisioningUrl).code() });
        },
      ],
      [
        /^Your authenticator app was removed/,
        async ({ own, id }) => {
          await own.call('POST', `${ownApi}/mfa`);
          const { provisioningUrl } = (await own.get(`${ownApi}/mfa`)).json.data;
          await own.call('POST', `${ownApi}/mfa/verify`, { code: scan(clock, provisioningUrl).code() });
          return admin.call('DELETE', `identities/${id}/mfa`);
        },
      ],
      [/^A passkey was added/, ({ own }) => addOwn(own, new SoftAuthenticator(server.url))],
      [
        /^A passkey was removed/,
        async ({ own, id }) => {
          const passkey = await addOwn(own, new SoftAuthenticator(server.url));
          return admin.call('DELETE', `identities/${id}/passkeys/${passkey.id}`);
        },
      ],
      [/^A certificate was added/, ({ id }) => addCertificate(id)],
      [
        /^A certificate was removed/,
        async (person) => {
          await addCertificate(person.id);
          return admin.call('DELETE', `authenticators/${await authenticator(person, 'cert')}`);
        },
      ],
    ];
    for (const [subject, change] of changes) {
      const person = await announced();
      await change(person);
      const mail = await mailTo(person, subject);
      assert.deepEqual(mail.links, [], mail.text);
      assert.doesNotMatch(mail.raw, /href=|eleven|seven quiet/);
      assert.match(mail.text, /When: .* UTC/);
    }
  });

  test('is sent three times an hour for each kind, and names the source only of what the person did', async () => {
    const { own, ...person } = await announced();
    const change = async (secret: string) => {
      const { data } = (await admin.get(`identities/${person.id}/authenticators`)).json;
      const answer = await admin.call('PATCH', `authenticators/${data[0].id}`, { password: secret });
      assert.equal(answer.status, 200, answer.text);
    };
    for (const at of [1, 2, 3, 4]) await change(`loud umbrellas ${at} x`);
    for (let nth = 1; nth <= 3; nth += 1)
      assert.doesNotMatch((await mailTo(person, passwordChanged)).text, /127\.0\.0\.1/);
    assert.equal((await noticesTo(person)).length, 1 + 3);
    // A stranger who takes the address over may not hide what follows, from its owner or from another address.
    const moved = { email: `moved.${person.email}`, emailVerified: true };
    assert.equal((await admin.call('PATCH', `identities/${person.id}`, moved)).status, 200);
    await change('loud umbrellas 5 x');
    assert.equal((await noticesTo(person)).length, 1 + 3 + 2);
    const back = { email: person.email, emailVerified: true };
    assert.equal((await admin.call('PATCH', `identities/${person.id}`, back)).status, 200);
    clock.advance(HOUR);
    const link = (await admin.call('POST', `identities/${person.id}/invitation`, {})).json.data.url;
    assert.equal((await use(link)).status, 200);
    assert.match((await mailTo(person, passwordChanged)).text, /From the address: 127\.0\.0\.1/);
  });

  test('of another address goes to the one before it, if that was verified', async () => {
    const addressChanged = /^Your email address was changed – Overlay$/;
    const changes = [
      { email: 'thief1@example.com' },
      { email: 'thief2@example.com', emailVerified: true },
      { email: null },
      { emailVerified: false },
    ];
    for (const change of changes) {
      const person = await announced();
      const edit = async (fields: object) =>
        assert.equal((await admin.call('PATCH', `identities/${person.id}`, fields)).status, 200);
      await edit(change);
      const mail = await mailTo(person, addressChanged);
      assert.deepEqual(mail.links, []);
      for (const fields of [{ email: person.email, emailVerified: true }, change]) await edit(fields);
      const notices = (await noticesTo(person)).filter((kind) => kind === 'email-changed');
      assert.equal(notices.length, 'email' in change && 'emailVerified' in change ? 3 : 2);
    }
    const unverified = await withPassword({ emailVerified: false });
    const none = await withPassword({ email: null, emailVerified: false });
    for (const { id } of [unverified, none])
      await admin.call('PATCH', `identities/${id}`, { email: 'thief3@example.com', emailVerified: true });
    for (const each of [unverified, none]) assert.deepEqual(await noticesTo(each), []);
  });

  test('goes to no address that is not verified, and to no person where they are turned off', async (t) => {
    const unverified = await withPassword({ emailVerified: false });
    const renamed = await withPassword();
    const { data } = (await admin.get(`identities/${renamed.id}/authenticators`)).json;
    await admin.call('PATCH', `authenticators/${data[0].id}`, { username: 'of another name' });
    assert.deepEqual(await noticesTo(unverified), []);
    assert.deepEqual(await noticesTo(renamed), ['password-changed']);
    const quiet = await startTestServer(withMail(receiver, '  notices: false\n'));
    t.after(() => quiet.close());
    const root = await rootOf(quiet);
    const body = { name: 'ada', type: 'User', email: 'ada@example.com', emailVerified: true };
    const id = createdId(await root.call('POST', 'identities', body));
    const more = { method: 'updb', identityId: id, username: 'ada', password: chosen };
    createdId(await root.call('POST', 'authenticators', more));
    assert.deepEqual(await quiet.store.deliveries.list(mailQueue, null, 10), []);
  });
});

/** Adds a certificate, as an administrator. */
async function addCertificate(identityId: string): Promise<Answer> {
  const { certPem } = clientCertificate({ issuer: await overlayRoot() });
  return admin.call('POST', 'authenticators', { method: 'cert', identityId, certPem });
}

describe('without a mail server, or where it is turned off,', () => {
  test('no person is offered a mail, and an invitation by mail is refused', async (t) => {
    const off = '  passwordReset: { allowed: false }\n';
    for (const options of [{}, withMail(receiver, off)]) {
      const other = await startTestServer(options);
      t.after(() => other.close());
      assert.equal((await other.get('/forgotten')).status, 404);
      assert.equal((await other.post('/forgotten', { form: { name: 'root' } })).status, 404);
      const begun = await other.get(`/oidc/login/username?authRequestID=${await beginLogin(other)}`, {
        headers: { accept: 'text/html' },
      });
      assert.doesNotMatch(begun.text, /forgotten/);
    }
    const other = await startTestServer();
    t.after(() => other.close());
    const root = await rootOf(other);
    const body = { name: 'ada', type: 'User', email: 'ada@example.com' };
    const id = createdId(await root.call('POST', 'identities', body));
    assertRefused(await root.call('POST', `identities/${id}/invitation`, { send: true }), 409, 'CONFLICT');
    assert.equal((await root.get(`identities/${id}`)).json.data.invitation, null);
  });
});
