// Every page and document that shows a reference id leads an administrator to its reason.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createSetupLink } from '../../src/admin/setup.ts';
import { HOUR, systemClock } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { authorizationQuery, beginLogin } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await startTestServer({ clock });
await rootOf(server);
await server.createUser({ name: 'alice', password });
after(() => server.close());

/** Time passes between the tests, and sessions end. */
const admin = () => loggedIn(server, 'root');

const html = { accept: 'text/html' };

interface Found {
  readonly reason: string;
  readonly subject: string | null;
  readonly identity: { readonly name: string } | null;
  readonly explanation: { readonly happened: string; readonly remedy: string };
  readonly checks: readonly { readonly check: string; readonly verdict: string; readonly saw: string }[];
}

async function foundUnder({ headers, text }: Answer): Promise<Found> {
  const reference = String(headers['x-request-id']);
  const answer = await (await admin()).get(`login-attempts/${reference}`);
  assert.equal(answer.status, 200, `${reference} leads nowhere: ${text.slice(0, 300)}`);
  return answer.json.data.attempts.at(-1);
}

const factsOf = ({ checks }: Found, name: string) =>
  checks.filter(({ check }) => check === name).map(({ saw }) => saw);

/** Reference ids that an answer shows, apart from the header. */
function shownIn({ text, headers }: Answer): boolean {
  return text.includes(String(headers['x-request-id']));
}

describe('a reference id', () => {
  test('leads to a reason at every endpoint that refuses, however it was asked', async () => {
    const { routes } = server.controller.services;
    const refused: (readonly [what: string, reference: string])[] = [];
    for (const { methods, path, api, body } of routes) {
      if (api === 'health' || api === 'metrics') continue;
      for (const method of methods.filter((one) => one !== 'HEAD')) {
        const url = path.replaceAll(/:\w+|\*/g, 'nothing');
        const type = body?.form === true ? 'application/x-www-form-urlencoded' : 'application/json';
        const sent = method === 'GET' ? {} : { body: body?.form === true ? 'x=1' : '{"x":1}' };
        for (const accept of ['text/html', '*/*']) {
          const headers = { accept, ...(method === 'GET' ? {} : { 'content-type': type }) };
          const answer = await server.request(method, url, { ...sent, headers });
          if (answer.status < 400) continue;
          refused.push([
            `${method} ${path} ${accept} ${answer.status}`,
            String(answer.headers['x-request-id']),
          ]);
          // The place of one source is limited in each hour.
          if (refused.length % 50 === 0) clock.advance(HOUR);
        }
      }
    }
    const root = await loggedIn(server, 'root');
    const lost: string[] = [];
    for (const [what, reference] of refused)
      if ((await root.get(`login-attempts/${reference}`)).status !== 200) lost.push(what);
    assert.deepEqual(lost, []);
    assert.ok(refused.length > 200, String(refused.length));
  });

  test('of an address that is not registered names application, address and the registered ones', async () => {
    const registered = 'https://wiki.example/callback';
    const wrong = 'https://wiki.example/callback/';
    const id = createdId(
      await (await admin()).call('POST', 'oidc-clients', {
        name: 'Wiki',
        type: 'public',
        redirectUris: [registered],
      }),
    );
    const query = authorizationQuery({ client_id: id, redirect_uri: wrong });
    const page = await server.request('GET', `/oidc/authorization?${query}`, { headers: html });
    assert.ok(shownIn(page));
    const found = await foundUnder(page);
    assert.equal(found.reason, 'redirect-uri-unknown');
    assert.equal(found.subject, id);
    assert.deepEqual(factsOf(found, 'redirect_uri'), [wrong]);
    assert.deepEqual(factsOf(found, 'registered'), [registered]);
    assert.match(found.explanation.remedy, /redirect URIs/);
  });

  test('shows nothing of what a stranger sends as it was sent, and offers no address that hides something', async () => {
    for (const evil of [
      'https://a.example/\u202egpj',
      `https://a.example/${'x'.repeat(600)}`,
      'https://a.example/\n\nPassed',
    ]) {
      const query = authorizationQuery({ client_id: 'overlay', redirect_uri: evil });
      const found = await foundUnder(
        await server.request('GET', `/oidc/authorization?${query}`, { headers: html }),
      );
      assert.equal(found.reason, 'redirect-uri-unknown');
      assert.deepEqual(factsOf(found, 'redirect_uri'), []);
      for (const { saw } of found.checks) assert.match(saw, /^[\x20-\x7e…]{1,600}$/);
    }
    const query = authorizationQuery({ client_id: 'no\u0007such"client' });
    const unknown = await foundUnder(
      await server.request('GET', `/oidc/authorization?${query}`, { headers: html }),
    );
    assert.deepEqual([unknown.reason, unknown.subject], ['unknown-client', '"no\\u0007such\\"client"']);
  });

  test('of a sign-in that took too long names the application and when it began', async () => {
    const id = await beginLogin(server);
    const begun = new Date(clock.now()).toISOString();
    clock.advance(HOUR);
    const page = await server.request('GET', `/oidc/login/username?authRequestID=${id}`, { headers: html });
    const found = await foundUnder(page);
    assert.deepEqual([found.reason, found.subject], ['sign-in-expired', 'overlay']);
    assert.deepEqual(factsOf(found, 'sign-in begun'), [begun]);
  });

  test('of a dead link says whose it was, and why it is dead', async () => {
    const ada = createdId(
      await (await admin()).call('POST', 'identities', { name: 'Ada', type: 'User', isAdmin: false }),
    );
    const invited = await (await admin()).call('POST', `identities/${ada}/invitation`, {});
    const token = new URL(invited.json.data.url).searchParams.get('t') ?? '';
    clock.advance(1000 * HOUR);
    const found = await foundUnder(await server.request('GET', `/invite?t=${token}`, { headers: html }));
    assert.deepEqual([found.reason, found.identity?.name], ['invitation-expired', 'Ada']);
    assert.equal(factsOf(found, 'valid until').length, 1);

    const { token: setup } = await createSetupLink({ ...server, audit: server.controller.services.audit });
    await createSetupLink({ ...server, audit: server.controller.services.audit });
    for (const [link, state] of [
      [setup, 'expired'],
      ['made-up', 'unknown'],
    ]) {
      const page = await server.request('GET', `/setup?t=${link}`, { headers: html });
      const dead = await foundUnder(page);
      assert.equal(dead.reason, 'setup-link-dead');
      assert.deepEqual(factsOf(dead, 'link'), [state]);
    }
  });
});

describe('records of refused requests', () => {
  test('are no login attempts: neither lists nor counts of logins have them', async () => {
    const root = await loggedIn(server, 'root');
    const { json } = await root.get('login-attempts?limit=500');
    assert.deepEqual(
      json.data.filter(({ mechanism }: { mechanism: string }) => mechanism === 'request'),
      [],
    );
  });

  test('of one kind push out none of another kind, from however many addresses', async (t) => {
    const small = await startTestServer({ clock, configure: withFewRecords, threads: 1 });
    t.after(() => small.close());
    const root = await rootOf(small);
    const { attempts } = small.controller.services;
    const refuse = (reason: 'redirect-uri-unknown' | 'nothing-there', at: number) =>
      attempts.refused(
        { reason, identityId: null, subject: null, checks: [] },
        {
          requestId: `${reason === 'nothing-there' ? 'N' : 'R'}${at}`,
          ipAddress: `198.51.${at % 100}.${at % 7}`,
          issuer: small.issuer,
        },
      );
    refuse('redirect-uri-unknown', 0);
    for (let at = 0; at < 1000; at += 1) {
      refuse('nothing-there', at);
      if (at % 100 === 0) await attempts.flush();
    }
    const statusOf = async (reference: string) => (await root.get(`login-attempts/${reference}`)).status;
    assert.deepEqual([await statusOf('N0'), await statusOf('R0')], [404, 200]);
  });
});

function withFewRecords(yaml: string): string {
  return yaml.replace(/keepAtMost: \d+/, 'keepAtMost: 1000');
}
