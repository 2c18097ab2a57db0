import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { StoreUnavailable } from '../../src/store/contracts/store.ts';
import { commandLine, exits } from '../support/command-line.ts';
import { createdId, imported, loggedIn, password } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { logInAs, serverOfRoot } from './support.ts';

const { server, cli } = await serverOfRoot();

const fine = (...args: readonly string[]) => cli.exits(0, args);

const sales = ['--filter', 'roleAttributes contains "sales"'];

test('a table makes people, a filter gives them another policy, invites and deletes them', async () => {
  const file = join(server.home, 'our people.csv');
  writeFileSync(file, 'name,roleAttributes\nAda,sales\nAda,sales\n');
  const refused = await cli.exits(1, ['identity', 'import', file]);
  assert.match(refused.stderr, /people\.csv:3: name is the same as in line 2/);
  assert.ok(refused.stderr.endsWith(`identity import '${file}' --dry-run\n`), refused.stderr);
  writeFileSync(file, 'name,roleAttributes\nAda,sales\nGrace,sales\n');
  assert.match((await fine('identity', 'import', file, '--dry-run')).stdout, /2 identities can be made/);
  assert.match((await fine('import', 'identities', file, '--dry-run')).stdout, /2 identities can be made/);
  assert.match((await fine('identity', 'import', file)).stdout, /Made 2 identities/);

  await fine('create', 'auth-policy', 'code', '--require-totp');
  const change = ['update', 'identities', ...sales, '--auth-policy', 'code'];
  assert.match(
    (await fine(...change, '--dry-run')).stdout,
    /2 identities selected.*\nAnother policy for 2: 2 would be asked for more/,
  );
  const done = await fine(...change, '--add-role-attributes', 'seen', '--yes');
  assert.match(done.stdout, /Done for 2 identities; .* reference id \w{10}/);
  assert.equal((await fine('get', 'identity', 'Ada', '-j')).json.authPolicy.name, 'code');

  const invited = (await fine('identity', 'each', 'invite', ...sales, '--yes')).stdout;
  assert.equal(invited.match(/^(?:Ada|Grace)\thttps:\/\/\S+\/invite\?t=/gm)?.length, 2);
  await fine('identity', 'each', 'delete', ...sales, '--yes');
  await cli.exits(1, ['get', 'identity', 'Ada']);
  await cli.exits(2, ['update', 'identity', 'root', ...sales, '--type', 'User']);
  await cli.exits(2, ['update', 'identity', '--type', 'User']);
  const single = ['update', 'identity', 'root', '--type', 'User', '--add-role-attributes', 'sales'];
  assert.match((await cli.exits(2, single)).stderr, /^error: --add-role-attributes needs --filter\.\n/);
  assert.match((await cli.exits(2, ['identity', 'each', 'delete'])).stderr, /--filter is required/);
});

test('more than a step takes are made and changed by a job, which goes on after a stop', async () => {
  const file = join(server.home, 'many.csv');
  const tableOf = (name: string) =>
    ['name,roleAttributes', ...Array.from({ length: 1200 }, (_, at) => `${name} ${at},${name}`)].join('\n');
  writeFileSync(file, tableOf('many'));
  const made = await cli.run(['identity', 'import', file], { person: () => undefined });
  assert.match(made.stdout, /^Made 1200 identities\.$/m, made.stderr);
  const counted =
    /0 of 1200 checked[\s\S]*1000 of 1200 checked[\s\S]*1000 of 1200 done, about \d+ (?:s|min) left/;
  assert.match(made.stderr, counted);
  assert.ok(made.stderr.endsWith('\r\u001b[K'), 'the line of the counter is empty at the end');
  writeFileSync(file, tableOf('many'));
  const again = await cli.run(['identity', 'import', file, '--dry-run']);
  assert.match(again.stderr, /many\.csv:1201: name is already taken/);
  assert.ok(!again.stderr.includes('checked'), 'a counter is for terminals only');
  const each = ['identity', 'each', 'disable', '--filter', 'roleAttributes contains "many"'];
  assert.match((await fine(...each, '--dry-run')).stdout, /1200 identities selected/);
  writeFileSync(file, tableOf('tried'));
  assert.match(
    (await fine('identity', 'import', file, '--dry-run')).stdout,
    /^1200 identities can be made; not/,
  );
  assert.match((await fine('identity', 'continue')).stdout, /No job waits/);
  assert.match((await fine(...each, '--yes')).stdout, /Done for 1200 identities; .* reference id \w{10}/);

  // What the check refuses is not asked about, with few identities or many, and leaves no job.
  for (const filter of ['name = "many 7"', 'roleAttributes contains "many"']) {
    const refused = await cli.exits(1, ['update', 'identities', '--filter', filter, '--email-verified'], {
      person: () => undefined,
    });
    assert.match(refused.stderr, /not possible for many \d+: [\s\S]*Nothing was changed/);
    assert.doesNotMatch(refused.stderr, /Do this for/);
  }
  assert.match((await fine('identity', 'continue')).stdout, /No job waits/);

  const root = await loggedIn(server, 'root');
  const body = { filter: 'roleAttributes contains "many"', action: 'delete' };
  const id = createdId(await root.call('POST', 'identities/bulk/jobs', body));
  assert.match((await fine('identity', 'continue')).stdout, new RegExp(`^${id}\t0 of 0\troleAttributes`));
  const carried = await cli.exits(0, ['identity', 'continue', id], {
    person: (screen) => (screen.includes('Do this for 1200 identities?') ? 'y\n' : undefined),
  });
  assert.match(carried.stderr, /900 checked[\s\S]*900 of 1200 done/);
  await cli.exits(1, ['get', 'identity', 'many 7']);

  const query = '?asJob=true';
  const { job } = (await imported(server, root, { csv: tableOf('later'), query })).json.data;
  for (let call = 0; call < 2; call += 1)
    await root.call('POST', `identities/bulk/jobs/${job.id}/continue`, {});
  await root.call('POST', `identities/bulk/jobs/${job.id}/continue`, { confirmed: true });
  assert.match(
    (await fine('identity', 'continue')).stdout,
    new RegExp(`^${job.id}\t1000 of 1200\t\timport$`, 'm'),
  );
  assert.match((await fine('identity', 'continue', job.id)).stdout, /Done for 1200 identities/);
  await fine('get', 'identity', 'later 1199');
});

test('a list of everything and an export may be longer than other answers', async () => {
  const root = await loggedIn(server, 'root');
  const notes = Array.from({ length: 60 }, (_, at) => [`note ${at}`, 'x'.repeat(1000)]);
  const change = { roleAttributes: ['long'], tags: Object.fromEntries(notes) };
  const csv = ['name', ...Array.from({ length: 300 }, (_, at) => `long ${at}`)].join('\n');
  await imported(server, root, { csv });
  const given = await root.call('POST', 'identities/bulk', { filter: 'name contains "long "', change });
  assert.equal(given.status, 200, given.text);
  const list = ['list', 'identities', 'roleAttributes contains "long"', '--limit', 'none', '-j'];
  // A person looks at a terminal: JSON has no counter, and text has.
  const listed = await cli.run(list, { person: () => undefined });
  assert.equal(listed.json.length, 300);
  assert.ok(listed.stdout.length > 17 * 1024 * 1024);
  assert.equal(listed.stderr, '');
  const exported = await cli.run(['export', '--kind', 'identity'], { person: () => undefined });
  assert.match(exported.stdout, /name: long 299/);
  assert.match(
    exported.stderr,
    /^\r1 MiB received[\s\S]*\r17 MiB received[\s\S]*\ridentity: 500 of \d+ written/,
  );
  // In parts, of which each begins where the one before ends.
  const [, all] = /identity: 0 of (\d+) written/.exec(exported.stderr) ?? [];
  assert.equal(exported.stdout.match(/^ {2}- name: /gm)?.length, Number(all));
  assert.equal(exported.stdout.match(/^\S.*$/gm)?.join(), 'identity:');
  assert.ok(exported.stderr.endsWith('\r\u001b[K'));
});

test('the audit trail is exported a page at a time, by person and by kind of entity', async () => {
  const names = Array.from({ length: 600 }, (_, at) => `${at === 0 ? '=cmd()' : `crowd ${at}`}`);
  const file = join(server.home, 'crowd.csv');
  writeFileSync(file, `name\n${names.join('\n')}\n`);
  await fine('identity', 'import', file);
  await fine('update', 'auth-policy', 'Default', '--min-password-length', '13');
  const all = await fine('export', 'audit', '--since', '1h', '--entity', 'identity');
  const events = all.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const made = new Set(
    events.filter(({ action }) => action === 'create').map(({ identityId }) => identityId),
  );
  assert.ok(
    made.size >= 600 && events.every(({ entity }) => entity === 'identity'),
    `${made.size} of ${events.length}, ${all.stderr}`,
  );
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map(({ id }) => id).sort(),
  );
  const csv = (await fine('export', 'audit', '--person', '=cmd()', '--output', 'csv')).stdout;
  const [head = '', row = ''] = csv.split('\r\n');
  assert.match(head, /^at,by,event,action,entity/);
  assert.match(row, /,root,admin\.changed,create,identity,.*'=cmd\(\)/);
  const policies = (await fine('export', 'audit', '--entity', 'auth-policy')).stdout;
  assert.ok(
    policies
      .trimEnd()
      .split('\n')
      .some((line) => line.includes('"field":"primary.updb.minPasswordLength","from":12,"to":13')),
  );
  assert.equal((await fine('export', 'audit', '--until', '2020-01-01T00:00:00Z')).stdout, '');
  const { stderr } = await cli.exits(2, ['export', 'audit', '--since', 'soon']);
  assert.match(stderr, /\nnext: write a time such as 2030-01-31T12:00:00Z, or how long ago, such as 7d\n$/);
  assert.match((await fine('export', '--kind', 'auth-policy')).stdout, /auth-policy:/);
});

test('a dry run of a single change says what it would do, and changes nothing', async () => {
  await fine('create', 'identity', 'dora', '--role-attributes', 'night');
  await fine('create', 'auth-policy', 'night', '--require-totp');
  const policy = await fine('update', 'auth-policy', 'night', '--assign-to', 'night', '--dry-run');
  assert.match(policy.stdout, /identities that have it: +1 \(1 would get it, 0 would lose it\)/);
  const person = await fine('update', 'identity', 'dora', '--auth-policy', 'night', '--dry-run');
  assert.match(person.stdout, /Another policy for 1: 1 would be asked for more/);
  assert.equal((await fine('get', 'identity', 'dora', '-j')).json.authPolicyFrom, 'default');
  await fine('update', 'auth-policy', 'night', '--assign-to', 'night');
  assert.equal((await fine('get', 'identity', 'dora', '-j')).json.authPolicy.name, 'night');
});

test('a table of any size is sent in parts, checked as a whole, and made by one job', async () => {
  const file = join(server.home, 'whole.csv');
  // Two parts, each of at most 4 MiB.
  const padding = ' '.repeat(4000);
  const rows = Array.from({ length: 1300 }, (_, at) => `whole ${at}${padding},W${at},"vast,\ncrowd"`);
  const write = (changed: Readonly<Record<number, string>>, end = '') => {
    const lines = ['name,externalId,roleAttributes', '', ...rows.map((row, at) => changed[at] ?? row), ',,'];
    writeFileSync(file, `${lines.join('\r\n')}\r\n${end}`, 'latin1');
  };
  // Row N begins in line 3 + 2N: line breaks in quotes count too.
  write({ 1200: 'WHOLE 7,W1200,', 1210: 'whole 1210,W1200,', 1211: ',,x' });
  const repeated = await cli.exits(1, ['identity', 'import', file]);
  assert.match(repeated.stderr, /Nothing was imported/);
  assert.match(repeated.stderr, /whole\.csv:2403: name is the same as in a line before/);
  assert.match(repeated.stderr, /whole\.csv:2422: externalId is the same as in line 2403\n/);
  assert.match(repeated.stderr, /externalId [^\n]+\n[^\n]*whole\.csv:2423: name is missing\n/);
  write({ 1211: ',,x', 1212: 'root,,' });
  const refused = await cli.exits(1, ['identity', 'import', file]);
  assert.match(refused.stderr, /whole\.csv:2425: name is missing/);
  assert.match(refused.stderr, /whole\.csv:2426: name is already taken/);
  write({ 1250: 'whole 1250,"W1"250,' });
  assert.match((await cli.exits(1, ['identity', 'import', file])).stderr, /line 2503 has a quote/);
  write({}, 'M\u00fcller');
  assert.match((await cli.exits(2, ['identity', 'import', file])).stderr, /line 2604 is not in UTF-8/);
  assert.match((await fine('identity', 'continue')).stdout, /No job waits/);
  await cli.exits(1, ['get', 'identity', 'whole 0']);

  write({});
  const made = await cli.run(['identity', 'import', file], { person: () => undefined });
  assert.match(made.stderr, /whole\.csv has 1300 rows\. All are checked before the first identity is made\./);
  assert.match(made.stderr, /1000 of 1300 done, about \d+ s left \(\d+ a second\)/);
  assert.match(made.stdout, /^Made 1300 identities in \d+ s \(\d+ a second\)\.$/m);
  assert.equal((await fine('get', 'identity', 'whole 1299', '-j')).json.externalId, 'W1299');
  const again = await cli.exits(1, ['identity', 'import', file, '--dry-run']);
  assert.match(again.stderr, /whole\.csv:2601: name is already taken/);
});

describe('an import that stops during its check', async () => {
  const server = await startTestServer({ threads: 1 });
  const own = commandLine();
  const { bulkJobs } = server.store;
  const { piecesFrom } = bulkJobs;
  const file = join(server.home, 'stopped.csv');
  before(async () => {
    await server.createUser({ name: 'root', password, isAdmin: true });
    await exits(0, logInAs(own, server, 'root'));
    writeFileSync(file, ['name', ...Array.from({ length: 6000 }, (_, at) => `stopped ${at}`)].join('\n'));
  });
  after(async () => {
    await own[Symbol.asyncDispose]();
    await server.close();
  });
  /** @param last the last part that is checked */
  async function stoppedAfter(last: number, ...more: readonly string[]): Promise<string> {
    Object.assign(bulkJobs, {
      async piecesFrom(id: string, at: number) {
        if (at > last) throw new StoreUnavailable('away');
        return piecesFrom(id, at);
      },
    });
    const { stderr } = await own.exits(5, ['identity', 'import', file, ...more]);
    Object.assign(bulkJobs, { piecesFrom });
    assert.match(stderr, /\(nothing was changed yet\)\n/);
    return stderr;
  }

  test('is to be checked again if only its check was wanted', async () => {
    const stderr = await stoppedAfter(5, '--dry-run');
    assert.match(stderr, /enter the same command again/);
    assert.doesNotMatch(stderr, /identity continue/);
    assert.match((await own.exits(0, ['identity', 'continue'])).stdout, /No job waits/);
  });

  test('is to be sent again if no row was checked', async () => {
    const stderr = await stoppedAfter(-1);
    assert.match(stderr, /enter the same command again/);
    assert.doesNotMatch(stderr, /identity continue/);
    assert.deepEqual(await bulkJobs.listAll(), []);
  });

  test('names the job that goes on with it', async () => {
    const stderr = await stoppedAfter(5);
    const next = /overlay-auth identity continue (\S+)/.exec(stderr)?.[1] ?? stderr;
    assert.match((await own.exits(0, ['identity', 'continue', next])).stdout, /Done for 6000 identities/);
  });
});

test('an import that was stopped before all parts were sent is not continued with a part of them', async () => {
  const root = await loggedIn(server, 'root');
  const part = ['name', ...Array.from({ length: 1100 }, (_, at) => `unsent ${at}`)].join('\n');
  const query = '?asJob=true&job=new';
  const sent = await imported(server, root, { csv: part, query });
  const { id } = sent.json.data.job;
  const refused = await cli.exits(1, ['identity', 'continue', id]);
  assert.match(refused.stderr, /stopped before its whole table was sent: nothing was made/);
  assert.match((await fine('identity', 'continue')).stdout, /No job waits/);
  const made = await fine('list', 'identities', 'name contains "unsent"', '-j');
  assert.deepEqual(made.json, []);
});
