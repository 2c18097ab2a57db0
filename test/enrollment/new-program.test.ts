// The programs with which people log in: who sees them, and the mail about a new one. On both engines, also with several
// threads that answer requests.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { queueOf } from '../../src/model/delivery.ts';
import { mailServer } from '../../src/model/mail.ts';
import { HOUR, MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, codeOf, redeem } from '../support/flow.ts';
import { callerWith, loggedIn, password, rootOf } from '../support/management.ts';
import { appRedirectUri, basic, redeemAs, registerClient } from '../support/oidc-clients.ts';
import { postgresServer } from '../support/postgres.ts';
import { type ReceivedMail, startSmtpReceiver, withMail } from '../support/smtp-receiver.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { scan, step } from '../support/totp.ts';
import { patience, until } from '../support/until.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const safari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
const subject = 'A new program signed in – Overlay';
const authenticate = '/edge/client/v1/authenticate?method=password';

const receiver = await startSmtpReceiver();
after(() => receiver.close());

interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** A server and what people do with it. */
async function house(options: { readonly db?: string; readonly threads?: number } = {}, more = '') {
  const clock = fixedClock('2026-03-01T12:00:00Z');
  const { addFiles, configure } = withMail(receiver, more);
  const server = await startTestServer({
    ...{ addFiles, ...options },
    // The clock of the database is compared with that of the node.
    ...(options.db === undefined && { clock }),
    // The administrator stays logged in.
    configure: (yaml) => configure(yaml).replace('accessTokenDuration: 30m', 'accessTokenDuration: 20h'),
  });
  const admin = await rootOf(server);
  let count = 0;
  return {
    clock,
    server,
    admin,
    async person(fields: object = {}): Promise<Person> {
      count += 1;
      const name = `person ${count}`;
      const email = `person${count}.${server.url.split(':').at(-1)}@example.com`;
      const id = await server.createUser({ name, password });
      const changed = await admin.call('PATCH', `identities/${id}`, {
        email,
        emailVerified: true,
        ...fields,
      });
      assert.equal(changed.status, 200, changed.text);
      return { id, name, email };
    },
    /** The audit events of the logins of the person with a new program, the oldest first. */
    async eventsOf({ id }: Person) {
      const filter = `identityId = "${id}" and event = "login.new-program" sort by at`;
      return (await admin.get(`audit-events?filter=${encodeURIComponent(filter)}`)).json.data;
    },
    /** The notices that are queued for the person, the oldest first. */
    async noticesTo({ id }: Person) {
      const queued = await server.store.deliveries.list(queueOf('mail', mailServer), null, 1000);
      return queued
        .filter(({ payload }) => payload.identityId === id)
        .flatMap(({ payload: { matter } }) => (matter.kind === 'notice' ? [matter] : []))
        .sort((one, other) => one.at - other.at);
    },
  };
}

type House = Awaited<ReturnType<typeof house>>;

async function submit(server: TestServer, { name }: Person, userAgent: string, more: object = {}) {
  const headers = { 'user-agent': userAgent, ...(more as { headers?: object }).headers };
  const json = { authRequestId: await beginLogin(server), username: name, password, ...more };
  return server.post('/oidc/login/username', { json, headers });
}

async function signIn(server: TestServer, person: Person, userAgent: string, more: object = {}) {
  const answer = await redeem(server, codeOf(await submit(server, person, userAgent, more)));
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

/** The mail to the person about a new program, as soon as it is there. */
async function mailTo({ email }: Person): Promise<ReceivedMail> {
  for (let at = 0; ; at += 1) {
    const mail = await receiver.at(at);
    if (mail.to.includes(email) && /program|Programm/.test(mail.subject)) return mail;
  }
}

const engines: readonly (readonly [name: string, options: () => Promise<Parameters<typeof house>[0]>])[] = [
  ['SQLite', async () => ({})],
  [
    'PostgreSQL, with three threads,',
    async () => ({ db: await (await postgresServer()).createDatabase(), threads: 3 }),
  ],
];

for (const [name, options] of engines) {
  describe(`a login on ${name}`, () => {
    let at: House;
    test('with a program that the person has not used before is told to the person', async () => {
      at = await house(await options());
      const { server } = at;
      const person = await at.person();
      await signIn(server, person, firefox);
      await signIn(server, person, firefox);
      assert.deepEqual(await at.noticesTo(person), []);
      await signIn(server, person, safari);
      const mail = await mailTo(person);
      assert.equal(mail.subject, subject);
      for (const said of [/Program: Safari on macOS/, /When: .* UTC/, /From the address: 127\.0\.0\.1/])
        assert.match(mail.text, said);
      for (const said of ['Program: Safari on macOS', 'From the address: 127.0.0.1'])
        assert.ok(mail.html.includes(`>${said}<`), mail.html);
      assert.deepEqual(mail.links, []);
      await signIn(server, person, safari);
      assert.equal((await at.noticesTo(person)).length, 1);
    });

    test('is listed with its program and application after its session has ended', async () => {
      const { server, admin } = at;
      const person = await at.person();
      const { access_token } = await signIn(server, person, firefox);
      const sdkInfo = { appId: 'tunneler', appVersion: '2.1.7' };
      const asLegacy = await server.post(authenticate, {
        json: { username: person.name, password, sdkInfo, envInfo: { os: 'windows' } },
      });
      assert.equal(asLegacy.status, 200, asLegacy.text);
      await admin.call('DELETE', `identities/${person.id}/api-sessions`);
      const filter = encodeURIComponent(`identityId = "${person.id}" sort by clientId`);
      const { data, meta } = (await admin.get(`last-logins?filter=${filter}`)).json;
      assert.equal(meta.pagination.totalCount, 2);
      const [legacy, oidc] = data;
      const seen = ({ clientId, program, operatingSystem, ipAddress, identity }: typeof legacy) => [
        ...[clientId, program, operatingSystem, ipAddress, identity.name],
      ];
      assert.deepEqual(seen(legacy), ['', 'tunneler 2.1', 'Windows', '127.0.0.1', person.name]);
      assert.deepEqual(seen(oidc), ['overlay', 'Firefox', 'Linux', '127.0.0.1', person.name]);
      assert.equal(oidc.firstAt, oidc.lastAt);
      const ofClient = await admin.get(`last-logins?filter=${encodeURIComponent('clientId = ""')}`);
      assert.ok(ofClient.json.data.every(({ clientId }: { clientId: string }) => clientId === ''));
      assert.equal((await callerWith(server, access_token).get('last-logins')).status, 401);
      const own = await loggedIn(server, person.name);
      const mine = await own.get('/edge/client/v1/current-identity/last-logins?sort=program');
      assert.deepEqual(
        mine.json.data.map(({ program }: { program: string | null }) => String(program)).toSorted(),
        ['Firefox', 'null', 'tunneler 2.1'],
      );
      assert.equal((await own.get('last-logins')).status, 403);
    });

    test('is told with the address of the person where a web application redeems the code', async () => {
      const { server, admin } = at;
      const person = await at.person();
      await signIn(server, person, firefox);
      const application = await registerClient(admin);
      const changes = { client_id: application.id, redirect_uri: appRedirectUri };
      const json = { authRequestId: await beginLogin(server, changes), username: person.name, password };
      const headers = { 'user-agent': safari };
      const code = codeOf(await server.post('/oidc/login/username', { json, headers }));
      const ofServer = { ...basic(application), 'user-agent': 'okhttp/4.12.0' };
      const redeemed = await redeemAs(server, application, code, {}, ofServer);
      assert.equal(redeemed.status, 200, redeemed.text);
      assert.match((await mailTo(person)).text, /Program: Safari on macOS/);
      const { json: listed } = await admin.get(
        `last-logins?filter=${encodeURIComponent(`clientId = "${application.id}"`)}`,
      );
      assert.deepEqual(
        listed.data.map((one: { program: string }) => one.program),
        ['Safari'],
      );
    });

    test('is told at most three times an hour, the very first one included', async () => {
      const person = await at.person();
      await signIn(at.server, person, firefox);
      const names = ['alpha', 'beta', 'gamma', 'delta'];
      for (const program of names) await signIn(at.server, person, `${program}/1.0`);
      await until(patience, async () => (await at.eventsOf(person)).length === names.length);
      const events: readonly { readonly details: { readonly newWithinHour: number } }[] =
        await at.eventsOf(person);
      assert.deepEqual(events.map(({ details }) => details.newWithinHour).toSorted(), [1, 2, 3, 4]);
      const told = (await at.noticesTo(person)).map(({ program }) => program?.program);
      assert.deepEqual(told.toSorted(), ['alpha 1.0', 'beta 1.0']);
    });

    after(() => at.server.close());
  });
}

describe('a mail about a new program', () => {
  let at: House;
  test('is sent again an hour after others', async () => {
    at = await house();
    const person = await at.person();
    for (const program of [firefox, 'alpha/1.0', 'beta/1.0', 'gamma/1.0'])
      await signIn(at.server, person, program);
    at.clock.advance(HOUR);
    await signIn(at.server, person, safari);
    await until(patience, async () => (await at.noticesTo(person)).length === 3);
    assert.equal((await at.noticesTo(person)).at(-1)?.program?.program, 'Safari');
  });

  test('is not sent to a person whose factors a stranger lacks', async () => {
    const { server, clock, admin } = at;
    const user = await at.person();
    const own = callerWith(server, (await signIn(server, user, firefox)).access_token);
    const mfa = '/edge/client/v1/current-identity/mfa';
    assert.equal((await own.call('POST', mfa)).status, 201);
    const app = scan(clock, (await own.get(mfa)).json.data.provisioningUrl);
    assert.equal((await own.call('POST', `${mfa}/verify`, { code: app.code() })).status, 200);
    clock.advance(step);
    const steps = [
      () =>
        server.post('/oidc/login/username', { json: { authRequestId: 'x', username: user.name, password } }),
      () => submit(server, user, safari),
      () => submit(server, { ...user, name: `${user.name} ` }, safari, { password: 'wrong' }),
      () =>
        server.post(authenticate, {
          json: { username: user.name, password },
          headers: { 'user-agent': safari },
        }),
      () =>
        server.post(authenticate, {
          json: { username: user.name, password: 'wrong' },
          headers: { 'user-agent': safari },
        }),
    ];
    for (const step of steps) await step();
    assert.deepEqual(
      (await at.noticesTo(user)).filter(({ notice }) => notice === 'new-program'),
      [],
    );
    const rows = await admin.get(`last-logins?filter=${encodeURIComponent(`identityId = "${user.id}"`)}`);
    assert.deepEqual(
      rows.json.data.map(({ program }: { program: string }) => program),
      ['Firefox'],
    );
    // The same session, once its owner has passed the rest.
    const opened = await server.post(authenticate, {
      json: { username: user.name, password },
      headers: { 'user-agent': safari },
    });
    clock.advance(MINUTE);
    const passed = await server.post('/edge/client/v1/authenticate/mfa', {
      json: { code: app.code() },
      headers: { 'zt-session': opened.json.data.token },
    });
    assert.equal(passed.status, 200, passed.text);
    assert.match((await mailTo(user)).text, /Program: Safari on macOS/);
  });

  test('repeats no words that lead elsewhere', async () => {
    const { server } = at;
    const names: readonly (readonly [name: string, shown: string | null])[] = [
      ['evil.example', null],
      ['Call +49 30 1234567 now', null],
      ['https://evil.example/login', null],
      ['<a href=x>Sign in</a>', null],
      ['user@evil.example', null],
      ['Ziti Desktop Edge', 'Ziti Desktop Edge 2.1'],
    ];
    for (const [appId, shown] of names) {
      const person = await at.person();
      await signIn(server, person, firefox);
      await signIn(server, person, firefox, { sdkInfo: { appId, appVersion: '2.1.7' } });
      const mail = await mailTo(person);
      const line = /Program: (.*)/.exec(mail.text)?.[1] ?? '';
      if (shown === null) assert.match(line, /^without a name that can be shown here/, appId);
      else assert.equal(line, `${shown} on Linux`);
      assert.doesNotMatch(mail.raw, /evil|1234567|href=/);
      assert.deepEqual(mail.links, []);
    }
  });

  test('goes to no address that is not verified, and is not sent where notices are turned off', async () => {
    const unverified = await at.person({ emailVerified: false });
    for (const program of [firefox, safari]) await signIn(at.server, unverified, program);
    await until(patience, async () => (await at.eventsOf(unverified)).length > 0);
    assert.deepEqual(await at.noticesTo(unverified), []);
    await at.server.close();
    const quiet = await house({}, '  notices: false\n');
    const person = await quiet.person();
    for (const program of [firefox, safari]) await signIn(quiet.server, person, program);
    await until(patience, async () => (await quiet.eventsOf(person)).length > 0);
    assert.deepEqual(await quiet.noticesTo(person), []);
    await quiet.server.close();
  });

  test('is in German where mails are', async () => {
    const german = await house({}, '  language: de\n');
    const person = await german.person();
    for (const program of [firefox, safari]) await signIn(german.server, person, program);
    const mail = await mailTo(person);
    assert.equal(mail.subject, 'Anmeldung mit einem neuen Programm – Overlay');
    assert.match(mail.text, /Programm: Safari unter macOS/);
    await german.server.close();
  });
});
