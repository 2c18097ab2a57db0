import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sha256 } from '../../src/platform/digest.ts';
import {
  authority,
  authorityExtensions,
  authorityKeyId,
  client,
  clientExtensions,
  commonName,
  fromDer,
  type KeyPair,
  type Made,
  makeCertificate,
  newKeys,
  subjectKeyId,
} from '../support/chains.ts';
import { assertCostsLess } from '../support/processor-time.ts';
import { bothSay, chainOf, refusalOf, validate } from './support.ts';

const root = authority({ subject: 'root' });
const signer = authority({ subject: 'signer', issuer: root });
const lower = authority({ subject: 'lower', issuer: signer });
const erin = client({ subject: 'erin', issuer: lower });

function pathOf(...certificates: readonly Made[]): string[] {
  return certificates.map(({ der }) => sha256(der));
}

describe('the certificates that were sent with the leaf', () => {
  test('may be in any order, twice, superfluous, or the leaf again', async () => {
    const stranger = authority({ subject: 'stranger' });
    const bystander = client({ subject: 'bystander', issuer: root });
    for (const sent of [
      [lower, signer],
      [signer, lower],
      [signer, lower, signer, lower],
      [stranger, lower, bystander, signer],
      [lower, signer, root],
      [erin, lower, signer],
    ])
      await bothSay('trusted', { leaf: erin, sent, anchors: [root] });
  });

  test('never says who the client is: that is the certificate whose key was proved', async () => {
    const mallory = client({ subject: 'mallory', issuer: authority({ subject: 'elsewhere' }) });
    const refusal = await bothSay('untrusted', {
      leaf: mallory,
      sent: [erin, lower, signer],
      anchors: [root],
    });
    assert.ok(refusal?.reason === 'untrusted' && refusal.certificate.subject === 'CN=mallory');
    const insider = client({ subject: 'insider', issuer: lower });
    const verdict = validate({ leaf: insider, sent: [erin, lower, signer], anchors: [root] });
    assert.ok(verdict.verdict === 'trusted');
    assert.deepEqual(verdict.leaf.names.commonNames, ['insider']);
    assert.deepEqual(verdict.path, pathOf(insider, lower, signer, root));
  });

  test('does no harm when it is not a certificate, but is named when it was needed', () => {
    const junk = fromDer(Buffer.from('3003020100', 'hex'), commonName('junk'), newKeys.ec());
    assert.equal(refusalOf({ leaf: erin, sent: [junk, lower, signer], anchors: [root] }), undefined);
    const cut = fromDer(signer.der.subarray(0, -1), signer.name, signer.keys);
    const refusal = refusalOf({ leaf: erin, sent: [lower, cut], anchors: [root] });
    assert.ok(refusal?.reason === 'malformed' && refusal.role === 'intermediate');
  });

  test('is limited in number and in size', () => {
    const padding = Array.from({ length: 8 }, () => authority());
    const many = refusalOf({ leaf: erin, sent: padding, anchors: [root] });
    assert.deepEqual(many, { reason: 'chain-too-large', limit: 'certificates' });
    const large = fromDer(Buffer.alloc(70_000), commonName('large'), newKeys.ec());
    const refusal = refusalOf({ leaf: erin, sent: [large], anchors: [root] });
    assert.deepEqual(refusal, { reason: 'chain-too-large', limit: 'bytes' });
    const filled = (size: number) => {
      const rest = fromDer(Buffer.alloc(size - erin.der.length), commonName('rest'), newKeys.ec());
      return refusalOf({ leaf: erin, sent: [rest], anchors: [root] })?.reason;
    };
    assert.equal(filled(64 * 1024), 'malformed');
    assert.equal(filled(64 * 1024 + 1), 'chain-too-large');
  });
});

describe('the nearest miss', () => {
  test('names the certificate whose issuer is unknown', async () => {
    const refusal = await bothSay('untrusted', { leaf: erin, sent: [lower], anchors: [root] });
    assert.ok(refusal?.reason === 'untrusted');
    assert.equal(refusal.certificate.subject, 'CN=lower');
    assert.equal(refusal.certificate.role, 'intermediate');
    assert.equal(refusal.issuer, 'CN=signer');
    assert.equal(refusal.isSelfSigned, false);
  });

  test('names a chain that ends in an untrusted root', async () => {
    const refusal = await bothSay('untrusted', {
      leaf: erin,
      sent: [lower, signer, root],
      anchors: [authority({ subject: 'other' })],
    });
    assert.ok(refusal?.reason === 'untrusted' && refusal.isSelfSigned);
    assert.equal(refusal.certificate.subject, 'CN=root');
  });

  test('names the client by its place, also where it was sent twice', () => {
    const alone = client({ subject: 'alone' });
    for (const sent of [[], [alone], [signer]]) {
      const refusal = refusalOf({ leaf: alone, sent, anchors: [root] });
      assert.ok(refusal?.reason === 'untrusted');
      assert.deepEqual([refusal.certificate.role, refusal.certificate.subject], ['leaf', 'CN=alone']);
    }
    const junk = fromDer(Buffer.from('3003020100', 'hex'), commonName('junk'), newKeys.ec());
    const refusal = refusalOf({ leaf: junk, sent: [], anchors: [root] });
    assert.ok(refusal?.reason === 'malformed' && refusal.role === 'leaf');
  });

  test('names the signature that its issuer did not make, with any kinds of the two keys', () => {
    const kinds = [newKeys.ec, newKeys.rsa, newKeys.ed25519];
    for (const kind of kinds) {
      const anchor = authority({ subject: 'root', keys: kind() });
      for (const other of kinds) {
        const impostor = { name: anchor.name, keys: other() };
        const wrongLeaf = refusalOf({ leaf: client({ issuer: impostor }), sent: [], anchors: [anchor] });
        assert.ok(wrongLeaf?.reason === 'bad-signature' && wrongLeaf.certificate.role === 'leaf');
        const between = authority({ subject: 'between', issuer: impostor });
        const wrong = refusalOf({ leaf: client({ issuer: between }), sent: [between], anchors: [anchor] });
        assert.ok(wrong?.reason === 'bad-signature' && wrong.certificate.role === 'intermediate');
      }
    }
  });

  test('is the first of several that got equally far, and no shorter attempt hides it', () => {
    const keys = newKeys.ec();
    const expired = authority({ subject: 'timed', keys, from: -2000, until: -1000 });
    const early = authority({ subject: 'timed', keys, from: 60_000, until: 120_000 });
    const leaf = client({ issuer: expired });
    const detour = authority({ subject: 'timed', keys, issuer: signer });
    const junk = fromDer(Buffer.from('3003020100', 'hex'), commonName('junk'), newKeys.ec());
    for (const sent of [[], [detour], [junk], [detour, junk]]) {
      assert.equal(refusalOf({ leaf, sent, anchors: [expired, early] })?.reason, 'expired');
      assert.equal(refusalOf({ leaf, sent, anchors: [early, expired] })?.reason, 'not-yet-valid');
    }
  });

  test('without any anchor is the same', async () => {
    await bothSay('untrusted', { leaf: erin, sent: [lower, signer, root], anchors: [] });
  });
});

describe('impostors', () => {
  test('a self-signed certificate with the names of a real one is not trusted', async () => {
    const copy = client({ subject: 'erin' });
    const refusal = await bothSay('untrusted', { leaf: copy, sent: [lower, signer], anchors: [root] });
    assert.ok(refusal?.reason === 'untrusted' && refusal.isSelfSigned);
    await bothSay('bad-signature', { leaf: copy, sent: [erin, lower, signer], anchors: [root] });
    const asRoot = client({ subject: 'root' });
    await bothSay('bad-signature', { leaf: asRoot, sent: [], anchors: [root] });
  });

  test('an authority with the name of a trusted one and another key makes nothing trusted', async () => {
    const impostor = authority({ subject: 'root' });
    const leaf = client({ issuer: impostor });
    await bothSay('bad-signature', { leaf, sent: [], anchors: [root] });
    await bothSay('bad-signature', { leaf, sent: [impostor], anchors: [root] });
    const below = authority({ subject: 'signer', issuer: impostor });
    await bothSay('bad-signature', {
      leaf: client({ issuer: below }),
      sent: [below, impostor],
      anchors: [root],
    });
    await bothSay('bad-signature', { leaf: client({ issuer: below }), sent: [signer], anchors: [root] });
  });

  test('a copied key identifier changes nothing', async () => {
    const impostor = { name: root.name, keys: newKeys.ec() };
    const leaf = client({ issuer: impostor }, clientExtensions(authorityKeyId(root.keys)));
    await bothSay('bad-signature', { leaf, sent: [], anchors: [root] });
  });

  test('a certificate that was changed after signing is not trusted', () => {
    // Everything but the signature; the end of the content has the key and the extensions.
    for (let at = 4; at < erin.der.length - 80; at += 1) {
      const der = Buffer.from(erin.der);
      der.writeUInt8(der.readUInt8(at) ^ 0x01, at);
      const leaf = fromDer(der, erin.name, erin.keys);
      assert.notEqual(refusalOf({ leaf, sent: [lower, signer], anchors: [root] }), undefined, `byte ${at}`);
    }
  });

  test('of two anchors of one name the one that signed is found, in any order', async () => {
    const second = authority({ subject: 'root' });
    for (const anchors of [
      [root, second],
      [second, root],
    ])
      for (const issuer of [root, second]) {
        const leaf = client({ issuer });
        const verdict = validate({ leaf, sent: [], anchors });
        assert.ok(verdict.verdict === 'trusted');
        assert.deepEqual(verdict.path, pathOf(leaf, issuer));
      }
  });
});

describe('cross-signed authorities', () => {
  const keys = newKeys.ec();
  const old = authority({ subject: 'old root' });
  const own = authority({ subject: 'new root', keys }, authorityExtensions(undefined, subjectKeyId(keys)));
  const crossed = authority({ subject: 'new root', keys, issuer: old });
  const leaf = client({ issuer: own });

  test('are trusted through either anchor', async () => {
    await bothSay('trusted', { leaf, sent: [crossed], anchors: [old] });
    await bothSay('trusted', { leaf, sent: [crossed], anchors: [own] });
    // OpenSSL follows only the first of several certificates of one authority.
    await bothSay('trusted', { leaf, sent: [own, crossed], anchors: [old] }, 'refused');
  });

  test('an anchor that issued the leaf comes before a detour', () => {
    const verdict = validate({ leaf, sent: [crossed], anchors: [old, own] });
    assert.ok(verdict.verdict === 'trusted');
    assert.deepEqual(verdict.path, pathOf(leaf, own));
  });

  test('an invalid path does not hide a valid one', () => {
    const expired = authority({ subject: 'new root', keys, issuer: old, until: -1000, from: -2000 });
    const narrow = authority({ subject: 'new root', keys, issuer: root }, authorityExtensions().slice(1));
    for (const sent of [
      [expired, narrow, crossed],
      [crossed, narrow, expired],
      [narrow, expired, crossed],
    ]) {
      const verdict = validate({ leaf, sent, anchors: [root, old] });
      assert.ok(verdict.verdict === 'trusted');
      assert.deepEqual(verdict.path, pathOf(leaf, crossed, old));
    }
    assert.equal(refusalOf({ leaf, sent: [expired], anchors: [old] })?.reason, 'expired');
  });

  test('circles end', async () => {
    const [a, b] = [newKeys.ec(), newKeys.ec()];
    const [nameA, nameB] = [commonName('A'), commonName('B')];
    const aByB = authority({ subject: nameA, keys: a, issuer: { name: nameB, keys: b } });
    const bByA = authority({ subject: nameB, keys: b, issuer: { name: nameA, keys: a } });
    await bothSay('untrusted', { leaf: client({ issuer: aByB }), sent: [aByB, bByA], anchors: [root] });
  });

  test('of many issuers with one name twelve are tried, first those that the key identifier names', () => {
    const keys = newKeys.ec();
    const subject = commonName('crowd');
    const right = authority({ subject, keys }, authorityExtensions(undefined, subjectKeyId(keys)));
    const crowd = Array.from({ length: 12 }, () => {
      const other = newKeys.ec();
      return authority({ subject, keys: other }, authorityExtensions(undefined, subjectKeyId(other)));
    });
    const silent = client({ issuer: right });
    const pointing = client({ issuer: right }, clientExtensions(authorityKeyId(keys)));
    for (const anchors of [[...crowd, right], [right, ...crowd], crowd.toSpliced(6, 0, right)]) {
      assert.equal(refusalOf({ leaf: pointing, sent: [], anchors }), undefined);
    }
    const last = (others: number) => [...crowd.slice(0, others), right];
    assert.equal(refusalOf({ leaf: silent, sent: [], anchors: last(11) }), undefined);
    assert.deepEqual(refusalOf({ leaf: silent, sent: [], anchors: last(12) }), { reason: 'too-much-work' });
    // An authority without an identifier is not preferred for a client that names none.
    const plain = authority({ subject, keys });
    const anchors = [...crowd, plain];
    assert.deepEqual(refusalOf({ leaf: silent, sent: [], anchors }), { reason: 'too-much-work' });
  });

  test('of two authorities with one name and key, the first one counts, whichever the key identifier names', () => {
    const keys = newKeys.ec();
    const timed = (from: number, id: KeyPair) =>
      authority(
        { subject: 'timed', keys, from, until: from + 1000 },
        authorityExtensions(undefined, subjectKeyId(id)),
      );
    const ids = { past: newKeys.ec(), future: newKeys.ec() };
    const [expired, early] = [timed(-2000, ids.past), timed(60_000, ids.future)];
    for (const id of [ids.past, ids.future]) {
      const leaf = client({ issuer: expired }, clientExtensions(authorityKeyId(id)));
      const reasonAt = (...anchors: Made[]) => refusalOf({ leaf, sent: [], anchors })?.reason;
      assert.equal(reasonAt(expired, early), 'expired');
      assert.equal(reasonAt(early, expired), 'not-yet-valid');
    }
  });

  test('a signature is checked once, however many paths lead over it', () => {
    const a = newKeys.ec();
    const b = newKeys.ec();
    const between = { name: commonName('between'), keys: b };
    // Signed by no authority that the anchors cover.
    const stranded = authority({ subject: between.name, keys: b, issuer: authority({ subject: 'crowd' }) });
    const ways = Array.from({ length: 3 }, () => authority({ subject: 'way', keys: a, issuer: between }));
    const [way] = ways;
    assert.ok(way);
    for (const length of [4, 5]) {
      const anchors = Array.from({ length }, () => authority({ subject: 'crowd' }));
      const refusal = refusalOf({ leaf: client({ issuer: way }), sent: [...ways, stranded], anchors });
      assert.ok(refusal?.reason === 'bad-signature', String(refusal?.reason));
      assert.equal(refusal.certificate.subject, 'CN=between');
    }
  });

  test('a mesh made to be searched for ever is given up', () => {
    // Seven authorities with one name and one key: each could have issued each.
    const mesh = { name: commonName('mesh'), keys: newKeys.ec() };
    const sent = Array.from({ length: 7 }, () =>
      authority({ subject: mesh.name, keys: mesh.keys, issuer: mesh }),
    );
    const leaf = client({ issuer: mesh });
    assertCostsLess(500, () => {
      assert.deepEqual(refusalOf({ leaf, sent, anchors: [root] }), { reason: 'too-much-work' });
    });
  });
});

describe('malformed leaves', () => {
  const issuer = authority({ subject: 'issuer' });
  const good = client({ issuer });

  test('are refused without a verdict on anything else', () => {
    const cases: Record<string, Buffer> = {
      nothing: Buffer.alloc(0),
      text: Buffer.from(good.certPem),
      'something after it': Buffer.concat([good.der, Buffer.from([0])]),
      'cut short': good.der.subarray(0, -1),
      'extensions in version 1': client({ issuer, version: null }, clientExtensions()).der,
      'version 4': client({ issuer, version: 3 }).der,
      'an extension twice': client({ issuer }, [...clientExtensions(), ...clientExtensions()]).der,
      'no issuer': makeCertificate({ issuer, issuerName: Buffer.from('3000', 'hex') }).der,
    };
    for (const [what, der] of Object.entries(cases)) {
      const refusal = refusalOf(chainOf(fromDer(der, good.name, good.keys), issuer));
      assert.equal(refusal?.reason, 'malformed', what);
    }
  });

  test('no bytes make it throw', () => {
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    for (let round = 0; round < 1000; round += 1) {
      const der = Buffer.from(good.der);
      for (let changes = 1 + random(4); changes > 0; changes -= 1)
        der.writeUInt8(random(256), random(der.length));
      if (der.equals(good.der)) continue;
      const verdict = validate(chainOf(fromDer(der, good.name, good.keys), issuer));
      assert.equal(verdict.verdict, 'refused');
    }
  });
});
