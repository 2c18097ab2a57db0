import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExternalIdClaim } from '../../model/entities/ca.ts';
import { type ClaimedNames, type ClaimRefusal, externalIdFrom, mayYield } from './ca-claim.ts';

const all: ExternalIdClaim = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};
const uris = { ...all, location: 'SAN_URI' } as const;
const emails = { ...all, location: 'SAN_EMAIL' } as const;

function names(some: Partial<ClaimedNames>): ClaimedNames {
  return { commonNames: [], uris: [], emails: [], ...some };
}

function found(rule: ExternalIdClaim, some: Partial<ClaimedNames>, externalId: string) {
  assert.deepEqual(externalIdFrom(names(some), rule), { verdict: 'found', externalId });
}

function refused(rule: ExternalIdClaim, some: Partial<ClaimedNames>, reason: ClaimRefusal) {
  assert.deepEqual(externalIdFrom(names(some), rule), { verdict: 'refused', reason });
}

describe('the external id', () => {
  test('is the one name at the location', () => {
    const some = { commonNames: ['erin'], uris: ['spiffe://example/erin'], emails: ['erin@example.com'] };
    found(all, some, 'erin');
    found(uris, some, 'spiffe://example/erin');
    found(emails, some, 'erin@example.com');
  });

  test('is the one name that the matcher accepts, in full', () => {
    const some = {
      uris: ['https://example.com/x', 'spiffe://example/erin'],
      emails: ['erin@a.example', 'erin@b.example'],
    };
    found({ ...uris, matcher: 'SCHEME', matcherCriteria: 'spiffe' }, some, 'spiffe://example/erin');
    found({ ...uris, matcher: 'SCHEME', matcherCriteria: 'HTTPS' }, some, 'https://example.com/x');
    found(
      { ...uris, matcher: 'PREFIX', matcherCriteria: 'spiffe://example/' },
      some,
      'spiffe://example/erin',
    );
    found({ ...emails, matcher: 'SUFFIX', matcherCriteria: '@b.example' }, some, 'erin@b.example');
  });

  test('is a part of the name, counted from 0', () => {
    const some = { uris: ['spiffe://example/device/7'], emails: ['erin@example.com'] };
    const split = { parser: 'SPLIT', parserCriteria: '/' } as const;
    found({ ...uris, ...split, index: 4 }, some, '7');
    found({ ...uris, ...split, index: 2 }, some, 'example');
    found({ ...emails, ...split, parserCriteria: '@' }, some, 'erin');
    found({ ...emails, ...split }, some, 'erin@example.com');
  });

  test('is what remains of a name if the rule removes what it matches', () => {
    const prefix = {
      ...uris,
      matcher: 'PREFIX',
      matcherCriteria: 'spiffe://a/',
      removeMatched: true,
    } as const;
    found(prefix, { uris: ['spiffe://a/erin'] }, 'erin');
    found(prefix, { uris: ['spiffe://a/spiffe://a/erin'] }, 'spiffe://a/erin');
    refused(prefix, { uris: ['spiffe://a/'] }, 'claim-empty');
    refused(prefix, { uris: ['spiffe://b/erin'] }, 'claim-no-match');
    const suffix = {
      ...emails,
      matcher: 'SUFFIX',
      matcherCriteria: '@a.example',
      removeMatched: true,
    } as const;
    found(suffix, { emails: ['erin@a.example'] }, 'erin');
    found(suffix, { emails: ['erin@a.example@a.example'] }, 'erin@a.example');
    refused(suffix, { emails: ['@a.example'] }, 'claim-empty');
    found(
      { ...suffix, parser: 'SPLIT', parserCriteria: '.', index: 1 },
      { emails: ['x.erin@a.example'] },
      'erin',
    );
    found({ ...all, removeMatched: true }, { commonNames: ['erin'] }, 'erin');
  });

  test('may be written twice', () => {
    found(all, { commonNames: ['erin', 'erin'] }, 'erin');
  });

  test('keeps its letter case and its script', () => {
    for (const name of ['Erin', 'Ærín', '川', '😀', 'a b']) found(all, { commonNames: [name] }, name);
  });
});

describe('there is no external id', () => {
  test('without a name at the location', () => {
    for (const rule of [all, uris, emails]) refused(rule, {}, 'claim-missing');
    refused(all, { uris: ['spiffe://example/erin'] }, 'claim-missing');
  });

  test('without a name that matches', () => {
    const some = { uris: ['https://example.com/spiffe://x'], emails: ['erin@example.com.evil.org'] };
    refused({ ...uris, matcher: 'SCHEME', matcherCriteria: 'spiffe' }, some, 'claim-no-match');
    refused({ ...uris, matcher: 'SCHEME', matcherCriteria: 'http' }, some, 'claim-no-match');
    refused({ ...uris, matcher: 'PREFIX', matcherCriteria: 'spiffe://' }, some, 'claim-no-match');
    refused({ ...emails, matcher: 'SUFFIX', matcherCriteria: '@example.com' }, some, 'claim-no-match');
  });

  test('with two names that match, with any index', () => {
    for (const index of [0, 1]) {
      refused({ ...all, index }, { commonNames: ['erin', 'alice'] }, 'claim-ambiguous');
      refused({ ...emails, index }, { emails: ['erin@example.com', 'alice@example.com'] }, 'claim-ambiguous');
    }
    const twice = { uris: ['spiffe://example/erin', 'SPIFFE://example/alice'] };
    refused({ ...uris, matcher: 'SCHEME', matcherCriteria: 'spiffe' }, twice, 'claim-ambiguous');
  });

  test('without a part with the index', () => {
    refused({ ...all, index: 1 }, { commonNames: ['erin'] }, 'claim-index-missing');
    const split = { ...all, parser: 'SPLIT', parserCriteria: '.', index: 2 } as const;
    refused(split, { commonNames: ['erin.example'] }, 'claim-index-missing');
  });

  test('when it would be empty, too long, or not text', () => {
    const split = { ...all, parser: 'SPLIT', parserCriteria: '.', index: 1 } as const;
    for (const name of ['erin..x', 'erin. .x', 'erin.'])
      refused(split, { commonNames: [name] }, 'claim-empty');
    refused(all, { commonNames: [''] }, 'claim-empty');
    for (const length of [1025, 10_240])
      refused(all, { commonNames: ['x'.repeat(length)] }, 'claim-too-long');
    for (const name of ['erin\0', 'erin\n', 'er\u202ein', 'er\u200bin', 'erin\ud83d', '\ufefferin'])
      refused(all, { commonNames: [name] }, 'claim-not-text');
  });

  test('when the rule makes no sense', () => {
    const some = { commonNames: ['erin'], uris: ['spiffe://example/erin'] };
    for (const rule of [
      { ...all, matcher: 'PREFIX' },
      { ...all, matcher: 'SUFFIX' },
      { ...uris, matcher: 'SCHEME' },
      { ...all, matcher: 'SCHEME', matcherCriteria: 'spiffe' },
      { ...all, parser: 'SPLIT' },
      { ...all, index: -1 },
      { ...all, index: 0.5 },
      { ...all, index: Number.NaN },
    ] as const)
      refused(rule, some, 'claim-rule-invalid');
  });

  test('from names and criteria made to be slow or to confuse, and nothing is thrown', () => {
    for (const name of ['__proto__', 'constructor', '.'.repeat(1024), '/'.repeat(1_000_000), '(a+)+$'])
      for (const parserCriteria of ['.', '/', '(a+)+', '\\'])
        for (const index of [0, 5, 2 ** 40])
          externalIdFrom(names({ commonNames: [name] }), { ...all, parser: 'SPLIT', parserCriteria, index });
  });
});

test('a rule may yield an external id if some certificate could contain it', () => {
  const prefix = { ...uris, matcher: 'PREFIX', matcherCriteria: 'spiffe://a/' } as const;
  const suffix = { ...emails, matcher: 'SUFFIX', matcherCriteria: '@a.example' } as const;
  const split = { ...all, parser: 'SPLIT', parserCriteria: '.', index: 2 } as const;
  for (const [rule, yields, not] of [
    [all, 'erin', 'er\u200bin'],
    [prefix, 'spiffe://a/erin', 'erin'],
    [{ ...prefix, removeMatched: true }, 'erin', ' '],
    [suffix, 'erin@a.example', 'erin'],
    [{ ...suffix, removeMatched: true }, 'erin', ''],
    [{ ...uris, matcher: 'SCHEME', matcherCriteria: 'spiffe' }, 'SPIFFE://b', 'https://b'],
    [split, 'erin', 'erin.a'],
  ] as const) {
    assert.equal(mayYield(rule, yields), true, `${rule.matcher} ${yields}`);
    assert.equal(mayYield(rule, not), false, `${rule.matcher} ${not}`);
  }
  assert.equal(mayYield({ ...all, index: 1 }, 'erin'), false);
  assert.equal(mayYield({ ...prefix, matcherCriteria: '' }, 'erin'), false);
});
