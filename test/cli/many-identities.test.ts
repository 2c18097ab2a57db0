import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandLine, type Outcome } from '../support/command-line.ts';
import { password } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';

const server = await startTestServer();
await server.createUser({ name: 'root', password, isAdmin: true });
const cli = commandLine();
const login = ['login', server.url, '--ca', join(server.home, 'ca.pem'), '-u', 'root', '--password-stdin'];
assert.equal((await cli.run(login, { input: password })).code, 0);
after(async () => {
  await cli[Symbol.asyncDispose]();
  await server.close();
});

async function fine(...args: readonly string[]): Promise<Outcome> {
  const outcome = await cli.run(args);
  assert.equal(outcome.code, 0, `${args.join(' ')}: ${outcome.stderr}`);
  return outcome;
}

const sales = ['--filter', 'roleAttributes contains "sales"'];

test('a table makes people, a filter gives them another policy, invites and deletes them', async () => {
  const file = join(server.home, 'people.csv');
  writeFileSync(file, 'name,roleAttributes\nAda,sales\nAda,sales\n');
  const refused = await cli.run(['identity', 'import', file]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /people\.csv:3: name is the same as in line 2/);
  writeFileSync(file, 'name,roleAttributes\nAda,sales\nGrace,sales\n');
  assert.match((await fine('identity', 'import', file, '--dry-run')).stdout, /2 identities can be made/);
  assert.match((await fine('identity', 'import', file)).stdout, /Made 2 identities/);

  await fine('create', 'auth-policy', 'code', '--require-totp');
  const change = ['update', 'identities', ...sales, '--auth-policy', 'code'];
  assert.match(
    (await fine(...change, '--dry-run')).stdout,
    /2 identities selected.*\n2 would be asked for more/,
  );
  const done = await fine(...change, '--add-role-attributes', 'seen', '--yes');
  assert.match(done.stdout, /Done for 2 identities; .* reference id \w{10}/);
  assert.equal((await fine('get', 'identity', 'Ada', '-j')).json.authPolicy.name, 'code');

  const invited = (await fine('identity', 'each', 'invite', ...sales, '--yes')).stdout;
  assert.equal(invited.match(/^(?:Ada|Grace)\thttps:\/\/\S+\/invite\?t=/gm)?.length, 2);
  await fine('identity', 'each', 'delete', ...sales, '--yes');
  assert.equal((await cli.run(['get', 'identity', 'Ada'])).code, 1);
  const both = await cli.run(['update', 'identity', 'root', ...sales, '--type', 'User']);
  assert.equal(both.code, 2);
  assert.equal((await cli.run(['update', 'identity', '--type', 'User'])).code, 2);
});
