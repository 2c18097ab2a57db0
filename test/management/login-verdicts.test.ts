// Every verdict of "Can they sign in?" beside a login that is tried to its end: what the explanation allows has to
// work, and what it refuses has to be refused for the same reason.

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { SignJWT } from 'jose';
import { type AuthPolicyId, asId, defaultAuthPolicyId, type IdentityId } from '../../src/model/ids.ts';
import { DAY, HOUR, MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import {
  enrolled,
  giveCertificate,
  overlayRoot,
  registerCa,
  submitCertificate,
  withCertificate,
} from '../support/certificates.ts';
import {
  authority,
  client,
  clientExtensions,
  extendedKeyUsage,
  generalName,
  type Made,
  makeCertificate,
  subjectAltName,
  usageOids,
} from '../support/chains.ts';
import { dpopCaller, dpopKey } from '../support/dpop.ts';
import {
  audience,
  bearer,
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
import { serverOfFile } from '../support/test-server.ts';
import { type AuthenticatorApp, enroll, partialLogin, submitCode } from '../support/totp.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await serverOfFile({
  clock,
  addFiles: (home) => writeFileSync(join(home, 'makers.pem'), authority({ subject: 'Maker' }).certPem),
  configure: (yaml) => yaml.replace(/^ {2}# passkeys:\n/m, '  passkeys:\n    trustedRoots: [makers.pem]\n'),
});
let root: Caller = await rootOf(server);
const [idp, otherIdp] = await Promise.all([startTestIdp(), startTestIdp()]);
after(() => Promise.all([idp.close(), otherIdp.close()]));

/** Nothing answers at this address. */
const unreachable = 'https://localhost:1/keys';

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

/** A person without credentials. */
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

/** A person with a password and the policy of a role attribute. */
async function byAttribute(rules: object): Promise<Someone> {
  const name = newName();
  const id = await server.createUser({ name, password });
  await policy({ assignTo: [name], ...rules });
  await root.call('PATCH', `identities/${id}`, { roleAttributes: [name] });
  return { id, name };
}

const undone: (() => Promise<void>)[] = [];
async function changeDefault(rules: object): Promise<void> {
  const path = `auth-policies/${defaultAuthPolicyId}`;
  const { primary } = (await root.get(path)).json.data;
  assert.equal((await root.call('PATCH', path, rules)).status, 200);
  undone.push(async () => {
    assert.equal((await root.call('PATCH', path, { primary })).status, 200);
  });
}

/** A person with a password and an app. */
async function withApp(rules: object = {}) {
  const who = await withPassword({ ...rules, secondary: { requireTotp: true } });
  const { app } = await enroll(server, clock, who.name);
  await have(who.id, { authPolicyId: await policy(rules) });
  return { who, app };
}

/** A person with a password, who needs the token of a signer besides. */
async function withSecond(more: object = {}, rules: object = {}) {
  const signerId = await createSigner(root, idp, newName(), { ...more });
  const who = await withPassword({ ...rules, secondary: { requireExtJwt: signerId } });
  await have(who.id, { externalId: who.name });
  return { who, token: () => tokenOf(server, idp, who.name) };
}

const second = (on: HttpsClient, authRequestId: string, token: string) =>
  on.post('/oidc/login/ext-jwt', { json: { authRequestId }, headers: bearer(token) });

/** A login that a token has opened. */
async function openedWith(token: string): Promise<string> {
  const authRequestId = await beginLogin(server);
  const answer = await server.post('/oidc/login/ext-jwt', {
    json: { authRequestId },
    headers: bearer(token),
  });
  assert.equal(answer.status, 200, answer.text);
  return authRequestId;
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
  using connection = withCertificate(server, leaf, ...sent);
  return await submitCertificate(connection);
}

/** The same, and what it is asked for then. */
async function presentingThen(
  leaf: Made,
  then: (on: HttpsClient, id: string) => Promise<Answer>,
): Promise<Answer> {
  using connection = withCertificate(server, leaf);
  const authRequestId = await beginLogin(connection);
  await connection.post('/oidc/login/cert', { json: { authRequestId } });
  return await then(connection, authRequestId);
}

const endOf = ({ certPem }: Made) => Date.parse(new X509Certificate(certPem).validTo);

/** What an app shows, typed after the password. */
const codeTyped =
  ({ app }: { readonly app: AuthenticatorApp }, { name }: Someone): Login =>
  async () =>
    submitCode(server, await partialLogin(server, name), app.code());

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

/** A person of a signer, with the token that names them. */
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

/** The device answers every question with what it has. */
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
  /** How many vouch for the identity, where it is not one. */
  readonly from?: number;
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
  row('the token of a signer whose keys cannot be reached', ['ext-jwt', 'refused'], async () => {
    const { who, token } = await ofSigner({ jwksEndpoint: unreachable });
    return [who, async () => submitJwt(server, await token())];
  }),
  row('the token of a signer, beside one whose keys cannot be reached', ['ext-jwt', 'vouched'], async () => {
    const { who, token } = await ofSigner();
    await createSigner(root, otherIdp, newName(), { jwksEndpoint: unreachable });
    return [who, async () => submitJwt(server, await token())];
  }),
  row(
    'a token of a second signer whose keys cannot be reached',
    ['password', 'refused', { asks: ['ext-jwt'], reason: 'keys-unavailable' }],
    async () => {
      const { who, token } = await withSecond({ jwksEndpoint: unreachable });
      return [who, async () => submitPasswordAnd(server, who.name, password, await token())];
    },
  ),
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
  row('a second factor that a role attribute brings', ['password', 'ready', { asks: ['totp'] }], async () => {
    const who = await byAttribute({ secondary: { requireTotp: true } });
    return [who, codeTyped(await enroll(server, clock, who.name), who)];
  }),
  row('two policies by role attribute, of which the first counts', ['password', 'ready'], async () => {
    const who = await byAttribute({ name: `A ${server.random.id()}` });
    const name = `B ${server.random.id()}`;
    await policy({ name, assignTo: [who.name], primary: { updb: { allowed: false } } });
    return [who, () => typing(who)];
  }),
  row('a policy that is named, beside one by role attribute', ['password', 'ready'], async () => {
    const who = await byAttribute({ primary: { updb: { allowed: false } } });
    await root.call('PATCH', `identities/${who.id}`, { authPolicyId: defaultAuthPolicyId });
    return [who, () => typing(who)];
  }),
  row('a role attribute that was taken away, with its policy', ['password', 'ready'], async () => {
    const who = await byAttribute({ primary: { updb: { allowed: false } } });
    await root.call('PATCH', `identities/${who.id}`, { roleAttributes: [] });
    return [who, () => typing(who)];
  }),
  row('a default policy that was changed to allow it', ['passkey', 'ready'], async () => {
    await changeDefault({ primary: { passkey: { allowed: true } } });
    const authenticator = new SoftAuthenticator(server.url);
    const who = await bare();
    await storePasskey(server, who.id, authenticator);
    return [who, () => usePasskey(server, { authenticator })];
  }),
  row('a user name that is not the name', ['password', 'ready'], async () => {
    const name = newName();
    const id = await server.createUser({ name, username: `${name}-types`, password });
    return [{ id }, () => typing({ id, name: `${name}-types` })];
  }),
  row('an enrollment for a password that is open', ['password', 'not-set-up'], async () => {
    const who = await bare();
    const asked = { identityId: who.id, method: 'updb', username: who.name };
    createdId(await root.call('POST', 'enrollments', asked));
    return [who, () => typing(who)];
  }),
  row('a lock until a millisecond later', ['password', 'locked'], async () => {
    const who = await lockedOut({ lockoutDurationMinutes: 1 });
    clock.advance(MINUTE - 1);
    return [who, () => typing(who)];
  }),
  row('a lock for good, under a policy whose locks end', ['password', 'locked'], async () => {
    const who = await lockedOut({ lockoutDurationMinutes: 0 });
    const updb = { maxAttempts: 3, lockoutDurationMinutes: 1 };
    await have(who.id, { authPolicyId: await policy({ primary: { updb } }) });
    return [who, () => typing(who)];
  }),
  row('an identity disabled until a millisecond later', ['password', 'refused'], async () => {
    const who = await withPassword();
    await root.call('POST', `identities/${who.id}/disable`, { durationMinutes: 5 });
    clock.advance(5 * MINUTE - 1);
    return [who, () => typing(who)];
  }),
  row(
    'an app and a password that has to be replaced',
    ['password', 'ready', { asks: ['totp', 'password-change'] }],
    async () => {
      const who = await withPassword({ secondary: { requireTotp: true } });
      const { app } = await enroll(server, clock, who.name);
      await root.call('PATCH', `identities/${who.id}`, { passwordMustChange: true });
      return [
        who,
        async () => {
          const authRequestId = await partialLogin(server, who.name);
          assert.equal((await submitCode(server, authRequestId, app.code())).status, 200);
          const json = { authRequestId, password: 'eleven green harbours' };
          return server.post('/oidc/login/password-change', { json });
        },
      ];
    },
  ),
  row('a certificate beside a password that is locked', ['cert', 'ready'], async () => {
    const who = await lockedOut({ lockoutDurationMinutes: 0 });
    const leaf = await enrolled(server, who.id, long);
    return [who, () => presenting(leaf)];
  }),
  row('a certificate beside a password that has to be replaced', ['cert', 'ready'], async () => {
    const who = await withPassword();
    await root.call('PATCH', `identities/${who.id}`, { passwordMustChange: true });
    const leaf = await enrolled(server, who.id, long);
    return [who, () => presenting(leaf)];
  }),
  row('a certificate of a device', ['cert', 'ready'], async () => {
    const who = await bare();
    await root.call('PATCH', `identities/${who.id}`, { type: 'Device' });
    const leaf = await enrolled(server, who.id, long);
    return [who, () => presenting(leaf)];
  }),
  row('a certificate and an app', ['cert', 'ready', { asks: ['totp'] }], async () => {
    const { who, app } = await withApp();
    const leaf = await enrolled(server, who.id, long);
    return [who, () => presentingThen(leaf, (on, id) => submitCode(on, id, app.code()))];
  }),
  row('a certificate and an app that is locked', ['cert', 'locked', { asks: ['totp'] }], async () => {
    const { who, app } = await withApp();
    const leaf = await enrolled(server, who.id, long);
    for (let tries = 0; tries < 5; tries += 1)
      await submitCode(server, await partialLogin(server, who.name), app.wrongCode());
    return [who, () => presentingThen(leaf, (on, id) => submitCode(on, id, app.code()))];
  }),
  row(
    'a certificate and a token of a second signer',
    ['cert', 'vouched', { asks: ['ext-jwt'] }],
    async () => {
      const { who, token } = await withSecond();
      const leaf = await enrolled(server, who.id, long);
      return [who, () => presentingThen(leaf, async (on, id) => second(on, id, await token()))];
    },
  ),
  row('a certificate on its last millisecond', ['cert', 'ready'], async () => {
    const who = await bare();
    const leaf = await enrolled(server, who.id, short());
    clock.set(endOf(leaf));
    return [who, () => presenting(leaf)];
  }),
  row('a certificate a millisecond after its end', ['cert', 'expired'], async () => {
    const who = await bare();
    const leaf = await enrolled(server, who.id, short());
    clock.set(endOf(leaf) + 1);
    return [who, () => presenting(leaf)];
  }),
  row('an expired certificate beside a good one', ['cert', 'ready'], async () => {
    const who = await bare();
    await enrolled(server, who.id, { from: -10 * DAY, until: -DAY });
    const leaf = await enrolled(server, who.id, long);
    return [who, () => presenting(leaf)];
  }),
  row('two expired certificates', ['cert', 'expired'], async () => {
    const who = await bare();
    await enrolled(server, who.id, { from: -10 * DAY, until: -DAY });
    const leaf = await enrolled(server, who.id, { from: -10 * DAY, until: -2 * DAY });
    return [who, () => presenting(leaf)];
  }),
  row('an expired certificate beside one of a CA that is off', ['cert', 'expired'], async () => {
    const ca = authority(long);
    const id = await registerCa(root, ca);
    const { who } = await withCertificateOf(ca);
    const leaf = await enrolled(server, who.id, { from: -10 * DAY, until: -DAY });
    await root.call('PATCH', `cas/${id}`, { isAuthEnabled: false });
    return [who, () => presenting(leaf)];
  }),
  row(
    'an expired certificate that the policy accepts and the CA has revoked',
    ['cert', 'refused'],
    async () => {
      const ca = authority(long);
      const expired = { from: -10 * DAY, until: -DAY };
      const accepting = await policy({ primary: { cert: { allowExpiredCerts: true } } });
      const { who, leaf } = await withCertificateOf(ca, accepting, expired);
      const crlPem = listPem(revocationList({ issuer: ca, revoked: [leaf], until: 10 * DAY }));
      await registerCa(root, ca, { revocation: { mode: 'soft', crlPem } });
      return [who, () => presenting(leaf)];
    },
  ),
  row('a certificate that a CA may have revoked, where that lets in', ['cert', 'ready'], async () => {
    const ca = authority(long);
    await registerCa(root, ca, { revocation: { mode: 'soft' } });
    const { who, leaf } = await withCertificateOf(ca);
    return [who, () => presenting(leaf)];
  }),
  row('a certificate that is not for clients', ['cert', 'refused'], async () => {
    const who = await bare();
    const usage = [extendedKeyUsage(usageOids.serverAuth)];
    const leaf = client({ issuer: await overlayRoot(), ...long }, usage);
    await giveCertificate(server, who.id, leaf);
    return [who, () => presenting(leaf)];
  }),
  row('a certificate below an intermediate that is not valid yet', ['cert', 'refused'], async () => {
    const ca = authority(long);
    await registerCa(root, ca);
    const between = authority({ issuer: ca, ...long });
    const later = { from: 5 * DAY, until: 10 * DAY };
    const { who, leaf } = await withCertificateOf(between, defaultAuthPolicyId, later);
    return [who, () => presenting(leaf, between)];
  }),
  row('a certificate below an intermediate that is not for clients', ['cert', 'refused'], async () => {
    const ca = authority(long);
    await registerCa(root, ca);
    const between = authority({ issuer: ca, ...long });
    const who = await bare();
    const leaf = client({ issuer: between, ...long }, [extendedKeyUsage(usageOids.serverAuth)]);
    await giveCertificate(server, who.id, leaf);
    return [who, () => presenting(leaf, between)];
  }),
  row('a certificate below an intermediate, signed by an old algorithm', ['cert', 'refused'], async () => {
    const ca = authority(long);
    await registerCa(root, ca);
    const between = authority({ issuer: ca, ...long });
    const old = { ...long, signature: 'sha1' };
    const { who, leaf } = await withCertificateOf(between, defaultAuthPolicyId, old);
    return [who, () => presenting(leaf, between)];
  }),
  row('a certificate of a CA that is not verified', ['cert', 'refused'], async () => {
    const ca = authority(long);
    const body = { name: newName(), certPem: ca.certPem, isAuthEnabled: true };
    createdId(await root.call('POST', 'cas', body));
    const { who, leaf } = await withCertificateOf(ca);
    return [who, () => presenting(leaf)];
  }),
  row('a registered certificate whose CA has a rule that names another', ['cert', 'ready'], async () => {
    const ca = authority(long);
    await registerCa(root, ca, { externalIdClaim: byUri });
    const who = await bare();
    const leaf = naming(ca, 'spiffe://a/other');
    await giveCertificate(server, who.id, leaf);
    return [who, () => presenting(leaf)];
  }),
  row('a certificate that a rule reads, beside an expired one', ['cert', 'vouched'], async () => {
    const ca = authority(long);
    await registerCa(root, ca, { externalIdClaim: byUri });
    const who = await bare(defaultAuthPolicyId, 'spiffe://a/4');
    await enrolled(server, who.id, { from: -10 * DAY, until: -DAY });
    return [who, () => presenting(naming(ca, 'spiffe://a/4'))];
  }),
  row(
    'a certificate that the rule of a CA that is off reads',
    ['cert', 'not-set-up', { reason: 'unknown-thumbprint' }],
    async () => {
      const ca = authority(long);
      const id = await registerCa(root, ca, { externalIdClaim: byUri });
      await root.call('PATCH', `cas/${id}`, { isAuthEnabled: false });
      const who = await bare(defaultAuthPolicyId, 'spiffe://a/5');
      return [who, () => presenting(naming(ca, 'spiffe://a/5'))];
    },
  ),
  row('a certificate that a rule reads, of a disabled identity', ['cert', 'refused'], async () => {
    const ca = authority(long);
    await registerCa(root, ca, { externalIdClaim: byUri });
    const who = await bare(defaultAuthPolicyId, 'spiffe://a/6');
    await root.call('POST', `identities/${who.id}/disable`, {});
    return [who, () => presenting(naming(ca, 'spiffe://a/6'))];
  }),
  row('the token of a signer, beside one that is off', ['ext-jwt', 'vouched'], async () => {
    const { who, token } = await ofSigner();
    await createSigner(root, idp, newName(), { audience: 'other', enabled: false });
    return [who, async () => submitJwt(server, await token())];
  }),
  row('the token of a signer, and an app', ['ext-jwt', 'vouched', { asks: ['totp'] }], async () => {
    const { who, app } = await withApp();
    await createSigner(root, idp, newName());
    await have(who.id, { externalId: who.name });
    return [
      who,
      async () => {
        const id = await openedWith(await tokenOf(server, idp, who.name));
        return submitCode(server, id, app.code());
      },
    ];
  }),
  row('the token of a signer for a disabled identity', ['ext-jwt', 'refused'], async () => {
    const { who, token } = await ofSigner();
    await root.call('POST', `identities/${who.id}/disable`, {});
    return [who, async () => submitJwt(server, await token())];
  }),
  row('tokens of two issuers', ['ext-jwt', 'vouched', { asks: ['ext-jwt'], from: 2 }], async () => {
    const { who, token } = await withSecond();
    await createSigner(root, otherIdp, newName());
    return [
      who,
      async () => second(server, await openedWith(await tokenOf(server, otherIdp, who.name)), await token()),
    ];
  }),
  row(
    'the token of a signer whose issuer has to give the second one',
    ['ext-jwt', 'not-allowed', { asks: ['ext-jwt'] }],
    async () => {
      const { who } = await withSecond();
      await createSigner(root, idp, newName(), { audience: 'other' });
      return [who, async () => submitJwt(server, await tokenOf(server, idp, who.name, { aud: 'other' }))];
    },
  ),
  row('the token of a signer whose certificate is not valid yet', ['ext-jwt', 'refused'], async () => {
    const { certPem, keys } = makeCertificate({ from: 5 * DAY, until: 10 * DAY });
    const issuer = 'https://early.example';
    const name = newName();
    await createSigner(root, { ...idp, issuer }, name, { certPem, jwksEndpoint: null });
    const who = await bare(defaultAuthPolicyId, name);
    const token = new SignJWT({ ...goodClaims({ issuer, audience, subject: name }, clock) });
    token.setProtectedHeader({ alg: 'ES256', typ: 'JWT' });
    return [who, async () => submitJwt(server, await token.sign(keys.privateKey))];
  }),
  row('a token with the id, of a second signer', ['password', 'vouched', { asks: ['ext-jwt'] }], async () => {
    const { who } = await withSecond({ useExternalId: false });
    return [
      who,
      async () => submitPasswordAnd(server, who.name, password, await tokenOf(server, idp, who.id)),
    ];
  }),
  row('a passkey alone: no password', ['password', 'not-set-up'], async () => {
    const who = await withPasskey({ primary: { passkey: { allowed: true } } });
    return [who, () => typing(who)];
  }),
  row('a passkey of a disabled identity', ['passkey', 'refused'], async () => {
    const who = await withPasskey({ primary: { passkey: { allowed: true } } });
    await root.call('POST', `identities/${who.id}/disable`, {});
    return [who, () => usePasskey(server, who)];
  }),
  row('a passkey beside one of a domain that no address has', ['passkey', 'ready'], async () => {
    const who = await withPasskey({ primary: { passkey: { allowed: true } } });
    await storePasskey(server, who.id, new SoftAuthenticator(server.url), 'old.example');
    return [who, () => usePasskey(server, who)];
  }),
  row('a passkey, where an app is set up', ['passkey', 'ready', { asks: ['totp'] }], async () => {
    const { who, app } = await withApp({ primary: { passkey: { allowed: true } } });
    const authenticator = new SoftAuthenticator(server.url);
    await storePasskey(server, who.id, authenticator);
    return [
      who,
      async () => {
        const id = await beginLogin(server);
        await usePasskey(server, { authenticator }, { id });
        return submitCode(server, id, app.code());
      },
    ];
  }),
  row('a passkey that is the second proof too, where an app is locked', ['passkey', 'ready'], async () => {
    const { who, app } = await withApp({
      primary: { passkey: { allowed: true, satisfiesSecondary: true } },
      secondary: { requireTotp: true, requirePasskey: true },
    });
    const authenticator = new SoftAuthenticator(server.url);
    await storePasskey(server, who.id, authenticator);
    for (let tries = 0; tries < 5; tries += 1)
      await submitCode(server, await partialLogin(server, who.name), app.wrongCode());
    return [who, () => usePasskey(server, { authenticator })];
  }),
  row('a passkey and a token of a second signer', ['passkey', 'vouched', { asks: ['ext-jwt'] }], async () => {
    const { who, token } = await withSecond({}, { primary: { passkey: { allowed: true } } });
    const authenticator = new SoftAuthenticator(server.url);
    await storePasskey(server, who.id, authenticator);
    return [
      who,
      async () => {
        const id = await beginLogin(server);
        await usePasskey(server, { authenticator }, { id });
        return second(server, id, await token());
      },
    ];
  }),
  row(
    'a second passkey that is required and not set up',
    ['password', 'ready', { asks: ['passkey'] }],
    async () => {
      const who = await withPassword({ secondary: { requirePasskey: true } });
      return [
        who,
        async () => {
          const id = await afterPassword(server, who);
          const asked = await server.post('/oidc/login/passkey/register/options', { json: { id } });
          const response = new SoftAuthenticator(server.url).create(asked.json);
          return server.post('/oidc/login/passkey/register', { json: { id, response, name: 'Key' } });
        },
      ];
    },
  ),
  row('a password that is too old', ['password', 'ready', { asks: ['password-change'] }], async () => {
    const who = await withPassword({ primary: { updb: { mustChangeAfter: '24h' } } });
    clock.advance(DAY);
    return [who, () => replacing(who)];
  }),
  row('a password a millisecond before it is too old', ['password', 'ready'], async () => {
    const who = await withPassword({ primary: { updb: { mustChangeAfter: '24h' } } });
    clock.advance(DAY - 1);
    return [who, () => typing(who)];
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

describe('factors that a login does not ask for', () => {
  test('tokens bound to a key are said to be required', async () => {
    root = await loggedIn(server, 'root');
    const who = await withPassword({ requireDpop: true });
    const { outcome, checks } = await explained(who, 'password');
    assert.equal(outcome, 'allowed');
    assert.match(JSON.stringify(checks), /DPoP/);
    const code = async () => codeOf(await typing(who));
    assert.equal((await redeem(server, await code())).status, 400);
    assert.equal((await redeem(dpopCaller(server, clock, dpopKey()), await code())).status, 200);
    await forget(who);
  });

  test('of two signers of an issuer, the audience of a token decides, and both are one too many', async () => {
    root = await loggedIn(server, 'root');
    const { who, token } = await ofSigner();
    const other = newName();
    const id = await createSigner(root, idp, other, { audience: 'other' });
    const saying = async () => JSON.stringify((await explained(who, 'ext-jwt')).checks);
    assert.match(await saying(), new RegExp(`for \\\\"other\\\\" \\(signer ${other}\\) too is refused`));
    for (const [aud, status] of [
      ['overlay', 302],
      ['other', 302],
      [['overlay', 'other'], 401],
    ] as const)
      assert.equal((await submitJwt(server, await token({ aud }))).status, status, String(aud));
    await root.call('PATCH', `external-jwt-signers/${id}`, { enabled: false });
    assert.doesNotMatch(await saying(), /too is refused/);
    assert.equal((await submitJwt(server, await token({ aud: ['overlay', 'other'] }))).status, 302);
    await forget(who);
  });

  test('keys that could not be fetched refuse logins until they can be', async (t) => {
    root = await loggedIn(server, 'root');
    t.after(() => idp.misbehave(null));
    idp.misbehave({ kind: 'status', status: 503 });
    const { who, token } = await ofSigner();
    const first = await explained(who, 'ext-jwt');
    assert.deepEqual([first.outcome, first.reason], ['refused', 'keys-unavailable']);
    clock.advance(4 * SECOND);
    const tried = (explanation: Explanation) => JSON.stringify(explanation.checks);
    assert.match(tried(await explained(who, 'ext-jwt')), /could not be fetched, 4 s ago: /);
    idp.misbehave(null);
    assert.equal((await submitJwt(server, await token())).status, 401, 'not asked again so soon');
    clock.advance(10 * SECOND);
    assert.equal((await explained(who, 'ext-jwt')).outcome, 'allowed');
    assert.equal((await submitJwt(server, await token())).status, 302);
    await forget(who);
  });

  test('a preview of a policy does not count a person whose only certificate is revoked', async () => {
    root = await loggedIn(server, 'root');
    const id = await policy({ primary: { updb: { allowed: false }, extJwt: { allowed: false } } });
    const ca = authority(long);
    const [revoked, good] = [await withCertificateOf(ca, id), await withCertificateOf(ca, id)];
    const crlPem = listPem(revocationList({ issuer: ca, revoked: [revoked.leaf], until: 10 * DAY }));
    await registerCa(root, ca, { revocation: { mode: 'soft', crlPem } });
    const sent = { id, name: 'x', primary: { cert: { allowed: false } } };
    const { lockedOut } = (await root.call('POST', 'auth-policies/preview', sent)).json.data;
    assert.deepEqual(lockedOut, { count: 1, first: [{ id: good.who.id, name: good.who.name }] });
    await root.call('DELETE', `identities/${revoked.who.id}`);
    await forget(good.who);
  });
});

describe('the answer of "Can they sign in?" is that of a login', () => {
  for (const {
    of,
    expected: [method, standing, { asks = [], reason, from = 1 } = {}],
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
        assert.ok(verdict.acceptedFrom.length <= (standing === 'vouched' ? from : 0), told);
        assert.equal(verdict.until !== null, standing === 'locked' || standing === 'expired', told);
      } finally {
        await forget(who);
        for (const undo of undone.splice(0)) await undo();
      }
    });
  }
});
