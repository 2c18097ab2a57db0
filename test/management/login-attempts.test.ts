import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explanationOf } from '../../src/explain/read-attempts.ts';
import { languageTags } from '../../src/model/languages.ts';
import { attemptSteps } from '../../src/model/login.ts';
import { type RefusalReason, reasonLabels, refusalReasons } from '../../src/model/refusal-reason.ts';
import { DAY, HOUR, MINUTE } from '../../src/platform/clock.ts';
import { deleteExpired } from '../../src/tasks/expire.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { authorize, beginLogin, submitPassword } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, type Caller, loggedIn, password, rootOf } from '../support/management.ts';
import { withMetrics } from '../support/metrics.ts';
import { appRedirectUri, basic, registerClient } from '../support/oidc-clients.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
let admin: Caller;
const server = await serverOfFile({ clock });
admin = await rootOf(server);
const aliceId = await server.createUser({ name: 'alice', password });

const attempt = async (username: string, secret: string): Promise<Answer> =>
  submitPassword(server, await beginLogin(server), username, secret);

const referenceOf = (answer: Answer): string => String(answer.headers['x-request-id']);

async function referencesOf(filter: string, more = ''): Promise<string[]> {
  const answer = await admin.get(`login-attempts?filter=${encodeURIComponent(filter)}${more}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.data.map((one: { reference: string }) => one.reference);
}

describe('the reference id of a refused login', () => {
  test('shows an administrator each check, the one that failed, and what to do', async () => {
    const refused = await attempt('Alice', 'wrong');
    const reference = refused.json.error.requestId;
    const { data } = (await admin.get(`login-attempts/${reference}`)).json;
    assert.equal(data.reference, reference);
    const [record] = data.attempts;
    assert.equal(data.attempts.length, 1);
    const { checks, explanation, identity, ...rest } = record;
    assert.deepEqual(rest, {
      reference,
      at: '2026-01-01T00:00:00.000Z',
      step: 'password',
      mechanism: 'oidc',
      outcome: 'refused',
      reason: 'wrong-password',
      identityId: aliceId,
      subject: 'alice',
      ipAddress: '127.0.0.1',
      issuer: server.issuer,
    });
    assert.equal(identity.name, 'alice');
    assert.deepEqual(checks, [
      { check: 'user name known', verdict: 'passed', saw: 'alice' },
      { check: 'authenticator unlocked', verdict: 'passed', saw: null },
      { check: 'password', verdict: 'failed', saw: null },
    ]);
    assert.match(explanation.happened, /password was wrong/);
    assert.equal(explanation.command, 'overlay-auth identity set-password alice');
    assert.doesNotMatch(explanation.remedy, /overlay-auth/);
  });

  test('is found as people read it out: in any letter case, with O and I for 0 and 1, with hyphens', async () => {
    const attempts = [
      {
        ...({ id: server.random.id(), reference: '01ABCDEF01', at: clock.now() } as const),
        ...({ step: 'password', mechanism: 'oidc', outcome: 'refused', reason: 'locked' } as const),
        ...({ identityId: null, subject: 'x', ipAddress: '::1', issuer: 'i', checks: [] } as const),
      },
    ];
    await server.store.loginAttempts.append(attempts, 1000);
    for (const spelling of ['01ABCDEF01', '01abcdef01', 'OIabcdefol', '01ABC-DEF01']) {
      const answer = await admin.get(`login-attempts/${spelling}`);
      assert.equal(answer.json.data.attempts[0].reason, 'locked', spelling);
    }
  });

  test('that names no login is 404', async () => {
    for (const reference of ['0000000000', 'x', referenceOf(await admin.get('identities')), "'"]) {
      assertRefused(await admin.get(`login-attempts/${reference}`), 404, 'NOT_FOUND');
    }
  });

  test('contains nothing secret', async () => {
    const canary = 'canary-9Xz-heron';
    const reference = referenceOf(await attempt('alice', canary));
    assert.ok(!(await admin.get(`login-attempts/${reference}`)).text.includes(canary));
  });
});

describe('the list of login attempts', () => {
  test('is newest first, and can be filtered, sorted and paged', async () => {
    const bobId = await server.createUser({ name: 'bob', password });
    const passed = referenceOf(await attempt('bob', password));
    clock.advance(HOUR);
    admin = await loggedIn(server, 'root');
    const wrong = referenceOf(await attempt('bob', 'wrong'));
    clock.advance(1000);
    const unknown = referenceOf(await attempt('nobody here', 'wrong'));

    assert.deepEqual(await referencesOf(`identityId = "${bobId}"`), [wrong, passed]);
    assert.deepEqual(await referencesOf(`identity = "${bobId}" and outcome = "refused"`), [wrong]);
    assert.deepEqual(await referencesOf('identityName = "bob"', '&sort=at'), [passed, wrong]);
    assert.deepEqual(await referencesOf('identityName = "bob"', '&limit=1&offset=1'), [passed]);
    assert.deepEqual(await referencesOf('reason = "unknown-user"'), [unknown]);
    assert.deepEqual(await referencesOf(`reference = "${wrong}"`), [wrong]);
    assert.deepEqual(await referencesOf('subject = "bob" and step = "password"'), [wrong, passed]);
    const since = 'at >= datetime(2026-01-01T01:00:01Z)';
    assert.deepEqual(await referencesOf(since), [unknown]);
    assertRefused(await admin.get('login-attempts?filter=checks%3D1'), 400, 'INVALID_FILTER');
  });

  test('is for administrators, and cannot be changed', async () => {
    const bob = await loggedIn(server, 'alice');
    assertRefused(await bob.get('login-attempts'), 403, 'FORBIDDEN');
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const path = method === 'POST' ? 'login-attempts' : 'login-attempts/x';
      assertRefused(await admin.call(method, path, {}), 405, 'METHOD_NOT_ALLOWED');
    }
  });
});

test('the record and the log line of a refused request name the application that sent it', async () => {
  const app = await registerClient(admin);
  const asApp = { client_id: app.id, redirect_uri: appRedirectUri };
  const grant = { grant_type: 'refresh_token', refresh_token: 'x' };
  const post = (form: Readonly<Record<string, string>>, secret = app.secret) =>
    server.post('/oidc/token', { form, headers: basic({ ...app, secret }) });
  const answers = {
    'a request without PKCE': await authorize(server, { ...asApp, code_challenge: null }),
    'a state that is too long': await authorize(server, { ...asApp, state: 's'.repeat(5000) }),
    'a wrong redirect URI': await authorize(server, { ...asApp, redirect_uri: 'https://other.example/' }),
    'a wrong secret': await post(grant, 'wrong'),
    'the secret in the body': await server.post('/oidc/token', {
      form: { ...grant, client_id: app.id, client_secret: app.secret },
    }),
    'a grant that is not supported': await post({ grant_type: 'password' }),
    'a code that nobody has': await post({ grant_type: 'authorization_code', code: 'x' }),
  };
  for (const [what, answer] of Object.entries(answers)) {
    const [record] = (await admin.get(`login-attempts/${referenceOf(answer)}`)).json.data.attempts;
    assert.equal(record?.subject, app.id, what);
    const line = server.log.entries.find(({ fields }) => fields.requestId === referenceOf(answer));
    assert.equal(line?.fields.client, app.id, what);
  }
});

test('records are deleted when their time is over', async () => {
  const reference = referenceOf(await attempt('alice', 'wrong'));
  await admin.get(`login-attempts/${reference}`);
  const needs = { store: server.store, clock, keepAttempts: 2 * DAY, keepAuditEvents: DAY };
  await deleteExpired(needs);
  assert.equal((await server.store.loginAttempts.findByReference(reference)).length, 1);
  clock.advance(2 * DAY + 1);
  await deleteExpired(needs);
  assert.equal((await server.store.loginAttempts.findByReference(reference)).length, 0);
});

test('beyond three quarters of their number the oldest refusals are deleted', async (t) => {
  const own = await startTestServer({
    configure: (yaml) => yaml.replace(/keepAtMost: \d+/, 'keepAtMost: 1000'),
  });
  t.after(() => own.close());
  const record = (reference: string) => ({
    ...({ id: own.random.id(), reference, at: 1, step: 'password', mechanism: 'oidc' } as const),
    ...({ outcome: 'refused', reason: 'locked' as RefusalReason, identityId: null, subject: null } as const),
    ...({ ipAddress: '::1', issuer: 'i', checks: [] } as const),
  });
  await own.store.loginAttempts.append(
    Array.from({ length: 750 }, (_, at) => record(`R${at}`)),
    1000,
  );
  await own.createUser({ name: 'alice', password });
  await submitPassword(own, await beginLogin(own), 'alice', 'wrong');
  await own.controller.services.attempts.flush();
  assert.equal((await own.store.loginAttempts.findByReference('R0')).length, 0);
  assert.equal((await own.store.loginAttempts.findByReference('R1')).length, 1);
  // From then on they are counted after each hundredth of what is kept.
  for (let guess = 0; guess < 9; guess += 1) {
    await submitPassword(own, await beginLogin(own), 'alice', 'wrong');
    await own.controller.services.attempts.flush();
  }
  assert.equal((await own.store.loginAttempts.findByReference('R1')).length, 1);
  await submitPassword(own, await beginLogin(own), 'alice', 'wrong');
  await own.controller.services.attempts.flush();
  assert.equal((await own.store.loginAttempts.findByReference('R10')).length, 0);
  assert.equal((await own.store.loginAttempts.findByReference('R11')).length, 1);
});

test('strangers cannot push out the records about others: one source may leave 600 an hour', async (t) => {
  const clock = fixedClock('2026-01-01T00:00:00Z');
  const own = await startTestServer({ clock, configure: withMetrics });
  t.after(() => own.close());
  await own.createUser({ name: 'alice', password });
  const refused = await submitPassword(own, await beginLogin(own), 'alice', 'wrong');
  const headers = { authorization: 'Bearer garbage' };
  const stranger = () => own.post('/edge/client/v1/authenticate?method=ext-jwt', { json: {}, headers });
  for (let count = 0; count < 700; count += 50) {
    for (const { status } of await Promise.all(Array.from({ length: 50 }, stranger)))
      assert.equal(status, 401);
    // Otherwise the source would be told to wait before there are enough.
    if (count === 200 || count === 450) clock.advance(11 * MINUTE);
  }
  const root = await rootOf(own);
  const again = await submitPassword(own, await beginLogin(own), 'alice', 'wrong');
  const garbage = await root.get(`login-attempts?filter=${encodeURIComponent('reason="malformed-token"')}`);
  assert.equal(garbage.json.meta.pagination.totalCount, 600);
  for (const answer of [refused, again]) {
    assert.equal((await root.get(`login-attempts/${referenceOf(answer)}`)).status, 200);
  }
  assert.match((await own.get('/metrics')).text, /overlay_auth_decision_records_dropped_total 100/);
});

test('every reason has a name and is explained in sentences, in every language of the pages', () => {
  const inEnglish = (reason: RefusalReason) => explanationOf({ reason, name: null }, 'en');
  for (const tag of languageTags) {
    for (const reason of refusalReasons) {
      const { happened = '', remedy = '' } = explanationOf({ reason, name: null }, tag) ?? {};
      for (const text of [happened, remedy]) assert.match(text, /^[\p{Lu}"].*[.]$/u, `${tag} ${reason}`);
      if (tag !== 'en') assert.notEqual(happened, inEnglish(reason)?.happened, `${tag} ${reason}`);
      for (const label of reasonLabels[reason]) assert.match(label, /^\p{Lu}/u, `${tag} ${reason}`);
    }
  }
});

test('an administrator reads explanations in the language of the request', async () => {
  const reference = referenceOf(await attempt('alice', 'wrong'));
  const { accessToken } = await loggedIn(server, 'root');
  const explained = async (language: string) => {
    const headers = { authorization: `Bearer ${accessToken}`, 'accept-language': language };
    const answer = await server.get(`/edge/management/v1/login-attempts/${reference}`, { headers });
    const [{ explanation, identityId }] = answer.json.data.attempts;
    const foreseen = `/edge/management/v1/identities/${identityId}/login-explanation?method=password`;
    const { checks } = (await server.get(foreseen, { headers })).json.data;
    const { name, saw } = checks.find((one: { name: string }) => one.name === 'method allowed');
    return [explanation.happened, name, saw];
  };
  const english = [
    'The user name is known, the password was wrong.',
    'method allowed',
    'policy Default allows password',
  ];
  const german = [
    'Der Benutzername ist bekannt, das Passwort war falsch.',
    'method allowed',
    'Richtlinie Default erlaubt Passwort',
  ];
  for (const language of ['de', 'de-CH,en;q=0.5', 'fr, de;q=0.9']) {
    assert.deepEqual(await explained(language), german, language);
  }
  for (const language of [
    'en',
    'en-GB,de;q=0.1',
    'fr',
    '*',
    '',
    'x'.repeat(2000),
    'constructor',
    '__proto__',
  ]) {
    assert.deepEqual(await explained(language), english, language);
  }
});

test('a refused field says why in the language of the request', async () => {
  const { accessToken } = await loggedIn(server, 'root');
  const refused = async (language: string, body: object) => {
    const headers = { authorization: `Bearer ${accessToken}`, 'accept-language': language };
    const answer = await server.post('/edge/management/v1/identities', { headers, json: body });
    const { message, cause } = answer.json.error;
    return [message, cause.field, cause.reason];
  };
  const person = { type: 'User', isAdmin: false };
  assert.deepEqual(await refused('de', { ...person, name: 'alice' }), [
    'Der Name "alice" ist schon vergeben',
    'name',
    'ist schon vergeben',
  ]);
  assert.deepEqual(await refused('fr', { ...person, name: 'alice' }), [
    'The name "alice" is already taken',
    'name',
    'is already taken',
  ]);
  for (const [body, field, reason] of [
    [{ name: '' }, 'name', 'darf nicht leer sein'],
    [{ name: 'x'.repeat(300) }, 'name', 'darf höchstens 255 Zeichen lang sein'],
    [{}, 'name', 'ist erforderlich'],
    [{ name: 7 }, 'name', 'muss ein Text sein'],
    [{ name: 'x', nmae: 'y' }, 'nmae', 'ist hier unbekannt: der nächste bekannte Name ist name'],
    [
      { name: 'x', email: 'a' },
      'email',
      'muss eine Adresse wie ada@example.com sein, mit höchstens 254 Zeichen',
    ],
  ] as const)
    assert.deepEqual((await refused('de', { ...person, ...body })).slice(1), [field, reason]);
});

test('every step has a name on the account page and in the console', async () => {
  // In a browser the texts follow the language of the page. That each is there in both is a matter of their type.
  Object.assign(globalThis, { document: { documentElement: { lang: 'de' } } });
  const load = (path: string) => import(new URL(`../../web/${path}`, import.meta.url).href);
  const { texts } = await load('account/texts.ts');
  const { ofPeople } = await load('console/texts/of-people.ts');
  for (const names of [texts.method, ofPeople.attempts.steps])
    for (const step of attemptSteps) assert.equal(typeof names[step], 'string', step);
});

test('an unknown user name is not stored: it may have been a password', async () => {
  // The clock has advanced since.
  admin = await loggedIn(server, 'root');
  const typed = 'Canary-9Xz-Heron';
  const subjectOf = async (username: string) => {
    const reference = referenceOf(await attempt(username, 'x'));
    const answer = await admin.get(`login-attempts/${reference}`);
    assert.ok(!/canary|heron/i.test(answer.text), answer.text);
    return answer.json.data.attempts[0].subject;
  };
  const subject = await subjectOf(typed);
  assert.match(subject, /^unknown name #[0-9a-f]{10}$/);
  // A client that keeps trying differs from one that tries many names.
  assert.equal(await subjectOf(typed.toUpperCase()), subject);
  assert.notEqual(await subjectOf(`${typed}!`), subject);
  assert.ok(!/canary|heron/i.test(JSON.stringify(server.log.entries)));
});

test('the attempts of the last 24 hours are counted by the hour', async () => {
  const own = await startTestServer({ clock: fixedClock('2026-01-02T12:30:00Z') });
  const root = await rootOf(own);
  const { hours } = (await root.get('login-attempts/hourly')).json.data;
  assert.equal(hours.length, 24);
  assert.equal(hours[0].from, '2026-01-01T13:00:00.000Z');
  assert.deepEqual(hours.at(-1), { from: '2026-01-02T12:00:00.000Z', passed: 1, refused: 0 });
  await submitPassword(own, await beginLogin(own), 'root', 'wrong');
  assert.equal((await root.get('login-attempts/hourly')).json.data.hours.at(-1).refused, 1);
  await own.close();
});
