// Answers of authenticators as an attacker may send them: cut, changed and made up.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertionSchema,
  attestationSchema,
  checkAssertion,
  checkAttestation,
  type PasskeySite,
  rpIdOf,
} from '../../src/platform/webauthn.ts';
import { cbor, type Json, SoftAuthenticator } from '../support/authenticator.ts';
import { seeded } from '../support/seeded.ts';
import { sized } from '../support/size.ts';

const site: PasskeySite = { rpId: 'localhost', origin: 'https://localhost' };
const options = {
  rp: { id: 'localhost' },
  rpId: 'localhost',
  user: { id: 'dXNlcg' },
  challenge: 'Y2hhbGxlbmdl',
};
const device = new SoftAuthenticator(site.origin);
const made = device.create(options);
const used = device.get(options);
const key = await checkAttestation(attestationSchema.parse(made), site);
assert.ok(typeof key !== 'string');

/** The verdict over an answer with another value of any one member. */
async function verdict(of: 'made' | 'used', member: string, bytes: Buffer): Promise<string> {
  const answer: Json = of === 'made' ? made : used;
  const sent = { ...answer, response: { ...answer.response, [member]: bytes.toString('base64url') } };
  if (of === 'made') {
    const read = attestationSchema.safeParse(sent);
    if (!read.success) return 'not read';
    const checked = await checkAttestation(read.data, site);
    return typeof checked === 'string' ? checked : 'accepted';
  }
  const read = assertionSchema.safeParse(sent);
  if (!read.success) return 'not read';
  assert.ok(typeof key !== 'string');
  const checked = await checkAssertion(read.data, key, site);
  return typeof checked === 'string' ? checked : 'accepted';
}

const bytesOf = (of: Json, member: string) => Buffer.from(of.response[member], 'base64url');

test('the unchanged answers are accepted', async () => {
  assert.equal(await verdict('made', 'attestationObject', bytesOf(made, 'attestationObject')), 'accepted');
  assert.equal(await verdict('used', 'authenticatorData', bytesOf(used, 'authenticatorData')), 'accepted');
});

test('an answer that was changed in any way refuses, and is no fault of ours', async () => {
  const random = seeded(sized({ small: 4711, full: Date.now() % 1_000_000 }));
  const members = [
    ['used', 'authenticatorData'],
    ['used', 'clientDataJSON'],
    ['used', 'signature'],
    ['made', 'clientDataJSON'],
    ['made', 'attestationObject'],
  ] as const;
  for (const [of, member] of members) {
    const whole = bytesOf(of === 'made' ? made : used, member);
    for (let round = 0; round < sized({ small: 150, full: 10_000 }); round += 1) {
      const bytes = Buffer.from(whole);
      const at = random.below(bytes.length);
      const kind = random.below(3);
      const changed =
        kind === 0
          ? bytes.subarray(0, at)
          : kind === 1
            ? Buffer.concat([bytes, Buffer.alloc(1 + random.below(40), at)])
            : bytes.fill(bytes.readUInt8(at) ^ (1 + random.below(255)), at, at + 1);
      const said = await verdict(of, member, changed);
      // Nothing signs what a new credential is called, and the caller judges its challenge. The library reads the two
      // numbers of a signature whatever type and length stand before them (bytes 0 and 1), and whatever follows.
      const isFraming = member === 'signature' && (kind === 1 || (kind === 2 && at < 2));
      const isFree = of === 'made' || isFraming;
      if (isFree) assert.ok(said.length > 0);
      else assert.notEqual(said, 'accepted', `${member} ${kind} at ${at}`);
    }
  }
});

test('CBOR that is deep, endless, huge or of another kind refuses in little time', async () => {
  const hostile: readonly Buffer[] = [
    Buffer.alloc(6000, 0x81),
    Buffer.concat([Buffer.alloc(5999, 0xa1), Buffer.of(0)]),
    Buffer.of(0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
    Buffer.of(0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
    Buffer.of(0x5b, 0, 0, 0, 1, 0, 0, 0, 0),
    Buffer.of(0x9f),
    Buffer.of(0xbf, 0xff),
    Buffer.of(0x5f, 0x41, 0, 0xff),
    Buffer.of(0xc0, 0xc0, 0xc0),
    Buffer.of(0xf8, 0xff),
    Buffer.of(0xfb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0),
    Buffer.alloc(0),
    cbor(new Map()),
    cbor(new Map([['authData', Buffer.alloc(0)]])),
    cbor(new Map([['authData', Buffer.alloc(36)]])),
    cbor(new Map([['authData', Buffer.alloc(55, 0xff)]])),
    cbor(new Map([['authData', 'text']])),
    cbor([1, 2, 3]),
    cbor(7),
  ];
  const begun = process.threadCpuUsage();
  for (const bytes of hostile) {
    const said = await verdict('made', 'attestationObject', bytes);
    assert.notEqual(said, 'accepted', bytes.subarray(0, 20).toString('hex'));
  }
  assert.ok(process.threadCpuUsage(begun).user < 2_000_000);
});

test('passkeys belong to a host name, or to the domain of the configuration above it', () => {
  for (const [host, configured, rpId] of [
    ['login.example.com', null, 'login.example.com'],
    ['login.example.com', 'example.com', 'example.com'],
    ['example.com', 'example.com', 'example.com'],
    ['notexample.com', 'example.com', null],
    ['example.com', 'login.example.com', null],
    ['127.0.0.1', null, null],
    ['[::1]', null, null],
    ['10.0.0.1', '0.1', null],
    ['localhost', null, 'localhost'],
  ] as const) {
    assert.equal(rpIdOf(host, configured), rpId, `${host} ${configured}`);
  }
});
