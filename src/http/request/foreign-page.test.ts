import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfOwnPage } from './foreign-page.ts';

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
