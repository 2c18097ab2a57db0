import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createClientApi, secondaryTokenChallenge } from '../../packages/client/src/api/edge-api.ts';
import { Refusal } from '../../packages/client/src/errors.ts';
import { type LoginState, startDirectLogin } from '../../packages/client/src/login/direct-login.ts';
import { discover, type Provider } from '../../packages/client/src/oidc/provider.ts';
import type { Tokens } from '../../packages/client/src/oidc/tokens.ts';
import { defaultAuthPolicyId } from '../../src/model/ids.ts';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { enrolled } from '../support/certificates.ts';
import { createPolicy, createSigner, createUserWithPolicy, tokenOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { password, rootOf } from '../support/management.ts';
import { passkeyPolicy, person, personWithPasskey } from '../support/passkeys.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTotpUser, scan, step, totpPolicy } from '../support/totp.ts';
import { transportTo } from './support.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const [server, idp] = await Promise.all([startTestServer({ clock }), startTestIdp()]);
const root = await rootOf(server);
const signerId = await createSigner(root, idp, 'lab');
const provider = await providerWith();
await server.createUser({ name: 'ada', password });
after(() => Promise.all([server.close(), idp.close()]));

function providerWith(clientCertificate?: Parameters<typeof transportTo>[1]): Promise<Provider> {
  const transport = transportTo(server, clientCertificate);
  return discover({ baseUrl: server.url, transport, now: () => clock.now() });
}

/** The state is of this kind. */
function expect<Kind extends LoginState['kind']>(
  state: LoginState,
  kind: Kind,
): Extract<LoginState, { readonly kind: Kind }> {
  assert.equal(state.kind, kind);
  return state as Extract<LoginState, { readonly kind: Kind }>;
}

async function nameOf(token: Tokens, more: object = {}): Promise<string> {
  const transport = transportTo(server);
  const api = createClientApi({ baseUrl: server.url, token, transport, ...more });
  return (await api.GET('/current-identity')).data.data.name;
}

const refusedWith = (status: number, code: string) => (error: unknown) =>
  error instanceof Refusal && error.status === status && error.code === code && error.requestId !== undefined;

describe('a login with a passkey', () => {
  test('asks the authenticator of the program, with or without a password before', async () => {
    const ada = await personWithPasskey(server);
    const get = async (options: object) => ada.authenticator.get(options);
    const { tokens } = expect(await (await startDirectLogin(provider)).passkey(get), 'done');
    assert.deepEqual(tokens.factors, ['passkey']);
    assert.equal(await nameOf(tokens), ada.name);

    const authPolicyId = await passkeyPolicy(server, { requirePasskey: true });
    const bob = await person(server, authPolicyId);
    const asked = await startDirectLogin(provider);
    const first = await asked.password({ username: bob.name, password });
    const make = async (options: object) => bob.authenticator.create(options);
    expect(await expect(first, 'passkey-set-up').submit({ name: 'Robot', make }), 'done');
    const again = await (await startDirectLogin(provider)).password({ username: bob.name, password });
    const question = expect(again, 'passkey');
    const wrong = async (options: object) => bob.authenticator.get(options, { isPresent: false });
    await assert.rejects(question.submit(wrong), refusedWith(400, 'INVALID_PASSKEY'));
    await assert.rejects(
      question.submit(() => Promise.reject(new Error('no authenticator here'))),
      /no authenticator here/,
    );
    const done = expect(await question.submit(async (options) => bob.authenticator.get(options)), 'done');
    assert.match(done.tokens.factors.join(), /^password,passkey:/);
  });
});

describe('a login with a password', () => {
  test('ends with tokens that work, and say what was proven', async () => {
    const asked = await startDirectLogin(provider);
    const { tokens } = expect(await asked.password({ username: 'ada', password }), 'done');
    assert.equal(await nameOf(tokens), 'ada');
    assert.deepEqual(tokens.factors, ['password']);
    assert.equal(tokens.lifetime, 1_800_000);
    assert.equal(tokens.accessTokenExpiresAt, clock.now() + tokens.lifetime);
    assert.equal(typeof tokens.refreshToken, 'string');
  });

  test('that is wrong is a refusal, and the same state can be answered again', async () => {
    const asked = await startDirectLogin(provider);
    const wrong = asked.password({ username: 'ada', password: 'not the password' });
    await assert.rejects(wrong, refusedWith(401, 'INVALID_AUTH'));
    expect(await asked.password({ username: 'ada', password }), 'done');
  });

  test('without the scope for it gives no refresh token', async () => {
    const asked = await startDirectLogin(provider, { scope: 'openid' });
    const { tokens } = expect(await asked.password({ username: 'ada', password }), 'done');
    assert.equal(tokens.refreshToken, null);
  });

  test('cannot begin with a redirect URI that the server does not know', async () => {
    const redirectUris = ['https://evil.example/callback'];
    await assert.rejects(startDirectLogin(provider, { redirectUris }), refusedWith(400, 'invalid_request'));
  });
});

describe('one-time codes', () => {
  test('are set up during the login, confirmed, and required from then on', async () => {
    await createTotpUser(server, await totpPolicy(server), 'grace');
    const asked = await startDirectLogin(provider);
    const before = expect(await asked.password({ username: 'grace', password }), 'totp-enrollment');

    // A person who changes their mind begins anew.
    const first = await before.begin();
    const again = await expect(await first.cancel(), 'totp-enrollment').begin();
    assert.notEqual(again.secret, first.secret);
    const app = scan(clock, again.provisioningUrl);
    assert.equal(again.secret, app.secret);
    assert.equal(again.recoveryCodes.length > 5, true);

    await assert.rejects(again.confirm(app.wrongCode()), refusedWith(400, 'INVALID_TOTP_CODE'));
    const { tokens } = expect(await again.confirm(app.code()), 'done');
    assert.deepEqual(tokens.factors, ['password', 'totp']);
    clock.advance(step);

    const next = await startDirectLogin(provider);
    const totp = expect(await next.password({ username: 'grace', password }), 'totp');
    await assert.rejects(totp.submit(app.wrongCode()), refusedWith(400, 'INVALID_TOTP_CODE'));
    expect(await totp.submit(app.code()), 'done');

    // A recovery code is an answer to the same question, once.
    const [recoveryCode = ''] = again.recoveryCodes;
    const ask = async () =>
      expect(await (await startDirectLogin(provider)).password({ username: 'grace', password }), 'totp');
    expect(await (await ask()).submit(recoveryCode), 'done');
    await assert.rejects((await ask()).submit(recoveryCode), refusedWith(400, 'INVALID_TOTP_CODE'));
  });
});

describe('a client certificate', () => {
  test('logs in, and the tokens work only with it', async () => {
    const ada = await server.createUser({ name: 'device', password });
    const leaf = await enrolled(server, ada);
    const asked = await startDirectLogin(await providerWith(leaf), { method: 'cert' });
    const { tokens } = expect(await asked.certificate(), 'done');
    assert.equal(await nameOf(tokens, { transport: transportTo(server, leaf) }), 'device');
    await assert.rejects(nameOf(tokens), { status: 401 });
  });

  test('that is not there is a refusal', async () => {
    const asked = await startDirectLogin(provider, { method: 'cert' });
    await assert.rejects(asked.certificate(), refusedWith(401, 'INVALID_AUTH'));
  });
});

describe('an external JWT', () => {
  test('logs in alone', async () => {
    await createUserWithPolicy(server, 'joan', defaultAuthPolicyId);
    const asked = await startDirectLogin(provider, { method: 'ext-jwt' });
    const { tokens } = expect(await asked.externalJwt(await tokenOf(server, idp, 'joan@idp')), 'done');
    assert.equal(await nameOf(tokens), 'joan');
    const stranger = asked.externalJwt(await tokenOf(server, idp, 'nobody@idp'));
    await assert.rejects(stranger, { kind: 'refused' });
  });

  test('as second factor is required in the login, and with every call', async () => {
    const policy = await createPolicy(server, 'two', { secondary: { requireExtJwt: signerId } });
    await createUserWithPolicy(server, 'hedy', policy);
    const asked = await startDirectLogin(provider);
    const second = expect(await asked.password({ username: 'hedy', password }), 'external-jwt');
    assert.deepEqual([second.signerId, second.issuer], [signerId, idp.issuer]);

    for (const [other, error] of [
      [await tokenOf(server, idp, 'somebody-else@idp'), 'invalid'],
      [await tokenOf(server, idp, 'hedy@idp', { exp: Math.floor(clock.now() / SECOND) - 3600 }), 'expired'],
    ] as const) {
      const signers = [{ id: signerId, issuer: idp.issuer }];
      await assert.rejects(second.submit(other), {
        ...{ kind: 'refused', code: 'INVALID_AUTH' },
        challenges: [{ realm: 'overlay-secondary-ext-jwt', error, signers }],
      });
    }
    const external = await tokenOf(server, idp, 'hedy@idp');
    const { tokens } = expect(await second.submit(external), 'done');

    await assert.rejects(nameOf(tokens), (error) => {
      const challenge = secondaryTokenChallenge(error);
      assert.deepEqual(challenge?.signers, [{ id: signerId, issuer: idp.issuer }]);
      return challenge?.error === 'missing';
    });
    assert.equal(await nameOf(tokens, { secondaryToken: async () => external }), 'hedy');

    // A client that has it before sends it along.
    const at = await startDirectLogin(provider);
    expect(await at.password({ username: 'hedy', password, externalJwt: external }), 'done');
  });
});
