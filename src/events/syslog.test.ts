import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSyslog } from '../../test/support/syslog-parser.ts';
import { addressOfSyslog, syslogFrame } from './syslog.ts';

const at = Date.parse('2026-01-31T12:00:00.123Z');

test('hostile values stay in their parameter and in one line', () => {
  const values = ['plain', 'a "quoted" ]\\ [x@1 y="z"]', 'line\nbreak\r\0\u0085', 'ünï ☃ 𝄞', '\ud800', ''];
  const frames = values.map((entityId) =>
    syslogFrame({
      payload: { type: 'admin.changed', at, data: { entityId, issuer: 'https://a.example:1280/oidc' } },
    }),
  );
  const messages = parseSyslog(Buffer.from(frames.join('')));
  assert.equal(messages.length, values.length);
  for (const [index, { parameters, text, host, priority }] of messages.entries()) {
    const value = values[index] ?? '';
    assert.equal(parameters.entityId, value.toWellFormed().replace(/\p{Cc}/gu, ' '));
    assert.deepEqual(JSON.parse(text), { entityId: value, issuer: 'https://a.example:1280/oidc' });
    assert.deepEqual([host, priority], ['a.example', 85]);
  }
});

test('the host is a name or an address, without port and brackets', () => {
  for (const [issuer, host] of [
    ['https://auth.example.com/oidc', 'auth.example.com'],
    ['https://localhost:1280/oidc', 'localhost'],
    ['https://192.0.2.7:1280/oidc', '192.0.2.7'],
    ['https://[2001:db8::1]:1280/oidc', '2001:db8::1'],
    [null, '-'],
    ['', '-'],
  ] as const) {
    const payload = { type: 'admin.changed', at, data: { issuer } } as const;
    assert.equal(parseSyslog(Buffer.from(syslogFrame({ payload })))[0]?.host, host);
  }
});

test('a long event is cut, and says so', () => {
  const data = { id: '1', changes: [{ to: 'x'.repeat(9000) }], details: { a: 1 } };
  const [message] = parseSyslog(Buffer.from(syslogFrame({ payload: { type: 'login.refused', at, data } })));
  assert.deepEqual(JSON.parse(message?.text ?? ''), { id: '1', changes: [], details: {}, isShortened: true });
  assert.deepEqual([message?.priority, message?.messageId, message?.host], [84, 'login.refused', '-']);
});

test('an address has the usual port unless it says another', () => {
  for (const [url, address] of [
    ['tls://logs.example', 'https://logs.example:6514'],
    ['tls://logs.example:443', 'https://logs.example:443'],
    ['tls://[2001:db8::1]', 'https://[2001:db8::1]:6514'],
    ['tls://[2001:db8::1]:7', 'https://[2001:db8::1]:7'],
  ] as const)
    assert.equal(addressOfSyslog(url), address);
});
