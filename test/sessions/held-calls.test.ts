// The caller is judged when the headers have arrived, and again when the body has: a call kept open meanwhile does not
// outlive what let it in. For calls that wait later (for a hash, for an address to be fetched), the store itself judges.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { describe, test } from 'node:test';
import type { Route } from '../../src/http/request/route.ts';
import { HOUR, MINUTE, systemClock } from '../../src/platform/clock.ts';
import { createHashPool } from '../../src/platform/secrets/hash-pool.ts';
import { openSession } from '../legacy/support.ts';
import {
  createPolicy,
  createSigner,
  createUserWithPolicy,
  redeemed,
  submitPasswordAnd,
  tokenOf,
} from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { type HeldAnswer, holdCall } from '../support/held-call.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, type Caller, callerWith, loggedIn, password, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile } from '../support/test-server.ts';
import { scan } from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const managementRoot = '/edge/management/v1';
const ownRoot = '/edge/client/v1/current-identity';

/** A gate before the hashing of new passwords. */
const cost = { memoryKiB: 1024, passes: 1, lanes: 1 };
const pool = createHashPool({ clock: systemClock }, { cost });
let gate: Promise<void> = Promise.resolve();
let onHash: (() => void) | undefined;
const hashPool = {
  ...pool,
  async hash(...[secret, source]: Parameters<typeof pool.hash>) {
    onHash?.();
    await gate;
    return pool.hash(secret, source);
  },
};

const server = await serverOfFile({ clock, signing: true, hashPool });
const root = await rootOf(server);

let people = 0;
async function somebody(isAdmin = false) {
  people += 1;
  const name = `person ${people}`;
  const id = await server.createUser({ name, password, isAdmin });
  return { name, id, caller: await loggedIn(server, name) };
}

const bearer = ({ accessToken }: Caller, jwt?: string) => ({
  authorization: [accessToken, ...(jwt === undefined ? [] : [jwt])]
    .map((token) => `Bearer ${token}`)
    .join(', '),
});

function hold(caller: Caller, method: string, path: string, json: unknown = {}) {
  return holdCall(server, { method, path, headers: bearer(caller), json });
}

async function succeeds(step: ReturnType<Caller['call']>): Promise<void> {
  const answer = await step;
  assert.ok(answer.status < 300, answer.text);
}

function assertOver(answer: HeldAnswer, scheme = 'Bearer realm="overlay-oidc"'): void {
  assert.equal(answer.status, 401, answer.text);
  assert.match(String(answer.headers['www-authenticate']), new RegExp(`^${scheme}, error="invalid"`));
  assert.equal(answer.headers['expires-at'], undefined);
  assert.equal(answer.headers['expiration-seconds'], undefined);
}

describe('a call that is held open', () => {
  test('does nothing more for an administrator who was disabled and deleted meanwhile', async () => {
    const removed = await somebody(true);
    const held = await hold(removed.caller, 'POST', `${managementRoot}/identities`, {
      name: 'successor',
      type: 'User',
      isAdmin: true,
    });
    await succeeds(root.call('POST', `identities/${removed.id}/disable`, {}));
    await succeeds(root.call('DELETE', `identities/${removed.id}`));
    assertOver(await held.finish());
    const found = await root.get('identities?filter=name="successor"');
    assert.deepEqual(found.json.data, []);
  });

  test('does nothing more for a former administrator', async () => {
    const { caller, id } = await somebody(true);
    const held = await hold(caller, 'PATCH', `${managementRoot}/identities/${id}`, { isAdmin: true });
    await succeeds(root.call('PATCH', `identities/${id}`, { isAdmin: false }));
    const answer = await held.finish();
    assert.equal(answer.status, 403, answer.text);
    assert.equal(answer.json.error.code, 'FORBIDDEN');
    assert.equal((await root.get(`identities/${id}`)).json.data.isAdmin, false);
  });

  test('does not complete the enrollment of a thief after the owner ended all sessions', async () => {
    const { id, name, caller: thief } = await somebody();
    await succeeds(thief.call('POST', `${ownRoot}/mfa`));
    const started = await thief.get(`${ownRoot}/mfa`);
    const app = scan(clock, started.json.data.provisioningUrl);
    const held = await hold(thief, 'POST', `${ownRoot}/mfa/verify`, { code: app.code() });
    const owner = await loggedIn(server, name);
    await succeeds(owner.call('DELETE', `${ownRoot}/api-sessions`));
    assertOver(await held.finish());
    assert.equal(await server.store.totp.find(id), null);
  });

  test('does nothing more with a zt-session that was ended', async () => {
    const { name, id } = await somebody();
    const session = await openSession(server, name);
    const headers = { 'zt-session': session.token };
    const path = '/edge/client/v1/current-identity/mfa';
    const held = await holdCall(server, { method: 'POST', path, headers, json: {} });
    await succeeds(root.call('DELETE', `identities/${id}/api-sessions`));
    assertOver(await held.finish(), 'zt-session realm="zt-session"');
  });

  test('is checked again at every endpoint that changes something', async () => {
    const { caller, id } = await somebody(true);
    const routes = server.controller.services.routes.filter(isGuardedChange);
    assert.ok(routes.length > 40);
    const held = [];
    for (const { methods, path } of routes) {
      const [method = ''] = methods;
      const where = path.replaceAll(/:\w+/g, 'no-such');
      held.push({ call: await hold(caller, method, where), what: `${method} ${path}` });
    }
    await succeeds(root.call('DELETE', `identities/${id}/api-sessions`));
    for (const { call, what } of held) {
      const answer = await call.finish();
      assert.equal(answer.status, 401, `${what} ${answer.text}`);
    }
  });
});

function isGuardedChange({ guard, methods }: Route): boolean {
  return guard !== 'anonymous' && !methods.includes('GET');
}

describe('a call that waits for a hash', () => {
  /** Runs a step while a call waits for its hash. */
  async function whileHashing(call: () => ReturnType<Caller['call']>, step: () => Promise<void>) {
    const hashing = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    onHash = hashing.resolve;
    const answer = call();
    await hashing.promise;
    onHash = undefined;
    try {
      await step();
    } finally {
      opened.resolve();
      gate = Promise.resolve();
    }
    return answer;
  }

  test('sets no password after the administrator was disabled', async () => {
    const [removed, target] = [await somebody(true), await somebody()];
    const json = {
      identityId: target.id,
      method: 'updb',
      username: 'extra',
      password: 'nine calm rivers run',
    };
    const [authenticator] = (await root.get(`identities/${target.id}/authenticators`)).json.data;
    await succeeds(root.call('DELETE', `authenticators/${authenticator.id}`));
    const answer = await whileHashing(
      () => removed.caller.call('POST', 'authenticators', json),
      () => succeeds(root.call('POST', `identities/${removed.id}/disable`, {})),
    );
    assertOver(answer);
    assert.deepEqual((await root.get(`identities/${target.id}/authenticators`)).json.data, []);
  });

  test('changes no password after the administrator lost the right', async () => {
    const [demoted, target] = [await somebody(true), await somebody()];
    const [authenticator] = (await root.get(`identities/${target.id}/authenticators`)).json.data;
    const answer = await whileHashing(
      () =>
        demoted.caller.call('PATCH', `authenticators/${authenticator.id}`, {
          password: 'nine calm rivers run',
        }),
      () => succeeds(root.call('PATCH', `identities/${demoted.id}`, { isAdmin: false })),
    );
    assertRefused(answer, 403, 'FORBIDDEN');
    assert.equal((await callerWith(server, target.caller.accessToken).get(ownRoot)).status, 200);
    await loggedIn(server, target.name);
  });

  test('changes no own password after all sessions were ended', async () => {
    const { caller, id, name } = await somebody();
    const [authenticator] = (await caller.get(`${ownRoot}/authenticators`)).json.data;
    const answer = await whileHashing(
      () =>
        caller.call('PATCH', `${ownRoot}/authenticators/${authenticator.id}`, {
          password: 'nine calm rivers run',
          currentPassword: password,
        }),
      () => succeeds(root.call('DELETE', `identities/${id}/api-sessions`)),
    );
    assertOver(answer);
    await loggedIn(server, name);
  });
});

describe('a list without a limit', () => {
  const listing = serverOfFile({ clock, threads: 1 });

  /** Reads a list of two pages, and runs a step between them. Returns the text that came. */
  async function readWhile(caller: Caller, step: () => Promise<void>, jwt?: string): Promise<string> {
    const { url, store } = await listing;
    const { list } = store.identities;
    const [asked, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let pages = 0;
    store.identities.list = async (query) => {
      pages += 1;
      if (pages === 1) return { ...(await list(query)), next: { after: '' } };
      asked.resolve();
      await opened.promise;
      return list(query);
    };
    const sent = request(`${url}/edge/management/v1/identities?limit=none`, {
      ...{ rejectUnauthorized: false, agent: false },
      headers: bearer(caller, jwt),
    }).end();
    try {
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      await asked.promise;
      store.identities.list = list;
      await step();
      opened.resolve();
      let text = '';
      for await (const chunk of answer) text += chunk;
      return text;
    } finally {
      store.identities.list = list;
      opened.resolve();
      sent.destroy();
    }
  }

  test('sends nothing more to a former administrator, or for a session that has ended', async () => {
    const one = await listing;
    const boss = await rootOf(one);
    const steps: readonly ((reader: string) => Promise<Answer>)[] = [
      (reader) => boss.call('DELETE', `identities/${reader}/api-sessions`),
      (reader) => boss.call('PATCH', `identities/${reader}`, { isAdmin: false }),
      // Who may still read gets neither secrets nor lists of any length.
      (reader) => boss.call('PATCH', `identities/${reader}`, { isAdmin: false, permissions: ['helpdesk'] }),
    ];
    for (const [at, step] of steps.entries()) {
      const name = `reader ${at}`;
      const reader = await one.createUser({ name, password, isAdmin: true });
      const read = readWhile(await loggedIn(one, name), () => succeeds(step(reader)));
      await assert.rejects(read, { code: 'ECONNRESET' });
    }
  });

  test('is sent to its end when only the token has expired since it was asked for', async () => {
    const one = await listing;
    const reader = await one.createUser({ name: 'slow reader', password, isAdmin: true });
    const text = await readWhile(await loggedIn(one, 'slow reader'), async () => {
      clock.advance(HOUR);
    });
    assert.ok(JSON.parse(text).data.some(({ id }: { id: string }) => id === reader));
  });

  test('is sent to its end when the external JWT of the policy has expired meanwhile', async () => {
    const one = await listing;
    const idp = await startTestIdp();
    try {
      const boss = await loggedIn(one, 'root');
      const signer = await createSigner(boss, idp, 'second proof');
      const policy = await createPolicy(one, 'two proofs', { secondary: { requireExtJwt: signer } });
      const reader = await createUserWithPolicy(one, 'two proofs', policy);
      await one.store.identities.update(reader, { isAdmin: true }, clock.now());
      const secondary = () => tokenOf(one, idp, 'two proofs@idp');
      const answer = await submitPasswordAnd(one, 'two proofs', password, await secondary());
      const caller = callerWith(one, (await redeemed(one, answer)).access_token);
      // After the change the token is no longer remembered.
      for (const step of [
        async () => {},
        () => boss.call('PATCH', `external-jwt-signers/${signer}`, { name: 'new' }),
      ]) {
        const jwt = await secondary();
        const text = await readWhile(
          caller,
          async () => {
            await step();
            clock.advance(12 * MINUTE);
          },
          jwt,
        );
        assert.ok(JSON.parse(text).data.some(({ id }: { id: string }) => id === reader));
      }
    } finally {
      await idp.close();
    }
  });
});
