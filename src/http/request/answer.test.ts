import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseMediaType, wantsHtml } from './answer.ts';

const firefox = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const chrome =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';

describe('choosing a representation', () => {
  test('browsers that navigate get a page, programs JSON', () => {
    for (const accept of [
      firefox,
      chrome,
      'text/html',
      'text/*',
      'TEXT/HTML',
      'application/json;q=0.5, text/html',
    ]) {
      assert.equal(wantsHtml(accept), true, accept);
    }
    for (const accept of [
      undefined,
      '',
      '*/*',
      'application/json',
      'application/json;q=1',
      'application/json, text/plain, */*',
      'application/json, text/html',
      'application/*',
      'text/html;q=0.1, application/json;q=0.2',
      'text/html;q=0, */*',
      'application/pkcs7-mime',
      'image/png',
    ]) {
      assert.equal(wantsHtml(accept), false, String(accept));
    }
  });

  test('null means that nothing is acceptable', () => {
    for (const accept of [
      'text/html',
      'image/*',
      'application/json;q=0',
      '*/*;q=0',
      'application/pkcs7-mime',
    ]) {
      assert.equal(chooseMediaType(accept, ['application/json']), null, accept);
    }
    assert.equal(
      chooseMediaType('application/pkcs7-mime', ['application/pkcs7-mime', 'application/json']),
      'application/pkcs7-mime',
    );
  });

  test('the quality of the most specific range counts', () => {
    assert.equal(chooseMediaType('*/*, application/json;q=0', ['application/json']), null);
    assert.equal(
      chooseMediaType('application/*;q=0.1, */*;q=0.9', ['application/json', 'text/html']),
      'text/html',
    );
  });

  test('an unreadable header accepts everything', () => {
    const hostile = [
      ';;;',
      'json',
      '*/json',
      'a/b/c',
      'application/json;q=2',
      'text/html;q=-1',
      'text/html;q=0.12345',
      ','.repeat(2000),
      `${'text/html,'.repeat(500)}`,
      'text/html '.repeat(10),
      '\u0000',
    ];
    for (const accept of hostile) {
      assert.equal(chooseMediaType(accept, ['application/json']), 'application/json', accept.slice(0, 30));
    }
  });
});
