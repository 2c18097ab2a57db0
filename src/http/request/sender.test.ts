import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Sender } from './sender.ts';

const own = 'https://login.example:1280';
const html = 'text/html,application/xhtml+xml,*/*;q=0.8';
type Headers = Readonly<Record<string, string>>;

function senderOf(method: string, headers: Headers): Sender {
  const socket = { getPeerX509Certificate: () => undefined, isSessionReused: () => false };
  const request = { method, headers: { cookie: 'a=b; c=d', ...headers }, socket };
  return new Sender(request as unknown as ConstructorParameters<typeof Sender>[0], own);
}

/** What a browser adds when a window, a frame, a form or a script of a page sends a request. */
const window = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: html };
const frame = { ...window, 'sec-fetch-dest': 'iframe' };
const script = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', accept: '*/*' };

const senders = {
  'own-page': [
    ['POST', { 'sec-fetch-site': 'same-origin' }],
    ['POST', { 'sec-fetch-site': 'same-origin', origin: 'null', ...window }],
    ['POST', { 'sec-fetch-site': 'same-origin', origin: own, ...script }],
    ['GET', { 'sec-fetch-site': 'same-origin', ...window }],
    ['GET', { 'sec-fetch-site': 'same-origin', ...frame }],
    // A browser of before 2023.
    ['POST', { origin: own, accept: html }],
  ],
  navigation: [
    ['GET', { 'sec-fetch-site': 'none', ...window }],
    ['GET', { 'sec-fetch-site': 'cross-site', ...window }],
    ['HEAD', { 'sec-fetch-site': 'same-site', ...window }],
    ['GET', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' }],
    ['POST', { 'sec-fetch-site': 'none' }],
    ['GET', { accept: html }],
  ],
  'foreign-page': [
    ['POST', { origin: 'https://app.example' }],
    ['POST', { origin: 'null' }],
    ['POST', { origin: '' }],
    ['POST', { origin: 'https://login.example' }],
    ['POST', { origin: 'https://login.example:1281', 'sec-fetch-site': 'same-site', ...script }],
    ['POST', { origin: 'https://app.example', 'sec-fetch-site': 'same-origin' }],
    ['POST', { origin: own, 'sec-fetch-site': 'cross-site' }],
    ['POST', { origin: own, 'sec-fetch-site': 'none' }],
    ['POST', { origin: own, 'sec-fetch-mode': 'navigate' }],
    ['POST', { 'sec-fetch-site': 'cross-site', ...window }],
    ['POST', { 'sec-fetch-site': 'same-site', ...window }],
    ['GET', { 'sec-fetch-site': 'same-site', ...frame }],
    ['GET', { 'sec-fetch-site': 'same-site', ...script }],
    ['GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['GET', { 'sec-fetch-site': 'elsewhere', ...window }],
    ['GET', { 'sec-fetch-site': '', ...window }],
    ['POST', { 'sec-fetch-site': 'Same-Origin' }],
    ['GET', window],
    ['POST', { 'sec-fetch-mode': 'no-cors' }],
    ['POST', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ['POST', { 'sec-fetch-user': '?1' }],
  ],
  program: [
    ['POST', {}],
    ['POST', { accept: html }],
    ['GET', { accept: '*/*' }],
    ['GET', { accept: 'application/json' }],
    ['GET', {}],
    // The `fetch` of Node.
    ['POST', { 'sec-fetch-mode': 'cors', accept: '*/*' }],
  ],
} as const satisfies Record<Sender['kind'], readonly (readonly [string, Headers])[]>;

describe('the sender of a request', () => {
  for (const [kind, requests] of Object.entries(senders)) {
    test(`is a ${kind}`, () => {
      for (const [method, headers] of requests) {
        const sender = senderOf(method, headers);
        assert.equal(sender.kind, kind, `${method} ${JSON.stringify(headers)}`);
        const isInWindow = kind === 'own-page' || kind === 'navigation';
        assert.equal(sender.cookie('c'), isInWindow ? 'd' : null);
        if (!isInWindow) assert.equal(sender.isPerson, false);
      }
    });
  }

  test('has no certificate as a page of another origin, even on a connection with one', () => {
    for (const [kind, requests] of Object.entries(senders)) {
      for (const [method, headers] of requests) {
        let isAsked = false;
        const socket = {
          getPeerX509Certificate: () => {
            isAsked = true;
          },
          isSessionReused: () => false,
        };
        const request = { method, headers, socket };
        void new Sender(request as unknown as ConstructorParameters<typeof Sender>[0], own).certificates;
        assert.equal(isAsked, kind !== 'foreign-page', `${method} ${JSON.stringify(headers)}`);
      }
    }
  });

  test('has a cookie by its exact name only: other hosts may set one that nearly has the protected name', () => {
    // As Node reads the header: Latin-1. A browser drops tabs and spaces before a name, and keeps all other bytes.
    for (const mark of ['\u00a0', '\u0085', '\u00c2\u00a0', '\u000b', '\u000c'])
      for (const cookie of [
        `x=1; ${mark}c=evil; c=good`,
        `${mark}c=evil; c=good`,
        `x=1;${mark}c=evil; c=good`,
      ])
        assert.equal(senderOf('GET', { cookie, accept: html }).cookie('c'), 'good', JSON.stringify(cookie));
    for (const cookie of ['x=1;c=good', 'c=good', 'x=1;   c=good', 'C=evil; cc=evil; c=good; c=later'])
      assert.equal(senderOf('GET', { cookie, accept: html }).cookie('c'), 'good', cookie);
  });

  test('is named in the log by what was sent, cut', () => {
    assert.equal(
      senderOf('POST', { 'sec-fetch-site': 'same-site' }).said,
      'Origin: none, Sec-Fetch-Site: same-site',
    );
    const long = { origin: 'o'.repeat(5000), 'sec-fetch-site': 's'.repeat(5000) };
    assert.equal(
      senderOf('POST', long).said,
      `Origin: ${'o'.repeat(200)}, Sec-Fetch-Site: ${'s'.repeat(50)}`,
    );
  });
});
