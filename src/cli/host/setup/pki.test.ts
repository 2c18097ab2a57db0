import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverNames, shortAddress } from './pki.ts';

test('a server certificate names this machine and what was requested, each once', () => {
  assert.deepEqual(serverNames(['auth.example.com', '192.0.2.7', 'localhost', '::1', '2001:db8::1']), {
    dns: ['localhost', 'auth.example.com'],
    ips: ['127.0.0.1', '::1', '192.0.2.7', '2001:db8::1'],
  });
});

test('an address of a certificate is shown without its zeros', () => {
  assert.equal(shortAddress('0:0:0:0:0:0:0:1'), '::1');
  assert.equal(shortAddress('2001:DB8:0:0:0:0:0:1'), '2001:db8::1');
  assert.equal(shortAddress('192.0.2.7'), '192.0.2.7');
});
