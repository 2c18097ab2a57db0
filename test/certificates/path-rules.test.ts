import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { DAY, MINUTE, systemClock } from '../../src/platform/clock.ts';
import { readPathCertificate } from '../../src/platform/x509/path-certificate.ts';
import { describeRefusal, type PathRefusal } from '../../src/platform/x509/path-refusal.ts';
import { anchorProblem, validateClientPath } from '../../src/platform/x509/path-validation.ts';
import { thumbprint } from '../../src/platform/x509/x509.ts';
import {
  authority,
  authorityExtensions,
  authorityKeyId,
  basicConstraints,
  client,
  clientExtensions,
  extendedKeyUsage,
  extension,
  generalName,
  keyUsage,
  type Made,
  makeCertificate,
  newKeys,
  subjectAltName,
  subjectKeyId,
  usageOids,
} from '../support/chains.ts';
import { boolean, element, integer, oid, sequence } from '../support/der-writer.ts';
import { bothSay, chainOf, validate } from './support.ts';

const root = authority({ subject: 'root' });
const signer = authority({ subject: 'signer', issuer: root }, authorityExtensions(0));

describe('a path is trusted', () => {
  test('with and without an authority between leaf and anchor', async () => {
    await bothSay('trusted', chainOf(client({ issuer: root }), root));
    await bothSay('trusted', chainOf(client({ issuer: signer }), signer, root));
  });

  test('and the verdict names the anchor, every certificate, and the names of the leaf', () => {
    const leaf = client({ issuer: signer });
    const verdict = validate(chainOf(leaf, signer, root));
    assert.ok(verdict.verdict === 'trusted');
    const [leafId, signerId, rootId] = [leaf, signer, root].map(({ der }) =>
      thumbprint(new X509Certificate(der)),
    );
    assert.deepEqual(verdict.path, [leafId, signerId, rootId]);
    assert.equal(verdict.anchor.thumbprint, rootId);
    assert.equal(verdict.leaf.thumbprint, leafId);
    assert.equal(verdict.leaf.isExpired, false);
    assert.deepEqual(verdict.leaf.names, { commonNames: ['erin'], uris: [], emails: [] });
  });

  test('and the verdict lists each kind of name in the order of the certificate', () => {
    const { uri, email, dns } = generalName;
    const names = [uri('spiffe://a/1'), email('erin@example.com'), dns('a.example.com'), uri('urn:b')];
    const leaf = client({ issuer: root }, clientExtensions(subjectAltName(...names, email('e@example.org'))));
    const verdict = validate(chainOf(leaf, root));
    assert.ok(verdict.verdict === 'trusted');
    assert.deepEqual(verdict.leaf.names, {
      commonNames: ['erin'],
      uris: ['spiffe://a/1', 'urn:b'],
      emails: ['erin@example.com', 'e@example.org'],
    });
  });

  test('and the verdict says until when the authorities above the leaf carry it', () => {
    const [long, short] = [{ until: 300 * DAY }, { until: 100 * DAY }];
    for (const [above, between] of [
      [long, short],
      [short, long],
    ] as const) {
      const anchor = authority({ subject: 'root', ...above });
      const middle = authority({ subject: 'middle', issuer: anchor, ...between });
      const verdict = validate(chainOf(client({ issuer: middle, until: DAY }), middle, anchor));
      assert.ok(verdict.verdict === 'trusted');
      const ends = [middle, anchor].map(({ der }) => new X509Certificate(der).validToDate.getTime());
      assert.equal(verdict.soundUntil, Math.min(...ends));
    }
  });

  test('with an anchor that is not self-signed', async () => {
    await bothSay('trusted', chainOf(client({ issuer: signer }), signer));
  });

  test('with keys and signatures of every accepted kind', async () => {
    const rsa = newKeys.rsa();
    for (const keys of [rsa, newKeys.ec('P-384'), newKeys.ec('P-521'), newKeys.ed25519()]) {
      const issuer = authority({ keys });
      await bothSay('trusted', chainOf(client({ issuer, keys }), issuer));
    }
    const issuer = authority({ keys: rsa });
    for (const signature of ['sha384', 'pss-sha256'] as const)
      await bothSay('trusted', chainOf(client({ issuer, signature }), issuer));
  });

  test('when the leaf says nothing about its usage, having no extensions or being of version 1', async () => {
    await bothSay('trusted', chainOf(client({ issuer: root }, []), root));
    await bothSay('trusted', chainOf(client({ issuer: root, version: null }, []), root));
  });
});

describe('times', () => {
  for (const [state, reason, times] of [
    ['has expired', 'expired', { from: -3 * DAY, until: -MINUTE }],
    ['is not yet valid', 'not-yet-valid', { from: 5 * MINUTE }],
  ] as const)
    test(`a certificate at any place that ${state} is refused`, async () => {
      const [ownRoot, ownSigner] = [authority(times), authority({ issuer: root, ...times })];
      const cases = [
        [chainOf(client({ issuer: root, ...times }), root), 'leaf'],
        [chainOf(client({ issuer: ownSigner }), ownSigner, root), 'intermediate'],
        [chainOf(client({ issuer: ownRoot }), ownRoot), 'anchor'],
      ] as const;
      for (const [chain, role] of cases) {
        const refusal = await bothSay(reason, chain);
        assert.ok(refusal?.reason === reason && refusal.certificate.role === role);
      }
    });

  test('a certificate is valid from its first moment to its last', () => {
    const wide = authority({ from: -3 * DAY, until: 3 * DAY });
    const leaf = client({ issuer: wide });
    const { validFromDate, validToDate } = new X509Certificate(leaf.der);
    const verdictAt = (now: number, allowExpired: boolean) => {
      const anchors = [readPathCertificate(wide.der)];
      return validateClientPath({
        leaf: leaf.der,
        intermediates: [],
        anchors,
        barred: [],
        now,
        allowExpired,
      });
    };
    const at = (now: number) => {
      const verdict = verdictAt(now, false);
      return verdict.verdict === 'refused' ? verdict.refusal.reason : verdict.verdict;
    };
    const [from, until] = [validFromDate.getTime(), validToDate.getTime()];
    assert.deepEqual([from - 1, from, until, until + 1].map(at), [
      'not-yet-valid',
      'trusted',
      'trusted',
      'expired',
    ]);
    const isForgiven = (now: number) => {
      const verdict = verdictAt(now, true);
      return verdict.verdict === 'trusted' && verdict.leaf.isExpired;
    };
    assert.deepEqual([until, until + 1].map(isForgiven), [false, true]);
  });

  test('a policy may accept an expired leaf, and nothing else', () => {
    const gone = { from: -3 * DAY, until: -MINUTE };
    const leaf = client({ issuer: signer, ...gone });
    const verdict = validate(chainOf(leaf, signer, root), true);
    assert.ok(verdict.verdict === 'trusted');
    assert.equal(verdict.leaf.isExpired, true);

    const oldSigner = authority({ issuer: root, ...gone });
    for (const chain of [
      chainOf(client({ issuer: oldSigner, ...gone }), oldSigner, root),
      chainOf(client({ issuer: oldSigner }), oldSigner, root),
      chainOf(client({ issuer: root, from: MINUTE }), root),
      chainOf(client({ issuer: root, ...gone }, [extendedKeyUsage(usageOids.serverAuth)]), root),
    ])
      assert.equal(validate(chain, true).verdict, 'refused');
  });

  test('times after 2049 are read, and the year 9999 that means no end', async () => {
    const until = Date.UTC(9999, 11, 31, 23, 59, 59) - systemClock.now();
    await bothSay('trusted', chainOf(client({ issuer: root, until }), root));
  });
});

describe('authorities', () => {
  test('a leaf that signs another certificate makes nothing trusted', async () => {
    const erin = client({ issuer: root });
    const refusal = await bothSay(
      'not-a-ca',
      chainOf(client({ subject: 'mallory', issuer: erin }), erin, root),
    );
    assert.ok(refusal?.reason === 'not-a-ca' && refusal.certificate.role === 'intermediate');
    // Neither without basicConstraints nor as version 1, without any extensions.
    const silent = makeCertificate({ issuer: root, extensions: [keyUsage('keyCertSign')] });
    await bothSay('not-a-ca', chainOf(client({ issuer: silent }), silent, root));
    const ancient = makeCertificate({ issuer: root, version: null });
    await bothSay('not-a-ca', chainOf(client({ issuer: ancient }), ancient, root));
  });

  test('an anchor must be an authority too', async () => {
    const anchor = client({ subject: 'not an authority' });
    // OpenSSL trusts a self-signed version 1 anchor; here, administrators are told instead.
    const ancient = makeCertificate({ version: null });
    await bothSay('not-a-ca', chainOf(client({ issuer: anchor }), anchor));
    await bothSay('not-a-ca', chainOf(client({ issuer: ancient }), ancient), 'trusted');
  });

  test('an authority whose key usage lacks keyCertSign may not issue', async () => {
    for (const usages of [['cRLSign'], ['digitalSignature'], []] as const) {
      const weak = authority({ issuer: root }, [basicConstraints(true), keyUsage(...usages)]);
      await bothSay('cert-sign-not-allowed', chainOf(client({ issuer: weak }), weak, root));
    }
    const anchor = authority({}, [basicConstraints(true), keyUsage('digitalSignature')]);
    await bothSay('cert-sign-not-allowed', chainOf(client({ issuer: anchor }), anchor));
  });

  test('an authority without a key usage may issue', async () => {
    const open = authority({ issuer: root }, [basicConstraints(true)]);
    await bothSay('trusted', chainOf(client({ issuer: open }), open, root));
  });

  test('a path length is enforced, at the anchor and below it', async () => {
    const lower = authority({ issuer: signer });
    const refusal = await bothSay(
      'path-length-exceeded',
      chainOf(client({ issuer: lower }), lower, signer, root),
    );
    assert.ok(refusal?.reason === 'path-length-exceeded' && refusal.allowed === 0);
    const flat = authority({}, authorityExtensions(0));
    const below = authority({ issuer: flat });
    await bothSay('path-length-exceeded', chainOf(client({ issuer: below }), below, flat));
    await bothSay('trusted', chainOf(client({ issuer: flat }), flat));
    const deep = authority({}, authorityExtensions(2));
    const one = authority({ issuer: deep });
    const two = authority({ issuer: one });
    await bothSay('trusted', chainOf(client({ issuer: two }), two, one, deep));
  });

  test('a path length is enforced when the authority has no key usage', async () => {
    const flat = authority({ issuer: root }, [basicConstraints(true, 0)]);
    const below = authority({ issuer: flat });
    await bothSay('path-length-exceeded', chainOf(client({ issuer: below }), below, flat, root));
  });

  test('a self-issued authority, for a change of keys, does not count against the path length', async () => {
    // OpenSSL needs the key identifiers: it does not try a second authority with the same name.
    const keys = newKeys.ec();
    const flat = authority({ subject: 'flat', keys }, authorityExtensions(0, subjectKeyId(keys)));
    const next = newKeys.ec();
    const ids = [subjectKeyId(next), authorityKeyId(keys)];
    const renewed = authority({ subject: 'flat', issuer: flat, keys: next }, authorityExtensions(0, ...ids));
    const leaf = client({ issuer: renewed }, clientExtensions(authorityKeyId(next)));
    await bothSay('trusted', chainOf(leaf, renewed, flat));
  });
});

describe('usage', () => {
  test('a leaf whose extended key usage lacks clientAuth is refused, even with any usage', async () => {
    for (const usages of [
      [usageOids.serverAuth],
      [usageOids.codeSigning],
      [usageOids.any],
      [usageOids.any, usageOids.serverAuth],
    ]) {
      const leaf = client({ issuer: root }, [basicConstraints(false), extendedKeyUsage(...usages)]);
      const refusal = await bothSay('wrong-usage', chainOf(leaf, root));
      assert.ok(refusal?.reason === 'wrong-usage' && refusal.problem === 'no-client-auth');
    }
    const both = client({ issuer: root }, [extendedKeyUsage(usageOids.serverAuth, usageOids.clientAuth)]);
    await bothSay('trusted', chainOf(both, root));
  });

  test('a leaf whose key usage lacks digitalSignature is refused', async () => {
    const leaf = client({ issuer: root }, [keyUsage('cRLSign')]);
    const refusal = await bothSay('wrong-usage', chainOf(leaf, root));
    assert.ok(refusal?.reason === 'wrong-usage' && refusal.problem === 'no-digital-signature');
    // Enough for OpenSSL, which still allows for key exchanges that TLS 1.3 no longer has.
    await bothSay(
      'wrong-usage',
      chainOf(client({ issuer: root }, [keyUsage('keyAgreement')]), root),
      'trusted',
    );
  });

  test('the extended key usage of an authority limits what it issues', async () => {
    const serversOnly = authority(
      { issuer: root },
      authorityExtensions(0, extendedKeyUsage(usageOids.serverAuth)),
    );
    const wrong = await bothSay('wrong-usage', chainOf(client({ issuer: serversOnly }), serversOnly, root));
    assert.ok(wrong?.reason === 'wrong-usage' && wrong.problem === 'no-client-auth');
    const both = authority(
      { issuer: root },
      authorityExtensions(0, extendedKeyUsage(usageOids.serverAuth, usageOids.clientAuth)),
    );
    await bothSay('trusted', chainOf(client({ issuer: both }), both, root));
    const clients = authority(
      { issuer: root },
      authorityExtensions(0, extendedKeyUsage(usageOids.clientAuth)),
    );
    await bothSay('trusted', chainOf(client({ issuer: clients }), clients, root));
    // For an authority, "any" is meant to include this usage; OpenSSL disagrees.
    const any = authority({ issuer: root }, authorityExtensions(0, extendedKeyUsage(usageOids.any)));
    await bothSay('trusted', chainOf(client({ issuer: any }), any, root), 'refused');
  });

  test('a trust anchor does not log in', async () => {
    const self = authority({}, clientExtensions());
    const refusal = await bothSay('wrong-usage', { leaf: self, sent: [], anchors: [self] }, 'trusted');
    assert.ok(refusal?.reason === 'wrong-usage' && refusal.problem === 'is-a-trust-anchor');
  });
});

describe('extensions', () => {
  const unknown = (isCritical: boolean) => extension('1.3.6.1.4.1.99999.1', isCritical, sequence());

  test('an unknown critical one is refused at any place, an uncritical one ignored', async () => {
    const odd = authority({ issuer: root }, authorityExtensions(0, unknown(true)));
    const oddRoot = authority({}, authorityExtensions(0, unknown(true)));
    for (const chain of [
      chainOf(client({ issuer: root }, clientExtensions(unknown(true))), root),
      chainOf(client({ issuer: odd }), odd, root),
      chainOf(client({ issuer: oddRoot }), oddRoot),
    ]) {
      const refusal = await bothSay('unknown-critical-extension', chain);
      assert.ok(refusal?.reason === 'unknown-critical-extension');
      assert.equal(refusal.oid, '1.3.6.1.4.1.99999.1');
    }
    await bothSay('trusted', chainOf(client({ issuer: root }, clientExtensions(unknown(false))), root));
  });

  test('policies are accepted while no certificate constrains them', async () => {
    const policies = extension('2.5.29.32', true, sequence(sequence(oid('1.3.6.1.4.1.99999.2'))));
    const noAny = extension('2.5.29.54', true, integer(0));
    const issuer = authority({ issuer: root }, authorityExtensions(0, policies, noAny));
    await bothSay('trusted', chainOf(client({ issuer }, clientExtensions(policies)), issuer, root));
    for (const isCritical of [true, false]) {
      const explicit = extension('2.5.29.36', isCritical, sequence(element(0x80, Buffer.from([0]))));
      const strict = authority({ issuer: root }, authorityExtensions(0, explicit));
      // OpenSSL looks at policies only on request.
      await bothSay('policy-constraints', chainOf(client({ issuer: strict }), strict, root), 'trusted');
    }
    const mapping = extension('2.5.29.33', true, sequence(sequence(oid('1.2.3.4'), oid('1.2.3.5'))));
    const mapped = authority({ issuer: root }, authorityExtensions(0, mapping));
    await bothSay('unknown-critical-extension', chainOf(client({ issuer: mapped }), mapped, root), 'trusted');
  });

  test('basicConstraints that say in so many words that it is no authority are read', async () => {
    const explicit = extension('2.5.29.19', true, sequence(boolean(false)));
    await bothSay('trusted', chainOf(client({ issuer: root }, [explicit]), root));
  });
});

describe('algorithms and keys', () => {
  test('SHA-1, MD5 and SHA-224 are refused, in the leaf and above it', async () => {
    const issuer = authority({ keys: newKeys.rsa() });
    for (const signature of ['sha1', 'md5', 'pss-sha1'] as const)
      await bothSay('algorithm-not-accepted', chainOf(client({ issuer, signature }), issuer));
    // RSA with SHA-224 has 112 bits, the least that OpenSSL accepts by default.
    await bothSay(
      'algorithm-not-accepted',
      chainOf(client({ issuer, signature: 'sha224' }), issuer),
      'trusted',
    );
    await bothSay('algorithm-not-accepted', chainOf(client({ issuer: root, signature: 'sha1' }), root));
    const old = authority({ issuer: root, signature: 'sha1' });
    await bothSay('algorithm-not-accepted', chainOf(client({ issuer: old }), old, root));
  });

  test("an anchor's signature over itself is ignored", async () => {
    const anchor = authority({ keys: newKeys.rsa(), signature: 'sha1' });
    await bothSay('trusted', chainOf(client({ issuer: anchor }), anchor));
  });

  test('weak and unusual keys are refused at any place', async () => {
    const small = newKeys.rsa(1024);
    const smallSigner = authority({ issuer: root, keys: small });
    const smallRoot = authority({ keys: small });
    for (const [chain, role] of [
      [chainOf(client({ issuer: root, keys: small }), root), 'leaf'],
      [chainOf(client({ issuer: smallSigner }), smallSigner, root), 'intermediate'],
      [chainOf(client({ issuer: smallRoot }), smallRoot), 'anchor'],
    ] as const) {
      const refusal = await bothSay('key-not-accepted', chain);
      assert.ok(refusal?.reason === 'key-not-accepted');
      assert.equal(refusal.key, 'RSA 1024');
      assert.equal(refusal.certificate.role, role);
    }
    const unusual = client({ issuer: root, keys: newKeys.ec('secp256k1') });
    assert.equal(validate(chainOf(unusual, root)).verdict, 'refused');
  });
});

describe('an anchor by itself', () => {
  test('is checked like every path that ends in it', () => {
    const now = systemClock.now();
    const problem = (made: Made) => anchorProblem(readPathCertificate(made.der), now)?.reason;
    assert.equal(problem(root), undefined);
    assert.equal(problem(signer), undefined);
    const bad = {
      'not-a-ca': client(),
      expired: authority({ from: -2 * DAY, until: -DAY }),
      'not-yet-valid': authority({ from: DAY, until: 2 * DAY }),
      'cert-sign-not-allowed': authority({}, [basicConstraints(true), keyUsage('digitalSignature')]),
      'wrong-usage': authority({}, authorityExtensions(0, extendedKeyUsage(usageOids.serverAuth))),
      'unknown-critical-extension': authority(
        {},
        authorityExtensions(0, extension('1.2.3.4', true, sequence())),
      ),
      'key-not-accepted': authority({ keys: newKeys.ed448() }),
    };
    for (const [reason, made] of Object.entries(bad)) {
      assert.equal(problem(made), reason);
      const refusal = anchorProblem(readPathCertificate(made.der), now);
      assert.ok(refusal !== undefined && 'certificate' in refusal && refusal.certificate.role === 'anchor');
    }
  });
});

test('every reason has one sentence that names the certificate', () => {
  const certificate = { role: 'leaf', subject: 'CN=erin', thumbprint: 'x' } as const;
  const refusals: PathRefusal[] = [
    { reason: 'untrusted', certificate, issuer: 'CN=elsewhere', isSelfSigned: false },
    { reason: 'untrusted', certificate, issuer: 'CN=erin', isSelfSigned: true },
    { reason: 'bad-signature', certificate, issuer: 'CN=root' },
    { reason: 'expired', certificate, notAfter: 0 },
    { reason: 'not-yet-valid', certificate, notBefore: 0 },
    { reason: 'not-a-ca', certificate },
    { reason: 'cert-sign-not-allowed', certificate },
    { reason: 'path-length-exceeded', certificate, allowed: 0 },
    { reason: 'wrong-usage', certificate, problem: 'no-client-auth' },
    {
      reason: 'name-not-permitted',
      certificate,
      form: 'dns',
      constrainedBy: { ...certificate, role: 'anchor' },
    },
    { reason: 'unknown-critical-extension', certificate, oid: '1.2.3' },
    { reason: 'policy-constraints', certificate },
    { reason: 'algorithm-not-accepted', certificate, algorithm: 'SHA-1 with RSA' },
    { reason: 'key-not-accepted', certificate, key: 'RSA 1024' },
  ];
  for (const refusal of refusals) assert.match(describeRefusal(refusal), /^[A-Z].*"CN=erin".*[^.]\.$/);
  for (const refusal of [
    { reason: 'malformed', role: 'leaf', problem: 'time' },
    { reason: 'chain-too-large', limit: 'bytes' },
    { reason: 'too-much-work' },
  ] as const)
    assert.match(describeRefusal(refusal), /^[A-Z].*[^.]\.$/);
});
