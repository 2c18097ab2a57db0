// The file that is imported may be damaged, or made to do harm. In each case: an error that names the place, nothing
// written, and no more memory or time than its length is worth.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { BoltError } from '../../packages/import-ziti/src/bolt/bolt-error.ts';
import { openBoltFile } from '../../packages/import-ziti/src/bolt/bolt-file.ts';
import { collectFindings } from '../../packages/import-ziti/src/map/findings.ts';
import { planImport } from '../../packages/import-ziti/src/map/plan.ts';
import { readSource } from '../../packages/import-ziti/src/read/source.ts';
import { UnreadableSource } from '../../packages/import-ziti/src/read/unreadable-source.ts';
import { keyVault, vaultKey } from '../../src/platform/secrets/key-vault.ts';
import { testBudget } from '../support/list-budget.ts';
import { noLimits } from '../support/outbound-limits.ts';
import { boltDatabase, boltOfPages, type Content, metaPage, pageHeader, value } from './bolt-writer.ts';
import { database, freshHome, shortlyAfter } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-bolt-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function read(bytes: Buffer): ReturnType<typeof readSource> {
  const path = join(folder, 'ctrl.db');
  writeFileSync(path, bytes);
  const file = openBoltFile(path);
  try {
    return readSource(file);
  } finally {
    file.close();
  }
}

/** What the bytes would become here. */
function plan(bytes: Buffer): ReturnType<typeof planImport> {
  const needs = {
    now: Date.parse(shortlyAfter),
    findings: collectFindings(),
    digest: (content: unknown) => JSON.stringify(content),
    issuers: new Set<string>(),
    limits: { ...noLimits, blockPrivateAddresses: true },
    vault: keyVault(vaultKey(Buffer.alloc(32, 1))),
    recoveryKey: Buffer.alloc(32, 2),
    isOwn: () => false,
  };
  return planImport(needs, read(bytes));
}

/** What refuses the bytes; undefined when they are read. Anything but our own errors fails the test. */
function refusalOf(bytes: Buffer): string | undefined {
  try {
    plan(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof BoltError || error instanceof UnreadableSource) return error.message;
    throw error;
  }
}

const changed = (change: (bytes: Buffer) => void): Buffer => {
  const copy = Buffer.from(database);
  change(copy);
  return copy;
};

const ziti = (content: Content): Buffer => boltDatabase({ ziti: content });
const branch = (page: number, ...children: readonly number[]): Buffer => {
  const elements = children.map((child, n) => {
    const bytes = Buffer.alloc(16);
    // The key is one letter behind all elements.
    bytes.writeUInt32LE(16 * (children.length - n) + n, 0);
    bytes.writeUInt32LE(1, 4);
    bytes.writeBigUInt64LE(BigInt(child), 8);
    return bytes;
  });
  const keys = Buffer.from(children.map((_, n) => 97 + n));
  return Buffer.concat([
    pageHeader({ id: page, flags: 1, count: children.length, overflow: 0 }),
    ...elements,
    keys,
  ]);
};

describe('a bolt file', () => {
  test('that a controller wrote is read', () => {
    const source = read(database);
    assert.equal(source.version, 48);
    assert.equal(source.entities.identities.length, 37);
    assert.equal(source.entities.authenticators.length, 30);
    assert.deepEqual(source.others.services, 2);
  });

  test('that is not one, is empty or is still compressed is refused with a description', () => {
    for (const [bytes, message] of [
      [Buffer.alloc(0), /not a bolt database|no meta page/],
      [Buffer.from('SQLite format 3\0'.padEnd(9000, '\0')), /not a bolt database/],
      [Buffer.alloc(100_000), /not a bolt database/],
      [Buffer.from([0x1f, 0x8b, 8, 0]), /gunzip/],
      [boltDatabase({ other: {} }), /not that of a controller/],
    ] as const) {
      assert.match(refusalOf(bytes) ?? 'read', message);
    }
  });

  test('that is cut off anywhere is refused with page and offset', () => {
    for (let length = 8192; length < database.length; length += 12_289) {
      const refusal = refusalOf(database.subarray(0, length));
      assert.match(refusal ?? 'read', /page \d+, offset \d+: .*cut off|cut off|ends in/, String(length));
    }
  });

  test('with one damaged meta page is read by the other one, with two it is refused', () => {
    const flip = (...positions: readonly number[]) =>
      changed((bytes) => {
        for (const position of positions) bytes[position] = (bytes[position] ?? 0) ^ 0xff;
      });
    assert.equal(refusalOf(flip(40)), undefined);
    assert.equal(refusalOf(flip(4096 + 40)), undefined);
    assert.match(refusalOf(flip(40, 4096 + 40)) ?? 'read', /checksum is wrong/);
    assert.match(refusalOf(flip(16, 4096 + 16)) ?? 'read', /no magic number/);
  });

  test('with a tree that leads in circles, outside or to a meta page is refused', () => {
    const leaf = (page: number) => pageHeader({ id: page, flags: 2, count: 0, overflow: 0 });
    for (const [bytes, message] of [
      [boltOfPages(branch(2, 2)), /page 2, offset 0: the tree leads here twice/],
      [boltOfPages(branch(2, 3, 3), leaf(3)), /page 3, offset 0: the tree leads here twice/],
      [boltOfPages(branch(2, 3), branch(3, 2)), /page 2, offset 0: the tree leads here twice/],
      [boltOfPages(branch(2, 99)), /page 99, offset 0/],
      [boltOfPages(branch(2, 1)), /page 1, offset 0/],
      [boltOfPages(leaf(7)), /page 2, offset 0: it says that it is another page/],
      [boltOfPages(pageHeader({ id: 2, flags: 3, count: 0, overflow: 0 })), /page 2, offset 8/],
      [boltOfPages(pageHeader({ id: 2, flags: 2, count: 65_535, overflow: 0 })), /page 2, offset 10/],
      [boltOfPages(pageHeader({ id: 2, flags: 2, count: 0, overflow: 0xffff_ffff })), /page 2, offset 12/],
      [boltOfPages(pageHeader({ id: 2, flags: 2, count: 0, overflow: 1 })), /page 2, offset 12/],
    ] as const) {
      assert.match(refusalOf(bytes) ?? 'read', message);
    }
  });

  test('with a tree or buckets deeper than any real one is refused', () => {
    const chain = Array.from({ length: 60 }, (_, n) => branch(n + 2, n + 3));
    assert.match(refusalOf(boltOfPages(...chain)) ?? 'read', /deeper than/);
    let nested: Content = {};
    for (let depth = 0; depth < 60; depth += 1) nested = { tags: nested };
    assert.match(refusalOf(ziti({ identities: { i: nested } })) ?? 'read', /lie inside one another/);
  });

  test('with values that share bytes, so that a small file would be large in memory, is refused', () => {
    const count = 200;
    const elements = Array.from({ length: count }, (_, n) => {
      const bytes = Buffer.alloc(16);
      bytes.writeUInt32LE(16 * (count - n), 4);
      bytes.writeUInt32LE(1 + n, 8);
      bytes.writeUInt32LE(300, 12);
      return bytes;
    });
    const page = Buffer.concat([
      pageHeader({ id: 2, flags: 2, count, overflow: 0 }),
      ...elements,
      Buffer.alloc(600, 'a'),
    ]);
    assert.match(refusalOf(boltOfPages(page)) ?? 'read', /page 2, offset \d+: a key or value lies outside/);
  });

  test('that claims more pages than it has is refused before memory is allocated for them', () => {
    const huge = Buffer.concat([
      metaPage(0, { root: 2, pages: 2 ** 35, transaction: 9 }),
      metaPage(1, { root: 2, pages: 2 ** 35, transaction: 8 }),
    ]);
    assert.match(refusalOf(huge) ?? 'read', /cut off/);
  });

  test('with bytes changed anywhere is read or refused, and causes nothing else', () => {
    // A linear congruential generator: the same files in every run.
    let state = 20_261_122;
    const next = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    let refused = 0;
    for (let round = 0; round < 400; round += 1) {
      const bytes = changed((copy) => {
        for (let n = next(24); n >= 0; n -= 1) copy[8192 + next(copy.length - 8192)] = next(256);
        // Headers and elements decide more than what they lead to.
        const page = 2 + next(copy.length / 4096 - 2);
        copy[page * 4096 + next(200)] = next(256);
      });
      if (refusalOf(bytes) !== undefined) refused += 1;
    }
    assert.ok(refused > 100, String(refused));
  });
});

describe('a value', () => {
  const identity = (fields: Content): Buffer =>
    ziti({ identities: { abc: { name: value.text('x'), ...fields } } });
  const nameOf = (bytes: Buffer): string | null | undefined =>
    read(bytes).entities.identities[0]?.text('name');

  test('of each type is read', () => {
    const [entity] = read(
      identity({
        roleAttributes: value.set('b', 'ä', 'a'),
        isAdmin: value.flag(true),
        createdAt: value.time('2026-11-22T08:54:58Z'),
        tags: {
          n: value.float(3.5),
          t: value.text(''),
          nothing: Buffer.from([7]),
          inner: { x: value.flag(false) },
        },
      }),
    ).entities.identities;
    assert.deepEqual(entity?.set('roleAttributes'), ['a', 'b', 'ä']);
    assert.equal(entity?.flag('isAdmin'), true);
    assert.equal(entity?.time('createdAt'), Date.parse('2026-11-22T08:54:58Z'));
    assert.deepEqual(
      { ...entity?.map('tags') },
      { n: 3.5, t: '', nothing: null, inner: entity?.map('tags').inner },
    );
  });

  /** A list as the source writes it: what it says of its size, and each member under the bytes of its place. */
  const list = (size: number, members: Readonly<Record<string, Buffer>>): Content => ({
    '__list__size__36484231-110c-4767-afe2-01b6e3db107a': value.int(size),
    ...members,
  });
  const place = (index: number) => `\x02${String.fromCharCode(index & 0x7f, (index >> 7) & 0x7f, 0, 0)}`;
  const tagsOf = (tags: Content) => read(identity({ tags })).entities.identities[0]?.map('tags');

  test('that is a list has its members in the order of their places', () => {
    const members = Object.fromEntries(
      [2, 0, 1, 3].map((index) => [place(index), index === 3 ? Buffer.from([7]) : value.text(`m${index}`)]),
    );
    assert.deepEqual(tagsOf({ list: list(4, members), none: list(0, {}) }), {
      __proto__: null,
      list: ['m0', 'm1', 'm2', null],
      none: [],
    });
  });

  test('that is a list is refused where a member has no place below their number', () => {
    const x = value.text('x');
    const float = String.fromCharCode(...value.float(2 ** -8));
    const whole = String.fromCharCode(...value.int(0));
    for (const members of [
      { [place(1)]: x },
      { '\x02\x7f\x7f\x01\x00': x },
      { [place(0)]: x, [place(2)]: x },
      { '\x02\x01\x00\x00\x7f': x },
      { '\x05name': x },
      { [float]: x },
      { [place(0)]: x, [whole]: x },
    ]) {
      // Many of them, each small: no list costs more than what is there.
      const tags = Object.fromEntries(
        Array.from({ length: 300 }, (_, n) => [`t${n}`, list(100_000, members)]),
      );
      assert.throws(() => tagsOf(tags), /a list has a member without a place/, JSON.stringify(members));
    }
  });

  test('that cannot be read is refused with its path, page and offset, and not shown', () => {
    for (const [bytes, problem] of [
      [Buffer.from([9, 1]), 'unknown type'],
      [Buffer.from([5, 0xff, 0xfe]), 'not UTF-8'],
      [Buffer.from([1, 2]), 'neither true nor false'],
      [Buffer.from([2, 1]), '1 bytes where 4'],
      [Buffer.from([3, 255, 255, 255, 255, 255, 255, 255, 127]), 'too large'],
      [Buffer.from([6, 1, 2]), 'a time of an unknown form'],
      [Buffer.concat([Buffer.from([6, 1]), Buffer.alloc(14, 0x7f)]), 'a time that cannot be'],
    ] as const) {
      assert.throws(
        () => nameOf(identity({ name: bytes })),
        (error: Error) =>
          error instanceof UnreadableSource &&
          /^identities \/ abc \/ name \(page 2, offset \d+\): /.test(error.message) &&
          error.message.includes(problem),
        problem,
      );
    }
    assert.throws(() => nameOf(identity({ name: {} })), UnreadableSource);
    assert.throws(() => nameOf(identity({ name: value.flag(true) })), UnreadableSource);
  });
});

describe('a value of another type than its field', () => {
  const at = value.time('2026-11-22T08:54:58Z');
  const written = (kind: string, fields: Content): Buffer =>
    ziti({
      authPolicies: { default: { name: value.text('Default') } },
      [kind]: { abc: { name: value.text('x'), authPolicyId: value.text('default'), ...fields } },
    });

  test('is refused, where a number is no time and a time no number', () => {
    for (const [bytes, path] of [
      [written('identities', { createdAt: value.int(5) }), 'identities / abc / createdAt'],
      [written('identities', { updatedAt: value.float(1.5) }), 'identities / abc / updatedAt'],
      [written('identities', { disabledUntil: value.float(1e300) }), 'identities / abc / disabledUntil'],
      [written('identities', { isAdmin: value.text('true') }), 'identities / abc / isAdmin'],
      [written('authPolicies', { 'primary.updb.maxAttempts': at }), 'authPolicies / abc / primary.updb.max'],
    ] as const)
      assert.match(refusalOf(bytes) ?? 'read', new RegExp(`^${path}.* \\(page 2, offset \\d+\\): no `));
  });

  test('is refused, where it is a number that no text in JSON can be', () => {
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const float = value.float(number);
      const policy = written('authPolicies', { 'primary.updb.maxAttempts': float });
      for (const bytes of [policy, written('identities', { tags: { n: float } })])
        assert.match(refusalOf(bytes) ?? 'read', /not a finite number/, String(number));
    }
  });
});

describe('an import of a file that cannot be read as a whole', () => {
  test('says so with page and offset, and writes nothing', async () => {
    const at = database.indexOf('\x05sensor-rsa-02', 0, 'latin1');
    assert.ok(at > 0);
    const source = changed((bytes) => {
      bytes[at] = 0x0a;
    });
    const home = await freshHome({ source });
    try {
      const outcome = await home.importFile('--trust', 'controller-ca.pem', '-j');
      assert.equal(outcome.code, 1);
      assert.equal(outcome.stdout, '');
      const { error } = JSON.parse(outcome.stderr);
      assert.equal(error.code, 'unreadable_source');
      assert.match(
        error.message,
        /identities \/ Ox0YDKiZBE \/ name \(page \d+, offset \d+\): .* Nothing was written/,
      );
      await home.running(async ({ store }) => {
        const all = {
          filter: { op: 'and', terms: [] },
          sort: [],
          limit: 10,
          offset: 0,
          budget: testBudget,
        } as const;
        assert.equal((await store.identities.list(all)).totalCount, 0);
        assert.equal((await store.authPolicies.list(all)).totalCount, 1);
      });
    } finally {
      await home.cli[Symbol.asyncDispose]();
    }
  });
});
