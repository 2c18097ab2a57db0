import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientInfo } from '../model/client-info.ts';
import { clientProgramOf } from './client-program.ts';

/** As one text: `Firefox on Linux`. */
function said(userAgent: string | undefined, info?: ClientInfo): string {
  const { program, operatingSystem } = clientProgramOf(userAgent, info);
  return `${program} on ${operatingSystem}`;
}

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test('a browser is known by its name and system', () => {
  for (const [userAgent, words] of [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
      'Firefox on Windows',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36`,
      'Chrome on Windows',
    ],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [
      `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/142.0.0.0 Safari/537.36`,
      'Chrome on ChromeOS',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
      'Edge on Windows',
    ],
    [
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Chrome/142.0.0.0 Safari/537.36 OPR/124.0.0.0`,
      'Opera on macOS',
    ],
    [
      `Mozilla/5.0 (Linux; Android 10; K) ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
      'Samsung Internet on Android',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0.0.0 Mobile/15E148 Safari/604.1',
      'Chrome on iOS',
    ],
    ['Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', 'Firefox on Android'],
  ] as const) {
    assert.equal(said(userAgent), words, userAgent);
  }
});

test('a program is known by the product that it names, with the beginning of its version', () => {
  for (const [userAgent, words] of [
    ['curl/8.5.0', 'curl 8.5 on null'],
    ['Go-http-client/2.0', 'Go-http-client 2.0 on null'],
    ['overlay-auth-cli', 'overlay-auth-cli on null'],
    ['node', 'node on null'],
    ['python-requests/2.32.3', 'python-requests 2.32 on null'],
    ['Wget/1.21.4 (linux-gnu)', 'Wget 1.21 on Linux'],
    ['okhttp/4.12.0 extra/1', 'okhttp 4.12 on null'],
    ['axios/1.7.9', 'axios 1.7 on null'],
    ['build/v1.2.3', 'build 1.2 on null'],
    ['build/latest', 'build on null'],
    [
      'Mozilla/5.0 (Windows NT; Windows NT 10.0; de-DE) WindowsPowerShell/5.1.19041.1',
      'WindowsPowerShell 5.1 on Windows',
    ],
    ['Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2)', 'null on Windows'],
    ['', 'null on null'],
    [undefined, 'null on null'],
  ] as const) {
    assert.equal(said(userAgent), words, String(userAgent));
  }
});

test('an SDK is known by what it says about itself, not by its HTTP library', () => {
  const header = 'Go-http-client/2.0';
  const desktop = { appId: 'Ziti Desktop Edge for Windows', appVersion: '2.7.1.0', type: 'ziti-sdk-c' };
  for (const [info, words] of [
    [
      { sdkInfo: { ...desktop, version: '1.9.2' }, envInfo: { os: 'windows' } },
      'Ziti Desktop Edge for Windows 2.7 on Windows',
    ],
    [
      { sdkInfo: { type: 'ziti-sdk-golang', version: 'v1.2.3' }, envInfo: { os: 'darwin' } },
      'ziti-sdk-golang 1.2 on macOS',
    ],
    [{ sdkInfo: { version: '3' }, envInfo: { os: 'iOS' } }, 'Go-http-client 2.0 on iOS'],
    [{ sdkInfo: { appId: 'tunnel' }, envInfo: { os: 'plan9' } }, 'tunnel on plan9'],
    [{ sdkInfo: {}, envInfo: {} }, 'Go-http-client 2.0 on null'],
  ] as const) {
    assert.equal(said(header, info), words);
  }
});

test("a stranger's words stay short, in whole characters", () => {
  const hostile = [
    'x'.repeat(100_000),
    `x/${'1'.repeat(100_000)}`,
    '('.repeat(100_000),
    'a/ '.repeat(50_000),
    '/'.repeat(100_000),
    `Mozilla/5.0 ${'('.repeat(50_000)}${')'.repeat(50_000)}`,
    `${'a'.repeat(390)} \u202e/\u0000`,
  ];
  for (const text of hostile) {
    const { program } = clientProgramOf(text);
    assert.ok((program ?? '').length <= 60, text.slice(0, 20));
    assert.doesNotMatch(program ?? '', /[^ -~…]/);
  }
  for (const text of ['<b>x</b>/1', '"><script>alert(1)</script>', 'Füchsin/1', 'a\u202eb/1', '\u0000/1']) {
    assert.doesNotMatch(clientProgramOf(text).program ?? '', /[<>"]|[^ -~]/, text);
  }
  const info = { sdkInfo: { appId: '😀'.repeat(100) }, envInfo: { os: '😀'.repeat(100) } };
  const { program, operatingSystem } = clientProgramOf(undefined, info);
  assert.equal(program, `${'😀'.repeat(59)}…`);
  assert.equal(operatingSystem, `${'😀'.repeat(39)}…`);
});
