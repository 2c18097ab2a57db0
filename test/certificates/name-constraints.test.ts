import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  attributeOids,
  authority,
  authorityExtensions,
  authorityKeyId,
  client,
  clientExtensions,
  distinguishedName,
  extension,
  generalName,
  nameConstraints,
  newKeys,
  subjectAltName,
  subjectKeyId,
} from '../support/chains.ts';
import { element, integer, sequence } from '../support/der-writer.ts';
import { bothSay, chainOf, refusalOf } from './support.ts';

const { dns, email, uri, ip, directory } = generalName;
const root = authority({ subject: 'root' });

type Subtrees = Parameters<typeof nameConstraints>[0];

function constrained(subtrees: Subtrees) {
  return authority(
    { subject: 'constrained', issuer: root },
    authorityExtensions(undefined, nameConstraints(subtrees)),
  );
}

/** A client with these names, issued by an authority with these constraints. */
function chain(subtrees: Subtrees, names: readonly Buffer[], subject: string | Buffer = 'erin') {
  const issuer = constrained(subtrees);
  const extensions = clientExtensions(...(names.length === 0 ? [] : [subjectAltName(...names)]));
  return chainOf(client({ subject, issuer }, extensions), issuer, root);
}

interface Row {
  readonly base: Buffer;
  readonly inside: readonly Buffer[];
  readonly outside: readonly Buffer[];
}

const rows: Record<string, Row> = {
  'a DNS name covers itself and what is below': {
    base: dns('example.com'),
    inside: [
      dns('example.com'),
      dns('EXAMPLE.com'),
      dns('a.example.com'),
      dns('b.a.Example.Com'),
      dns('*.example.com'),
    ],
    outside: [dns('example.org'), dns('badexample.com'), dns('com'), dns('example.com.evil.org')],
  },
  'a DNS name with a leading dot covers what is below': {
    base: dns('.example.com'),
    inside: [dns('a.example.com'), dns('b.a.example.com')],
    outside: [dns('example.com'), dns('a.example.org')],
  },
  'an empty DNS name covers all': { base: dns(''), inside: [dns('example.com')], outside: [] },
  'a mail host covers its own mailboxes': {
    base: email('example.com'),
    inside: [email('erin@example.com'), email('Erin.X+y@EXAMPLE.com')],
    outside: [email('erin@a.example.com'), email('erin@example.org'), email('erin@badexample.com')],
  },
  'a mail domain covers the hosts below': {
    base: email('.example.com'),
    inside: [email('erin@a.example.com'), email('erin@b.a.example.com')],
    outside: [email('erin@example.com'), email('erin@example.org')],
  },
  'a mailbox covers itself': {
    base: email('erin@example.com'),
    inside: [email('erin@example.com'), email('erin@EXAMPLE.com')],
    outside: [email('Erin@example.com'), email('x.erin@example.com'), email('erin@example.org')],
  },
  'a URI host covers that host': {
    base: uri('example.com'),
    inside: [
      uri('spiffe://example.com/erin'),
      uri('https://u@EXAMPLE.com:8443/x'),
      uri('https://example.com'),
    ],
    outside: [uri('spiffe://a.example.com/erin'), uri('spiffe://example.org/example.com')],
  },
  'a URI domain covers the hosts below': {
    base: uri('.example.com'),
    inside: [uri('spiffe://a.example.com/erin')],
    outside: [uri('spiffe://example.com/erin'), uri('https://example.org/.example.com')],
  },
  'an address range covers its addresses': {
    base: ip(10, 1, 0, 0, 255, 255, 0, 0),
    inside: [ip(10, 1, 0, 0), ip(10, 1, 255, 255)],
    outside: [ip(10, 2, 0, 0), ip(11, 1, 0, 0)],
  },
  'a range of IPv6 addresses covers its addresses': {
    base: ip(0x20, 1, ...Array(14).fill(0), 255, 255, ...Array(14).fill(0)),
    inside: [ip(0x20, 1, ...Array(14).fill(7))],
    outside: [ip(0x20, 2, ...Array(14).fill(0)), ip(10, 1, 0, 0)],
  },
};

describe('name constraints', () => {
  for (const [name, { base, inside, outside }] of Object.entries(rows))
    test(name, async () => {
      for (const each of inside) {
        await bothSay('trusted', chain({ permitted: [base] }, [each]));
        await bothSay('name-not-permitted', chain({ excluded: [base] }, [each]));
      }
      for (const each of outside) {
        await bothSay('name-not-permitted', chain({ permitted: [base] }, [each]));
        await bothSay('trusted', chain({ excluded: [base] }, [each]));
      }
    });
});

describe('constraints on the subject', () => {
  const { commonName: cn, organization: o, country: c, emailAddress } = attributeOids;
  const acme = directory(distinguishedName([c, 'DE', 0x13], [o, 'Acme Works']));
  const within = distinguishedName([c, 'DE', 0x13], [o, 'Acme Works'], [cn, 'erin']);

  test('cover the names below theirs', async () => {
    await bothSay('trusted', chain({ permitted: [acme] }, [], within));
    await bothSay('name-not-permitted', chain({ excluded: [acme] }, [], within));
    const elsewhere = [
      distinguishedName([c, 'DE', 0x13], [o, 'Acme'], [cn, 'erin']),
      distinguishedName([o, 'Acme Works'], [c, 'DE', 0x13]),
      distinguishedName([cn, 'erin'], [c, 'DE', 0x13], [o, 'Acme Works']),
      distinguishedName([c, 'DE', 0x13]),
      distinguishedName([c, 'DE', 0x13], [o, 'Acme Works,CN=x'], [cn, 'erin']),
    ];
    for (const subject of elsewhere) {
      await bothSay('name-not-permitted', chain({ permitted: [acme] }, [], subject));
      await bothSay('trusted', chain({ excluded: [acme] }, [], subject));
    }
  });

  test('ignore letter case, spaces and the type of the string', async () => {
    for (const subject of [
      distinguishedName([c, 'de', 0x13], [o, 'ACME works', 0x13], [cn, 'erin']),
      distinguishedName([c, 'DE'], [o, '  Acme   Works ', 0x14]),
    ]) {
      await bothSay('name-not-permitted', chain({ excluded: [acme] }, [], subject));
      await bothSay('trusted', chain({ permitted: [acme] }, [], subject));
    }
  });

  test('do not apply to an empty subject', async () => {
    await bothSay('trusted', chain({ permitted: [acme] }, [dns('example.com')], distinguishedName()));
  });

  test('on mail addresses reach the address in the subject', async () => {
    const subject = distinguishedName([cn, 'erin'], [emailAddress, 'erin@example.com', 0x16]);
    await bothSay('trusted', chain({ permitted: [email('example.com')] }, [], subject));
    await bothSay('name-not-permitted', chain({ permitted: [email('example.org')] }, [], subject));
    await bothSay('name-not-permitted', chain({ excluded: [email('example.com')] }, [dns('a.b')], subject));
  });
});

describe('several constraints', () => {
  test('of one form: any permission suffices, any exclusion forbids', async () => {
    const permitted = [dns('example.com'), dns('example.org')];
    await bothSay('trusted', chain({ permitted }, [dns('a.example.com'), dns('a.example.org')]));
    await bothSay('name-not-permitted', chain({ permitted }, [dns('a.example.com'), dns('a.example.net')]));
    const excluded = [dns('secret.example.com')];
    await bothSay('trusted', chain({ permitted, excluded }, [dns('a.example.com')]));
    const refusal = await bothSay(
      'name-not-permitted',
      chain({ permitted, excluded }, [dns('a.secret.example.com')]),
    );
    assert.ok(refusal?.reason === 'name-not-permitted');
    assert.equal(refusal.form, 'dns');
    assert.equal(refusal.constrainedBy.subject, 'CN=constrained');
    assert.equal(refusal.certificate.role, 'leaf');
  });

  test('of another form than the names say nothing', async () => {
    await bothSay('trusted', chain({ permitted: [dns('example.com')] }, [email('erin@example.org')]));
    await bothSay(
      'trusted',
      chain({ permitted: [email('example.com')], excluded: [uri('example.com')] }, []),
    );
  });

  test('of two authorities must both be kept', async () => {
    const upper = constrained({ permitted: [dns('example.com')] });
    const lower = authority(
      { issuer: upper },
      authorityExtensions(0, nameConstraints({ permitted: [dns('a.example.com')] })),
    );
    const below = (name: string) =>
      chainOf(client({ issuer: lower }, clientExtensions(subjectAltName(dns(name)))), lower, upper, root);
    await bothSay('trusted', below('x.a.example.com'));
    await bothSay('name-not-permitted', below('b.example.com'));
    const wider = authority(
      { issuer: upper },
      authorityExtensions(0, nameConstraints({ permitted: [dns('com')] })),
    );
    const leaf = client({ issuer: wider }, clientExtensions(subjectAltName(dns('example.org'))));
    await bothSay('name-not-permitted', chainOf(leaf, wider, upper, root));
  });

  test('of an anchor count too', async () => {
    const anchor = authority(
      {},
      authorityExtensions(0, nameConstraints({ permitted: [dns('example.com')] })),
    );
    const leaf = client({ issuer: anchor }, clientExtensions(subjectAltName(dns('example.org'))));
    await bothSay('name-not-permitted', chainOf(leaf, anchor));
  });

  test('bind the authorities below, but not the one that states them', async () => {
    const { commonName: cn, organization: o } = attributeOids;
    const permitted = [directory(distinguishedName([o, 'Acme']))];
    const issuer = constrained({ permitted });
    const subject = distinguishedName([o, 'Acme'], [cn, 'erin']);
    await bothSay('trusted', chainOf(client({ subject, issuer }), issuer, root));
    const outside = authority({ subject: 'outside', issuer });
    const refusal = await bothSay(
      'name-not-permitted',
      chainOf(client({ subject, issuer: outside }), outside, issuer, root),
    );
    assert.ok(refusal?.reason === 'name-not-permitted' && refusal.certificate.role === 'intermediate');
  });

  // OpenSSL takes such a client for self-signed, and refuses both.
  test('bind a client that has the name of its authority', () => {
    const issuer = constrained({ permitted: [email('example.com')] });
    const named = (text: string) =>
      client({ subject: issuer.name, issuer }, clientExtensions(subjectAltName(email(text))));
    assert.equal(refusalOf(chainOf(named('a@example.com'), issuer, root)), undefined);
    const refusal = refusalOf(chainOf(named('a@example.org'), issuer, root));
    assert.ok(refusal?.reason === 'name-not-permitted' && refusal.certificate.role === 'leaf');
  });

  test('do not bind a self-issued authority, which only changes its key', async () => {
    const { commonName: cn, organization: o } = attributeOids;
    const [keys, next] = [newKeys.ec(), newKeys.ec()];
    const permitted = [directory(distinguishedName([o, 'Acme']))];
    const first = authority(
      { subject: 'constrained', keys },
      authorityExtensions(undefined, nameConstraints({ permitted }), subjectKeyId(keys)),
    );
    const renewed = authority(
      { subject: 'constrained', issuer: first, keys: next },
      authorityExtensions(undefined, subjectKeyId(next), authorityKeyId(keys)),
    );
    const leaf = (subject: Buffer) =>
      client({ subject, issuer: renewed }, clientExtensions(authorityKeyId(next)));
    await bothSay('trusted', chainOf(leaf(distinguishedName([o, 'Acme'], [cn, 'erin'])), renewed, first));
    await bothSay('name-not-permitted', chainOf(leaf(distinguishedName([cn, 'erin'])), renewed, first));
  });
});

describe('names that cannot be compared', () => {
  test('are covered by every exclusion and by no permission', () => {
    const odd: Record<string, readonly [Buffer, readonly Buffer[]]> = {
      dns: [
        dns('example.com'),
        [
          dns('a.example.com.'),
          dns('.example.com'),
          dns('a..example.com'),
          dns('a.*.example.com'),
          dns('a b.example.com'),
        ],
      ],
      mail: [
        email('example.com'),
        [
          email('example.com'),
          email('a@b@example.com'),
          email('"a@x"@example.com'),
          email('a@example.com.'),
          email('@example.com'),
        ],
      ],
      uri: [
        uri('example.com'),
        [
          uri('urn:example.com'),
          uri('spiffe:/example.com'),
          uri('https://10.0.0.1/'),
          uri('https://[2001:db8::1]/'),
          uri('https://example.com.'),
          uri('https://example.com\\@example.org/'),
          uri('//example.com/'),
          uri('https:///example.com'),
        ],
      ],
    };
    for (const [form, [base, names]] of Object.entries(odd))
      for (const name of names)
        for (const subtrees of [{ permitted: [base] }, { excluded: [base] }])
          assert.equal(
            refusalOf(chain(subtrees, [name]))?.reason,
            'name-not-permitted',
            `${form}: ${name.toString('latin1')} ${Object.keys(subtrees)}`,
          );
  });

  test('do no harm where nothing constrains their form', async () => {
    await bothSay('trusted', chain({ permitted: [dns('example.com')] }, [uri('urn:x:y'), email('someone')]));
  });

  test('a wildcard is excluded when it reaches into what is excluded', () => {
    const excluded = [dns('secret.example.com')];
    assert.equal(refusalOf(chain({ excluded }, [dns('*.example.com')]))?.reason, 'name-not-permitted');
    assert.equal(refusalOf(chain({ excluded }, [dns('*.example.org')])), undefined);
    assert.equal(
      refusalOf(chain({ permitted: excluded }, [dns('*.example.com')]))?.reason,
      'name-not-permitted',
    );
  });

  test('a name of a form that is not understood is refused where that form is constrained', async () => {
    const { other, registeredId } = generalName;
    for (const subtrees of [{ permitted: [registeredId('1.2.3')] }, { excluded: [registeredId('1.2.3')] }]) {
      await bothSay('name-not-permitted', chain(subtrees, [registeredId('1.2.3.4')]));
      await bothSay('trusted', chain(subtrees, [other('erin@example.com'), dns('example.com')]));
    }
    const refusal = refusalOf(chain({ permitted: [other('x')] }, [other('x')]));
    assert.equal(refusal?.reason, 'name-not-permitted');
  });
});

describe('the form', () => {
  test('a zero byte or another control character in a name makes the certificate malformed', () => {
    for (const name of [
      dns('erin.example.com\0.evil.org'),
      email('erin@example.com\r\n'),
      uri('spiffe://x/\u007f'),
      dns('bücher.example'),
    ])
      assert.equal(refusalOf(chain({ permitted: [dns('example.com')] }, [name]))?.reason, 'malformed');
  });

  test('constraints that RFC 5280 does not allow make the authority malformed', () => {
    const subtrees: Record<string, Buffer> = {
      'a mask with holes': sequence(element(0xa0, sequence(ip(10, 0, 0, 0, 255, 0, 255, 0)))),
      'an address without a mask': sequence(element(0xa0, sequence(ip(10, 0, 0, 0)))),
      'a maximum': sequence(
        element(0xa0, sequence(dns('example.com'), element(0x81, integer(1).subarray(2)))),
      ),
      nothing: sequence(),
    };
    for (const [what, value] of Object.entries(subtrees)) {
      const issuer = authority({ issuer: root }, authorityExtensions(0, extension('2.5.29.30', true, value)));
      const refusal = refusalOf(chainOf(client({ issuer }), issuer, root));
      assert.ok(refusal?.reason === 'malformed' && refusal.role === 'intermediate', what);
    }
  });

  test('more comparisons than any certificate in use needs are not made', () => {
    const many = (prefix: string) =>
      Array.from({ length: 400 }, (_, index) => dns(`${prefix}${index}.example.com`));
    const refusal = refusalOf(chain({ excluded: many('a') }, many('b')));
    assert.deepEqual(refusal, { reason: 'too-much-work' });
    // The subject is a name too: 250 of them against 200 constraints, then against one more.
    const compared = (constraints: number) =>
      refusalOf(chain({ excluded: many('a').slice(0, constraints) }, many('b').slice(0, 249)));
    assert.deepEqual([compared(200), compared(201)], [undefined, { reason: 'too-much-work' }]);
  });
});
