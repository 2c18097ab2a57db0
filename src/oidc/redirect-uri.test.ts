import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RedirectUriPattern } from '../model/redirect-uri-pattern.ts';
import {
  deviceRedirectUri,
  isForDevice,
  isOfNeighbour,
  isRegisteredRedirectUri,
  withParameters,
} from './redirect-uri.ts';

const registered: readonly RedirectUriPattern[] = [
  { kind: 'any-port', prefix: 'http://localhost', suffix: '/auth/callback' },
  { kind: 'any-port', prefix: 'https://localhost', suffix: '/auth/callback' },
  { kind: 'any-port', prefix: 'http://127.0.0.1', suffix: '/auth/callback' },
  { kind: 'any-port', prefix: 'http://[::1]', suffix: '/auth/callback' },
  { kind: 'exact', uri: 'https://app.example/cb' },
  { kind: 'any-port', prefix: 'https://wild.example', suffix: '/cb' },
];

describe('a redirect URI is accepted', () => {
  const accepted = [
    'http://localhost/auth/callback',
    'http://localhost:1/auth/callback',
    'http://localhost:65535/auth/callback',
    'https://localhost:8443/auth/callback',
    'http://127.0.0.1:8400/auth/callback',
    'http://[::1]:8400/auth/callback',
    'https://app.example/cb',
    'https://wild.example/cb',
    'https://wild.example:8443/cb',
  ];
  for (const uri of accepted) {
    test(uri, () => assert.equal(isRegisteredRedirectUri(registered, uri), true));
  }
});

test('a different URI with the same beginning and end is refused', () => {
  const overlapping = [{ kind: 'any-port', prefix: 'http://a', suffix: '//a' }] as const;
  assert.equal(isRegisteredRedirectUri(overlapping, 'http://a'), false);
  assert.equal(isRegisteredRedirectUri(overlapping, 'http://a//a'), true);
});

describe('a redirect URI is refused', () => {
  const refused = [
    '',
    'http://localhost:0/auth/callback',
    'http://localhost:65536/auth/callback',
    'http://localhost:080/auth/callback',
    'http://localhost:+80/auth/callback',
    'http://localhost:8 0/auth/callback',
    'http://localhost:80 /auth/callback',
    'http://localhost:8e3/auth/callback',
    'http://localhost:80.0/auth/callback',
    'http://localhost:/auth/callback',
    'http://localhost:١/auth/callback',
    'https://localhost:x@evil.example/auth/callback',
    'http://localhost:80@evil.example/auth/callback',
    'http://localhost:@evil.example/auth/callback',
    'http://localhost:1\\@evil.example/auth/callback',
    'http://evil.example\\@localhost/auth/callback',
    'http://localhost./auth/callback',
    'http://LOCALHOST:1/auth/callback',
    'HTTP://localhost:1/auth/callback',
    'http://2130706433/auth/callback',
    'http://0x7f.1/auth/callback',
    'http://127.1/auth/callback',
    'http://[::ffff:127.0.0.1]:1/auth/callback',
    'http://①27.0.0.1/auth/callback',
    'http://ⓛocalhost:1/auth/callback',
    'http://loc\nalhost:1/auth/callback',
    'http://loc\talhost:1/auth/callback',
    ' http://localhost:1/auth/callback',
    'http://localhost:1/auth/callback ',
    'http://localhost:1/auth/callback#x',
    'http://localhost:1/auth/callback?x=1',
    'http://localhost:1/auth/callback/',
    'http://localhost:1/auth//callback',
    'http://localhost:1/auth/../auth/callback',
    'http://localhost:1/auth/%2e%2e/auth/callback',
    'http://localhost:1/auth/callback;x',
    'http://localhost:1/evil/auth/callback',
    'http://localhost.evil.example/auth/callback',
    'http://wild.example:8443/cb',
    'https://wild.example.evil.example:8443/cb',
    'https://wild.example:8443@evil.example/cb',
    'https://evil.example/https://wild.example:8443/cb',
    'https://wild.example:8443/cb/',
    'https://app.example:444/cb',
    'https://app.example/cb/..',
    'http://app.example/cb',
    'https://APP.example/cb',
    'http%3A%2F%2Flocalhost%3A1%2Fauth%2Fcallback',
    'javascript:alert(1)//',
    'data:text/html,x',
    'file:///x',
    '//evil.example',
    '/auth/callback',
    'http://localhost',
  ];
  for (const uri of refused) {
    test(JSON.stringify(uri), () => assert.equal(isRegisteredRedirectUri(registered, uri), false));
  }
});

test('the login of a device leads to the page of its own issuer', () => {
  const [issuer, other] = ['https://localhost:1280/oidc', 'https://localhost:1281/oidc'];
  const redirectUri = deviceRedirectUri(issuer);
  assert.equal(redirectUri, 'https://localhost:1280/oidc/device/finished');
  assert.equal(isForDevice({ redirectUri, issuer }), true);
  assert.equal(isForDevice({ redirectUri, issuer: other }), false);
  assert.equal(isForDevice({ redirectUri: 'https://app.example/cb', issuer }), false);
});

test("a code may go to an attacker who planted the cookie: on the person's device, and at our host name on any other port", () => {
  const answers: readonly (readonly [issuer: string, isOfNeighbour: boolean, uris: readonly string[]])[] = [
    [
      'https://auth.example:1280/oidc',
      true,
      [
        'http://localhost:8400/cb',
        'http://LOCALHOST/cb',
        'https://app.localhost/cb',
        'http://127.9.9.9/cb',
        'http://2130706433/cb',
        'http://[::ffff:127.0.0.1]/cb',
        'com.example.tool:/cb',
        'https://auth.example/cb',
        'https://AUTH.example:8443/cb',
        'http://auth.example:1280/cb',
        'https://user@auth.example:8443/cb',
      ],
    ],
    [
      'https://auth.example:1280/oidc',
      false,
      [
        'https://auth.example:1280/console/callback',
        'https://auth.example:1280/oidc/device/finished',
        'https://app.example/cb',
        'https://auth.example.evil.example/cb',
      ],
    ],
    ['https://localhost:1280/oidc', true, ['https://localhost:1281/cb', 'http://localhost:1280/cb']],
    ['https://localhost:1280/oidc', false, ['https://localhost:1280/account/callback']],
  ];
  for (const [issuer, expected, uris] of answers) {
    for (const redirectUri of uris)
      assert.equal(isOfNeighbour({ redirectUri, issuer }), expected, redirectUri);
  }
});

test('parameters are percent-encoded once and keep their order', () => {
  const location = withParameters('https://app.example/cb', [
    ['code', 'abc'],
    ['state', '"><script>\r\né✓&=#'],
    ['iss', 'https://localhost:1280/oidc'],
  ]);
  assert.match(
    location,
    /^https:\/\/app\.example\/cb\?code=abc&state=[\x21-\x7e]+&iss=https%3A%2F%2Flocalhost%3A1280%2Foidc$/,
  );
  assert.equal(new URL(location).searchParams.get('state'), '"><script>\r\né✓&=#');
});

test('parameters are added to an existing query, and absent ones leave nothing', () => {
  assert.equal(
    withParameters('https://a.example/?x=1', [
      ['code', 'c'],
      ['state', null],
    ]),
    'https://a.example/?x=1&code=c',
  );
});

test('a state with half a surrogate pair cannot make a redirect fail', () => {
  assert.doesNotThrow(() => withParameters('https://a.example/', [['state', '\ud800']]));
});
