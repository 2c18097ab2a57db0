import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  proxyBlock,
  proxyBlockFor,
  proxyExtension,
  proxyLineFor,
  proxyLocal,
  proxySignature,
} from '../../../test/support/proxy-headers.ts';
import { seeded } from '../../../test/support/seeded.ts';
import { longestProxyHeader, readProxyHeader } from './proxy-header.ts';

const line = (text: string) => Buffer.from(text, 'latin1');
const clientHello = Buffer.from('16030100c8010000c40303', 'hex');

/** The client of a header that is complete, and has nothing of what follows it. */
function clientOf(header: Buffer) {
  const read = readProxyHeader(Buffer.concat([header, clientHello]));
  assert.equal(read.state, 'complete', header.toString('latin1'));
  assert.ok(read.state === 'complete');
  assert.equal(read.length, header.length);
  return read.client;
}

function faultOf(bytes: Buffer): string {
  const read = readProxyHeader(bytes);
  assert.ok(read.state === 'malformed', `${JSON.stringify(bytes.toString('latin1'))} is ${read.state}`);
  return read.fault;
}

describe('a PROXY header of version 1', () => {
  test('names the client, spelt as the system spells addresses', () => {
    const table: readonly [string, string][] = [
      ['203.0.113.7', '203.0.113.7'],
      ['0.0.0.0', '0.0.0.0'],
      ['2001:db8::7', '2001:db8::7'],
      ['2001:0DB8:0000:0000:0000:0000:0000:0007', '2001:db8::7'],
      ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
      ['::ffff:cb00:7107', '::ffff:203.0.113.7'],
    ];
    for (const [written, address] of table) {
      const family = address.includes(':') ? 'IPv6' : 'IPv4';
      assert.deepEqual(clientOf(proxyLineFor(written)), { address, port: 40_000, family });
    }
    assert.equal(clientOf(proxyLineFor('203.0.113.7', 0))?.port, 0);
    assert.equal(clientOf(proxyLineFor('203.0.113.7', 65_535))?.port, 65_535);
  });

  test('of an unknown connection names no client, with any text after the word', () => {
    const longest = 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff';
    for (const rest of ['', ' ', ' \0\n\r x', ' 1.2.3.4 5.6.7.8 1 2', ` ${longest} ${longest} 65535 65535`]) {
      assert.equal(clientOf(line(`PROXY UNKNOWN${rest}\r\n`)), null);
    }
  });

  test('is refused when anything in it is wrong', () => {
    const refused = [
      'TCP4 01.2.3.4 5.6.7.8 1 2',
      'TCP4 1.2.3.4 5.6.7.08 1 2',
      'TCP4 1.2.3 5.6.7.8 1 2',
      'TCP4 1.2.3.256 5.6.7.8 1 2',
      'TCP4 0x1.2.3.4 5.6.7.8 1 2',
      'TCP4 16909060 5.6.7.8 1 2',
      'TCP4 1.2.3.4\0 5.6.7.8 1 2',
      'TCP4 \u0661.2.3.4 5.6.7.8 1 2',
      'TCP4 localhost 5.6.7.8 1 2',
      'TCP4 2001:db8::1 2001:db8::2 1 2',
      'TCP4 1.2.3.4 2001:db8::2 1 2',
      'TCP6 1.2.3.4 5.6.7.8 1 2',
      'TCP6 2001:db8::1 5.6.7.8 1 2',
      'TCP6 fe80::1%eth0 2001:db8::2 1 2',
      'TCP6 [2001:db8::1] 2001:db8::2 1 2',
      'TCP6 2001:db8::1::2 2001:db8::2 1 2',
      'TCP6 2001:db8:::1 2001:db8::2 1 2',
      'TCP6 1:2:3:4:5:6:7 2001:db8::2 1 2',
      'TCP6 1:2:3:4:5:6:7:8:9 2001:db8::2 1 2',
      'TCP6 12345::1 2001:db8::2 1 2',
      'TCP4 1.2.3.4 5.6.7.8 65536 2',
      'TCP4 1.2.3.4 5.6.7.8 1 99999',
      'TCP4 1.2.3.4 5.6.7.8 100000 2',
      'TCP4 1.2.3.4 5.6.7.8 01 2',
      'TCP4 1.2.3.4 5.6.7.8 -1 2',
      'TCP4 1.2.3.4 5.6.7.8 +1 2',
      'TCP4 1.2.3.4 5.6.7.8 0x1 2',
      'TCP4 1.2.3.4 5.6.7.8 1',
      'TCP4 1.2.3.4 5.6.7.8 1 ',
      'TCP4 1.2.3.4 5.6.7.8 1 2 ',
      'TCP4 1.2.3.4 5.6.7.8 1 2 3',
      'TCP4  1.2.3.4 5.6.7.8 1 2',
      'TCP4 1.2.3.4  5.6.7.8 1 2',
      ' TCP4 1.2.3.4 5.6.7.8 1 2',
      'TCP4\t1.2.3.4 5.6.7.8 1 2',
      'TCP4 1.2.3.4 5.6.7.8 1 2\r',
      'TCP4 1.2.3.4 5.6.7.8 1 2\n',
      'TCP4 1.2.3.4 5.6.7.8 1 2\nPROXY TCP4 9.9.9.9 5.6.7.8 1 2',
      'TCP4 1.2.3.4 5.6.7.8\r1 2',
      'tcp4 1.2.3.4 5.6.7.8 1 2',
      'TCP5 1.2.3.4 5.6.7.8 1 2',
      'UDP4 1.2.3.4 5.6.7.8 1 2',
      'UNKNOWNX',
      'unknown',
      'TCP4',
      '',
    ];
    for (const text of refused) {
      assert.equal(faultOf(line(`PROXY ${text}\r\n`)), 'malformed line of version 1', JSON.stringify(text));
    }
  });

  test('ends within 107 bytes', () => {
    const begin = 'PROXY UNKNOWN ';
    assert.equal(clientOf(line(`${begin.padEnd(105, 'x')}\r\n`)), null);
    assert.equal(faultOf(line(`${begin.padEnd(106, 'x')}\r\n`)), 'too long');
    assert.equal(faultOf(line(begin.padEnd(107, 'x'))), 'too long');
    assert.equal(readProxyHeader(line(begin.padEnd(106, 'x'))).state, 'incomplete');
    assert.equal(faultOf(line(`PROXY TCP4 1.2.3.4 5.6.7.8 1 2\n${'x'.repeat(100)}`)), 'too long');
  });
});

describe('a PROXY header of version 2', () => {
  test('names the client', () => {
    assert.deepEqual(clientOf(proxyBlockFor('203.0.113.7', 0)), {
      address: '203.0.113.7',
      port: 0,
      family: 'IPv4',
    });
    assert.deepEqual(clientOf(proxyBlockFor('2001:db8::7', 65_535)), {
      address: '2001:db8::7',
      port: 65_535,
      family: 'IPv6',
    });
    assert.equal(clientOf(proxyBlockFor('::ffff:203.0.113.7'))?.address, '::ffff:203.0.113.7');
  });

  test('of the balancer itself names no client, with any family and block', () => {
    assert.equal(clientOf(proxyLocal), null);
    for (const family of [0x00, 0x11, 0x21, 0x31, 0xff]) {
      for (const body of [Buffer.alloc(0), Buffer.alloc(12, 1), Buffer.alloc(300, 0xff)]) {
        assert.equal(clientOf(proxyBlock({ versionAndCommand: 0x20, family, body })), null);
      }
    }
  });

  test('of a family or protocol without usable addresses names no client', () => {
    const table: readonly [number, number][] = [
      [0x00, 0],
      [0x00, 50],
      [0x01, 12],
      [0x10, 12],
      [0x12, 12],
      [0x20, 36],
      [0x22, 36],
      [0x31, 216],
      [0x32, 216],
    ];
    for (const [family, length] of table) {
      assert.equal(clientOf(proxyBlock({ family, body: Buffer.alloc(length, 1) })), null, String(family));
    }
  });

  test('is refused when version, command, family, protocol or lengths are wrong', () => {
    const v4 = Buffer.alloc(12, 1);
    for (const versionAndCommand of [0x01, 0x11, 0x31, 0xf1]) {
      assert.equal(faultOf(proxyBlock({ versionAndCommand, family: 0x11, body: v4 })), 'unknown version');
    }
    for (const versionAndCommand of [0x22, 0x23, 0x2f]) {
      assert.equal(faultOf(proxyBlock({ versionAndCommand, family: 0x11, body: v4 })), 'unknown command');
    }
    for (const family of [0x03, 0x13, 0x1f, 0x41, 0xf1, 0xff]) {
      assert.equal(faultOf(proxyBlock({ family, body: v4 })), 'unknown family or protocol', String(family));
    }
    const tooShort: readonly [number, number][] = [
      [0x11, 0],
      [0x11, 11],
      [0x12, 11],
      [0x21, 12],
      [0x21, 35],
      [0x31, 215],
    ];
    for (const [family, length] of tooShort) {
      const fault = faultOf(proxyBlock({ family, body: Buffer.alloc(length, 1) }));
      assert.equal(fault, 'too short for its addresses', String(family));
    }
    const announced = proxyBlock({ family: 0x11, body: v4, length: longestProxyHeader - 15 });
    assert.equal(faultOf(announced), 'too long', 'before it has arrived');
    assert.equal(faultOf(proxyBlock({ versionAndCommand: 0x20, length: 0xffff })), 'too long');
  });

  test('may be as long as allowed, and is the longest that is waited for', () => {
    const room = longestProxyHeader - proxyBlockFor('203.0.113.7').length - 3;
    const longest = proxyBlockFor('203.0.113.7', 1, proxyExtension(4, Buffer.alloc(room)));
    assert.equal(longest.length, longestProxyHeader);
    assert.equal(clientOf(longest)?.address, '203.0.113.7');
    assert.equal(readProxyHeader(longest.subarray(0, -1)).state, 'incomplete');
  });

  test('may carry extensions, which must fill it exactly', () => {
    const good = [
      proxyExtension(0x04, Buffer.alloc(0)),
      proxyExtension(0xea, Buffer.from('\x01vpce-1')),
      Buffer.concat([proxyExtension(0x02, Buffer.from('localhost')), proxyExtension(0x20, Buffer.alloc(49))]),
    ];
    for (const extensions of good) {
      assert.equal(clientOf(proxyBlockFor('2001:db8::7', 1, extensions))?.address, '2001:db8::7');
    }
    const bad = [
      Buffer.from([4]),
      Buffer.from([4, 0]),
      Buffer.from([4, 0, 1]),
      proxyExtension(4, Buffer.alloc(5), 6),
      proxyExtension(4, Buffer.alloc(5), 0xffff),
      Buffer.concat([proxyExtension(4, Buffer.alloc(5)), Buffer.from([0])]),
      proxyExtension(3, Buffer.alloc(3)),
      proxyExtension(3, Buffer.alloc(5)),
    ];
    for (const extensions of bad) {
      const block = proxyBlockFor('203.0.113.7', 1, extensions);
      assert.equal(faultOf(block), 'malformed extensions', extensions.toString('hex'));
    }
  });

  test('with a checksum is valid only if the checksum matches', () => {
    assert.equal(castagnoli(Buffer.from('123456789')), 0xe306_9283);
    const padding = proxyExtension(4, Buffer.alloc(7));
    const zeros = proxyExtension(3, Buffer.alloc(4));
    const header = proxyBlockFor('203.0.113.7', 1, Buffer.concat([padding, zeros, padding]));
    const at = 16 + 12 + padding.length + 3;
    assert.equal(faultOf(header), 'wrong checksum');
    header.writeUInt32BE(castagnoli(header), at);
    assert.equal(clientOf(header)?.address, '203.0.113.7');
    for (let byte = 16; byte < header.length; byte += 1) {
      // Without its type it is no checksum.
      if (byte === at - 3) continue;
      const changed = Buffer.from(header);
      changed[byte] = (changed[byte] ?? 0) ^ 0x10;
      assert.equal(readProxyHeader(changed).state, 'malformed', `byte ${byte}`);
    }
    const twice = proxyBlockFor('203.0.113.7', 1, Buffer.concat([zeros, zeros]));
    assert.equal(faultOf(twice), 'malformed extensions');
  });
});

describe('a partial header', () => {
  test('is incomplete until the last byte of the header, and the rest does not matter', () => {
    for (const header of [
      proxyLineFor('203.0.113.7'),
      proxyLineFor('2001:db8::7'),
      line('PROXY UNKNOWN\r\n'),
      proxyBlockFor('203.0.113.7'),
      proxyBlockFor('2001:db8::7', 1, proxyExtension(4, Buffer.alloc(500))),
      proxyLocal,
    ]) {
      for (let length = 0; length < header.length; length += 1) {
        assert.deepEqual(readProxyHeader(header.subarray(0, length)), { state: 'incomplete' });
      }
      const alone = readProxyHeader(header);
      assert.equal(alone.state, 'complete');
      for (const rest of [clientHello, proxyLineFor('198.51.100.1'), Buffer.alloc(9000)]) {
        assert.deepEqual(readProxyHeader(Buffer.concat([header, rest])), alone);
      }
    }
  });

  test('is refused at the first byte that no header has there', () => {
    for (const header of [line('PROXY '), proxySignature]) {
      for (let at = 0; at < header.length; at += 1) {
        const wrong = Buffer.from(header.subarray(0, at + 1));
        wrong[at] = (wrong[at] ?? 0) ^ 0x20;
        assert.equal(faultOf(wrong), 'begins with something else');
      }
    }
    for (const bytes of [clientHello, line('GET / HTTP/1.1\r\n'), line('SSH-2.0'), Buffer.alloc(1)]) {
      assert.equal(faultOf(bytes), 'begins with something else');
    }
  });

  test('never throws, never claims more than there is, and is judged alike in any pieces', () => {
    const from = seeded(20_261_121);
    const samples = [
      proxyLineFor('203.0.113.7'),
      proxyLineFor('2001:db8::7'),
      proxyBlockFor('203.0.113.7', 1, proxyExtension(4, Buffer.alloc(9))),
      proxyBlockFor('2001:db8::7'),
      proxyLocal,
    ];
    for (let round = 0; round < 20_000; round += 1) {
      const bytes = Buffer.concat([samples[from.below(samples.length)] ?? proxyLocal, clientHello]);
      for (let changes = from.below(4); changes >= 0; changes -= 1) {
        bytes[from.below(bytes.length)] = from.below(256);
      }
      const read = readProxyHeader(bytes);
      if (read.state === 'complete') assert.ok(read.length <= bytes.length);
      const part = readProxyHeader(bytes.subarray(0, from.below(bytes.length)));
      if (part.state !== 'incomplete') assert.deepEqual(part, read, bytes.toString('hex'));
    }
  });
});

/** CRC-32C by a table, other than the code under test. */
function castagnoli(bytes: Buffer): number {
  const table = Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0x82f6_3b78 : 0);
    return value >>> 0;
  });
  const crc = bytes.reduce((sum, byte) => (sum >>> 8) ^ (table[(sum ^ byte) & 0xff] ?? 0), 0xffff_ffff);
  return ~crc >>> 0;
}
