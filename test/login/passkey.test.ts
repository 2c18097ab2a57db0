// Logins by passkey through the front door, with an authenticator in software.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AuthPolicyId, IdentityId } from '../../src/model/ids.ts';
import { DAY, MINUTE } from '../../src/platform/clock.ts';
import { auditedBy } from '../support/audit.ts';
import { type Algorithm, coseOf, keysOf, SoftAuthenticator, type Twist } from '../support/authenticator.ts';
import { enrolled } from '../support/certificates.ts';
import { outcomesOf, reasonOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, callWith, claimsOf, refresh, submitPassword } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, loggedIn, password, rootOf } from '../support/management.ts';
import {
  addOwn,
  afterPassword,
  ownPath,
  passkeyPolicy,
  person,
  personWithPasskey,
  question,
  submit,
  tokensOf,
  usePasskey,
} from '../support/passkeys.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
const root = await rootOf(server);

/** Asserts a 401, and the reason on record. */
async function assertUnauthenticated(answer: Answer, reason: string): Promise<void> {
  assertRefused(answer, 401, 'INVALID_AUTH');
  assert.equal(await reasonOf(server, answer), reason);
}

/** Asserts that a passkey is refused in the middle of something, and the reason on record. */
async function assertInvalidPasskey(answer: Answer, reason: string): Promise<void> {
  assertRefused(answer, 400, 'INVALID_PASSKEY');
  assert.equal(await reasonOf(server, answer), reason);
}

const invite = async (id: string) => {
  const made = await root.call('POST', `identities/${id}/invitation`, {});
  assert.equal(made.status, 201, made.text);
  return new URL(made.json.data.url).searchParams.get('t') ?? '';
};
const ask = (t: string) => server.post('/invite/passkey/options', { json: { t } });
const shown = (t: string) => server.get(`/invite?t=${t}`, { headers: { accept: 'text/html' } });
const choose = (t: string, secret: string) =>
  server.post('/invite', {
    form: { t, password: secret, repeated: secret },
    headers: { accept: 'text/html' },
  });
const add = (t: string, response: object) => server.post('/invite/passkey', { json: { t, response } });

async function enrollTotp(identityId: IdentityId): Promise<void> {
  const begun = { identityId, sealedSeed: 'x', recoveryHashes: [], expiresAt: clock.now() + MINUTE };
  await server.store.totp.start(identityId, begun, clock.now());
  await server.store.totp.verify(identityId, { sealedSeed: 'x', step: 1, now: clock.now() });
}

describe('a login by passkey', () => {
  test('needs no user name, and says in its tokens how it was proven', async () => {
    const pat = await personWithPasskey(server);
    const tokens = await tokensOf(server, await usePasskey(server, pat));
    const { sub, amr, acr } = claimsOf(tokens.access_token);
    assert.equal(sub, pat.id);
    assert.deepEqual(amr, ['passkey']);
    assert.equal(acr, claimsOf((await loggedIn(server, pat.name)).accessToken).acr);
    assert.equal((await callWith(server, tokens.access_token)).status, 200);
  });

  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const satisfies readonly Algorithm[]) {
    test(`works with a key of ${algorithm}`, async () => {
      const pat = await person(server);
      await addOwn(await loggedIn(server, pat.name), pat.authenticator, { algorithm });
      await tokensOf(server, await usePasskey(server, pat));
    });
  }

  test('is asked for in the same words for every name, and names no credential', async () => {
    const login = await beginLogin(server);
    const { challenge, ...options } = await question(server, login);
    assert.deepEqual(options, {
      rpId: 'localhost',
      timeout: 600_000,
      userVerification: 'required',
      allowCredentials: [],
    });
    assert.notEqual((await question(server, login)).challenge, challenge);
  });

  test('is refused for every answer that is not exactly to this question', async () => {
    const pat = await personWithPasskey(server);
    const other = keysOf('ES256').privateKey;
    const twists: readonly (readonly [Twist, string])[] = [
      [{ origin: 'https://evil.example' }, 'passkey-origin'],
      [{ origin: server.url.replace('https:', 'http:') }, 'passkey-origin'],
      [{ origin: server.url.replace(/:\d+$/, ':1') }, 'passkey-origin'],
      [{ origin: `${server.url}.evil.example` }, 'passkey-origin'],
      [{ origin: server.url.replace('localhost', 'sub.localhost') }, 'passkey-origin'],
      [{ origin: 'null' }, 'passkey-origin'],
      [{ crossOrigin: true }, 'passkey-origin'],
      [{ topOrigin: 'https://evil.example' }, 'passkey-origin'],
      [{ rpId: 'evil.example' }, 'passkey-site'],
      [{ rpId: 'sub.localhost' }, 'passkey-site'],
      [{ type: 'webauthn.create' }, 'passkey-question'],
      [{ challenge: 'AAAA' }, 'passkey-question'],
      [{ isPresent: false }, 'passkey-absent'],
      [{ isVerified: false }, 'passkey-unverified'],
      [{ key: other }, 'passkey-signature'],
      [{ userHandle: 'c29tZWJvZHkgZWxzZQ' }, 'passkey-other-identity'],
      [{ userHandle: null }, 'passkey-other-identity'],
      [{ backup: { eligible: true, state: false } }, 'passkey-unreadable'],
      [{ backup: { eligible: false, state: true } }, 'passkey-unreadable'],
    ];
    for (const [twist, reason] of twists) {
      const answer = await usePasskey(server, pat, twist);
      assertRefused(answer, 401, 'INVALID_AUTH');
      assert.equal(await reasonOf(server, answer), reason, JSON.stringify(twist));
    }
    await tokensOf(server, await usePasskey(server, pat));
  });

  test('takes an answer once, in the login that asked for it, for ten minutes', async () => {
    const pat = await personWithPasskey(server);
    const [login, another] = [await beginLogin(server), await beginLogin(server)];
    const response = pat.authenticator.get(await question(server, login));
    await assertUnauthenticated(await submit(server, another, response), 'passkey-question');
    const [first, second] = await Promise.all([
      submit(server, login, response),
      submit(server, login, response),
    ]);
    assert.deepEqual([first?.status, second?.status].filter((status) => status === 302).length, 1);
    assert.equal((await submit(server, login, response)).status, 400);

    const late = await beginLogin(server);
    const asked = await question(server, late);
    clock.advance(10 * MINUTE);
    const fresh = await beginLogin(server);
    assertRefused(await submit(server, fresh, pat.authenticator.get(asked)), 401, 'INVALID_AUTH');
    assertRefused(await submit(server, late, pat.authenticator.get(asked)), 400, 'INVALID_AUTH_REQUEST');
  });

  test('is refused when the counter has not grown, which is recorded and shown', async () => {
    const pat = await personWithPasskey(server);
    await tokensOf(server, await usePasskey(server, pat, { counter: 50 }));
    for (const counter of [50, 49, 0]) {
      await assertUnauthenticated(await usePasskey(server, pat, { counter }), 'passkey-cloned');
    }
    const list = await root.get(`identities/${pat.id}/passkeys`);
    assert.equal(list.json.data[0].clonedAt, new Date(clock.now()).toISOString());
    const events = await root.get(`audit-events?filter=event%20%3D%20%22passkey.cloned%22`);
    assert.equal(events.json.data[0].identityId, pat.id);
    await tokensOf(server, await usePasskey(server, pat, { counter: 51 }));
  });

  test('is accepted from an authenticator that does not count', async () => {
    const pat = await person(server);
    const authenticator = new SoftAuthenticator(server.url, { counter: 0 });
    await addOwn(await loggedIn(server, pat.name), authenticator);
    for (let at = 0; at < 3; at += 1) await tokensOf(server, await usePasskey(server, { authenticator }));
  });

  test('follows the policy: not allowed, without user verification, disabled', async () => {
    const strict = await passkeyPolicy(server, { passkey: { allowed: false } });
    const lenient = await passkeyPolicy(server, { passkey: { userVerification: 'preferred' } });
    const pat = await personWithPasskey(server);
    const unverified = { isVerified: false };
    assertRefused(await usePasskey(server, pat, unverified), 401, 'INVALID_AUTH');
    const have = (change: object) => server.store.identities.update(pat.id, change, clock.now());
    await have({ authPolicyId: strict });
    await assertUnauthenticated(await usePasskey(server, pat), 'method-not-allowed');
    await have({ authPolicyId: lenient });
    assert.equal((await question(server, await beginLogin(server))).userVerification, 'preferred');
    await tokensOf(server, await usePasskey(server, pat, unverified));
    await have({ disabledAt: clock.now() });
    await assertUnauthenticated(await usePasskey(server, pat), 'identity-disabled');
    await server.store.authPolicies.update(
      lenient,
      { primary: { passkey: { userVerification: 'required' } } },
      clock.now(),
    );
  });
});

describe('a security key that does not say whose it is', () => {
  const made = { algorithm: 'ES256', rk: false } as const;
  const nameless = { userHandle: null };
  const withKey = async () => {
    const pat = await person(server);
    await addOwn(await loggedIn(server, pat.name), pat.authenticator, made);
    return pat;
  };

  test('begins a login once the user name was typed, in any spelling, and not without', async () => {
    const pat = await withKey();
    await assertUnauthenticated(await usePasskey(server, pat, nameless), 'passkey-other-identity');
    for (const username of [pat.name, ` ${pat.name.toUpperCase()} `]) {
      const tokens = await tokensOf(server, await usePasskey(server, pat, { ...nameless, username }));
      assert.equal(claimsOf(tokens.access_token).sub, pat.id);
    }
    const { authenticator } = await personWithPasskey(server);
    await tokensOf(server, await usePasskey(server, { authenticator }));
  });

  test('is found by the name of the identity where there is no password', async () => {
    const id = (await root.call('POST', 'identities', { name: 'Keyed Kim', type: 'User' })).json.data.id;
    const invitation = await root.call('POST', `identities/${id}/invitation`, {});
    const t = new URL(invitation.json.data.url).searchParams.get('t');
    const asked = await server.post('/invite/passkey/options', { json: { t } });
    const authenticator = new SoftAuthenticator(server.url);
    const response = authenticator.create(asked.json, made);
    assert.equal((await server.post('/invite/passkey', { json: { t, response } })).status, 200);
    const known = { authenticator };
    await tokensOf(server, await usePasskey(server, known, { ...nameless, username: 'keyed kim' }));
  });

  test('of another person, or of another question, is refused', async () => {
    const [pat, eve] = [await withKey(), await withKey()];
    const login = await beginLogin(server);
    const [credential] = eve.authenticator.credentials;
    assert.ok(credential);
    const asked = await question(server, login, pat.name);
    for (const userHandle of [null, credential.userHandle]) {
      const response = eve.authenticator.get(asked, { credential, userHandle });
      await assertUnauthenticated(await submit(server, login, response), 'passkey-question');
    }
    const ofNobody = pat.authenticator.get(await question(server, login, 'no such name'), {
      ...nameless,
      credential: pat.authenticator.credentials[0] as never,
    });
    await assertUnauthenticated(await submit(server, login, ofNobody), 'passkey-question');
    const good = pat.authenticator.get(asked, nameless);
    assertRefused(await submit(server, await beginLogin(server), good), 401, 'INVALID_AUTH');
    assert.equal((await submit(server, login, good)).status, 302);
  });

  test('is told by nothing from made-up ones of names that have none, or do not exist', async () => {
    const [pat, plain, synced] = [await withKey(), await person(server), await personWithPasskey(server)];
    const login = await beginLogin(server);
    const idsOf = async (username: string) => {
      const { challenge, allowCredentials, ...rest } = await question(server, login, username);
      assert.deepEqual(rest, { rpId: 'localhost', timeout: 600_000, userVerification: 'required' });
      for (const { id, ...descriptor } of allowCredentials) {
        assert.deepEqual(descriptor, { type: 'public-key', transports: ['usb', 'nfc', 'ble'] });
        assert.match(id, /^[\w-]{43,128}$/);
      }
      return {
        length: challenge.length as number,
        ids: allowCredentials.map(({ id }: { id: string }) => id) as string[],
      };
    };
    const names = [pat.name, plain.name, synced.name, ...Array.from({ length: 30 }, (_, at) => `none ${at}`)];
    const counts = new Set<number>();
    const lengths = new Set<number>();
    const seen = new Set<string>();
    for (const username of names) {
      const first = await idsOf(username);
      assert.deepEqual(await idsOf(username), first, 'the same each time');
      assert.deepEqual(await idsOf(` ${username.toUpperCase()}`), first, 'in any spelling');
      counts.add(first.ids.length);
      lengths.add(first.length);
      for (const id of first.ids) seen.add(id);
      assert.deepEqual(first.ids, first.ids.toSorted());
    }
    assert.ok(counts.has(1) && counts.has(2));
    assert.equal(lengths.size, 1, 'challenges have one length');
    const own = pat.authenticator.credentials[0]?.id.toString('base64url') ?? '';
    assert.ok((await idsOf(pat.name)).ids.includes(own));
    const discoverable = synced.authenticator.credentials[0]?.id.toString('base64url') ?? '';
    assert.ok(!seen.has(discoverable), 'what is found without a name is not listed');

    const caller = await loggedIn(server, pat.name);
    for (let more = 0; more < 2; more += 1) await addOwn(caller, pat.authenticator, made);
    assert.ok((await idsOf(pat.name)).ids.length >= 3);
    let most = 0;
    for (let at = 0; most < 3; at += 1) {
      assert.ok(at < 300, 'names that do not exist have as many');
      most = Math.max(most, (await idsOf(`nobody ${at}`)).ids.length);
    }
  });

  test('is told from made-up ones by no passkey that another person adds with its id', async () => {
    const [pat, eve] = [await withKey(), await person(server)];
    const login = await beginLogin(server);
    const caller = await loggedIn(server, eve.name);
    const names = [pat.name, ...Array.from({ length: 6 }, (_, at) => `somebody ${at}`)];
    for (const name of names) {
      for (const listed of (await question(server, login, name)).allowCredentials) {
        const asked = await caller.call('POST', `${ownPath}/options`, {});
        const id = Buffer.from(listed.id, 'base64url');
        const response = eve.authenticator.create(asked.json.data, { id });
        const answer = await caller.call('POST', ownPath, { response });
        await assertInvalidPasskey(answer, 'passkey-not-added');
      }
    }
    assert.deepEqual((await caller.get(ownPath)).json.data, []);
  });

  test('is no sign of an earlier identity: made-up ones are replaced, too', async () => {
    const later = fixedClock('2026-01-01T00:00:00Z');
    await using other = await startTestServer({ clock: later });
    const listed = async () => {
      const login = await beginLogin(other);
      const lists = await Promise.all(
        Array.from({ length: 20 }, (_, at) => question(other, login, `name ${at}`)),
      );
      return lists.map(({ allowCredentials }) => JSON.stringify(allowCredentials));
    };
    const before = await listed();
    later.advance(200 * DAY);
    const after = await listed();
    const stayed = after.filter((list) => before.includes(list)).length;
    assert.ok(stayed > 0 && stayed < 20, `${stayed} of 20 are the same`);
  });
});

describe('both factors in one passkey', () => {
  test('only if the policy says so, and the authenticator knew its owner', async () => {
    const silent = await passkeyPolicy(server, { requireTotp: true });
    const said = await passkeyPolicy(server, {
      requireTotp: true,
      passkey: { satisfiesSecondary: true, userVerification: 'discouraged' },
    });
    const pat = await personWithPasskey(server);
    await server.store.identities.update(pat.id, { authPolicyId: silent }, clock.now());
    const partial = await usePasskey(server, pat);
    assert.equal(partial.status, 200, partial.text);
    assert.deepEqual(
      partial.json.authQueries.map(({ typeId }: { typeId: string }) => typeId),
      ['MFA'],
    );

    await server.store.identities.update(pat.id, { authPolicyId: said }, clock.now());
    assertRefused(await usePasskey(server, pat, { isVerified: false }), 401, 'INVALID_AUTH');
    const tokens = await tokensOf(server, await usePasskey(server, pat));
    const { amr, acr } = claimsOf(tokens.access_token);
    assert.deepEqual(amr, ['passkey', 'uv']);
    assert.match(acr, /two-factor$/);
    assert.equal((await callWith(server, tokens.access_token)).status, 200);

    // The policy takes it back: the session lacks TOTP at once.
    await server.store.authPolicies.update(
      said,
      { primary: { passkey: { satisfiesSecondary: false } } },
      clock.now(),
    );
    assert.equal((await callWith(server, tokens.access_token)).status, 401);
  });

  test('a policy that begins to ask for PIN, finger or face ends sessions whose passkey did not', async () => {
    for (const passkey of [{ userVerification: 'required' as const }, { satisfiesSecondary: true }]) {
      const policy = await passkeyPolicy(server, { passkey: { userVerification: 'preferred' } });
      const pat = await personWithPasskey(server);
      await server.store.identities.update(pat.id, { authPolicyId: policy }, clock.now());
      const opened = async (isVerified: boolean) =>
        tokensOf(server, await usePasskey(server, pat, { isVerified }));
      const [verified, present] = [await opened(true), await opened(false)];
      const { amr, acr } = claimsOf(present.access_token);
      assert.deepEqual(amr, ['passkey', 'user']);
      assert.match(acr, /one-factor$/);
      assert.deepEqual(claimsOf(verified.access_token).amr, ['passkey']);
      assert.equal((await callWith(server, present.access_token)).status, 200);

      await server.store.authPolicies.update(policy, { primary: { passkey } }, clock.now());
      assert.equal((await callWith(server, present.access_token)).status, 401);
      assert.equal((await refresh(server, present.refresh_token)).status, 400);
      assert.equal((await callWith(server, verified.access_token)).status, 200);
      assert.equal((await refresh(server, verified.refresh_token)).status, 200);
    }
  });

  test('a passkey is not the second proof of a login that a passkey opened', async () => {
    const policy = await passkeyPolicy(server, { requirePasskey: true });
    const pat = await personWithPasskey(server);
    await server.store.identities.update(pat.id, { authPolicyId: policy }, clock.now());
    await assertUnauthenticated(await usePasskey(server, pat), 'passkey-not-independent');
  });
});

describe('a passkey as the second step', () => {
  const policyId = passkeyPolicy(server, { requirePasskey: true });

  test('is asked for after the password, of the person who logs in, and completes the login', async () => {
    const pat = await personWithPasskey(server);
    await server.store.identities.update(pat.id, { authPolicyId: await policyId }, clock.now());
    const id = await beginLogin(server);
    const partial = await submitPassword(server, id, pat.name, password);
    assert.deepEqual(partial.json.authQueries, [
      {
        typeId: 'PASSKEY',
        httpMethod: 'POST',
        httpUrl: '/oidc/login/passkey',
        provider: 'overlay',
        isPasskeyEnrolled: true,
      },
    ]);
    const asked = await question(server, id);
    assert.equal(asked.allowCredentials.length, 1);
    const tokens = await tokensOf(server, await submit(server, id, pat.authenticator.get(asked)));
    const { amr } = claimsOf(tokens.access_token);
    assert.equal(amr.length, 2);
    assert.match(amr[1], /^passkey:/);
  });

  test('of another person is refused, and so is an answer that was meant for something else', async () => {
    const [pat, eve] = [await personWithPasskey(server), await personWithPasskey(server)];
    await server.store.identities.update(pat.id, { authPolicyId: await policyId }, clock.now());
    const id = await afterPassword(server, pat);
    const asked = await question(server, id);
    const [credential] = eve.authenticator.credentials;
    assert.ok(credential);
    await assertInvalidPasskey(
      await submit(server, id, eve.authenticator.get(asked, { credential })),
      'passkey-other-identity',
    );
    // An answer to the question for a first proof is none to this one, and would begin another login.
    const primary = await beginLogin(server);
    const elsewhere = pat.authenticator.get(await question(server, primary));
    assertRefused(await submit(server, id, elsewhere), 401, 'INVALID_AUTH');
    assertRefused(await submit(server, primary, pat.authenticator.get(asked)), 401, 'INVALID_AUTH');
    assert.equal((await submit(server, id, pat.authenticator.get(await question(server, id)))).status, 302);
  });

  test('is added in the login only by a person who has none', async () => {
    const pat = await person(server, await policyId);
    const id = await beginLogin(server);
    const partial = await submitPassword(server, id, pat.name, password);
    assert.equal(partial.json.authQueries[0].isPasskeyEnrolled, false);
    const options = async (login: string) =>
      server.post('/oidc/login/passkey/register/options', { json: { id: login } });
    const asked = await options(id);
    assert.equal(asked.status, 200, asked.text);
    const { user, rp, pubKeyCredParams, attestation } = asked.json;
    assert.deepEqual(
      [rp.id, user.name, attestation, pubKeyCredParams.map(({ alg }: { alg: number }) => alg)],
      ['localhost', pat.name, 'none', [-7, -8, -257]],
    );
    const register = (login: string, response: object) =>
      server.post('/oidc/login/passkey/register', { json: { id: login, response, name: 'Key' } });
    // As an answer to another question.
    assertRefused(await submit(server, id, pat.authenticator.create(asked.json)), 400, 'COULD_NOT_VALIDATE');
    const other = await afterPassword(server, pat);
    assertRefused(await register(other, pat.authenticator.create(asked.json)), 400, 'INVALID_PASSKEY');
    const response = new SoftAuthenticator(server.url);
    const second = await options(other);
    const done = await register(id, response.create(asked.json));
    const tokens = await tokensOf(server, done);
    assert.match(claimsOf(tokens.access_token).amr[1], /^passkey:/);
    // An attacker with only the password cannot add another one, even if they were asked before.
    assertRefused(await options(other), 409, 'CONFLICT');
    assertRefused(await register(other, pat.authenticator.create(second.json)), 409, 'CONFLICT');
    await tokensOf(server, await usePasskeyAsSecond(other, response));
  });

  async function usePasskeyAsSecond(id: string, authenticator: SoftAuthenticator) {
    return submit(server, id, authenticator.get(await question(server, id)));
  }

  test('needs no PIN, finger or face unless the policy requires it', async () => {
    const lenient = await passkeyPolicy(server, {
      requirePasskey: true,
      passkey: { userVerification: 'preferred' },
    });
    const pat = await person(server, await policyId);
    const add = async (authPolicyId: AuthPolicyId) => {
      await server.store.identities.update(pat.id, { authPolicyId }, clock.now());
      const id = await afterPassword(server, pat);
      const asked = await server.post('/oidc/login/passkey/register/options', { json: { id } });
      const response = pat.authenticator.create(asked.json, { isVerified: false });
      const answer = await server.post('/oidc/login/passkey/register', { json: { id, response } });
      return { answer, asked: asked.json.authenticatorSelection.userVerification };
    };
    const refused = await add(await policyId);
    assert.equal(refused.asked, 'required');
    assertRefused(refused.answer, 400, 'INVALID_PASSKEY');
    assert.match(refused.answer.text, /PIN, finger or face/);
    const { answer, asked } = await add(lenient);
    assert.deepEqual([answer.status, asked], [302, 'preferred']);
    const use = async () => {
      const id = await afterPassword(server, pat);
      const options = await question(server, id);
      const [, credential] = pat.authenticator.credentials;
      assert.ok(credential);
      const response = pat.authenticator.get(options, { isVerified: false, credential });
      return { answer: await submit(server, id, response), asked: options.userVerification };
    };
    const used = await use();
    assert.deepEqual([used.answer.status, used.asked], [302, 'preferred']);
    const [withNew, withUsed] = [await tokensOf(server, answer), await tokensOf(server, used.answer)];
    for (const { access_token } of [withNew, withUsed]) {
      assert.match(claimsOf(access_token).amr.join(' '), /^password passkey:\S+ user$/);
      assert.equal((await callWith(server, access_token)).status, 200);
    }
    await server.store.identities.update(pat.id, { authPolicyId: await policyId }, clock.now());
    for (const { access_token } of [withNew, withUsed])
      assert.equal((await callWith(server, access_token)).status, 401);
    const tightened = await use();
    assert.equal(tightened.asked, 'required');
    await assertInvalidPasskey(tightened.answer, 'passkey-unverified');
  });

  test('is given again, with a PIN, where the policy begins to ask for it during the login', async () => {
    const passkey = { userVerification: 'preferred' as const };
    const policy = await passkeyPolicy(server, { requirePasskey: true, requireTotp: true, passkey });
    const pat = await personWithPasskey(server);
    await server.store.identities.update(pat.id, { authPolicyId: policy }, clock.now());
    const id = await afterPassword(server, pat);
    const give = async (isVerified: boolean) =>
      submit(server, id, pat.authenticator.get(await question(server, id), { isVerified }));
    assert.equal((await give(false)).status, 200, 'a code is still asked for');
    const primary = { passkey: { userVerification: 'required' as const } };
    await server.store.authPolicies.update(
      policy,
      { primary, secondary: { requireTotp: false } },
      clock.now(),
    );
    await assertInvalidPasskey(await give(false), 'passkey-unverified');
    const tokens = await tokensOf(server, await give(true));
    assert.match(claimsOf(tokens.access_token).amr.join(' '), /^password passkey:\S+$/);
  });

  test('cannot be added before the code of an enrolled app', async () => {
    const both = await passkeyPolicy(server, { requirePasskey: true, requireTotp: true });
    const pat = await person(server, both);
    await enrollTotp(pat.id);
    const id = await afterPassword(server, pat);
    const asked = await server.post('/oidc/login/passkey/register/options', { json: { id } });
    assertRefused(asked, 409, 'CONFLICT');
  });

  test('refuses a legacy login in words that name the query', async () => {
    const pat = await person(server, await policyId);
    const answer = await server.post('/edge/client/v1/authenticate?method=password', {
      json: { username: pat.name, password },
    });
    assertRefused(answer, 403, 'PASSKEY_REQUIRED');
    assert.match(answer.json.error.message, /PASSKEY at \/oidc\/login\/passkey/);
    assert.equal(await reasonOf(server, answer), 'passkey-required');
  });
});

describe('adding a passkey to the own account', () => {
  test('where it is both factors, a session from before the authenticator app cannot', async () => {
    const pat = await person(server, await passkeyPolicy(server, { passkey: { satisfiesSecondary: true } }));
    const thief = await loggedIn(server, pat.name);
    const asked = await thief.call('POST', `${ownPath}/options`, {});
    assert.equal(asked.status, 200, asked.text);
    await enrollTotp(pat.id);
    const response = new SoftAuthenticator(server.url).create(asked.json.data);
    assertRefused(await thief.call('POST', ownPath, { response }), 401, 'UNAUTHORIZED');
    const again = await thief.call('POST', `${ownPath}/options`, { currentPassword: password });
    assertRefused(again, 401, 'UNAUTHORIZED');
    assert.match(String(again.headers['www-authenticate']), /insufficient_user_authentication/);
    assert.deepEqual((await thief.get(ownPath)).json.data, []);
  });

  test('needs a fresh proof, and the same session', async () => {
    const pat = await person(server);
    const [caller, elsewhere] = [await loggedIn(server, pat.name), await loggedIn(server, pat.name)];
    clock.advance(6 * MINUTE);
    const refused = await caller.call('POST', `${ownPath}/options`, {});
    assertRefused(refused, 401, 'UNAUTHORIZED');
    const asked = await caller.call('POST', `${ownPath}/options`, { currentPassword: password });
    assert.equal(asked.status, 200, asked.text);
    const response = pat.authenticator.create(asked.json.data);
    assertRefused(await elsewhere.call('POST', ownPath, { response }), 400, 'INVALID_PASSKEY');
    const misnamed = await caller.call('POST', ownPath, { response, name: 'a\u202eb' });
    assertRefused(misnamed, 400, 'COULD_NOT_VALIDATE', 'name');
    assert.deepEqual(await outcomesOf(server, misnamed), ['refused'], 'no step of a login has passed');
    assert.deepEqual(auditedBy(server, misnamed), []);
    const added = await caller.call('POST', ownPath, { response });
    assert.equal(added.status, 201, added.text);
    assertRefused(await caller.call('POST', ownPath, { response }), 400, 'INVALID_PASSKEY');
    const { id } = added.json.data;
    assert.equal((await caller.call('PATCH', `${ownPath}/${id}`, { name: ' Pixel 9 ' })).status, 200);
    const [listed] = (await caller.get(ownPath)).json.data;
    assert.equal(listed.name, 'Pixel 9');
    for (const name of ['', ' ', 'x'.repeat(101), 'a\u202eb'])
      assertRefused(await caller.call('PATCH', `${ownPath}/${id}`, { name }), 400, 'COULD_NOT_VALIDATE');
    const eve = await loggedIn(server, (await person(server)).name);
    assertRefused(await eve.call('PATCH', `${ownPath}/${id}`, { name: 'mine' }), 404, 'NOT_FOUND');
    assertRefused(await eve.call('DELETE', `${ownPath}/${id}`, {}), 404, 'NOT_FOUND');
  });

  test('is refused for keys that prove nothing, and for what is not asked for', async () => {
    const pat = await person(server);
    const caller = await loggedIn(server, pat.name);
    const weak = keysOf('RS256', 1024);
    const mixed = coseOf('EdDSA', keysOf('EdDSA').publicKey);
    mixed[4] = 0x26;
    const twists: readonly (readonly [NonNullable<Parameters<SoftAuthenticator['create']>[1]>, string])[] = [
      [{ algorithm: 'RS256', keys: weak }, 'passkey-key'],
      [{ cose: mixed }, 'passkey-key'],
      [{ type: 'webauthn.get' }, 'passkey-question'],
      [{ origin: 'https://evil.example' }, 'passkey-origin'],
      [{ rpId: 'evil.example' }, 'passkey-site'],
      [{ isPresent: false }, 'passkey-absent'],
      [{ isVerified: false }, 'passkey-unverified'],
      [{ cose: Buffer.of(0xa0) }, 'passkey-unreadable'],
    ];
    for (const [twist, reason] of twists) {
      const asked = await caller.call('POST', `${ownPath}/options`, {});
      const response = pat.authenticator.create(asked.json.data, twist);
      const answer = await caller.call('POST', ownPath, { response });
      assertRefused(answer, 400, 'INVALID_PASSKEY');
      assert.equal(await reasonOf(server, answer), reason, JSON.stringify(twist));
    }
    assert.deepEqual((await caller.get(ownPath)).json.data, []);
  });

  test('takes self-attestation and certificates of the maker as no attestation at all', async () => {
    const pat = await person(server);
    const statement = new Map<string, unknown>([
      ['alg', -7],
      ['sig', Buffer.alloc(70, 1)],
      ['x5c', [Buffer.alloc(300, 2)]],
    ]) as never;
    const caller = await loggedIn(server, pat.name);
    const aaguid = Buffer.from('ea9b8d664d011d213ce4b6b48cb575d4', 'hex');
    const added = await addOwn(caller, pat.authenticator, { format: 'packed', statement, aaguid });
    assert.equal(added.aaguid, 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4');
  });

  test('ends at twenty, however many are added at once', async () => {
    const pat = await person(server);
    const caller = await loggedIn(server, pat.name);
    const add = async () => {
      const asked = await caller.call('POST', `${ownPath}/options`, {});
      if (asked.status !== 200) return asked.status;
      const response = pat.authenticator.create(asked.json.data);
      return (await caller.call('POST', ownPath, { response })).status;
    };
    for (let at = 0; at < 17; at += 1) assert.equal(await add(), 201);
    const statuses = await Promise.all(Array.from({ length: 6 }, add));
    assert.equal(statuses.filter((status) => status === 201).length, 3);
    assert.equal((await caller.get(ownPath)).json.data.length, 20);
    assertRefused(await caller.call('POST', `${ownPath}/options`, {}), 409, 'CONFLICT');
  });

  test('of a credential that is registered already is refused', async () => {
    const [pat, eve] = [await personWithPasskey(server), await person(server)];
    const [credential] = pat.authenticator.credentials;
    assert.ok(credential);
    const caller = await loggedIn(server, eve.name);
    const asked = await caller.call('POST', `${ownPath}/options`, {});
    const fake = eve.authenticator.create(asked.json.data);
    const bytes = Buffer.from(fake.response.attestationObject, 'base64url');
    const own = Buffer.from(fake.id, 'base64url');
    credential.id.copy(bytes, bytes.indexOf(own));
    const id = credential.id.toString('base64url');
    const response = {
      ...fake,
      id,
      rawId: id,
      response: { ...fake.response, attestationObject: bytes.toString('base64url') },
    };
    await assertInvalidPasskey(await caller.call('POST', ownPath, { response }), 'passkey-not-added');
    await tokensOf(server, await usePasskey(server, pat));
  });
});

describe('removing a passkey', () => {
  test('ends what it opened and what it completed, and nothing else', async () => {
    const policy = await passkeyPolicy(server, { requirePasskey: true });
    const pat = await personWithPasskey(server);
    const byPassword = await loggedIn(server, pat.name);
    const opened = await tokensOf(server, await usePasskey(server, pat));
    await server.store.identities.update(pat.id, { authPolicyId: policy }, clock.now());
    const id = await afterPassword(server, pat);
    const completed = await tokensOf(
      server,
      await submit(server, id, pat.authenticator.get(await question(server, id))),
    );
    await server.store.identities.update(pat.id, { authPolicyId: 'default' as never }, clock.now());
    const inProgress = await beginLogin(server);
    const asked = await question(server, inProgress);
    const [{ id: passkeyId }] = (await byPassword.get(ownPath)).json.data;
    assert.equal((await byPassword.call('DELETE', `${ownPath}/${passkeyId}`, {})).status, 200);
    for (const tokens of [opened, completed])
      assert.equal((await callWith(server, tokens.access_token)).status, 401);
    assert.equal((await callWith(server, byPassword.accessToken)).status, 200);
    await assertUnauthenticated(
      await submit(server, inProgress, pat.authenticator.get(asked)),
      'passkey-unknown',
    );
  });

  test('that is the last way in has to be meant', async () => {
    const only = await passkeyPolicy(server);
    const pat = await personWithPasskey(server, only);
    await server.store.authPolicies.update(only, { primary: { updb: { allowed: false } } }, clock.now());
    // A certificate that has expired is no other way.
    await enrolled(server, pat.id, { from: -3000 * DAY, until: -2000 * DAY });
    const { access_token: token } = await tokensOf(server, await usePasskey(server, pat));
    const headers = { authorization: `Bearer ${token}` };
    const [{ id }] = (await server.get(ownPath, { headers })).json.data;
    const remove = (json: object) => server.request('DELETE', `${ownPath}/${id}`, { headers, json });
    assertRefused(await remove({}), 409, 'CONFLICT', 'evenIfLast');
    assert.equal((await remove({ evenIfLast: true })).status, 200);
  });

  test('by an administrator or the help desk, not of people with power', async () => {
    const pat = await personWithPasskey(server);
    const opened = await tokensOf(server, await usePasskey(server, pat));
    const helper = await server.createUser({ name: 'helen', password });
    await server.store.identities.update(helper, { permissions: ['helpdesk'] }, clock.now());
    const helen = await loggedIn(server, 'helen');
    const [{ id }] = (await helen.get(`identities/${pat.id}/passkeys`)).json.data;
    assert.equal((await helen.call('DELETE', `identities/${pat.id}/passkeys/${id}`)).status, 200);
    assert.equal((await callWith(server, opened.access_token)).status, 401);
    assertRefused(await helen.call('DELETE', `identities/${pat.id}/passkeys/${id}`), 404, 'NOT_FOUND');
    await addOwn(root, new SoftAuthenticator(server.url));
    const { data } = (await root.get(ownPath)).json;
    const me = (await root.get('/edge/client/v1/current-identity')).json.data.id;
    const refused = await helen.call('DELETE', `identities/${me}/passkeys/${data[0].id}`);
    assertRefused(refused, 403, 'FORBIDDEN');
    const eve = await loggedIn(server, (await person(server)).name);
    assert.equal((await eve.get(`identities/${pat.id}/passkeys`)).status, 403);
  });
});

describe('an invitation', () => {
  test('is used up by adding a passkey, with which a person without a password logs in', async () => {
    const onlyPasskeys = await passkeyPolicy(server);
    await server.store.authPolicies.update(
      onlyPasskeys,
      { primary: { updb: { allowed: false } } },
      clock.now(),
    );
    const fresh = { name: 'ingrid', authPolicyId: onlyPasskeys };
    const id = (await root.call('POST', 'identities', { type: 'User', ...fresh })).json.data.id;
    const authenticator = new SoftAuthenticator(server.url);
    const [old, t] = [await invite(id), await invite(id)];
    assertRefused(await ask(old), 400, 'INVALID_ENROLLMENT_TOKEN');
    const asked = await ask(t);
    assert.equal(asked.status, 200, asked.text);
    assert.equal(asked.json.authenticatorSelection.residentKey, 'preferred');
    const bad = authenticator.create(asked.json, { origin: 'https://evil.example' });
    assertRefused(await add(t, bad), 400, 'INVALID_PASSKEY');
    const response = authenticator.create(asked.json);
    const misnamed = await server.post('/invite/passkey', { json: { t, response, name: ' ' } });
    assertRefused(misnamed, 400, 'COULD_NOT_VALIDATE', 'name');
    assert.deepEqual(await outcomesOf(server, misnamed), ['refused']);
    const [audited] = auditedBy(server, misnamed);
    assert.equal(audited?.event, 'enrollment.refused', 'as for a password that the policy refuses');
    const outcomes = await Promise.all([add(t, response), add(t, response)]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), [200, 400]);
    assertRefused(await ask(t), 400, 'INVALID_ENROLLMENT_TOKEN');
    const known = { authenticator: new SoftAuthenticator(server.url) };
    known.authenticator.credentials.push(authenticator.credentials[1] as never);
    await tokensOf(server, await usePasskey(server, known));
  });

  test('replaces a password that the identity had', async () => {
    const pat = await person(server);
    const opened = await loggedIn(server, pat.name);
    const t = await invite(pat.id);
    const response = pat.authenticator.create((await ask(t)).json);
    assert.equal((await add(t, response)).status, 200);
    assertRefused(
      await submitPassword(server, await beginLogin(server), pat.name, password),
      401,
      'INVALID_AUTH',
    );
    assert.equal((await callWith(server, opened.accessToken)).status, 401);
    await tokensOf(server, await usePasskey(server, pat));
  });

  test('sets no password where the policy allows passkeys only, and no passkey where it allows none', async () => {
    const none = await passkeyPolicy(server, { passkey: { allowed: false } });
    const pat = await person(server, none);
    assertRefused(await ask(await invite(pat.id)), 400, 'INVALID_ENROLLMENT_TOKEN');
    const second = await passkeyPolicy(server, { requirePasskey: true });
    await server.store.identities.update(pat.id, { authPolicyId: second }, clock.now());
    assertRefused(await ask(await invite(pat.id)), 400, 'INVALID_ENROLLMENT_TOKEN');
  });
});

describe('where a passkey is both factors, an invitation', () => {
  const both = (requirePasskey: boolean) =>
    passkeyPolicy(server, { requirePasskey, passkey: { satisfiesSecondary: true } });

  test('leads past no authenticator app: it lets the person choose a password only', async () => {
    const pat = await person(server, await both(false));
    const t = await invite(pat.id);
    const asked = await ask(t);
    assert.equal(asked.status, 200, asked.text);
    await enrollTotp(pat.id);
    const response = pat.authenticator.create(asked.json);
    assertRefused(await add(t, response), 400, 'INVALID_ENROLLMENT_TOKEN');
    assertRefused(await ask(t), 400, 'INVALID_ENROLLMENT_TOKEN');
    assert.doesNotMatch((await shown(t)).text, /webauthn|passkey/);
    const chosen = 'eleven loud umbrellas';
    assert.equal((await choose(t, chosen)).status, 200);
    const answer = await submitPassword(server, await beginLogin(server), pat.name, chosen);
    assert.deepEqual(
      answer.json.authQueries.map(({ typeId }: { typeId: string }) => typeId),
      ['MFA'],
    );
  });

  test('leads past no passkey that completes the login, until it is removed', async () => {
    const pat = await personWithPasskey(server);
    const authPolicyId = await both(true);
    await server.store.identities.update(pat.id, { authPolicyId }, clock.now());
    const t = await invite(pat.id);
    assertRefused(await ask(t), 400, 'INVALID_ENROLLMENT_TOKEN');
    const only = { primary: { updb: { allowed: false } } };
    await server.store.authPolicies.update(authPolicyId, only, clock.now());
    const refused = await root.call('POST', `identities/${pat.id}/invitation`, {});
    assertRefused(refused, 409, 'CONFLICT');
    assert.match(refused.text, /would stand for/);
    const [{ id }] = (await root.get(`identities/${pat.id}/passkeys`)).json.data;
    await root.call('DELETE', `identities/${pat.id}/passkeys/${id}`);
    const response = pat.authenticator.create((await ask(await invite(pat.id))).json);
    assert.ok(response);
  });
});

test('the button is there where some policy lets passkeys open logins, from the moment of the change', async () => {
  await using other = await startTestServer();
  const { store } = other;
  const set = (passkey: object, of: string, requirePasskey = false) =>
    store.authPolicies.update(
      of as never,
      { primary: { passkey }, secondary: { requirePasskey } },
      other.clock.now(),
    );
  const shows = async () => {
    const id = encodeURIComponent(await beginLogin(other));
    const headers = { accept: 'text/html' };
    const page = await other.get(`/oidc/login/username?authRequestID=${id}`, { headers });
    assert.equal(page.text.includes('webauthn'), page.text.includes('id="use-passkey"'));
    return page.text.includes('id="use-passkey"');
  };
  const verification = async () => (await question(other, await beginLogin(other))).userVerification;
  assert.equal(await shows(), true);
  await set({ allowed: false, userVerification: 'preferred' }, 'default');
  assert.equal(await shows(), false);
  assert.equal(await verification(), 'required');
  const another = await passkeyPolicy(other, {
    passkey: { allowed: true, userVerification: 'preferred' },
  });
  assert.equal(await shows(), true);
  assert.equal(await verification(), 'preferred');
  await set({ allowed: true }, another, true);
  assert.equal(await shows(), false, 'as the second proof only');
  await set({ satisfiesSecondary: true }, another, true);
  assert.equal(await shows(), true);
  assert.equal(await verification(), 'required');
  await store.authPolicies.delete(another, other.clock.now());
  assert.equal(await shows(), false);
});

test('password managers find the page on which passkeys are added', async () => {
  const answer = await server.get('/.well-known/passkey-endpoints');
  const page = `${server.url}/account`;
  assert.deepEqual(answer.json, { enroll: page, manage: page });
});
