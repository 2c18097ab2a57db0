// Revocation lists come without TLS, so everybody on the way may send what they like. What the authority has not signed
// is refused before much is made of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListRefused, listInAnswer } from '../../src/platform/x509/revocation-list.ts';
import { element, integer, oid, sequence, set, text, time } from '../support/der-writer.ts';

const million = 1024 * 1024;
const many = (bytes: Buffer, times: number) => Buffer.concat(Array<Buffer>(times).fill(bytes));
const nulls = many(Buffer.from('0500', 'hex'), 4 * million);
const algorithm = sequence(oid('1.2.840.10045.4.3.2'));
const name = sequence(set(sequence(oid('2.5.4.3'), text(0x0c, 'a'))));
const pem = { begin: '-----BEGIN X509 CRL-----', end: '-----END X509 CRL-----' };
const when = time(Date.UTC(2026, 0, 1));

/** A list with one part of another kind, unsigned. */
function list(part: { readonly issuer?: Buffer; readonly extensions?: readonly Buffer[] }): Buffer {
  const { issuer = name, extensions = [] } = part;
  const content = sequence(integer(1), algorithm, issuer, when, when, ...extensions);
  return sequence(content, algorithm, element(0x03, Buffer.alloc(1)));
}

test('a hostile list is refused before it costs much', () => {
  const cases: readonly (readonly [string, Buffer, RegExp])[] = [
    ['elements without end', sequence(nulls), /too many DER elements/],
    ['elements beside one another', nulls, /is no list in PEM form/],
    ['fields', list({ extensions: [nulls] }), /too many DER elements/],
    ['a long name', list({ issuer: sequence(many(set(), 4 * million)) }), /too long beside its entries/],
    [
      'a name of many parts',
      list({ issuer: sequence(many(name.subarray(2), 15_000)) }),
      /too long beside its entries/,
    ],
    [
      'long extensions',
      list({ extensions: [element(0xa0, sequence(nulls))] }),
      /too long beside its entries/,
    ],
    ['a beginning without an end', many(Buffer.from(pem.begin), million), /no list in PEM form/],
    ['empty lists', many(Buffer.from(pem.begin + pem.end), million), /is not readable/],
  ];
  for (const [what, body, reason] of cases)
    assert.throws(
      () => listInAnswer(body),
      (error) => error instanceof ListRefused && reason.test(error.message),
      what,
    );
});
