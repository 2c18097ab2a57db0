import assert from 'node:assert/strict';
import fs, {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { rekeyDatabase } from '../../src/controller/rekey-database.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { nextKeyFile, previousKeyFile } from '../../src/platform/secrets/key-files.ts';
import { keyVault, vaultKey } from '../../src/platform/secrets/key-vault.ts';
import { createKeyFile, readKeyFile } from '../../src/platform/secrets/master-key.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { clientOfHome, type Sandbox, sandbox, stopped, untilReady } from '../support/command.ts';
import { exits } from '../support/command-line.ts';
import { createSigner } from '../support/external-jwt.ts';
import { codeOf, redeem } from '../support/flow.ts';
import { type Caller, callerWith, createdId, loggedIn, password } from '../support/management.ts';
import { isFullSize } from '../support/size.ts';
import { type AuthenticatorApp, partialLogin, scan, submitCode } from '../support/totp.ts';
import { eventually } from '../support/until.ts';

interface ListedKey {
  readonly kid: string;
  readonly alg: string;
  readonly use: string;
}

describe('keys', () => {
  test('list says what to do about a file that cannot be read', async () => {
    await using box = sandbox();
    await box.home('h');
    const list = ['keys', 'list', '--config', 'h/controller.yml'];
    const env = { OVERLAY_AUTH_KEY_PASSPHRASE_FILE: 'nowhere' };
    const passphrase = await box.exits(1, list, { env });
    assert.match(
      passphrase.stderr,
      /named by OVERLAY_AUTH_KEY_PASSPHRASE_FILE, cannot be read: it does not exist\./,
    );
    const file = join(box.cwd, 'h', 'secrets', 'master.key');
    rmSync(file);
    mkdirSync(file);
    const folder = await box.exits(1, list);
    assert.match(
      folder.stderr,
      /master\.key cannot be read: it is a folder\.\nnext: let this user read it, or correct secrets\.keyFile/,
    );
  });

  test('rotate publishes the next key ahead; --now lets it sign at once', async () => {
    await using box = sandbox();
    await box.home('h');
    const config = ['--config', 'h/controller.yml'];
    const list = async (): Promise<ListedKey[]> =>
      JSON.parse((await box.run(['keys', 'list', ...config, '-j'])).stdout);
    const usesOf = async (alg: string) =>
      (await list()).filter((key) => key.alg === alg).map(({ use }) => use);
    assert.deepEqual(
      (await list()).map(({ alg, use }) => `${alg} ${use}`),
      ['ES256 signing', 'RS256 signing'],
    );

    const ahead = await box.exits(0, ['keys', 'rotate', ...config]);
    assert.match(ahead.stdout, /^ES256 [\w-]{43} is published and signs from \d{4}-.*\nRS256 [\w-]{43} is /);
    for (const alg of ['ES256', 'RS256']) assert.deepEqual(await usesOf(alg), ['signing', 'next']);

    const status = JSON.parse((await box.run(['status', ...config, '-j'])).stdout);
    assert.deepEqual(status.administratorsNamedBy, []);
    assert.deepEqual(status.signingKeys, await list());
    // 1290, or the next one that is free on this machine.
    const metrics = /127\.0\.0\.1:129\d/.exec(
      readFileSync(join(box.cwd, 'h', 'controller.yml'), 'utf8'),
    )?.[0];
    assert.deepEqual(status.bindPoints, [
      { listener: 'default', interface: '127.0.0.1:1280', issuer: 'https://localhost:1280/oidc' },
      { listener: 'metrics', interface: metrics, issuer: null },
    ]);
    assert.equal(status.certificates.length, 4);

    const now = await box.run(['keys', 'rotate', '--now', ...config]);
    assert.match(now.stdout, /^ES256 [\w-]{43} signs from now on\.\nRS256 [\w-]{43} signs from now on\.\n$/);
    const replaced = ahead.stdout.split(' ')[1];
    const made = now.stdout.split(' ')[1];
    const uses = new Map((await list()).map(({ kid, use }) => [kid, use]));
    assert.equal(uses.get(made ?? ''), 'signing');
    assert.equal(uses.get(replaced ?? ''), 'unused');
    const log = readFileSync(join(box.cwd, 'h', 'controller.log'), 'utf8');
    assert.equal(log.match(/command="keys rotate".*event=key\.rotated/g)?.length, 4);
  });

  test('a running controller publishes a key that was made beside it', async (t) => {
    await using box = sandbox();
    await box.home('h', 'localhost:0');
    const run = box.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']);
    const ready = await untilReady(run);
    const client = clientOfHome(ready.url, join(box.cwd, 'h'));
    t.after(() => client.closeConnections());
    const kids = async () =>
      (await client.get('/oidc/keys')).json.keys.map(({ kid }: { kid: string }) => kid);
    assert.equal((await kids()).length, 2);
    const rotated = await box.run(['keys', 'rotate', '--config', 'h/controller.yml', '-j']);
    const [made] = JSON.parse(rotated.stdout);
    await eventually(kids, (known) => known.includes(made.kid));
    await exits(0, stopped(run));
  });

  test('rekey reseals everything beside a running controller, which continues', async (t) => {
    await using box = sandbox();
    await box.home('h', 'localhost:0');
    const config = ['--config', 'h/controller.yml'];
    await box.run(['admin', 'create', 'ana', '--password-stdin', ...config], { input: password });
    const before = await startedIn(t, box);
    const ana = await loggedIn(before.client, 'ana', password);
    const app = await enrolled(ana);
    const withToken = (name: string) => ({ name, type: 'Device', enrollment: { ott: true } });
    const device = createdId(await ana.call('POST', 'identities', withToken('device')));
    const provider = { issuer: 'https://id.example', jwksEndpoint: 'https://id.example/jwks' };
    const client = { clientId: 'overlay', clientSecret: 'of our client there' };
    const signer = await createSigner(ana, provider, 'Example ID', client);
    const key = (suffix = '') => join(box.cwd, 'h', 'secrets', `master.key${suffix}`);
    const old = readFileSync(key(), 'utf8');

    const rekeyed = await box.exits(0, ['keys', 'rekey', ...config]);
    // Two signing keys, the server secret, a seed, a token and a client secret.
    const said = /^Resealed 6 secrets under the key (\S+), which is in \S+master\.key now\.\n$/;
    const fingerprint = said.exec(rekeyed.stdout)?.[1] ?? assert.fail(rekeyed.stdout);
    assert.match(rekeyed.stderr, /Older backups need \S+master\.key\.previous/);
    assert.equal(readFileSync(key('.previous'), 'utf8'), old);
    assert.ok(readFileSync(key(), 'utf8').includes(`fingerprint: ${fingerprint}\n`));
    assert.equal(existsSync(key('.next')), false);
    for (const suffix of ['', '.previous']) assert.equal(statSync(key(suffix)).mode & 0o777, 0o600);
    const log = readFileSync(join(box.cwd, 'h', 'controller.log'), 'utf8');
    assert.match(log, /command="keys rekey" operator=\S+ event=secrets\.rekeyed fingerprint=\S+ resealed=6 /);

    // The controller that was running keeps working: tokens, codes of the app and enrollments, old and new.
    assert.equal((await ana.get('identities')).status, 200);
    assert.ok((await ana.get(`identities/${device}`)).json.data.enrollment.ott.jwt);
    const codes = await newCodes(ana, app.code(1));
    assert.equal(codes.status, 200, codes.text);
    const later = createdId(await ana.call('POST', 'identities', withToken('later')));
    await stopped(before.run);

    // What it sealed later is sealed with the new key: everything opens without the old one.
    rmSync(key('.previous'));
    const after = await startedIn(t, box);
    const id = await partialLogin(after.client, 'ana');
    const passed = await submitCode(after.client, id, codes.json.data.recoveryCodes[0]);
    const tokens = (await redeem(after.client, codeOf(passed))).json;
    const again = callerWith(after.client, tokens.access_token);
    for (const enrollee of [device, later]) {
      assert.ok((await again.get(`identities/${enrollee}`)).json.data.enrollment.ott.jwt);
    }
    assert.equal((await newCodes(again, app.wrongCode())).status, 400);
    // A change opens the secret, to see that it still fits.
    const kept = await again.call('PATCH', `external-jwt-signers/${signer}`, { audience: 'another' });
    assert.equal(kept.status, 200, kept.text);
    await stopped(after.run);

    writeFileSync(key(), old);
    const wrong = await box.run(['run', 'controller', 'h/controller.yml', '--check']);
    assert.equal(wrong.code, 1, 'the old key opens nothing any more');
    assert.match(wrong.stderr, /was sealed with another key-encryption key/);
  });

  test('an interrupted rekey continues; until then everything opens, and a second one keeps every key', async (t) => {
    await using box = sandbox();
    await box.home('h', 'localhost:0');
    const config = ['--config', 'h/controller.yml'];
    const keyFile = join(box.cwd, 'h', 'secrets', 'master.key');
    // The first start makes the server secret.
    await stopped((await startedIn(t, box)).run);
    const first = readKeyFile(keyFile);
    const second = createKeyFile(nextKeyFile(keyFile));
    const store = await openSqliteStore({ path: join(box.cwd, 'h', 'overlay.db') });
    const vault = keyVault(vaultKey(second.bytes), () => ({ newer: [], older: [vaultKey(first.bytes)] }));
    const broken = new Error('pulled the plug');
    const stopping = rekeyDatabase({ store, vault, clock: systemClock }, () => Promise.reject(broken));
    await assert.rejects(stopping, broken);
    await store.close();

    const between = await startedIn(t, box);
    assert.equal((await between.client.get('/health-checks/ready')).status, 200);
    await stopped(between.run);
    const finished = await box.exits(0, ['keys', 'rekey', ...config, '-j']);
    const { fingerprint, resealed } = JSON.parse(finished.stdout);
    assert.deepEqual([fingerprint, resealed], [second.fingerprint, 1], 'the server secret was left');

    // Stopped after the old key was copied, before the new one took its place.
    const third = createKeyFile(nextKeyFile(keyFile));
    renameSync(previousKeyFile(keyFile), `${previousKeyFile(keyFile)}-${first.fingerprint}`);
    copyFileSync(keyFile, previousKeyFile(keyFile));
    await box.exits(0, ['keys', 'rekey', ...config]);
    assert.equal(readKeyFile(keyFile).fingerprint, third.fingerprint);
    assert.equal(readKeyFile(previousKeyFile(keyFile)).fingerprint, second.fingerprint);
    const fourth = await box.run(['keys', 'rekey', ...config, '-j']);
    assert.equal(readKeyFile(keyFile).fingerprint, JSON.parse(fourth.stdout).fingerprint);
    const kept = `${previousKeyFile(keyFile)}-${second.fingerprint}`;
    assert.equal(readKeyFile(kept).fingerprint, second.fingerprint, 'a key of before is never lost');
  });

  test('rekey with the key of another database makes no new key', async () => {
    await using box = sandbox();
    await box.home('h', 'localhost:0');
    const keyFile = join(box.cwd, 'h', 'secrets', 'master.key');
    renameSync(keyFile, join(box.cwd, 'right.key'));
    createKeyFile(keyFile);
    const rekey = () => box.run(['keys', 'rekey', '--config', 'h/controller.yml']);
    const refused = await exits(1, rekey());
    assert.match(refused.stderr, /was sealed with another key-encryption key/);
    assert.equal(existsSync(nextKeyFile(keyFile)), false);
    renameSync(join(box.cwd, 'right.key'), keyFile);
    await exits(0, rekey());
  });

  test('a key file that is replaced while rekey runs is neither overwritten, nor is its former key lost', {
    // It steps in between two calls of the command.
    skip: isFullSize,
  }, async (t) => {
    await using box = sandbox();
    await box.home('h', 'localhost:0');
    const keyFile = join(box.cwd, 'h', 'secrets', 'master.key');
    const former = readKeyFile(keyFile);
    let [next, other] = ['', ''];
    const rename = fs.renameSync;
    const mocked = t.mock.method(fs, 'renameSync', (from: string, to: string) => {
      rename(from, to);
      if (to !== previousKeyFile(keyFile) || next !== '') return;
      next = readKeyFile(nextKeyFile(keyFile)).fingerprint;
      rmSync(keyFile);
      other = createKeyFile(keyFile).fingerprint;
    });
    syncBuiltinESMExports();
    t.after(() => {
      mocked.mock.restore();
      syncBuiltinESMExports();
    });
    const rekey = () => box.run(['keys', 'rekey', '--config', 'h/controller.yml']);
    const refused = await exits(1, rekey());
    assert.match(refused.stderr, new RegExp(`was replaced by another key meanwhile, ${other}\\.`));
    assert.equal(readKeyFile(keyFile).fingerprint, other);
    assert.equal(readKeyFile(previousKeyFile(keyFile)).fingerprint, former.fingerprint);

    await exits(0, rekey());
    assert.equal(readKeyFile(keyFile).fingerprint, next);
    assert.equal(readKeyFile(previousKeyFile(keyFile)).fingerprint, other);
    const kept = `${previousKeyFile(keyFile)}-${former.fingerprint}`;
    assert.equal(readKeyFile(kept).fingerprint, former.fingerprint);
    await box.exits(0, ['ops', 'db', 'check', '--config', 'h/controller.yml']);
  });

  test('without a configuration it says where it looks for one', async () => {
    await using box = sandbox();
    for (const args of [
      ['keys', 'list'],
      ['keys', 'rotate'],
    ]) {
      const { stderr } = await box.exits(1, args);
      assert.match(stderr, /^error: \.overlay\/controller\.yml: the file does not exist\./);
    }
  });
});

async function startedIn(t: TestContext, box: Sandbox) {
  const run = box.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']);
  const client = clientOfHome((await untilReady(run)).url, join(box.cwd, 'h'));
  t.after(() => client.closeConnections());
  return { run, client };
}

const mfa = '/edge/client/v1/current-identity/mfa';

async function enrolled(who: Caller): Promise<AuthenticatorApp> {
  assert.equal((await who.call('POST', mfa)).status, 201);
  const app = scan(systemClock, (await who.get(mfa)).json.data.provisioningUrl);
  const verified = await who.call('POST', `${mfa}/verify`, { code: app.code() });
  assert.equal(verified.status, 200, verified.text);
  return app;
}

const newCodes = (who: Caller, code: string) => who.call('POST', `${mfa}/recovery-codes`, { code });
