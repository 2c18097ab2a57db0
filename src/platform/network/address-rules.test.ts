import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AddressRange, addressRule, addressSet } from './address-rules.ts';

function range(text: string): AddressRange {
  const [address = '', length] = text.split('/');
  return { address, prefixLength: Number(length), family: address.includes(':') ? 'ipv6' : 'ipv4' };
}

const open = { blockPrivateAddresses: false, allowedIPs: [], deniedIPs: [] };

const alwaysRefused = [
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.0.1',
  '224.0.0.1',
  '239.255.255.255',
  '255.255.255.255',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '::',
  'fe80::1',
  'febf::1',
  'ff02::1',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
];

const carryingMetadata = [
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:FFFF:A9FE:A9FE',
  '::169.254.169.254',
  '::ffff:0:169.254.169.254',
  '64:ff9b::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '64:ff9b:1:a9fe:a9:fe00::',
  '2002:a9fe:a9fe::1',
  '2001:0:a9fe:a9fe::1',
  '2001:0:808:808::5601:5601',
  '2001:db8::5efe:169.254.169.254',
  '2600::200:5efe:a9fe:a9fe',
  '::ffff:0.0.0.0',
  '64:ff9b::0.0.0.0',
  '2002:e000:1::1',
];

const privateAddresses = [
  '127.0.0.1',
  '127.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.2.1',
  '203.0.113.9',
  '240.0.0.1',
  '::1',
  'fc00::1',
  'fd12:3456::1',
  'fec0::1',
  '2001:db8::1',
  '100::1',
  '5f00::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '64:ff9b::10.0.0.1',
  '64:ff9b::7f00:1',
  '2002:a00:1::1',
  '2002:7f00:1::1',
];

const publicAddresses = [
  '8.8.8.8',
  '172.32.0.1',
  '169.253.255.255',
  '223.255.255.255',
  '2606:4700::1111',
  '64:ff9b::8.8.8.8',
  '::ffff:8.8.8.8',
];

describe('an address of an outbound connection', () => {
  test('is refused when it is link-local, multicast, unspecified or a metadata service, even if it is allowed', () => {
    const everything: AddressRange[] = [
      { address: '0.0.0.0', prefixLength: 0, family: 'ipv4' },
      { address: '::', prefixLength: 0, family: 'ipv6' },
    ];
    for (const limits of [open, { ...open, allowedIPs: everything }]) {
      const allows = addressRule(limits);
      for (const address of alwaysRefused) assert.equal(allows(address), false, address);
    }
  });

  test('is refused when it carries a refused IPv4 address', () => {
    const allows = addressRule(open);
    for (const address of carryingMetadata) assert.equal(allows(address), false, address);
  });

  test('may be private unless private addresses are blocked', () => {
    const allows = addressRule(open);
    const blocks = addressRule({ ...open, blockPrivateAddresses: true });
    for (const address of privateAddresses) {
      assert.equal(allows(address), true, address);
      assert.equal(blocks(address), false, address);
    }
    for (const address of publicAddresses) {
      assert.equal(allows(address), true, address);
      assert.equal(blocks(address), true, address);
    }
  });

  test('may be private when the allowed ranges name it, though others are blocked', () => {
    const limits = { ...open, blockPrivateAddresses: true };
    const allows = addressRule({ ...limits, allowedIPs: [range('10.1.0.0/16'), range('64:ff9b::/96')] });
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', '64:ff9b::8.8.8.8'])
      assert.equal(allows(address), true, address);
    for (const address of [
      '10.2.0.1',
      '127.0.0.1',
      '::1',
      '8.8.8.8',
      '64:ff9b::127.0.0.1',
      '2002:a01:203::1',
    ])
      assert.equal(allows(address), false, address);
    const everything = addressRule({ ...limits, allowedIPs: [range('0.0.0.0/0'), range('::/0')] });
    for (const address of alwaysRefused) assert.equal(everything(address), false, address);
  });

  test('is refused by the denied ranges, also inside of an IPv6 address', () => {
    const allows = addressRule({
      ...open,
      deniedIPs: [
        { address: '8.8.0.0', prefixLength: 16, family: 'ipv4' },
        { address: '2606:4700::', prefixLength: 32, family: 'ipv6' },
      ],
    });
    for (const address of [
      '8.8.8.8',
      '::ffff:8.8.4.4',
      '64:ff9b::8.8.8.8',
      '2002:808:808::1',
      '2606:4700::1',
    ])
      assert.equal(allows(address), false, address);
    for (const address of ['8.9.8.8', '2606:4701::1']) assert.equal(allows(address), true, address);
  });

  test('must be in the allowed ranges when there are any; a denied range inside of them still counts', () => {
    const allows = addressRule({
      ...open,
      allowedIPs: [{ address: '10.0.0.0', prefixLength: 8, family: 'ipv4' }],
      deniedIPs: [{ address: '10.9.0.0', prefixLength: 16, family: 'ipv4' }],
    });
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3']) assert.equal(allows(address), true, address);
    for (const address of ['10.9.0.1', '11.0.0.1', '::1', '64:ff9b::10.1.2.3', '::ffff:11.0.0.1'])
      assert.equal(allows(address), false, address);
  });

  test('is refused when it is not a plain IP address', () => {
    const allows = addressRule(open);
    for (const text of [
      '',
      'localhost',
      '127.1',
      '0x7f.0.0.1',
      '2130706433',
      '010.0.0.1',
      '1.2.3.4.',
      '[::1]',
    ])
      assert.equal(allows(text), false, text);
    for (const text of ['2606:4700::1%eth0', 'fe80::1%eth0', '1.2.3.4 ', '::ffff:1.2.3.256', '1.2.3.4\0'])
      assert.equal(allows(text), false, text);
  });
});

test('a set of ranges has the addresses of its ranges, however they are written, and nothing else', () => {
  const has = addressSet([
    { address: '192.0.2.5', prefixLength: 32, family: 'ipv4' },
    { address: '10.1.0.0', prefixLength: 16, family: 'ipv4' },
    { address: '2001:db8:5::', prefixLength: 64, family: 'ipv6' },
    { address: 'fe80::', prefixLength: 10, family: 'ipv6' },
    { address: '::ffff:c633:6400', prefixLength: 120, family: 'ipv6' },
  ]);
  const inside = [
    '192.0.2.5',
    '::ffff:192.0.2.5',
    '10.1.255.255',
    '2001:db8:5::1',
    '2001:DB8:5:0:0:0:0:1',
    'fe80::1%eth0',
    '198.51.100.7',
  ];
  const outside = [
    '192.0.2.6',
    '10.2.0.0',
    '2001:db8:5:1::1',
    '::192.0.2.5',
    '',
    'localhost',
    '192.0.2.5:443',
  ];
  for (const address of inside) assert.equal(has(address), true, address);
  for (const address of outside) assert.equal(has(address), false, address);
  assert.equal(addressSet([])('127.0.0.1'), false);
});
