import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { findAdministrator } from '../../src/admin/recover-administrator.ts';
import { type AuthPolicyId, asId, defaultAuthPolicyId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { newIdentity, newPassword } from '../store/fixtures.ts';
import { clientOfHome, sandbox, untilReady } from '../support/command.ts';
import { beginLogin, login, refresh, submitPassword } from '../support/flow.ts';
import { listOf } from '../support/list-budget.ts';
import { userNamed } from '../support/names.ts';

const password = 'tall tree bakery 41';
const other = 'quiet river lantern 7';

/** Where a controller runs. Each test has administrators of its own there. */
const box = sandbox();

await box.home('.overlay', 'localhost:0');
const run = box.start(['run', 'controller', '.overlay/controller.yml', '--log-format', 'json']);
const client = clientOfHome((await untilReady(run)).url, join(box.cwd, '.overlay'));
after(async () => {
  client?.closeConnections();
  await box.close();
});

describe('admin create', () => {
  test('beside a running controller: the administrator can log in at once', async () => {
    const made = await box.exits(0, ['admin', 'create', 'ana', '--password-stdin'], {
      input: `${password}\n`,
    });
    assert.equal(made.stdout, 'Created the administrator ana.\n');
    assert.match(made.stderr, /^next: overlay-auth login https:\/\/localhost:\d+ -u ana\n$/);
    assert.ok((await login(client, 'ana', password)).access_token);
    const log = readFileSync(join(box.cwd, '.overlay', 'controller.log'), 'utf8');
    assert.match(log, /command="admin create" operator=\S+ event=admin\.changed action=create/);
    assert.ok(!log.includes(password));
  });

  test('offline, from a file, and never twice with one name', async () => {
    await using box = sandbox();
    await box.home('.overlay');
    writeFileSync(join(box.cwd, 'pw'), password);
    const made = await box.exits(0, ['admin', 'create', 'ana', '--password-file', 'pw', '-j']);
    assert.equal(JSON.parse(made.stdout).name, 'ana');
    for (const name of ['ana', 'ANA']) {
      const again = await box.exits(1, ['admin', 'create', name, '--password-file', 'pw']);
      assert.match(again.stderr, /already\.\nnext: overlay-auth admin recover /i);
    }
  });

  test('hashes a password at the configured cost', async () => {
    await using box = sandbox();
    await box.home('.overlay');
    const file = join(box.cwd, '.overlay', 'controller.yml');
    const cost = 'passwordHash: { memory: 20MiB, passes: 3, lanes: 1 }';
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('  loginAttempts:', `  ${cost}\n  loginAttempts:`),
    );
    await box.exits(0, ['admin', 'create', 'ana', '--password-stdin'], { input: password });
    await using database = new DatabaseSync(join(box.cwd, '.overlay', 'overlay.db'), { readOnly: true });
    const row = database.prepare("SELECT password_hash FROM authenticators WHERE method = 'updb'").get();
    assert.match(String(row?.password_hash), /^\$argon2id\$v=19\$m=20480,t=3,p=1\$/);
  });

  test('refuses passwords that break the rules, and impossible names', async () => {
    await using box = sandbox();
    await box.home('.overlay');
    const refusals: [string, string, number, RegExp][] = [
      ['ana', 'short', 1, /at least 12 are needed/],
      ['ana', 'password1234', 1, /not acceptable/],
      ['ana', '', 2, /The password is empty/],
      [' ', password, 1, /cannot be a user name/],
      ['a\u202eb', password, 1, /cannot be a user name/],
    ];
    for (const [name, input, code, text] of refusals) {
      const refused = await box.run(['admin', 'create', name, '--password-stdin'], { input });
      assert.equal(refused.code, code, refused.stderr);
      assert.match(refused.stderr, text);
    }
    const nobodyToAsk = await box.exits(2, ['admin', 'create', 'ana']);
    assert.match(nobodyToAsk.stderr, /--password-stdin/);
  });

  test('--link prints a link; creating an administrator withdraws it', async () => {
    const made = await box.exits(0, ['admin', 'create', '--link']);
    const { pathname, search } = new URL(made.stdout.trim());
    const show = () => client.get(`${pathname}${search}`, { headers: { accept: 'text/html' } });
    assert.equal((await show()).status, 200);
    const log = readFileSync(join(box.cwd, '.overlay', 'controller.log'), 'utf8');
    assert.match(log, /command="admin create" operator=\S+ event=setup\.link-created expiresAt=/);
    assert.ok(!log.includes(search.slice(3)));
    await box.run(['admin', 'create', 'bob', '--password-stdin'], { input: password });
    assert.equal((await show()).status, 410);
  });
});

describe('admin recover', () => {
  test('gives a new password and ends every earlier session', async () => {
    await box.run(['admin', 'create', 'cleo', '--password-stdin'], { input: password });
    const tokens = await login(client, 'cleo', password);
    const recovered = await box.exits(0, ['admin', 'recover', 'cleo', '--password-stdin'], { input: other });
    assert.match(recovered.stdout, /^cleo has a new password, is enabled and was signed out everywhere\./);
    assert.equal((await submitPassword(client, await beginLogin(client), 'cleo', password)).status, 401);
    assert.ok((await login(client, 'cleo', other)).access_token);
    assert.equal((await refresh(client, tokens.refresh_token)).status, 400);
  });

  test('removes a lost authenticator app, and says what the next login asks for', async () => {
    await using box = sandbox();
    await box.home('.overlay');
    await box.run(['admin', 'create', 'ana', '--password-stdin'], { input: password });
    const now = systemClock.now();
    const inStore = async (
      work: (store: Awaited<ReturnType<typeof openSqliteStore>>) => Promise<unknown>,
    ) => {
      const store = await openSqliteStore({ path: join(box.cwd, '.overlay', 'overlay.db') });
      await work(store);
      await store.close();
    };
    const recover = async (...more: string[]) =>
      (await box.exits(0, ['admin', 'recover', 'ana', '--password-stdin', ...more], { input: other })).stderr;
    const lost = /The next login also asks for a code of the authenticator app; .* --reset-totp/;
    const toBeSetUp = /also asks for an authenticator app, to be set up then/;
    assert.doesNotMatch(await recover(), /also asks for/);
    await inStore(async ({ authenticators, totp }) => {
      const login = await authenticators.findPasswordLogin(userNamed('ana').usernameKey);
      assert.ok(login);
      const { id: identityId } = login.identity;
      const begun = { identityId, sealedSeed: 'seed', recoveryHashes: [], expiresAt: now + 60_000 };
      await totp.start('flow', { ...begun, replaces: undefined }, now);
      assert.ok(await totp.verify('flow', { sealedSeed: 'seed', step: 1, now, replaces: false }));
    });
    assert.match(await recover(), lost);
    await inStore(async ({ authPolicies }) => {
      const policy = await authPolicies.find(defaultAuthPolicyId);
      assert.ok(policy);
      const secondary = { ...policy.secondary, requireTotp: true, requirePasskey: true };
      await authPolicies.update(policy.id, { ...policy, secondary }, now);
    });
    assert.match(await recover(), lost);
    const reset = await recover('--reset-totp');
    assert.match(reset, toBeSetUp);
    assert.match(reset, /also asks for a passkey, to be added then/);
    assert.match(await recover(), toBeSetUp);
    const log = readFileSync(join(box.cwd, '.overlay', 'controller.log'), 'utf8');
    assert.match(log, /command="admin recover".*"mfa"/);
  });

  test('lets an administrator in again whose policy allows no password or asks for what cannot be had', async () => {
    await box.run(['admin', 'create', 'fay', '--password-stdin'], { input: password });
    const now = systemClock.now();
    const store = await openSqliteStore({ path: join(box.cwd, '.overlay', 'overlay.db') });
    const usual = await store.authPolicies.find(defaultAuthPolicyId);
    assert.ok(usual);
    const certOnly = { ...usual.primary, updb: { ...usual.primary.updb, allowed: false } };
    const hard = { ...usual, id: asId<AuthPolicyId>('hard'), name: typedName('hard'), primary: certOnly };
    await store.authPolicies.create(hard, now);
    const fay = await findAdministrator({ store }, 'fay');
    assert.ok(fay);
    await store.identities.update(fay.id, { authPolicyId: hard.id }, now);
    const recover = (code: number, ...more: string[]) =>
      box.exits(code, ['admin', 'recover', 'fay', '--password-stdin', ...more], { input: other });
    assert.match((await recover(1)).stderr, /"hard" allows no login with a password.* --own-policy/);
    const { stdout, stderr } = await recover(0, '--own-policy');
    assert.match(stdout, /^fay has a new password/);
    assert.match(
      stderr,
      /^fay has the auth policy "recovery 2[^"]+" now, which allows passwords and requires/m,
    );
    assert.ok((await login(client, 'fay', other)).access_token);
    const secondary = { ...usual.secondary, requirePasskey: true };
    const own = (await store.identities.find(fay.id))?.authPolicyId ?? hard.id;
    await store.authPolicies.update(own, { secondary }, now);
    assert.match((await recover(0)).stderr, /a passkey, to be added then; without one, .* --own-policy/);
    assert.doesNotMatch((await recover(0, '--own-policy')).stderr, /also asks for/);
    await store.close();
    const log = readFileSync(join(box.cwd, '.overlay', 'controller.log'), 'utf8');
    assert.match(log, /command="admin recover".* action=create entity=auth-policy/);
    assert.match(log, /command="admin recover".*"authPolicyId"/);
  });

  test('withdraws usable set-up links', async () => {
    await box.run(['admin', 'create', 'dora', '--password-stdin'], { input: password });
    const { stdout } = await box.run(['admin', 'create', 'dora', '--link']);
    const { pathname, search } = new URL(stdout.trim());
    const show = () => client.get(`${pathname}${search}`, { headers: { accept: 'text/html' } });
    assert.equal((await show()).status, 200);
    await box.exits(0, ['admin', 'recover', 'dora', '--password-stdin'], { input: other });
    assert.equal((await show()).status, 410);
    const form = { t: search.slice(3), username: 'eve', password: other, repeated: other };
    assert.equal((await client.post(pathname, { form })).status, 410);
  });

  test('prefers an administrator to another person with that user name', async () => {
    await using box = sandbox();
    await box.home('.overlay');
    await box.run(['admin', 'create', 'ana', '--password-stdin'], { input: password });
    const path = join(box.cwd, '.overlay', 'overlay.db');
    const store = await openSqliteStore({ path });
    const ana = await findAdministrator({ store }, 'ana');
    assert.ok(ana);
    // The administrator's name stays ana, with another user name; another person takes ana as theirs.
    const { items } = await store.authenticators.list(
      listOf({ op: '=', field: 'identityId', value: ana.id }),
    );
    const when = { now: systemClock.now() };
    await store.authenticators.updatePassword(asId(items[0]?.id ?? ''), userNamed('chief'), when);
    await store.identities.create(
      newIdentity({ name: typedName('ordinary') }),
      newPassword('ordinary'),
      systemClock.now(),
    );
    // As in a database from before names were one namespace.
    const database = new DatabaseSync(path);
    database.exec(
      `UPDATE authenticators SET username = 'ana', username_key = 'ana' WHERE username = 'ordinary'`,
    );
    database.close();
    for (const typed of ['ana', ' ana\u00a0'])
      assert.equal((await findAdministrator({ store }, typed))?.id, ana.id, JSON.stringify(typed));
    assert.equal((await findAdministrator({ store }, 'chief'))?.id, ana.id);
    assert.equal((await findAdministrator({ store }, 'ordinary'))?.isAdmin, false);
    await store.close();
    const recovered = await box.exits(0, ['admin', 'recover', 'ana', '--password-stdin', '-j'], {
      input: other,
    });
    assert.deepEqual(
      [JSON.parse(recovered.stdout).id, JSON.parse(recovered.stdout).username],
      [ana.id, 'chief'],
    );
  });

  test('knows administrators only', async () => {
    await using box = sandbox();
    await box.home('.overlay');
    const { stderr } = await box.exits(1, ['admin', 'recover', 'nobody', '--password-stdin'], {
      input: other,
    });
    assert.match(
      stderr,
      /There is no identity with the name "nobody"\.\nnext: overlay-auth admin create nobody/,
    );
  });
});
