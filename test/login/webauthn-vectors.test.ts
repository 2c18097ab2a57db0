// The test vectors of the WebAuthn specification, and what an attacker could make of them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Assertion,
  type Attestation,
  assertionSchema,
  attestationSchema,
  type CheckedAttestation,
  checkAssertion,
  checkAttestation,
  clientDataOf,
  type Makers,
  type PasskeySite,
} from '../../src/platform/webauthn.ts';
import { readPathCertificate } from '../../src/platform/x509/path-certificate.ts';
import vectorFile from './webauthn-vectors.json' with { type: 'json' };

const site: PasskeySite = { rpId: 'example.org', origin: 'https://example.org' };
const { vectors } = vectorFile;
type Vector = (typeof vectors)[number];

/** What is refused, and why; all others are accepted. */
const refused: Readonly<Record<string, string>> = {
  'none-es256-crossOrigin': 'origin',
  'none-es256-topOrigin': 'origin',
  'packed-es384': 'key',
  'packed-es512': 'key',
  'packed-ed448': 'key',
};

function registrationOf({ credentialId: id, registration }: Vector, change: object = {}): Attestation {
  const response = { ...registration, ...change };
  return attestationSchema.parse({ id, rawId: id, type: 'public-key', response });
}

function assertionOf({ credentialId: id, authentication }: Vector, change: object = {}): Assertion {
  const response = { ...authentication, ...change };
  return assertionSchema.parse({ id, rawId: id, type: 'public-key', response });
}

async function registered(vector: Vector): Promise<CheckedAttestation> {
  const key = await checkAttestation(registrationOf(vector), site);
  assert.ok(typeof key !== 'string', `${vector.name}: ${key}`);
  return key;
}

const bytesOf = (text: string) => Buffer.from(text, 'base64url');
const uuid = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** The bits of authenticator data (WebAuthn level 3, section 6.1). */
function flagsOf(authenticatorData: Buffer) {
  const flags = authenticatorData.readUInt8(32);
  const has = (bit: number) => (flags & (1 << bit)) !== 0;
  return { isUserVerified: has(2), isBackupEligible: has(3), isBackedUp: has(4) };
}

function changed(text: string, at: number): string {
  const bytes = bytesOf(text);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
  return bytes.toString('base64url');
}

function clientDataWith(text: string, change: object): string {
  return Buffer.from(JSON.stringify({ ...JSON.parse(bytesOf(text).toString()), ...change })).toString(
    'base64url',
  );
}

for (const vector of vectors) {
  const { name, registration, authentication, credentialId } = vector;
  const reason = refused[name];
  if (reason !== undefined) {
    test(`${name} is refused: ${reason}`, async () => {
      assert.equal(await checkAttestation(registrationOf(vector), site), reason);
    });
    continue;
  }
  describe(name, () => {
    test('is accepted, with the bits that it has', async () => {
      const key = await registered(vector);
      const authData = bytesOf(registration.attestationObject);
      const at = authData.indexOf(bytesOf(authentication.authenticatorData).subarray(0, 32));
      assert.deepEqual(
        { ...key, publicKey: '' },
        {
          ...flagsOf(authData.subarray(at)),
          counter: 0,
          credentialId,
          publicKey: '',
          aaguid: uuid(vector.aaguid),
          isModelProven: false,
        },
      );
      assert.equal(clientDataOf(registrationOf(vector))?.challenge, registration.challenge);
      assert.deepEqual(await checkAssertion(assertionOf(vector), key, site), {
        ...flagsOf(bytesOf(authentication.authenticatorData)),
        counter: 0,
      });
      assert.equal(clientDataOf(assertionOf(vector))?.challenge, authentication.challenge);
    });

    test('is refused with any changed byte, with another key, and anywhere else', async () => {
      const key = await registered(vector);
      for (const member of ['authenticatorData', 'clientDataJSON', 'signature'] as const) {
        const text = authentication[member];
        for (let at = 0; at < bytesOf(text).length; at += 1) {
          // How long the two numbers of an ECDSA signature are together, which each of them says too.
          if (member === 'signature' && at === 1 && name.endsWith('es256')) continue;
          const answer = assertionOf(vector, { [member]: changed(text, at) });
          assert.equal(typeof (await checkAssertion(answer, key, site)), 'string', `${member} ${at}`);
        }
      }
      const hash = bytesOf(registration.attestationObject).indexOf(
        bytesOf(authentication.authenticatorData).subarray(0, 32),
      );
      const attestationObject = changed(registration.attestationObject, hash);
      assert.equal(await checkAttestation(registrationOf(vector, { attestationObject }), site), 'site');
      for (const elsewhere of [
        { rpId: 'example.com', origin: site.origin },
        { rpId: 'login.example.org', origin: site.origin },
      ]) {
        assert.equal(await checkAssertion(assertionOf(vector), key, elsewhere), 'site');
        assert.equal(await checkAttestation(registrationOf(vector), elsewhere), 'site');
      }
      for (const origin of ['http://example.org', 'https://example.org:8443', 'https://login.example.org']) {
        assert.equal(await checkAssertion(assertionOf(vector), key, { ...site, origin }), 'origin');
        assert.equal(await checkAttestation(registrationOf(vector), { ...site, origin }), 'origin');
      }
      const others = vectors.filter((other) => !(other.name in refused) && other.name !== name);
      for (const other of others) {
        const { publicKey } = await registered(other);
        const said = await checkAssertion(assertionOf(vector), { credentialId, publicKey }, site);
        assert.equal(typeof said, 'string', other.name);
      }
    });

    test('is refused with client data that says something else, which is signed too', async () => {
      const key = await registered(vector);
      for (const [change, said] of [
        [{ type: 'webauthn.create' }, 'ceremony'],
        [{ origin: 'https://evil.example' }, 'origin'],
        [{ crossOrigin: true }, 'origin'],
        [{ topOrigin: 'https://example.org' }, 'origin'],
        [{ challenge: registration.challenge }, 'signature'],
        [{ extra: 1 }, 'signature'],
      ] as const) {
        const clientDataJSON = clientDataWith(authentication.clientDataJSON, change);
        assert.equal(await checkAssertion(assertionOf(vector, { clientDataJSON }), key, site), said);
      }
      for (const [change, said] of [
        [{ type: 'webauthn.get' }, 'ceremony'],
        [{ origin: 'https://evil.example' }, 'origin'],
        [{ crossOrigin: true }, 'origin'],
        [{ topOrigin: 'https://example.org' }, 'origin'],
      ] as const) {
        const clientDataJSON = clientDataWith(registration.clientDataJSON, change);
        assert.equal(await checkAttestation(registrationOf(vector, { clientDataJSON }), site), said);
      }
    });
  });
}

describe('the model of an authenticator', () => {
  const root = readPathCertificate(bytesOf(vectorFile.attestationRoot));
  const now = Date.parse('2026-01-01T00:00:00Z');
  const isProven = async (vector: Vector, makers: Makers, change: object = {}) => {
    const made = await checkAttestation(registrationOf(vector, change), site, makers);
    return typeof made === 'string' ? made : made.isModelProven;
  };
  const byMaker = ['packed-es256', 'packed-rs256', 'packed-eddsa'];

  test('is proven by a certificate of its maker that names it, and by no other statement', async () => {
    for (const vector of vectors) {
      if (vector.name in refused) continue;
      const proven = await isProven(vector, { roots: [root], now });
      assert.equal(proven, byMaker.includes(vector.name), vector.name);
      assert.equal(await isProven(vector, { roots: [], now }), false, vector.name);
      for (const at of [Date.parse('2023-01-01T00:00:00Z'), Date.parse('3100-01-01T00:00:00Z')])
        assert.equal(await isProven(vector, { roots: [root], now: at }), false, vector.name);
    }
  });

  test('is not proven with any changed byte of the statement', async () => {
    for (const vector of vectors.filter(({ name }) => name === 'packed-es256')) {
      const text = vector.registration.attestationObject;
      // How long the last member is: there is no more of it.
      const lastLength = bytesOf(text).indexOf('authData') + 'authData'.length + 1;
      for (let at = 0; at < bytesOf(text).length; at += 1) {
        if (at === lastLength) continue;
        const attestationObject = changed(text, at);
        const proven = await isProven(vector, { roots: [root], now }, { attestationObject });
        assert.notEqual(proven, true, `${vector.name} ${at}`);
      }
      const clientDataJSON = clientDataWith(vector.registration.clientDataJSON, { extra: 1 });
      assert.equal(await isProven(vector, { roots: [root], now }, { clientDataJSON }), false);
    }
  });
});
