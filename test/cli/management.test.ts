import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DAY } from '../../src/platform/clock.ts';
import { giveCertificate, overlayRoot } from '../support/certificates.ts';
import { client as clientCertificate } from '../support/chains.ts';
import { sandbox } from '../support/command.ts';
import { type CommandLine, commandLine, exits } from '../support/command-line.ts';
import { password } from '../support/management.ts';
import { logInAs, serverOfRoot } from './support.ts';

const { server, cli } = await serverOfRoot();

const loginAs = (who: CommandLine, username: string, secret?: string) =>
  logInAs(who, server, username, secret);
const fine = (args: readonly string[], input = '') => cli.exits(0, args, { input });

describe('identities', () => {
  test('are created with every option, shown, changed and deleted by name', async () => {
    await fine([
      ...['create', 'identity', 'Grace "Amazing" Hopper', '--type', 'User', '--external-id', 'gh@navy'],
      ...[
        '--role-attributes',
        'sea, cobol',
        '--role-attributes',
        'night',
        '--tag',
        'rank=admiral',
        '--tag',
        'eq=a=b',
        '--admin',
      ],
    ]);
    const shown = (await fine(['get', 'identity', 'Grace "Amazing" Hopper', '-j'])).json;
    assert.equal(shown.typeId, 'User');
    assert.equal(shown.isAdmin, true);
    assert.equal(shown.externalId, 'gh@navy');
    assert.deepEqual(shown.roleAttributes, ['sea', 'cobol', 'night']);
    assert.deepEqual(shown.tags, { rank: 'admiral', eq: 'a=b' });

    await fine(['update', 'identity', shown.id, '--name', 'grace', '--external-id', '', '--no-admin']);
    const changed = (await fine(['get', 'identity', 'grace', '-j'])).json;
    assert.equal(changed.id, shown.id);
    assert.equal(changed.externalId, null);
    assert.equal(changed.isAdmin, false);
    assert.deepEqual(changed.roleAttributes, ['sea', 'cobol', 'night']);

    assert.match((await fine(['delete', 'identity', 'grace'])).stdout, /^Deleted identity grace\.\n$/);
    const gone = await cli.exits(1, ['get', 'identity', 'grace']);
    assert.equal(gone.stderr, 'error: There is no identity "grace".\nnext: overlay-auth list identities\n');
  });

  test('are deleted several at once, and a refusal says which ones are gone', async () => {
    for (const name of ['gone one', 'gone2', 'last']) await fine(['create', 'identity', name]);
    const refused = await cli.exits(1, ['delete', 'identity', 'gone one', 'gone2', 'root', 'last']);
    assert.match(
      refused.stderr,
      /^error: Not deleted: root, last\. Deleted before: 'gone one', gone2\. This change would leave no administrator who can log in\.\n.*\nnext: .*, or add --force\n$/,
    );
    const { stdout } = await fine(['delete', 'identity', 'last', 'last']);
    assert.equal(stdout, 'Deleted identity last.\n');
  });

  test('are named in the error if several or none have a name', async () => {
    const names = ['Dora Smith', 'Dora Jones'];
    for (const name of names) await fine(['create', 'identity', name]);
    const unknown = async (name: string) => (await cli.run(['get', 'identity', name])).stderr;
    assert.match(await unknown('dora'), /no identity "dora"\. Did you mean "Dora (?:Smith|Jones)" or "Dora/);
    assert.match(await unknown('Dora Smiht'), /no identity "Dora Smiht"\. Did you mean "Dora Smith"\?\n/);
    assert.doesNotMatch(await unknown('xy'), /Did you mean/);
    const policy = await cli.run(['update', 'identity', 'Dora Smith', '--auth-policy', 'Defautl']);
    assert.match(policy.stderr, /no auth policy "Defautl"\. Did you mean "Default"\?/);

    await fine(['create', 'authenticator', 'updb', 'Dora Smith', 'dsmith', '--password-stdin'], password);
    const { id } = (await fine(['get', 'identity', 'dsmith', '-j'])).json;
    await giveCertificate(server, id, clientCertificate({ issuer: await overlayRoot() }));
    const both = await cli.exits(1, ['get', 'authenticator', 'Dora Smith']);
    const table =
      /"Dora Smith" means more than one authenticator:\nID +METHOD +IDENTITY +USERNAME +FINGERPRINT\n/;
    assert.match(both.stderr, table);
    assert.match(both.stderr, /\n\S+ +updb +Dora Smith +dsmith +-\n/);
    assert.match(both.stderr, /\n\S+ +cert +Dora Smith +- +\S+\nnext: use one of these ids: /);
  });

  test('have permissions instead of administering, as one says', async () => {
    await fine(['create', 'identity', 'auditor', '--permission', 'read']);
    const permissions = async () => (await fine(['get', 'identity', 'auditor', '-j'])).json.permissions;
    assert.deepEqual(await permissions(), ['read']);
    const listed = await fine(['list', 'identities', 'name = "auditor"']);
    assert.match(listed.stdout, /\nauditor +\S+ +User +read +no /);
    await fine(['update', 'identity', 'auditor', '--permission', '']);
    assert.deepEqual(await permissions(), []);
    const refused = await cli.exits(1, ['update', 'identity', 'auditor', '--permission', 'everything']);
    assert.match(refused.stderr, /permissions/);
  });

  test('do not get a name that passes for another one, unless the caller insists', async () => {
    await fine(['create', 'identity', 'lookout']);
    await fine(['create', 'identity', 'keeper']);
    for (const args of [
      ['create', 'identity', 'LOOKOUT'],
      ['update', 'identity', 'keeper', '--name', 'Lookout'],
    ]) {
      const { stderr } = await cli.exits(1, args);
      assert.match(
        stderr,
        /^error: .*is already taken: it passes for a name of the identity "lookout"\.?\n.*\nnext: choose another name, or add --force\n$/,
      );
      await fine([...args, '--force']);
    }
    await fine(['delete', 'identity', 'LOOKOUT', 'Lookout', 'lookout', '--yes']);
  });

  test('are people unless another type is given, as in the console', async () => {
    await fine(['create', 'identity', 'typed-less']);
    assert.equal((await fine(['get', 'identity', 'typed-less', '-j'])).json.typeId, 'User');
    await fine(['create', 'identity', 'typed', '--type', 'Device']);
    assert.equal((await fine(['get', 'identity', 'typed', '-j'])).json.typeId, 'Device');
    await fine(['delete', 'identity', 'typed', 'typed-less', '--yes']);
  });

  test('are found by user name too, if none has that as its name', async () => {
    await fine(['create', 'identity', 'Rosa Parks', '--updb', 'rosa', '--password-stdin'], password);
    assert.equal((await fine(['get', 'identity', 'rosa', '-j'])).json.name, 'Rosa Parks');
    await fine(['identity', 'disable', 'rosa']);
    assert.equal((await fine(['get', 'identity', 'Rosa Parks', '-j'])).json.disabled, true);
    const nobody = await cli.run(['get', 'identity', 'parks']);
    assert.match(nobody.stderr, /^error: There is no identity "parks"\. Did you mean "Rosa Parks"\?\n/);
    await fine(['delete', 'identity', 'rosa', '--yes']);
  });

  test('are listed as a table or as JSON, with filter, limit and a note about the rest', async () => {
    for (const name of ['list-a', 'list-b', 'list-c']) await fine(['create', 'identity', name]);
    const filter = 'name contains "list-" sort by name desc';
    const table = await fine(['list', 'identities', filter, '--limit', '2']);
    assert.match(
      table.stdout,
      /^NAME +ID +TYPE +ADMIN +DISABLED +AUTH POLICY +ATTRIBUTES\nlist-c .*\nlist-b .*\n$/,
    );
    assert.match(table.stderr, /^2 of 3; all of them: --limit none\n$/);
    const json = (await fine(['list', 'identity', filter, '-j'])).json;
    assert.deepEqual(
      json.map(({ name }: { name: string }) => name),
      ['list-c', 'list-b', 'list-a'],
    );
    const refused = await cli.exits(1, ['list', 'identities', 'name === "x"']);
    assert.match(
      refused.stderr,
      /^error: The filter could not be parsed: expected at position .*\nreference: \S+\n/,
    );
    await fine(['delete', 'identity', 'list-a', 'list-b', 'list-c']);
  });

  test('are cut to the terminal by whole columns, which are named; files get all', async () => {
    const narrow = await cli.run(['list', 'identities', 'name = "root"'], { columns: 80 });
    assert.match(narrow.stdout, /^NAME +ID +TYPE +ADMIN +DISABLED +AUTH POLICY\n/);
    for (const line of narrow.stdout.split('\n')) assert.ok(line.length <= 80, line);
    assert.equal(narrow.stderr, 'No room for attributes: widen the terminal, or add -j.\n');
    const none = await cli.run(['list', 'identities', 'name = "nobody"'], { columns: 80 });
    assert.equal(none.stdout, '');
    assert.equal(none.stderr, 'There is no identity that fits the filter.\n');
    const noCa = await cli.run(['list', 'cas']);
    assert.deepEqual([noCa.stdout, noCa.stderr], ['', 'There is no CA.\n']);
    const unsorted = await cli.run(['list', 'identities', '--sort', 'colour']);
    assert.match(unsorted.stderr, /^error: The sort order could not be parsed: .* fields id, name/);
    const wide = await cli.run(['list', 'identities', 'name = "root"'], { columns: 200 });
    assert.match(wide.stdout, /ATTRIBUTES\n/);
    assert.equal(wide.stderr, '');
  });

  test('whose body the server refuses are refused with the help of the command', async () => {
    await fine(['create', 'identity', 'twice']);
    const { stderr } = await cli.exits(1, ['create', 'identity', 'twice']);
    assert.match(
      stderr,
      /^error: .*name.* already taken\.\nreference: \S+\nnext: overlay-auth create identity --help\n$/,
    );
    await fine(['delete', 'identity', 'twice']);
  });

  test('show times to the second, and the milliseconds to programs', async () => {
    assert.match((await fine(['get', 'identity', 'root'])).stdout, /\ncreatedAt +\S+T\d\d:\d\d:\d\dZ\n/);
    assert.match((await fine(['get', 'identity', 'root', '-j'])).json.createdAt, /\.\d{3}Z$/);
  });

  test('are not deleted at all if one of them does not exist', async () => {
    await fine(['create', 'identity', 'kept']);
    await cli.exits(1, ['delete', 'identity', 'kept', 'no such']);
    await fine(['get', 'identity', 'kept']);
  });

  test('get a password at once with --updb, and can log in with it', async () => {
    const secret = 'nine patient otters';
    await fine(['create', 'identity', 'otter', '--updb', '--password-stdin'], `${secret}\n`);
    await using other = commandLine();
    await exits(0, loginAs(other, 'otter', secret));
    const denied = await other.exits(4, ['list', 'identities']);
    assert.match(denied.stderr, /reference: \S+\nnext: overlay-auth whoami/);
  });

  test('without a change are not sent', async () => {
    const nothing = await cli.exits(2, ['update', 'identity', 'root']);
    assert.match(nothing.stderr, /next: overlay-auth update identity --help/);
  });
});

describe('an identity', () => {
  const secret = 'nine patient otters';
  const changed = 'ten careful herons';

  test('is disabled and enabled again', async () => {
    await fine(['create', 'identity', 'heron', '--updb', '--password-stdin'], secret);
    await using other = commandLine();
    await loginAs(other, 'heron', secret);
    assert.match(
      (await fine(['identity', 'disable', 'heron'])).stdout,
      /^Disabled heron until it is enabled;/,
    );
    await other.exits(3, ['whoami']);
    await exits(3, loginAs(other, 'heron', secret));
    await fine(['identity', 'enable', 'heron']);
    await exits(0, loginAs(other, 'heron', secret));
    await fine(['identity', 'disable', 'heron', '--minutes', '5']);
    const { disabledUntil } = (await fine(['get', 'identity', 'heron', '-j'])).json;
    assert.match(disabledUntil, /^20/);
    const until = async () => (await fine(['get', 'identity', 'heron', '-j'])).json.disabledUntil;
    const [later, latest] = [1, 2].map((days) => new Date(Date.now() + days * DAY).toISOString());
    const moved = await fine(['identity', 'disable', 'heron', '--until', later ?? '']);
    assert.equal(moved.stdout, `Disabled heron until ${later}; its sessions are ended.\n`);
    assert.equal(await until(), later);
    await fine(['update', 'identity', 'heron', '--disabled-until', latest ?? '']);
    assert.equal(await until(), latest);
    for (const time of ['2020-01-01T00:00:00Z', '9999-01-01T00:00:00Z', 'tomorrow']) {
      for (const line of [
        ['identity', 'disable', 'heron', '--until', time],
        ['update', 'identity', 'heron', '--disabled-until', time],
      ]) {
        const { code, stderr } = await cli.run(line);
        assert.equal(code, 1, time);
        assert.match(stderr, /until/i, time);
      }
    }
    assert.equal(await until(), latest);
    await fine(['update', 'identity', 'heron', '--disabled-until', '']);
    assert.equal(await until(), null);
    await fine(['update', 'identity', 'heron', '--no-disabled']);
    await exits(0, loginAs(other, 'heron', secret));
  });

  test('gets a new password, from a file too', async () => {
    const file = join(cli.cwd, 'password');
    writeFileSync(file, `${changed}\n`);
    await fine(['identity', 'set-password', 'heron', '--password-file', file]);
    await using other = commandLine();
    await exits(3, loginAs(other, 'heron', secret));
    await exits(0, loginAs(other, 'heron', changed));
    await fine(['update', 'authenticator', 'heron', '--password-stdin'], secret);
    await exits(0, loginAs(other, 'heron', secret));
  });

  test('without user name and password cannot get a new one, and the error names the way', async () => {
    await fine(['create', 'identity', 'mute']);
    const refused = await cli.exits(1, ['identity', 'set-password', 'mute', '--password-stdin'], {
      input: secret,
    });
    assert.match(refused.stderr, /next: overlay-auth create authenticator updb mute mute\n/);
  });

  test('has sessions that are listed and ended, one or all', async () => {
    await using first = commandLine();
    await using second = commandLine();
    for (const other of [first, second]) await loginAs(other, 'heron', secret);
    const { id: identityId } = (await fine(['get', 'identity', 'heron', '-j'])).json;
    const filter = `identity = "${identityId}" sort by createdAt desc limit 2`;
    const [newest] = (await fine(['list', 'api-sessions', filter, '-j'])).json;
    await fine(['delete', 'api-session', newest.id]);
    await second.exits(3, ['whoami']);
    await first.exits(0, ['whoami']);
    assert.match(
      (await fine(['identity', 'end-sessions', 'heron'])).stdout,
      /^Ended \d+ sessions? of heron\.\n$/,
    );
    await first.exits(3, ['whoami']);
  });
});

test('an external JWT signer is set up for enrollment, by options or from a file', async () => {
  const made = ['create', 'ext-jwt-signer', 'acme', 'https://idp.example.com', 'overlay'];
  const enrolling = ['--enroll-to-cert', '--enroll-name-claim', 'email', '--enroll-auth-policy', 'Default'];
  await fine([...made, '--jwks-endpoint', 'https://idp.example.com/keys', ...enrolling]);
  const signer = async () => (await fine(['get', 'ext-jwt-signer', 'acme', '-j'])).json;
  const first = await signer();
  assert.deepEqual(
    [
      first.enrollToCertEnabled,
      first.enrollToTokenEnabled,
      first.enrollNameClaimsSelector,
      first.enrollAuthPolicyId,
    ],
    [true, false, 'email', 'default'],
  );
  writeFileSync(
    join(cli.cwd, 'signer.yaml'),
    'enrollToTokenEnabled: true\nenrollAttributeClaimsSelector: groups\n',
  );
  await fine(['update', 'ext-jwt-signer', 'acme', '--no-enroll-to-cert', '--file', 'signer.yaml']);
  const second = await signer();
  assert.deepEqual(
    [second.enrollToCertEnabled, second.enrollToTokenEnabled, second.enrollAttributeClaimsSelector],
    [false, true, 'groups'],
  );
  await fine(['delete', 'ext-jwt-signer', 'acme']);
});

test("sessions are revoked by their owner's name, and so is the revocation found", async () => {
  await fine(['create', 'identity', 'grace h']);
  const { id } = (await fine(['get', 'identity', 'grace h', '-j'])).json;
  await fine(['create', 'revocation', 'IDENTITY', 'grace h']);
  assert.equal((await fine(['get', 'revocation', 'grace h', '-j'])).json.id, id);
  assert.equal((await fine(['get', 'revocation', id, '-j'])).json.type, 'IDENTITY');
  await fine(['create', 'authenticator', 'updb', 'grace h', 'gh', '--password-stdin'], password);
  assert.equal((await fine(['get', 'revocation', 'gh', '-j'])).json.id, id);
  const events = await fine(['export', 'audit', '--person', 'gh']);
  assert.match(events.stdout, new RegExp(`"identityId":"${id}"`));
  const none = await fine(['export', 'audit', '--person', 'grace j']);
  assert.match(none.stderr, /There is no identity "grace j"\. Did you mean "grace h"\?\n0 events\n/);
  await fine(['delete', 'revocation', 'grace h']);
  await cli.exits(1, ['get', 'revocation', 'grace h']);
  const unknown = await cli.run(['create', 'revocation', 'IDENTITY', 'nobody']);
  assert.match(
    unknown.stderr,
    /^error: There is no identity "nobody"\.\nnext: overlay-auth list identities\n$/,
  );
  await fine(['create', 'revocation', 'JTI', 'some-jti']);
  await fine(['delete', 'revocation', 'some-jti']);
});

test('processes that need a new access token at the same time use a refresh token once', async () => {
  await using box = sandbox();
  await using owner = commandLine();
  await loginAs(owner, 'root');
  const file = join(owner.configDir, 'credentials.json');
  const saved = JSON.parse(readFileSync(file, 'utf8'));
  const before = saved.logins[saved.current].refreshToken;
  saved.logins[saved.current].accessTokenExpiresAt = 0;
  writeFileSync(file, JSON.stringify(saved));
  const env = { OVERLAY_AUTH_CONFIG_DIR: owner.configDir };
  const all = await Promise.all([1, 2, 3].map(() => box.start(['whoami', '-j'], { env }).finished));
  for (const { code, stderr } of all) assert.equal(code, 0, stderr);
  assert.notEqual(JSON.parse(readFileSync(file, 'utf8')).logins[saved.current].refreshToken, before);
});
