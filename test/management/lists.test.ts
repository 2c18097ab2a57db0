import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { createdId, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
const admin = await rootOf(server);
for (let number = 0; number < 25; number += 1) {
  clock.advance(1000);
  const name = `n${String(number).padStart(2, '0')}`;
  const type = number % 2 === 0 ? 'Device' : 'Service';
  const externalId = number < 3 ? `ext-${number}` : null;
  createdId(await admin.call('POST', 'identities', { name, type, externalId }));
}
for (const name of ['100%', '100 percent', 'under_score', 'underXscore', 'ÄRGER', 'quo"te', "o'neil"]) {
  createdId(await admin.call('POST', 'identities', { name, type: 'User' }));
}

const list = (parameters: Record<string, string>) =>
  admin.get(`identities?${new URLSearchParams(parameters)}`);
async function names(parameters: Record<string, string>): Promise<string[]> {
  const answer = await list(parameters);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.data.map(({ name }: { name: string }) => name);
}

describe('a list', () => {
  test('has ten entries by default, and says how many there are', async () => {
    const answer = await admin.get('identities');
    assert.equal(answer.json.data.length, 10);
    assert.deepEqual(answer.json.meta.pagination, { limit: 10, offset: 0, totalCount: 33 });
  });

  test('pages without gaps and overlaps, with either kind of parameters', async () => {
    const byParameters: string[] = [];
    const byFilter: string[] = [];
    for (let offset = 0; offset < 40; offset += 7) {
      byParameters.push(...(await names({ limit: '7', offset: String(offset), sort: 'type' })));
      byFilter.push(...(await names({ filter: `true sort by type skip ${offset} limit 7` })));
    }
    assert.equal(new Set(byParameters).size, 33);
    assert.deepEqual(byParameters, byFilter);
  });

  test('may be asked for without a limit', async () => {
    for (const parameters of [
      { filter: 'limit none' },
      { limit: 'none' },
      { filter: 'sort by name limit none' },
    ]) {
      const answer = await list(parameters as Record<string, string>);
      assert.equal(answer.json.data.length, 33);
      assert.deepEqual(answer.json.meta.pagination, { limit: 33, offset: 0, totalCount: 33 });
    }
  });

  const found: readonly (readonly [string, readonly string[]])[] = [
    ['name = "n03"', ['n03']],
    ['name = "N03"', []],
    ['name contains "0" and type = "Service" sort by name', ['n01', 'n03', 'n05', 'n07', 'n09']],
    ['name contains "0%"', ['100%']],
    ['name contains "r_s"', ['under_score']],
    ['name contains "\\""', ['quo"te']],
    ['name = "o\'neil"', ["o'neil"]],
    ['name icontains "N2" sort by name desc', ['n24', 'n23', 'n22', 'n21', 'n20']],
    ['name contains "N2"', []],
    ['name in ["n01", "n02", "nope"] sort by name', ['n01', 'n02']],
    ['name not in ["n01"] and name < "n03" and name >= "n00" sort by name', ['n00', 'n02']],
    ['externalId != null sort by name', ['n00', 'n01', 'n02']],
    ['not (externalId = null) and not name = "n01" sort by name', ['n00', 'n02']],
    ['externalId = "ext-1"', ['n01']],
    ['isAdmin = true', ['root']],
    ['isAdmin != false', ['root']],
    ['createdAt <= datetime(2026-01-01T00:00:02Z) and isAdmin = false sort by createdAt', ['n00', 'n01']],
    ['false', []],
    ['name = "root" or name = "n00" and isAdmin = true', ['root']],
  ];
  for (const [filter, expected] of found) {
    test(`finds by ${filter}`, async () => assert.deepEqual(await names({ filter }), expected));
  }

  test('does not count identities that were enabled again as disabled', async () => {
    const [first] = (await list({ filter: 'name = "n00"' })).json.data;
    await admin.call('POST', `identities/${first.id}/disable`, { durationMinutes: 1 });
    assert.deepEqual(await names({ filter: 'disabledAt != null' }), ['n00']);
    clock.advance(2 * MINUTE);
    await admin.call('POST', `identities/${first.id}/enable`);
    assert.deepEqual(await names({ filter: 'disabledAt != null' }), []);
  });
});

test('names and addresses are found however their letters and spaces are written', async () => {
  createdId(
    await admin.call('POST', 'identities', {
      name: 'J\u00fcrgen M',
      email: 'j\u00fcrgen@example.com',
      roleAttributes: ['B\u00fcro'],
    }),
  );
  for (const filter of [
    'name = "Ju\u0308rgen\u00a0M"',
    'name in ["Ju\u0308rgen M"]',
    'name contains "u\u0308rgen\u00a0"',
    'name icontains "JU\u0308RGEN"',
    'email = "ju\u0308rgen@example.com"',
    'email icontains "JU\u0308R"',
    'roleAttributes contains "Bu\u0308ro"',
  ])
    assert.deepEqual(await names({ filter }), ['J\u00fcrgen M'], filter);
  const others = await names({ filter: 'not (roleAttributes contains "Bu\u0308ro") limit none' });
  assert.ok(!others.includes('J\u00fcrgen M'));
});
