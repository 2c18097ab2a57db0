import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { defaultAuthPolicyId } from '../../src/model/ids.ts';
import { DAY } from '../../src/platform/clock.ts';
import { parseCertificate } from '../../src/platform/x509/x509.ts';
import { enrolled, submitCertificate, withCertificate } from '../support/certificates.ts';
import { exits } from '../support/command-line.ts';
import { createIdentity } from '../support/external-jwt.ts';
import { beginLogin, submitPassword } from '../support/flow.ts';
import { listOf } from '../support/list-budget.ts';
import { password } from '../support/management.ts';
import { logInAs, serverOfRoot } from './support.ts';

const { server, cli } = await serverOfRoot();

const fine = (...args: readonly string[]) => cli.exits(0, args);

const policy = async (name: string) => (await fine('get', 'auth-policy', name, '-j')).json;

describe('auth policies', () => {
  test('are created with options, changed, listed, given to identities and deleted', async () => {
    await fine('create', 'auth-policy', 'staff', '--require-totp', '--no-cert', '--max-attempts', '7');
    const created = await policy('staff');
    assert.equal(created.secondary.requireTotp, true);
    assert.equal(created.primary.cert.allowed, false);
    assert.equal(created.primary.updb.allowed, true);
    assert.equal(created.primary.updb.maxAttempts, 7);
    assert.match(
      (await fine('list', 'auth-policies')).stdout,
      /^staff +\S+ +password, ext-jwt +yes +- +7 +-$/m,
    );

    const read = (await fine('get', 'auth-policy', 'staff')).stdout;
    assert.match(read, /^primary\.cert\.allowed +no\n/m);
    assert.match(read, /^primary\.updb\.maxAttempts +7\n/m);

    await fine('update', 'auth-policy', 'staff', '--must-change-after', '90d');
    assert.match(
      (await fine('get', 'auth-policy', 'staff')).stdout,
      /^primary\.updb\.mustChangeAfter +90d\n/m,
    );
    await fine('update', 'auth-policy', 'staff', '--must-change-after', '');
    await fine('update', 'auth-policy', 'staff', '--no-require-totp', '--no-password', '--name', 'crew');
    const changed = await policy('crew');
    assert.equal(changed.secondary.requireTotp, false);
    assert.equal(changed.primary.updb.allowed, false);
    assert.equal(changed.primary.updb.maxAttempts, 7);

    await fine('create', 'identity', 'sailor', '--auth-policy', 'crew');
    const kept = await cli.exits(1, ['delete', 'auth-policy', 'crew']);
    assert.match(kept.stderr, /Identities have this policy/);
    await fine('update', 'identity', 'sailor', '--auth-policy', 'default');
    await fine('delete', 'auth-policy', 'crew');
  });

  test('name external JWT signers by name or id', async () => {
    for (const name of ['one idp', 'other-idp'])
      await fine(
        'create',
        'ext-jwt-signer',
        name,
        `https://${name.length}.example`,
        'x',
        '--jwks-endpoint',
        'https://idp.example/keys',
      );
    const ids = [];
    for (const name of ['one idp', 'other-idp'])
      ids.push((await fine('get', 'ext-jwt-signer', name, '-j')).json.id);
    await fine(
      'create',
      'auth-policy',
      'signed',
      '--allowed-signers',
      `one idp, ${ids[1]}`,
      '--require-ext-jwt',
      'one idp',
    );
    const { primary, secondary } = await policy('signed');
    assert.deepEqual(primary.extJwt.allowedSigners, ids);
    assert.equal(secondary.requireExtJwt, ids[0]);
    const unknown = await cli.exits(1, ['update', 'auth-policy', 'signed', '--allowed-signers', 'one-idp']);
    assert.match(unknown.stderr, /There is no ext JWT signer "one-idp"/);
    await fine('delete', 'auth-policy', 'signed');
    await fine('delete', 'ext-jwt-signer', 'one idp', 'other-idp', '--yes');
  });

  test('come from a file, in YAML or JSON; options take precedence', async () => {
    const yaml = join(cli.cwd, 'policy.yaml');
    writeFileSync(yaml, 'primary:\n  updb: { minPasswordLength: 20 }\nsecondary: { requireTotp: true }\n');
    await fine('create', 'auth-policy', 'filed', '--file', yaml, '--no-require-totp');
    const created = await policy('filed');
    assert.equal(created.primary.updb.minPasswordLength, 20);
    assert.equal(created.secondary.requireTotp, false);
    const json = join(cli.cwd, 'policy.json');
    writeFileSync(json, JSON.stringify({ primary: { updb: { maxAttempts: 3 } } }));
    await fine('update', 'auth-policy', 'filed', '--file', json);
    assert.equal((await policy('filed')).primary.updb.maxAttempts, 3);
    for (const content of ['- a list', 'a: [', 'text', 'a: 1\na: 2']) {
      writeFileSync(yaml, content);
      await cli.exits(2, ['update', 'auth-policy', 'filed', '--file', yaml]);
    }
  });

  test('with a mistyped rule are refused, with the name that was meant', async () => {
    const yaml = join(cli.cwd, 'mistyped.yaml');
    for (const [content, unknown, meant] of [
      ['secondary: { requireTOTP: true }', 'secondary.requireTOTP', 'requireTotp'],
      ['secondry: { requireTotp: true }', 'secondry', 'secondary'],
    ] as const) {
      writeFileSync(yaml, content);
      for (const args of [
        ['create', 'auth-policy', 'mistyped'],
        ['update', 'auth-policy', 'default'],
      ]) {
        const refused = await cli.exits(1, [...args, '--file', yaml]);
        const said = `${unknown} is not known here: the nearest known name is ${meant}`;
        assert.ok(refused.stderr.includes(said), refused.stderr);
      }
    }
    assert.doesNotMatch((await fine('list', 'auth-policies')).stdout, /mistyped/);
    assert.equal((await policy('default')).secondary.requireTotp, false);
  });

  test('that would lock the last administrator out need --force', async () => {
    const refused = await cli.exits(1, ['update', 'auth-policy', 'default', '--no-password']);
    assert.match(
      refused.stderr,
      /would leave no administrator who can log in\.\nreference: .*\nnext: .* --force\n$/,
    );
    const trial = ['update', 'auth-policy', 'default', '--no-password', '--dry-run'];
    const tried = await cli.exits(1, trial);
    assert.match(
      tried.stdout,
      /no longer log in: +\d+ \(.*root.*\nNot possible: This change would leave no administrator who can log in\.\n$/,
    );
    assert.match(tried.stderr, /Nothing was changed\.[\s\S]*--force\n$/);
    const forced = await fine(...trial, '--force');
    assert.match(forced.stdout, /no longer log in: +\d+ \(.*root.*\n$/);
    const before = await server.store.authPolicies.find(defaultAuthPolicyId);
    assert.ok(before);
    await fine('update', 'auth-policy', 'default', '--no-password', '--force');
    // It applies from the next call on, also to the caller who forced it.
    const shutOut = await cli.exits(3, ['list', 'identities']);
    assert.match(shutOut.stderr, /session of root .* is over/);
    await server.store.authPolicies.update(
      defaultAuthPolicyId,
      { primary: before.primary },
      server.clock.now(),
    );
    await exits(0, logInAs(cli, server, 'root'));
  });
});

test('disabling the last administrator needs --force, which is named as it is typed', async () => {
  const refused = await cli.exits(1, ['identity', 'disable', 'root']);
  assert.match(
    refused.stderr,
    /^error: This change would leave no administrator who can log in\.\n.*\nnext: create .*, or add --force\n$/,
  );
  const each = ['identity', 'each', 'disable', '--filter', 'name = "root"'];
  const one = ['update', 'identity', 'root', '--no-admin'];
  for (const command of [each, one]) {
    const tried = await cli.exits(1, [...command, '--dry-run']);
    assert.match(tried.stdout, /Not possible: This change would leave no administrator who can log in\.\n$/);
    assert.match(tried.stderr, /^error: This is not possible.*\nnext: create .*, or add --force\n$/);
    assert.doesNotMatch((await fine(...command, '--dry-run', '--force')).stdout, /Not possible/);
    const { json, stderr } = await cli.exits(1, [...command, '--dry-run', '-j']);
    assert.match(json.objection, /no administrator/);
    assert.equal(JSON.parse(stderr).error.code, 'CONFLICT');
  }
  await fine('identity', 'disable', 'root', '--minutes', '1', '--force');
  const root = { op: '=', field: 'name', value: 'root' } as const;
  const { items } = await server.store.identities.list(listOf(root));
  const { id } = items[0] ?? assert.fail();
  await server.store.identities.update(id, { disabledAt: null, disabledUntil: null }, server.clock.now());
  await exits(0, logInAs(cli, server, 'root'));
});

describe('an identity', () => {
  test('is unlocked', async () => {
    const id = await server.createUser({ name: 'locked', password });
    await fine('update', 'auth-policy', 'default', '--max-attempts', '1');
    const attempt = async (secret: string) =>
      (await submitPassword(server, await beginLogin(server), 'locked', secret)).status;
    assert.equal(await attempt('wrong'), 401);
    assert.equal(await attempt(password), 401);
    assert.match(
      (await fine('get', 'identity', 'locked')).stdout,
      /^lockedUntil +password until \d{4}-\S+Z$/m,
    );
    assert.equal((await fine('identity', 'unlock', id)).stdout, 'Unlocked locked.\n');
    assert.match((await fine('get', 'identity', 'locked')).stdout, /^lockedUntil +-$/m);
    assert.equal(await attempt(password), 302);
    await fine('update', 'auth-policy', 'default', '--max-attempts', '10');
  });

  test('loses its authenticator app with reset-mfa, if it has one', async () => {
    const identityId = await server.createUser({ name: 'phone lost', password });
    const none = await cli.exits(1, ['identity', 'reset-mfa', 'phone lost']);
    assert.match(none.stderr, /has no authenticator app/);
    const now = server.clock.now();
    const pending = { identityId, sealedSeed: 'x', recoveryHashes: [], expiresAt: now + 60_000 };
    await server.store.totp.start('flow', pending, now);
    await server.store.totp.verify('flow', { sealedSeed: 'x', step: 1, now });
    await fine('identity', 'reset-mfa', 'phone lost');
    assert.equal(await server.store.totp.find(identityId), null);
  });
});

describe('explain', () => {
  test('shows each check, the one that failed, and what to do', async () => {
    await server.createUser({ name: 'puzzled', password });
    const refused = await submitPassword(server, await beginLogin(server), 'puzzled', 'wrong');
    const reference: string = refused.json.error.requestId;
    const { stdout } = await fine('explain', reference.toLowerCase());
    assert.match(stdout, /^puzzled: password refused, 20\S+Z, from 127\.0\.0\.1\n/);
    assert.match(stdout, /\n {2}✓ passed {2}user name known: puzzled\n/);
    assert.match(stdout, /\n {2}✗ failed {2}password\n/);
    assert.match(
      stdout,
      /\nWhat happened: .*password was wrong\.\nWhat to do: {4}.+\n {15}overlay-auth identity set-password \S+\n$/,
    );
    const env = { OVERLAY_AUTH_COMMAND: './overlay-auth' };
    const ofClone = await cli.run(['explain', reference], { env });
    assert.match(ofClone.stdout, /\n {15}\.\/overlay-auth identity set-password \S+\n$/);
    const { json } = await fine('explain', reference, '-j');
    assert.equal(json.attempts[0].reason, 'wrong-password');
  });

  test('shows which certificate has expired: its end, serial number and fingerprint', async () => {
    const leaf = await enrolled(server, await createIdentity(server, 'late'), {
      from: -2 * DAY,
      until: -DAY,
    });
    const connection = withCertificate(server, leaf);
    const refused = await submitCertificate(connection);
    connection.closeConnections();
    const { validToDate, serialNumber, fingerprint256 } = parseCertificate(leaf.certPem);
    const seen = [
      ['end of the certificate', validToDate.toISOString()],
      ['serial number of the certificate', serialNumber.toLowerCase()],
      ['fingerprint of the certificate', fingerprint256],
    ] as const;
    const { json } = await fine('explain', refused.json.error.requestId, '-j');
    const [{ reason, checks }] = json.attempts;
    assert.equal(reason, 'certificate-expired');
    assert.deepEqual(
      checks.slice(-3),
      seen.map(([check, saw]) => ({ check, verdict: 'seen', saw })),
    );
    const { stdout } = await fine('explain', refused.json.error.requestId);
    for (const [check, saw] of seen) assert.ok(stdout.includes(`${check}: ${saw}\n`), stdout);
  });

  test("never lets a stranger's text look like a line of its own", async () => {
    const name = 'x\n  ✓ passed  password';
    const refused = await submitPassword(server, await beginLogin(server), name, 'wrong');
    const { stdout } = await fine('explain', refused.json.error.requestId);
    assert.ok(!stdout.includes('\n  ✓'), stdout);
  });

  test('exits with 1 when no refused request has the reference id', async () => {
    const unknown = await cli.exits(1, ['explain', '0000000000']);
    assert.match(unknown.stderr, /^error: There is no refused request with this reference id/);
  });
});
