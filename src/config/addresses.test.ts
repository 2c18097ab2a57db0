import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatHostAndPort, issuerOf, parseHostAndPort, parseIpRange } from './addresses.ts';
import { Refusal } from './refusal.ts';

describe('addresses', () => {
  test('an address is a host and a port, in one canonical spelling', () => {
    const table: readonly [string, string, number, string][] = [
      ['localhost:1280', 'localhost', 1280, 'localhost:1280'],
      ['Ctrl.Example.COM:443', 'ctrl.example.com', 443, 'ctrl.example.com:443'],
      ['127.0.0.1:0', '127.0.0.1', 0, '127.0.0.1:0'],
      ['0.0.0.0:65535', '0.0.0.0', 65535, '0.0.0.0:65535'],
      ['[::]:1280', '::', 1280, '[::]:1280'],
      ['[2001:DB8:0:0::5]:1', '2001:db8::5', 1, '[2001:db8::5]:1'],
      ['xn--bcher-kva.example:80', 'xn--bcher-kva.example', 80, 'xn--bcher-kva.example:80'],
    ];
    for (const [text, host, port, written] of table) {
      assert.deepEqual(parseHostAndPort(text), { host, port });
      assert.equal(formatHostAndPort({ host, port }), written);
    }
  });

  test('a text that is not host:port is refused', () => {
    const hostile = [
      '',
      ':',
      ':1280',
      'localhost',
      'localhost:',
      'localhost:x',
      'localhost:65536',
      'localhost:01280',
      'localhost:-1',
      'localhost:+80',
      'localhost:1280/',
      'localhost:1280/oidc',
      'https://localhost:1280',
      'tls://localhost:1280',
      'user@localhost:1280',
      'localhost.:1280',
      '.localhost:1280',
      'a..b:1280',
      '-a:1280',
      'a-:1280',
      '*:1280',
      '*.example.com:1280',
      '::1:1280',
      '[::1]',
      '[::1',
      '[localhost]:1280',
      '[fe80::1%eth0]:1280',
      '[]:1280',
      '127.1:1280',
      '2130706433:1280',
      '0x7f.1:1280',
      '127.0.0.1.:1280',
      '256.0.0.1:1280',
      '127.0.0.01:1280',
      'bücher.example:80',
      'ⓛocalhost:1280',
      'local host:1280',
      ' localhost:1280',
      'localhost:1280 ',
      'localhost:1280\n',
      'localhost\\:1280',
      'loc%61lhost:1280',
      `${'a.'.repeat(200)}b:1`,
      `${'a'.repeat(64)}.example:1`,
      `${'9'.repeat(5000)}:1`,
    ];
    for (const text of hostile) {
      assert.throws(() => parseHostAndPort(text), Refusal, JSON.stringify(text.slice(0, 60)));
    }
  });

  test('the issuer leaves out port 443 and survives a URL parser unchanged', () => {
    const table: readonly [string, string][] = [
      ['localhost:1280', 'https://localhost:1280/oidc'],
      ['ctrl.example.com:443', 'https://ctrl.example.com/oidc'],
      ['ctrl.example.com:8443', 'https://ctrl.example.com:8443/oidc'],
      ['[2001:db8::5]:443', 'https://[2001:db8::5]/oidc'],
      ['127.0.0.1:44443', 'https://127.0.0.1:44443/oidc'],
    ];
    for (const [address, issuer] of table) {
      assert.equal(issuerOf(address), issuer);
      assert.equal(new URL(issuer).href, issuer);
    }
    for (const text of ['[::ffff:1.2.3.4]:1', '[0:0:0:0:0:0:0:1]:1', 'A.b:1']) {
      const issuer = issuerOf(formatHostAndPort(parseHostAndPort(text)));
      assert.equal(new URL(issuer).href, issuer);
    }
  });

  test('an IP range is an address with an optional prefix length', () => {
    const table = [
      ['10.0.0.0/8', { address: '10.0.0.0', prefixLength: 8, family: 'ipv4' }],
      ['192.0.2.7', { address: '192.0.2.7', prefixLength: 32, family: 'ipv4' }],
      ['0.0.0.0/0', { address: '0.0.0.0', prefixLength: 0, family: 'ipv4' }],
      ['2001:DB8::/32', { address: '2001:db8::', prefixLength: 32, family: 'ipv6' }],
      ['::1', { address: '::1', prefixLength: 128, family: 'ipv6' }],
      ['::/0', { address: '::', prefixLength: 0, family: 'ipv6' }],
      ['1:2:3:4:5:6:7:8', { address: '1:2:3:4:5:6:7:8', prefixLength: 128, family: 'ipv6' }],
      ['fd00:1:2:3::/64', { address: 'fd00:1:2:3::', prefixLength: 64, family: 'ipv6' }],
    ] as const;
    for (const [text, range] of table) assert.deepEqual(parseIpRange(text), range);
  });

  test('a text that is not an IP range is refused', () => {
    const hostile = [
      '',
      'localhost',
      '10',
      '10.0.0',
      '10.0.0.0/',
      '10.0.0.0/33',
      '10.0.0.0/08',
      '10.0.0.0/-1',
      '10.0.0.1/8',
      '10.0.0.0/255.0.0.0',
      '::/129',
      '2001:db8::1/32',
      'fe80::1%eth0',
      '[::1]',
      '010.0.0.1',
      '0x7f.0.0.1',
      '2130706433',
      ' 10.0.0.0/8',
      '10.0.0.0/8\n',
      '1'.repeat(5000),
    ];
    for (const text of hostile) assert.throws(() => parseIpRange(text), Refusal, JSON.stringify(text));
  });
});
