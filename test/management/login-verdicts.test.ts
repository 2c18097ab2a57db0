// Every verdict of "Can they sign in?" beside a login that is tried to its end: what the explanation allows has to
// work, and what it refuses has to be refused for the same reason.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { SignJWT } from 'jose';
import { type AuthPolicyId, asId, defaultAuthPolicyId, type IdentityId } from '../../src/model/ids.ts';
import { DAY, HOUR, MINUTE, systemClock } from '../../src/platform/clock.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import {
  enrolled,
  giveCertificate,
  registerCa,
  submitCertificate,
  withCertificate,
} from '../support/certificates.ts';
import {
  authority,
  client,
  clientExtensions,
  generalName,
  type Made,
  makeCertificate,
  subjectAltName,
} from '../support/chains.ts';
import { dpopCaller, dpopKey } from '../support/dpop.ts';
import {
  audience,
  createIdentity,
  createSigner,
  reasonOf,
  submitJwt,
  submitPasswordAnd,
  tokenOf,
} from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, codeOf, redeem, submitPassword } from '../support/flow.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { type Caller, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { afterPassword, question, storePasskey, submit, usePasskey } from '../support/passkeys.ts';
import { listPem, revocationList } from '../support/revocation.ts';
import { goodClaims, startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';
import { enroll, partialLogin, submitCode } from '../support/totp.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await startTestServer({
  clock,
  addFiles: (home) => writeFileSync(join(home, 'makers.pem'), authority({ subject: 'Maker' }).certPem),
  configure: (yaml) => yaml.replace(/^ {2}# passkeys:\n/m, '  passkeys:\n    trustedRoots: [makers.pem]\n'),
});
let root: Caller = await rootOf(server);
const idp = await startTestIdp();
after(() => Promise.all([server.close(), idp.close()]));

interface Someone {
  readonly id: IdentityId;
  readonly name: string;
}

/** How a login is tried to its end: the last answer. */
type Login = () => Promise<Answer>;
type Prepared = Promise<readonly [who: Pick<Someone, 'id'>, login: Login]>;

let people = 0;
const policies: string[] = [];
function newName(): string {
  people += 1;
  return `person-${people}`;
}
const have = (id: IdentityId, change: Parameters<typeof server.store.identities.update>[1]) =>
  server.store.identities.update(id, change, clock.now());

async function policy(rules: object): Promise<AuthPolicyId> {
  const id = createdId(await root.call('POST', 'auth-policies', { name: server.random.id(), ...rules }));
  policies.push(id);
  return asId(id);
}

/** Somebody who has nothing to log in with. */
async function bare(authPolicyId = defaultAuthPolicyId, externalId: string | null = null): Promise<Someone> {
  const name = newName();
  return { id: await createIdentity(server, name, { externalId, authPolicyId }), name };
}

async function withPassword(rules: object = {}): Promise<Someone> {
  const name = newName();
  const id = await server.createUser({ name, password });
  await have(id, { authPolicyId: await policy(rules) });
  return { id, name };
}

const typing = async ({ name }: Someone, secret = password) =>
  submitPassword(server, await beginLogin(server), name, secret);

async function lockedOut(rules: object): Promise<Someone> {
  const who = await withPassword({ primary: { updb: { maxAttempts: 1, ...rules } } });
  await typing(who, 'wrong');
  return who;
}

async function replacing({ name }: Someone): Promise<Answer> {
  const authRequestId = await beginLogin(server);
  await submitPassword(server, authRequestId, name, password);
  return server.post('/oidc/login/password-change', {
    json: { authRequestId, password: 'eleven green harbours' },
  });
}

/** A login over a connection with a certificate, and those that it sends beside. */
async function presenting(leaf: Made, ...sent: readonly Made[]): Promise<Answer> {
  const connection: HttpsClient = withCertificate(server, leaf, ...sent);
  try {
    return await submitCertificate(connection);
  } finally {
    connection.closeConnections();
  }
}

const long = { from: -10 * DAY, until: 10 * DAY };
/** Ends in an hour by the clock of the server. */
const short = () => ({ from: -10 * DAY, until: clock.now() - systemClock.now() + HOUR });

async function withCertificateOf(issuer: Made, authPolicyId = defaultAuthPolicyId, recipe: object = long) {
  const who = await bare(authPolicyId);
  const leaf = client({ issuer, ...recipe });
  await giveCertificate(server, who.id, leaf);
  return { who, leaf };
}

const byUri = { location: 'SAN_URI', matcher: 'ALL', parser: 'NONE', index: 0 };
const naming = (issuer: Made, uri: string) =>
  client({ issuer, ...long }, clientExtensions(subjectAltName(generalName.uri(uri))));

/** Somebody of a signer, with the token that names them. */
async function ofSigner(more: Readonly<Record<string, unknown>> = {}, authPolicyId = defaultAuthPolicyId) {
  const name = newName();
  const signerId = await createSigner(root, idp, newName(), more);
  const who = await bare(authPolicyId, `${name}@idp`);
  const token = (changes: object = {}) => tokenOf(server, idp, `${name}@idp`, { ...changes });
  return { who, signerId, token };
}

async function withPasskey(rules: object, { rpId = 'localhost', secret = false } = {}) {
  const who = secret ? await withPassword(rules) : await bare(await policy(rules));
  const authenticator = new SoftAuthenticator(server.url);
  await storePasskey(server, who.id, authenticator, rpId);
  return { ...who, authenticator };
}

type WithPasskey = Awaited<ReturnType<typeof withPasskey>>;

/** Whatever the server asks for, the device answers with what it has. */
async function anyPasskey({ authenticator }: WithPasskey, begun?: string): Promise<Answer> {
  const id = begun ?? (await beginLogin(server));
  const asked = { ...(await question(server, id)), allowCredentials: [] };
  return submit(server, id, authenticator.get(asked, { credential: authenticator.credentials[0] }));
}

const secondPasskey = async (who: WithPasskey) => anyPasskey(who, await afterPassword(server, who));

interface More {
  readonly asks?: readonly string[];
  /** What the explanation says, where a login that presents nothing is refused with less. */
  readonly reason?: string;
}

type Method = 'password' | 'cert' | 'ext-jwt' | 'passkey';
type Expected = readonly [method: Method, standing: string, more?: More];

const row = (of: string, expected: Expected, prepare: () => Prepared) => ({ of, expected, prepare });

const rows = [
  row('no password', ['password', 'not-set-up'], async () => {
    const who = await bare();
    return [who, () => typing(who)];
  }),
  row('a password', ['password', 'ready'], async () => {
    const who = await withPassword();
    return [who, () => typing(who)];
  }),
  row('a password that the policy does not allow', ['password', 'not-allowed'], async () => {
    const who = await withPassword({ primary: { updb: { allowed: false } } });
    return [who, () => typing(who)];
  }),
  row('a policy by role attribute that allows none', ['password', 'not-allowed'], async () => {
    const name = newName();
    const id = await server.createUser({ name, password });
    await policy({ assignTo: [name], primary: { updb: { allowed: false } } });
    await root.call('PATCH', `identities/${id}`, { roleAttributes: [name] });
    return [{ id }, () => typing({ id, name })];
  }),
  row('a password locked until later', ['password', 'locked'], async () => {
    const who = await lockedOut({ lockoutDurationMinutes: 5 });
    return [who, () => typing(who)];
  }),
  row('a password locked until it is unlocked', ['password', 'locked'], async () => {
    const who = await lockedOut({ lockoutDurationMinutes: 0 });
    return [who, () => typing(who)];
  }),
  row('a lock that has ended', ['password', 'ready'], async () => {
    const who = await lockedOut({ lockoutDurationMinutes: 1 });
    clock.advance(MINUTE);
    return [who, () => typing(who)];
  }),
  row('a lock under a policy that locks nobody', ['password', 'ready'], async () => {
    const who = await lockedOut({ lockoutDurationMinutes: 0 });
    await have(who.id, { authPolicyId: await policy({ primary: { updb: { maxAttempts: 0 } } }) });
    return [who, () => typing(who)];
  }),
  row('an identity disabled until it is enabled', ['password', 'refused'], async () => {
    const who = await withPassword();
    await root.call('POST', `identities/${who.id}/disable`, {});
    return [who, () => typing(who)];
  }),
  row('an identity disabled until later', ['password', 'refused'], async () => {
    const who = await withPassword();
    await root.call('POST', `identities/${who.id}/disable`, { durationMinutes: 5 });
    return [who, () => typing(who)];
  }),
  row('an identity whose disabling has ended', ['password', 'ready'], async () => {
    const who = await withPassword();
    await root.call('POST', `identities/${who.id}/disable`, { durationMinutes: 5 });
    clock.advance(5 * MINUTE);
    return [who, () => typing(who)];
  }),
  row(
    'a method that a disabled identity never had',
    ['passkey', 'not-set-up', { reason: 'identity-disabled' }],
    async () => {
      const who = await withPassword({ primary: { passkey: { allowed: true } } });
      await root.call('POST', `identities/${who.id}/disable`, {});
      return [who, () => typing(who)];
    },
  ),
  row(
    'a password that has to be replaced',
    ['password', 'ready', { asks: ['password-change'] }],
    async () => {
      const who = await withPassword();
      await root.call('PATCH', `identities/${who.id}`, { passwordMustChange: true });
      return [who, () => replacing(who)];
    },
  ),
  row('TOTP that is required and not set up', ['password', 'ready', { asks: ['totp'] }], async () => {
    const who = await withPassword({ secondary: { requireTotp: true } });
    return [
      who,
      async () => {
        const { app } = await enroll(server, clock, who.name);
        return submitCode(server, await partialLogin(server, who.name), app.code());
      },
    ];
  }),
  row('TOTP that is set up and not required', ['password', 'ready', { asks: ['totp'] }], async () => {
    const who = await withPassword({ secondary: { requireTotp: true } });
    const { app } = await enroll(server, clock, who.name);
    await have(who.id, { authPolicyId: defaultAuthPolicyId });
    return [who, async () => submitCode(server, await partialLogin(server, who.name), app.code())];
  }),
  row('TOTP that is locked', ['password', 'locked', { asks: ['totp'] }], async () => {
    const who = await withPassword({ secondary: { requireTotp: true } });
    const { app } = await enroll(server, clock, who.name);
    for (let tries = 0; tries < 5; tries += 1)
      await submitCode(server, await partialLogin(server, who.name), app.wrongCode());
    return [who, async () => submitCode(server, await partialLogin(server, who.name), app.code())];
  }),
  row(
    'a token that no second signer could give',
    ['password', 'refused', { asks: ['ext-jwt'], reason: 'no-identity-for-claim' }],
    async () => {
      const signerId = await createSigner(root, idp, newName());
      const who = await withPassword({ secondary: { requireExtJwt: signerId } });
      return [
        who,
        async () => submitPasswordAnd(server, who.name, password, await tokenOf(server, idp, 'x')),
      ];
    },
  ),
  row('a token of a second signer', ['password', 'vouched', { asks: ['ext-jwt'] }], async () => {
    const signerId = await createSigner(root, idp, newName());
    const who = await withPassword({ secondary: { requireExtJwt: signerId } });
    await have(who.id, { externalId: who.name });
    const token = () => tokenOf(server, idp, who.name);
    return [who, async () => submitPasswordAnd(server, who.name, password, await token())];
  }),
  row('a token of a second signer that is off', ['password', 'refused', { asks: ['ext-jwt'] }], async () => {
    const signerId = await createSigner(root, idp, newName());
    const who = await withPassword({ secondary: { requireExtJwt: signerId } });
    await have(who.id, { externalId: who.name });
    await root.call('PATCH', `external-jwt-signers/${signerId}`, { enabled: false });
    const token = () => tokenOf(server, idp, who.name);
    return [who, async () => submitPasswordAnd(server, who.name, password, await token())];
  }),
  row('a certificate of the overlay', ['cert', 'ready'], async () => {
    const who = await bare();
    const leaf = await enrolled(server, who.id, long);
    return [who, () => presenting(leaf)];
  }),
  row('no certificate', ['cert', 'not-set-up', { reason: 'unknown-thumbprint' }], async () => {
    const who = await bare();
    return [
      who,
      async () => server.post('/oidc/login/cert', { json: { authRequestId: await beginLogin(server) } }),
    ];
  }),
  row('a certificate of the overlay that has expired', ['cert', 'expired'], async () => {
    const who = await bare();
    const leaf = await enrolled(server, who.id, { from: -10 * DAY, until: -DAY });
    return [who, () => presenting(leaf)];
  }),
  row('an expired certificate that the policy accepts', ['cert', 'ready'], async () => {
    const who = await bare(await policy({ primary: { cert: { allowExpiredCerts: true } } }));
    const leaf = await enrolled(server, who.id, { from: -10 * DAY, until: -DAY });
    return [who, () => presenting(leaf)];
  }),
  row('a certificate that is not valid yet', ['cert', 'refused'], async () => {
    const who = await bare();
    const leaf = await enrolled(server, who.id, { from: 5 * DAY, until: 10 * DAY });
    return [who, () => presenting(leaf)];
  }),
  row('a certificate of the overlay that was taken away', ['cert', 'not-set-up'], async () => {
    const who = await bare();
    const leaf = await enrolled(server, who.id, long);
    await root.call('DELETE', `authenticators/${leaf.authenticatorId}`);
    return [who, () => presenting(leaf)];
  }),
  ...[true, false].map((isAutoCaEnrollmentEnabled) => {
    const of = `a certificate of a third-party CA, enrolling ${isAutoCaEnrollmentEnabled ? 'by itself' : 'nobody'}`;
    return row(of, ['cert', 'ready'], async () => {
      const ca = authority(long);
      await registerCa(root, ca, { isAutoCaEnrollmentEnabled });
      const { who, leaf } = await withCertificateOf(ca);
      return [who, () => presenting(leaf)];
    });
  }),
  row('a certificate below an intermediate of a third-party CA', ['cert', 'vouched'], async () => {
    const ca = authority(long);
    await registerCa(root, ca);
    const between = authority({ issuer: ca, ...long });
    const { who, leaf } = await withCertificateOf(between);
    return [who, () => presenting(leaf, between)];
  }),
  row('a certificate of a CA that was deleted', ['cert', 'refused'], async () => {
    const ca = authority(long);
    const id = await registerCa(root, ca);
    const { who, leaf } = await withCertificateOf(ca);
    await root.call('DELETE', `cas/${id}`);
    return [who, () => presenting(leaf)];
  }),
  row('an expired certificate below an intermediate of a third-party CA', ['cert', 'expired'], async () => {
    const ca = authority(long);
    await registerCa(root, ca);
    const between = authority({ issuer: ca, ...long });
    const { who, leaf } = await withCertificateOf(between, defaultAuthPolicyId, {
      from: -10 * DAY,
      until: -DAY,
    });
    return [who, () => presenting(leaf, between)];
  }),
  row('a certificate of a third-party CA that is off', ['cert', 'refused'], async () => {
    const ca = authority(long);
    const id = await registerCa(root, ca);
    const { who, leaf } = await withCertificateOf(ca);
    await root.call('PATCH', `cas/${id}`, { isAuthEnabled: false });
    return [who, () => presenting(leaf)];
  }),
  row('a certificate of a third-party CA that has expired', ['cert', 'refused'], async () => {
    const ca = authority(short());
    await registerCa(root, ca);
    const { who, leaf } = await withCertificateOf(ca);
    clock.advance(2 * HOUR);
    return [who, () => presenting(leaf)];
  }),
  row('a certificate that its third-party CA has revoked', ['cert', 'refused'], async () => {
    const ca = authority(long);
    const { who, leaf } = await withCertificateOf(ca);
    const crlPem = listPem(revocationList({ issuer: ca, revoked: [leaf], until: 10 * DAY }));
    await registerCa(root, ca, { revocation: { mode: 'hard', crlPem } });
    return [who, () => presenting(leaf)];
  }),
  row('a certificate of which nobody says whether it was revoked', ['cert', 'refused'], async () => {
    const ca = authority(long);
    await registerCa(root, ca, { revocation: { mode: 'hard' } });
    const { who, leaf } = await withCertificateOf(ca);
    return [who, () => presenting(leaf)];
  }),
  row('a certificate that the rule of a CA reads', ['cert', 'vouched'], async () => {
    const ca = authority(long);
    await registerCa(root, ca, { externalIdClaim: byUri });
    const who = await bare(defaultAuthPolicyId, 'spiffe://a/1');
    return [who, () => presenting(naming(ca, 'spiffe://a/1'))];
  }),
  row('a certificate that the rule of an expired CA reads', ['cert', 'refused'], async () => {
    const ca = authority(short());
    await registerCa(root, ca, { externalIdClaim: byUri });
    const who = await bare(defaultAuthPolicyId, 'spiffe://a/2');
    clock.advance(2 * HOUR);
    return [who, () => presenting(naming(ca, 'spiffe://a/2'))];
  }),
  row('an external id that no certificate of a rule gives', ['cert', 'not-set-up'], async () => {
    const ca = authority(long);
    const externalIdClaim = { ...byUri, matcher: 'PREFIX', matcherCriteria: 'spiffe://b/' };
    await registerCa(root, ca, { externalIdClaim });
    const who = await bare(defaultAuthPolicyId, 'spiffe://a/3');
    return [who, () => presenting(naming(ca, 'spiffe://b/3'))];
  }),
  row('no external id for the token of a signer', ['ext-jwt', 'not-set-up'], async () => {
    const { who } = await ofSigner();
    await have(who.id, { externalId: null });
    return [who, async () => submitJwt(server, await tokenOf(server, idp, who.name))];
  }),
  row('the token of a signer', ['ext-jwt', 'vouched'], async () => {
    const { who, token } = await ofSigner();
    return [who, async () => submitJwt(server, await token())];
  }),
  row('the token of a signer that reads another claim, with the id', ['ext-jwt', 'vouched'], async () => {
    const { who, token } = await ofSigner({ claimsProperty: 'person', useExternalId: false });
    return [who, async () => submitJwt(server, await token({ person: who.id }))];
  }),
  row('no signer', ['ext-jwt', 'not-set-up'], async () => {
    const who = await bare(defaultAuthPolicyId, 'x@idp');
    return [who, async () => submitJwt(server, await tokenOf(server, idp, 'x@idp'))];
  }),
  row(
    'the token of a signer that is off',
    ['ext-jwt', 'refused', { reason: 'signer-disabled' }],
    async () => {
      const { who, signerId, token } = await ofSigner();
      await root.call('PATCH', `external-jwt-signers/${signerId}`, { enabled: false });
      return [who, async () => submitJwt(server, await token())];
    },
  ),
  row('the token of a signer that the policy does not allow', ['ext-jwt', 'not-allowed'], async () => {
    const { who, token } = await ofSigner();
    const more = { audience: 'other', enabled: false };
    const other = await createSigner(root, idp, newName(), more);
    await have(who.id, {
      authPolicyId: await policy({ primary: { extJwt: { allowedSigners: [other] } } }),
    });
    return [who, async () => submitJwt(server, await token())];
  }),
  row('the token of the one of two signers that the policy allows', ['ext-jwt', 'vouched'], async () => {
    const { who, signerId, token } = await ofSigner();
    await createSigner(root, idp, newName(), { audience: 'other' });
    await have(who.id, {
      authPolicyId: await policy({ primary: { extJwt: { allowedSigners: [signerId] } } }),
    });
    return [who, async () => submitJwt(server, await token())];
  }),
  row(
    'the token of a signer that is asked for as the second proof',
    ['ext-jwt', 'not-allowed', { asks: ['ext-jwt'] }],
    async () => {
      const { who, signerId, token } = await ofSigner();
      await have(who.id, { authPolicyId: await policy({ secondary: { requireExtJwt: signerId } }) });
      return [who, async () => submitJwt(server, await token())];
    },
  ),
  row('the token of a signer whose certificate has expired', ['ext-jwt', 'refused'], async () => {
    const { certPem, keys } = makeCertificate(short());
    const name = newName();
    const issuer = 'https://expired.example';
    await createSigner(root, { ...idp, issuer }, name, { certPem, jwksEndpoint: null });
    const who = await bare(defaultAuthPolicyId, name);
    clock.advance(2 * HOUR);
    const token = new SignJWT({ ...goodClaims({ issuer, audience, subject: name }, clock) });
    token.setProtectedHeader({ alg: 'ES256', typ: 'JWT' });
    return [who, async () => submitJwt(server, await token.sign(keys.privateKey))];
  }),
  row('no passkey', ['passkey', 'not-set-up'], async () => {
    const who = await bare(await policy({ primary: { passkey: { allowed: true } } }));
    const authenticator = new SoftAuthenticator(server.url);
    authenticator.create({ challenge: 'AA', rp: { id: 'localhost' }, user: { id: 'AA' } });
    return [who, () => usePasskey(server, { authenticator })];
  }),
  row('a passkey', ['passkey', 'ready'], async () => {
    const who = await withPasskey({ primary: { passkey: { allowed: true } } });
    return [who, () => usePasskey(server, who)];
  }),
  row('a passkey that the policy does not allow', ['passkey', 'not-allowed'], async () => {
    const who = await withPasskey({ primary: { passkey: { allowed: false } } });
    return [who, () => usePasskey(server, who)];
  }),
  row('a passkey of a domain that no address has', ['passkey', 'refused'], async () => {
    const who = await withPasskey({ primary: { passkey: { allowed: true } } }, { rpId: 'old.example' });
    return [who, () => anyPasskey(who)];
  }),
  row('a passkey of a model that the policy does not allow', ['passkey', 'refused'], async () => {
    const allowedAuthenticators = ['2fc0579f-8113-47ea-b116-bb5a8db9202a'];
    const who = await withPasskey({ primary: { passkey: { allowed: true, allowedAuthenticators } } });
    return [who, () => usePasskey(server, who)];
  }),
  row(
    'a passkey that is asked for as the second proof',
    ['passkey', 'not-allowed', { asks: ['passkey'] }],
    async () => {
      const who = await withPasskey({
        primary: { passkey: { allowed: true } },
        secondary: { requirePasskey: true },
      });
      return [who, () => usePasskey(server, who)];
    },
  ),
  row('a second passkey', ['password', 'ready', { asks: ['passkey'] }], async () => {
    const who = await withPasskey({ secondary: { requirePasskey: true } }, { secret: true });
    return [who, () => secondPasskey(who)];
  }),
  row(
    'a second passkey of a domain that no address has',
    ['password', 'refused', { asks: ['passkey'] }],
    async () => {
      const rules = { secondary: { requirePasskey: true } };
      const who = await withPasskey(rules, { secret: true, rpId: 'old.example' });
      return [who, () => secondPasskey(who)];
    },
  ),
  row(
    'a second passkey of a model that the policy does not allow',
    ['password', 'refused', { asks: ['passkey'] }],
    async () => {
      const allowedAuthenticators = ['2fc0579f-8113-47ea-b116-bb5a8db9202a'];
      const rules = { primary: { passkey: { allowedAuthenticators } }, secondary: { requirePasskey: true } };
      const who = await withPasskey(rules, { secret: true });
      return [who, () => secondPasskey(who)];
    },
  ),
  row('a password that is too old', ['password', 'ready', { asks: ['password-change'] }], async () => {
    const who = await withPassword({ primary: { updb: { mustChangeAfter: '24h' } } });
    clock.advance(DAY);
    return [who, () => replacing(who)];
  }),
];

interface Explanation {
  readonly outcome: 'allowed' | 'refused';
  readonly reason: string | null;
  readonly standing: string;
  readonly until: string | null;
  readonly asks: readonly string[];
  readonly acceptedFrom: readonly object[];
  readonly checks: readonly { readonly name: string; readonly saw: string | null }[];
}

async function explained({ id }: Pick<Someone, 'id'>, method: string): Promise<Explanation> {
  const answer = await root.get(`identities/${id}/login-explanation?method=${method}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.data;
}

/** Authorities and signers count for everybody: each row has only its own. */
async function forget({ id: person }: Pick<Someone, 'id'>): Promise<void> {
  const remove = async (path: string) => assert.equal((await root.call('DELETE', path)).status, 200, path);
  await remove(`identities/${person}`);
  for (const id of policies.splice(0)) await remove(`auth-policies/${id}`);
  for (const entity of ['external-jwt-signers', 'cas'])
    for (const { id } of (await root.get(entity)).json.data) await remove(`${entity}/${id}`);
}

describe('what "Can they sign in?" says is what a login does', () => {
  for (const {
    of,
    expected: [method, standing, { asks = [], reason } = {}],
    prepare,
  } of rows) {
    test(`${of}: ${standing}`, async () => {
      root = await loggedIn(server, 'root');
      const [who, login] = await prepare();
      root = await loggedIn(server, 'root');
      try {
        const verdict = await explained(who, method);
        const answer = await login();
        const isIn = answer.status === 302;
        const told = `${JSON.stringify(verdict)} ${answer.text}`;
        assert.equal(verdict.outcome, isIn ? 'allowed' : 'refused', told);
        assert.equal(verdict.reason, isIn ? null : (reason ?? (await reasonOf(server, answer))), told);
        assert.deepEqual([verdict.standing, verdict.asks], [standing, asks], told);
        assert.ok(verdict.acceptedFrom.length <= (standing === 'vouched' ? 1 : 0), told);
        assert.equal(verdict.until !== null, standing === 'locked' || standing === 'expired', told);
      } finally {
        await forget(who);
      }
    });
  }
});

describe('what a login does not ask of the person', () => {
  test('tokens bound to a key are said to be required', async () => {
    root = await loggedIn(server, 'root');
    const who = await withPassword({ requireDpop: true });
    const { outcome, checks } = await explained(who, 'password');
    assert.equal(outcome, 'allowed');
    assert.match(JSON.stringify(checks), /DPoP/);
    const code = async () => codeOf(await typing(who));
    assert.equal((await redeem(server, await code())).status, 400);
    assert.equal((await redeem(dpopCaller(server, clock, dpopKey()), await code())).status, 200);
  });
});
