import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CliError } from '../../terminal/output.ts';
import { isLoopback, serverOrigin } from './server-url.ts';

test('an address is the same server with or without scheme, path and the usual port', () => {
  for (const [text, origin] of [
    ['localhost:1280', 'https://localhost:1280'],
    ['https://localhost:1280/oidc', 'https://localhost:1280'],
    ['https://Auth.Example.com:443/', 'https://auth.example.com'],
    ['[::1]:1280', 'https://[::1]:1280'],
  ] as const) {
    assert.equal(serverOrigin(text), origin);
  }
});

test('an address that is not https is a usage error with an example', () => {
  for (const text of [
    'localhost;id$(id):1280',
    '',
    'http://localhost:1280',
    'ftp://x',
    'https://',
    'https://user:secret@host',
    'a b',
    'javascript://x',
  ]) {
    assert.throws(
      () => serverOrigin(text),
      (error) =>
        error instanceof CliError &&
        error.exitCode === 2 &&
        error.next?.startsWith('overlay-auth login https://') === true,
      text,
    );
  }
});

test('only addresses that cannot be another computer are loopback', () => {
  for (const origin of [
    'https://localhost:1',
    'https://127.0.0.1:1',
    'https://127.9.9.9',
    'https://[::1]:1',
  ]) {
    assert.ok(isLoopback(origin), origin);
  }
  for (const origin of [
    'https://localhost.example',
    'https://127.example',
    'https://10.0.0.1',
    'https://[::2]',
  ]) {
    assert.ok(!isLoopback(origin), origin);
  }
});
