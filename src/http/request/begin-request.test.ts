import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthError } from '../../errors/auth-error.ts';
import { isOfOwnPage, refuseForeignPage } from './begin-request.ts';

const issuer = 'https://login.example:1280/oidc';

test('only a form that a page of this origin posted counts as ours', () => {
  const ours = [
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-origin', origin: 'null' },
    { origin: 'https://login.example:1280' },
    {},
  ];
  const foreign = [
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://login.example:1280' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://login.example' },
    { origin: 'null' },
  ];
  for (const headers of ours)
    assert.equal(isOfOwnPage('POST', headers, issuer), true, JSON.stringify(headers));
  for (const headers of foreign)
    assert.equal(isOfOwnPage('POST', headers, issuer), false, JSON.stringify(headers));
  // A link of any site can lead a person to it.
  for (const headers of ours)
    assert.equal(isOfOwnPage('GET', headers, issuer), false, JSON.stringify(headers));
});

test('a refusal says what to change, and the log what was sent, cut', () => {
  const detailOf = (headers: Record<string, string>) => {
    let detail: string | undefined;
    assert.throws(
      () => refuseForeignPage('POST', headers, () => false),
      (error: AuthError) => {
        detail = error.detail;
        return error.code === 'forbidden' && /page of another site .* redirect URI$/.test(error.description);
      },
    );
    return detail;
  };
  assert.equal(detailOf({ 'sec-fetch-site': 'same-site' }), 'Origin: none, Sec-Fetch-Site: same-site');
  assert.equal(
    detailOf({ origin: 'o'.repeat(5000), 'sec-fetch-site': 's'.repeat(5000) }),
    `Origin: ${'o'.repeat(200)}, Sec-Fetch-Site: ${'s'.repeat(50)}`,
  );
});
