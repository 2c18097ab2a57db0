// Policies that allow certain models of authenticators, for which their makers have to vouch.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type AuthPolicyId, asId } from '../../src/model/ids.ts';
import { DAY } from '../../src/platform/clock.ts';
import type { SoftAuthenticator } from '../support/authenticator.ts';
import {
  attributeOids,
  authority,
  basicConstraints,
  client,
  distinguishedName,
  extension,
  type Made,
} from '../support/chains.ts';
import { octetString } from '../support/der-writer.ts';
import { assertRefused, type Caller, createdId, loggedIn, rootOf } from '../support/management.ts';
import {
  addOwn,
  afterPassword,
  ownPath,
  type Person,
  person,
  question,
  submit,
  tokensOf,
  usePasskey,
} from '../support/passkeys.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const long = { from: -1000 * DAY, until: 1000 * DAY };
const maker = authority({ subject: 'Maker', ...long });
const stranger = authority({ subject: 'Stranger', ...long });
const model = Buffer.from('2fc0579f811347eab116bb5a8db9202a', 'hex');
const other = Buffer.from('ea9b8d664d011d213ce4b6b48cb575d4', 'hex');
const uuidOf = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

const subject = distinguishedName(
  [attributeOids.country, 'SE', 0x13],
  [attributeOids.organization, 'Maker'],
  [attributeOids.organizationalUnit, 'Authenticator Attestation'],
  [attributeOids.commonName, 'Batch 7'],
);

/** What an authenticator of a maker says of itself. `named`: the model in its certificate. */
function vouching(issuer: Made, named: Buffer | null = model, more: object = long) {
  const ofModel = named === null ? [] : [extension('1.3.6.1.4.1.45724.1.1.4', false, octetString(named))];
  const leaf = client({ issuer, subject, ...more }, [basicConstraints(false), ...ofModel]);
  return { key: leaf.keys.privateKey, path: [leaf.der] };
}

const server = await serverOfFile({
  addFiles: (home) => writeFileSync(join(home, 'makers.pem'), maker.certPem),
  configure: (yaml) => yaml.replace(/^ {2}# passkeys:\n/m, '  passkeys:\n    trustedRoots: [makers.pem]\n'),
});
const root = await rootOf(server);

const primary = { passkey: { allowed: true, allowedAuthenticators: [uuidOf(model).toUpperCase()] } };
let policies = 0;
async function policyWith(rules: object): Promise<AuthPolicyId> {
  policies += 1;
  const answer = await root.call('POST', 'auth-policies', { name: `models ${policies}`, ...rules });
  return asId(createdId(answer));
}

type Made_ = NonNullable<Parameters<SoftAuthenticator['create']>[1]>;
async function added(caller: Caller, { authenticator }: Person, made: Made_) {
  const asked = await caller.call('POST', `${ownPath}/options`, {});
  assert.equal(asked.json.data.attestation, 'direct');
  return caller.call('POST', ownPath, { response: authenticator.create(asked.json.data, made) });
}

async function lastRefusal() {
  const answer = await root.get('login-attempts?limit=1&filter=outcome%20%3D%20%22refused%22');
  return answer.json.data[0].reason;
}

describe('where a policy allows certain models', () => {
  const policy = policyWith({ primary });

  test('a passkey is added with the word of a trusted maker, and opens logins', async () => {
    for (const named of [model, null]) {
      const pat = await person(server, await policy);
      const caller = await loggedIn(server, pat.name);
      const answer = await added(caller, pat, { aaguid: model, maker: vouching(maker, named) });
      assert.equal(answer.status, 201, answer.text);
      const [listed] = (await root.get(`identities/${pat.id}/passkeys`)).json.data;
      assert.deepEqual([listed.aaguid, listed.isModelProven], [uuidOf(model), true]);
      await tokensOf(server, await usePasskey(server, pat));
    }
  });

  test('no other one is added, even if it names an allowed model', async () => {
    const pat = await person(server, await policy);
    const caller = await loggedIn(server, pat.name);
    const good = vouching(maker);
    const wrong: readonly (readonly [string, Made_])[] = [
      ['says nothing', { aaguid: model }],
      ['another model', { aaguid: other, maker: vouching(maker, other) }],
      ['no model', { maker: vouching(maker, null) }],
      ['the certificate names another model', { aaguid: model, maker: vouching(maker, other) }],
      ['of a stranger', { aaguid: model, maker: vouching(stranger) }],
      ['another key', { aaguid: model, maker: { ...good, key: vouching(maker).key } }],
      ['no certificate', { aaguid: model, maker: { ...good, path: [] } }],
      ['the authority itself', { aaguid: model, maker: { key: maker.keys.privateKey, path: [maker.der] } }],
      ['expired', { aaguid: model, maker: vouching(maker, model, { from: -9 * DAY, until: -DAY }) }],
    ];
    for (const [name, made] of wrong) {
      assertRefused(await added(caller, pat, made), 400, 'INVALID_PASSKEY');
      assert.equal(await lastRefusal(), 'passkey-model', name);
    }
    assert.deepEqual((await caller.get(ownPath)).json.data, []);
  });

  test('one from before opens nothing and completes nothing, which the explanation says', async () => {
    const pat = await person(server);
    await addOwn(await loggedIn(server, pat.name), pat.authenticator, {
      aaguid: model,
      maker: vouching(maker),
    });
    const asSecond = await policyWith({ primary, secondary: { requirePasskey: true } });
    const have = (authPolicyId: AuthPolicyId) =>
      server.store.identities.update(pat.id, { authPolicyId }, server.clock.now());
    await tokensOf(server, await usePasskey(server, pat));
    await have(await policy);
    assertRefused(await usePasskey(server, pat), 401, 'INVALID_AUTH');
    assert.equal(await lastRefusal(), 'passkey-model');
    const explained = await root.get(`identities/${pat.id}/login-explanation`);
    assert.match(explained.text, /allows certain models/);
    await have(asSecond);
    const id = await afterPassword(server, pat);
    const answer = pat.authenticator.get(await question(server, id));
    assertRefused(await submit(server, id, answer), 400, 'INVALID_PASSKEY');
    assert.equal(await lastRefusal(), 'passkey-model');
  });

  test('documents and changes have the list, without spellings and repetitions', async () => {
    const id = await policy;
    const models = async () =>
      (await root.get(`auth-policies/${id}`)).json.data.primary.passkey.allowedAuthenticators;
    assert.deepEqual(await models(), [uuidOf(model)]);
    const both = [uuidOf(other), uuidOf(model), uuidOf(other).toUpperCase()];
    const changed = await root.call('PATCH', `auth-policies/${id}`, {
      primary: { passkey: { allowedAuthenticators: both } },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual((await models()).toSorted(), [uuidOf(model), uuidOf(other)].toSorted());
  });
});

test('where no maker is trusted, a policy cannot ask for models', async () => {
  await using plain = await startTestServer();
  const admin = await rootOf(plain);
  const answer = await admin.call('POST', 'auth-policies', { name: 'models', primary });
  assertRefused(answer, 400, 'COULD_NOT_VALIDATE', 'primary.passkey.allowedAuthenticators');
  assert.match(answer.text, /edge\.passkeys\.trustedRoots/);
});
