import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { tryFileLock } from '../../src/platform/file-lock.ts';
import { sandbox } from '../support/command.ts';
import { exits } from '../support/command-line.ts';
import { addMailPassword, mailSection, startSmtpReceiver } from '../support/smtp-receiver.ts';
import { testPki } from '../support/test-pki.ts';

describe('config', () => {
  test('validate accepts the file that init writes, and names files that it lacks', async () => {
    await using box = sandbox();
    await box.home('h');
    const fine = await box.run(['config', 'validate', 'h/controller.yml']);
    assert.deepEqual(fine, { code: 0, stdout: 'h/controller.yml is valid.\n', stderr: '' });
    const json = await box.run(['config', 'validate', 'h/controller.yml', '-j']);
    assert.deepEqual(JSON.parse(json.stdout), { valid: true, adjustments: [], warnings: [] });

    rmSync(join(box.cwd, 'h', 'pki', 'ca-bundle.pem'));
    const { stderr } = await box.exits(1, ['config', 'validate', 'h/controller.yml']);
    assert.match(stderr, /h\/controller\.yml:\d+:1: identity\.ca: .*ca-bundle\.pem does not exist/);
  });

  test('validate reports every problem with line and column', async () => {
    await using box = sandbox();
    await box.home('h');
    const file = join(box.cwd, 'h', 'controller.yml');
    const yaml = readFileSync(file, 'utf8');
    writeFileSync(file, yaml.replace('v: 3', 'v: 4').replace('idleTimeout: 5s', 'idleTimeout: soon'));
    const { stdout, stderr } = await box.exits(1, ['config', 'validate', 'h/controller.yml']);
    assert.equal(stdout, '');
    assert.match(stderr, /h\/controller\.yml:\d+:\d+: v: /);
    assert.match(stderr, /h\/controller\.yml:\d+:\d+: web\[0\]\.options\.idleTimeout: /);
    assert.match(stderr, /2 problems/);
    const json = await box.run(['config', 'validate', 'h/controller.yml', '-j']);
    assert.equal(JSON.parse(json.stderr).error.code, 'config');
  });

  test('validate says beforehand which passkeys end with another host name, or another domain for them', async () => {
    await using box = sandbox();
    await box.home('h', 'old.example.com:1280');
    const file = join(box.cwd, 'h', 'controller.yml');
    const yaml = readFileSync(file, 'utf8');
    const database = new DatabaseSync(join(box.cwd, 'h', 'overlay.db'));
    const execute = (sql: string) => database.exec(sql);
    const passkey = (id: string, rpId: string) =>
      execute(`INSERT INTO passkeys (id, identity_id, name, rp_id, credential_id, public_key, counter, aaguid, transports,
        is_discoverable, is_backup_eligible, is_backed_up, created_at)
        VALUES ('${id}', 'somebody', 'Key', '${rpId}', '${id}', '', 0, '', '[]', 1, 0, 0, 0)`);
    execute('PRAGMA foreign_keys = OFF');
    passkey('one', 'old.example.com');
    passkey('two', 'old.example.com');
    const warnings = async (text: string) => {
      writeFileSync(file, text);
      const { stdout } = await box.exits(0, ['config', 'validate', 'h/controller.yml', '-j']);
      const all: readonly string[] = JSON.parse(stdout).warnings;
      return all.filter((warning) => warning.startsWith('passkeys end'));
    };
    assert.deepEqual(await warnings(yaml), []);
    const moved = yaml.replaceAll('old.example.com', 'new.example.com');
    const domain = '  passkeys:\n    rpId: example.com\n';
    const withDomain = yaml.replace(/^ {2}# passkeys:\n/m, domain);
    for (const changed of [moved, withDomain]) {
      const [warning = '', ...more] = await warnings(changed);
      assert.match(warning, /^passkeys end: 2 belong to old\.example\.com/);
      assert.deepEqual(more, []);
    }
    // Where the domain was shared from the beginning, a host below it may change.
    execute("UPDATE passkeys SET rp_id = 'example.com'");
    assert.deepEqual(await warnings(moved.replace(/^ {2}# passkeys:\n/m, domain)), []);
    // Another node still serves the host.
    execute("UPDATE passkeys SET rp_id = 'old.example.com'");
    execute(`INSERT INTO nodes (id, name, address, api_addresses, version, created_at, started_at, last_seen_at, key_ids)
      VALUES ('n', 'another', 'old.example.com:1280',
        '[{"binding":"edge-oidc","url":"https://old.example.com:1280/oidc","version":"v1"}]', '1', 0, 0, 0, '[]')`);
    assert.deepEqual(await warnings(moved), []);
    execute('UPDATE nodes SET left_at = 1');
    assert.equal((await warnings(moved)).length, 1);
    database.close();
  });

  test('show prints every value in force and where it comes from', async () => {
    await using box = sandbox();
    await box.home('h');
    const env = { OVERLAY_AUTH_DB: 'sqlite:./elsewhere.db' };
    const { stdout } = await box.exits(0, ['config', 'show', 'h/controller.yml', '--origin'], { env });
    assert.match(stdout, /^db: .*elsewhere\.db {2}# environment variable OVERLAY_AUTH_DB$/m);
    assert.match(stdout, /sessionTimeout: 30m {2}# h\/controller\.yml:\d+$/m);
    const plain = await box.run(['config', 'show', 'h/controller.yml']);
    assert.doesNotMatch(plain.stdout, / # /);
    const json = JSON.parse((await box.run(['config', 'show', 'h/controller.yml', '-j'])).stdout);
    assert.equal(json.v, 3);
  });

  test('schema prints a JSON Schema', async () => {
    await using box = sandbox();
    const { stdout } = await box.exits(0, ['config', 'schema']);
    assert.ok(JSON.parse(stdout).properties.web);
  });

  test('tune-hash proposes what a hash may cost here, never less than the minimum', async () => {
    await using box = sandbox();
    const { stdout } = await box.exits(0, ['config', 'tune-hash', '--time', '1ms', '-j']);
    const { passwordHash, tookMillis, threads } = JSON.parse(stdout);
    // No machine computes even the least hash in a millisecond.
    assert.deepEqual(passwordHash, { memory: '19MiB', passes: 2, lanes: 1 });
    assert.ok(tookMillis > 1);
    assert.ok(threads >= 1);
    const printed = await box.run(['config', 'tune-hash', '--time', '1ms']);
    assert.match(printed.stdout, /^edge:\n {2}passwordHash:\n {4}memory: 19MiB\n/);
    assert.match(printed.stdout, /nothing weaker is accepted/);
    for (const time of ['', '5', '0s', '11s', 'soon', '-1s']) {
      const refused = await box.run(['config', 'tune-hash', `--time=${time}`]);
      assert.equal(refused.code, 2, time);
      assert.match(refused.stderr, /--time/, time);
    }
  });
});

describe('ops db', () => {
  test('backup copies a database that can be used, and never replaces a file', async () => {
    await using box = sandbox();
    const env = { OVERLAY_AUTH_HOME: 'h' };
    await box.home('h');
    const made = await box.exits(0, ['ops', 'db', 'backup', 'copy.db'], { env });
    assert.equal(made.stdout, 'Copied the database to copy.db.\n');
    const again = await box.exits(1, ['ops', 'db', 'backup', 'copy.db'], { env });
    assert.match(again.stderr, /copy\.db exists already/);
    const nowhere = await box.exits(1, ['ops', 'db', 'backup', 'nowhere/b.db'], { env });
    assert.match(nowhere.stderr, /\/nowhere cannot be used: it does not exist\.\n/);
    const check = await box.run(['ops', 'db', 'check'], {
      env: { ...env, OVERLAY_AUTH_DB: `sqlite:${join(box.cwd, 'copy.db')}` },
    });
    assert.deepEqual(check, { code: 0, stdout: 'The database is sound.\n', stderr: '' });
    const database = new DatabaseSync(join(box.cwd, 'copy.db'));
    database.exec(`
      INSERT INTO identities (id, name, type, auth_policy_id, is_admin, role_attributes, tags, created_at, updated_at)
        VALUES ('1', 'Rita', 'User', 'default', 0, '[]', '{}', 0, 0), ('2', 'rita', 'User', 'default', 0, '[]', '{}', 0, 0);
      INSERT INTO names (identity_id, kind, key) VALUES ('1', 'name', 'rita'), ('2', 'name', 'rita')`);
    database.close();
    const alike = await box.run(['ops', 'db', 'check'], {
      env: { ...env, OVERLAY_AUTH_DB: `sqlite:${join(box.cwd, 'copy.db')}` },
    });
    assert.deepEqual(alike, {
      code: 0,
      stdout: 'The database is sound.\nThese names pass for one another: Rita, rita\n',
      stderr: '',
    });
    const ofHost = { env: { ...env, OVERLAY_AUTH_DB: `sqlite:${join(box.cwd, 'copy.db')}` } };
    const args = ['status', '--config', 'h/controller.yml'];
    assert.deepEqual(JSON.parse((await box.run([...args, '-j'], ofHost)).stdout).namesAlike, [
      ['Rita', 'rita'],
    ]);
    assert.match((await box.run(args, ofHost)).stdout, /\nThese names pass for one another: Rita, rita\n$/);
    const none = await box.exits(1, ['ops', 'db', 'check'], {
      env: { ...env, OVERLAY_AUTH_DB: 'sqlite:./none.db' },
    });
    assert.match(
      none.stderr,
      /^error: There is no database at .*none\.db\.\nnext: correct db in the configuration;.*\n$/,
    );
    const migrate = await box.run(['ops', 'db', 'migrate', '-j'], { env });
    assert.equal(typeof JSON.parse(migrate.stdout).schemaVersion, 'number');
  });
});

describe('pki', () => {
  test('show lists the certificates with their expiry', async () => {
    await using box = sandbox();
    await box.home('h');
    const { stdout } = await box.exits(0, ['pki', 'show', '--config', 'h/controller.yml', '-j']);
    const certificates = JSON.parse(stdout);
    assert.deepEqual(
      certificates.map(({ use }: { use: string }) => use),
      ['trusted', 'trusted', 'signs clients', 'server'],
    );
    assert.ok(certificates.every(({ daysLeft }: { daysLeft: number }) => daysLeft > 300));
  });

  test('renew keeps the key, so that enrollment JWTs stay good, unless another one is wanted', async () => {
    await using box = sandbox();
    await box.home('h');
    const key = () => readFileSync(join(box.cwd, 'h', 'pki', 'server.key.pem'), 'utf8');
    const first = key();
    const renew = (...more: string[]) => box.run(['pki', 'renew', '--config', 'h/controller.yml', ...more]);
    await exits(0, renew());
    assert.equal(key(), first);
    await exits(0, renew('--new-key'));
    assert.notEqual(key(), first);
    // Of a rotation, or another renewal: key and certificate of two must not mix.
    using _other = tryFileLock(join(box.cwd, 'h', 'pki', 'ca-bundle.pem.lock'));
    const beside = await box.exits(1, ['pki', 'renew', '--config', 'h/controller.yml', '--new-key']);
    assert.match(beside.stderr, /^error: Another command that changes what belongs to .* is under way\.\n/);
  });

  test('renew says what is missing: the root key, or a certificate of its own', async () => {
    await using box = sandbox();
    await box.home('h');
    const noAddress = await box.exits(2, [
      'pki',
      'renew',
      '--config',
      'h/controller.yml',
      '--ip',
      '300.1.1.1',
    ]);
    assert.equal(noAddress.stderr, 'error: "300.1.1.1" is not an IP address.\nnext: use --dns for names\n');
    const bad = await box.exits(2, ['pki', 'renew', '--config', 'h/controller.yml', '--dns', 'a/b']);
    assert.match(bad.stderr, /"a\/b" is not a DNS name/);
    rmSync(join(box.cwd, 'h', 'pki', 'root-ca.key.pem'));
    const locked = await box.exits(1, ['pki', 'renew', '--config', 'h/controller.yml']);
    assert.match(locked.stderr, /The key of the root CA is not at .*root-ca\.key\.pem\.\nnext: /);
    const file = join(box.cwd, 'h', 'controller.yml');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('./pki/server.', './pki/mine.'));
    const foreign = await box.exits(1, ['pki', 'renew', '--config', 'h/controller.yml']);
    assert.match(foreign.stderr, /was not made by overlay-auth/);
  });
});

describe('config validate --send-test', () => {
  test('sends a mail by the mail server of the file, and says in words what went wrong', async () => {
    await using box = sandbox();
    await box.home('h');
    await using receiver = await startSmtpReceiver({ authOptional: false });
    await using plain = await startSmtpReceiver({ disabledCommands: ['STARTTLS'] });
    await using open = await startSmtpReceiver({ disabledCommands: ['AUTH'] });
    const file = join(box.cwd, 'h', 'controller.yml');
    const yaml = readFileSync(file, 'utf8').replace(/^# mail:/m, '# no mail:');
    const home = join(box.cwd, 'h');
    addMailPassword(home);
    const { ca } = await testPki();
    writeFileSync(join(home, 'ca.pem'), ca.certPem);
    const section = mailSection(receiver, '  language: de\n');
    writeFileSync(file, yaml + section);
    const command = ['config', 'validate', 'h/controller.yml', '--send-test', 'ada@example.com'];
    const sent = await box.exits(0, command);
    assert.match(sent.stdout, /^A test mail for ada@example\.com was taken: 250 /m);
    const mail = await receiver.at(0);
    assert.deepEqual([mail.to, mail.isEncrypted], [['ada@example.com'], true]);
    assert.equal(mail.subject, 'Test-E-Mail von Overlay');

    const failing = [
      [
        section.replace('host: localhost', 'host: nowhere.invalid'),
        /nowhere\.invalid was not found/,
        /mail\.smtp\.host/,
      ],
      [section.replace(/port: \d+/, 'port: 1'), /cannot be reached: nothing listens there/, /firewall/],
      [
        section.replace('trustedRoots: [ca.pem]', 'trustedRoots: []'),
        /no TLS with \S+, so nothing was sent: its certificate is from no trusted authority\n/,
        /trustedRoots/,
      ],
      [
        section.replace(/port: \d+/, `port: ${plain.port}`),
        /no TLS with \S+, so nothing was sent: .*STARTTLS/,
        /mail\.smtp\.tls/,
      ],
      [section.replace('user: overlay', 'user: other'), /refused user or password/, /passwordFile/],
      [
        section.replace(/port: \d+/, `port: ${open.port}`),
        /takes no user and password \(500\)/,
        /leave both out/,
      ],
      [
        section.replace('localhost', '127.0.0.1'),
        /"127\.0\.0\.1" is no host name: .*address/,
        /correct what/,
      ],
    ] as const;
    for (const [changed, problem, next] of failing) {
      writeFileSync(file, yaml + changed);
      const { stdout, stderr } = await box.exits(1, command);
      assert.equal(stdout, '');
      assert.match(stderr, problem);
      assert.match(stderr, next);
    }
    writeFileSync(file, yaml + section);
    for (const [at, problem] of [
      ['sender', /refused the sender: 550 refused here/],
      ['recipient', /refused the recipient: 550 refused here/],
    ] as const) {
      receiver.refuse({ at, code: 550 });
      const { stderr } = await box.exits(1, command);
      assert.match(stderr, problem);
    }
    writeFileSync(file, yaml);
    const none = await box.run(command);
    assert.match(none.stderr, /^error: The configuration names no mail server\.\n/);
    writeFileSync(file, yaml + section);
    writeFileSync(join(home, 'mail.password'), 'two\nlines\n');
    assert.match((await box.run(command)).stderr, /mail\.smtp\.passwordFile: .*is not one line/);
  });
});
