import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CommandLine, commandLine, type Outcome } from '../support/command-line.ts';
import { password } from '../support/management.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let root: CommandLine;
let ada: CommandLine;

before(async () => {
  server = await startTestServer();
  await server.createUser({ name: 'root', password, isAdmin: true });
  await server.createUser({ name: 'ada', password });
  root = commandLine();
  ada = commandLine();
  await login(root, 'root');
  await login(ada, 'ada');
});
after(async () => {
  await root[Symbol.asyncDispose]();
  await ada[Symbol.asyncDispose]();
  await server.close();
});

async function login(who: CommandLine, name: string): Promise<void> {
  const args = ['login', server.url, '--ca', join(server.home, 'ca.pem'), '-u', name, '--password-stdin'];
  assert.equal((await who.run(args, { input: password })).code, 0);
}

async function fine(who: CommandLine, args: readonly string[], input = ''): Promise<Outcome> {
  const outcome = await who.run(args, { input });
  assert.equal(outcome.code, 0, `${args.join(' ')}: ${outcome.stderr}`);
  return outcome;
}

async function token(who: CommandLine, kind = 'access'): Promise<string> {
  return (await fine(who, ['token', kind])).stdout.trim();
}

describe('status', () => {
  test('shows anybody who is logged in the issuer, the nodes, health and the end of the certificate', async () => {
    for (const who of [root, ada]) {
      const { json } = await fine(who, ['status', '-j']);
      assert.equal(json.server, server.url);
      assert.equal(json.issuer, `${server.url}/oidc`);
      assert.equal(json.isHealthy, true);
      assert.ok(Date.parse(json.certificateEnd) > Date.now());
      assert.ok(Array.isArray(json.controllers));
    }
    const { stdout } = await fine(root, ['status']);
    assert.match(
      stdout,
      /^server +https:.*\nhealth +well\nissuer +\S+\ncertificate +until \S+ \(\d+ days\)\n\nCONTROLLER/,
    );
  });

  test('needs a login', async () => {
    await using stranger = commandLine();
    assert.equal((await stranger.run(['status'])).code, 3);
  });
});

describe('explain token', () => {
  async function verdicts(who: CommandLine, jwt: string): Promise<Record<string, string>> {
    const { json } = await fine(who, ['explain', 'token', '-', '-j'], jwt);
    return Object.fromEntries(
      json.checks.map(({ check, verdict }: { check: string; verdict: string }) => [check, verdict]),
    );
  }
  const good = {
    issuer: 'passed',
    signature: 'passed',
    audience: 'passed',
    'not before': 'passed',
    expiry: 'passed',
  };

  test('passes every check for a token that counts, whoever asks of their own', async () => {
    assert.deepEqual(await verdicts(root, await token(root)), { ...good, session: 'passed' });
    assert.deepEqual(await verdicts(ada, await token(ada)), { ...good, session: 'passed' });
    assert.deepEqual(await verdicts(root, await token(ada, 'id')), good);
  });

  test('names the signature of a token that was changed, and asks no further', async () => {
    const jwt = await token(ada);
    const [header, payload = '', signature] = jwt.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const changed = Buffer.from(JSON.stringify({ ...claims, z_ia: true })).toString('base64url');
    assert.deepEqual(await verdicts(root, [header, changed, signature].join('.')), {
      ...good,
      signature: 'failed',
    });
  });

  test('tells an administrator that the session has ended, and others not', async () => {
    await using other = commandLine();
    await login(other, 'ada');
    const jwt = await token(other);
    assert.equal((await verdicts(ada, jwt)).session, 'unknown');
    await fine(other, ['logout']);
    assert.deepEqual(await verdicts(root, jwt), { ...good, session: 'failed' });
    const { stdout } = await fine(root, ['explain', 'token', '-'], jwt);
    assert.match(stdout, /\nThis token is refused: session\.\n$/);
  });

  test('says without a login what the token says of itself', async () => {
    await using stranger = commandLine();
    writeFileSync(join(stranger.cwd, 'token.jwt'), await token(ada));
    const { json } = await fine(stranger, ['explain', 'token', 'token.jwt', '-j']);
    assert.equal(json.failed, null);
    assert.equal(json.isAccepted, false);
    assert.equal(json.payload.iss, `${server.url}/oidc`);
  });

  test('refuses what is no JWT', async () => {
    for (const text of ['', 'secret', 'a.b.c', 'a.b']) {
      const { code, stderr } = await root.run(['explain', 'token', '-'], { input: text });
      assert.ok(code === 1 || code === 2, text);
      assert.match(stderr, /^error: .+\nnext: /);
    }
  });
});

describe('explain policy', () => {
  test('says what an identity has, what is missing, and how it gets it', async () => {
    await fine(root, ['create', 'auth-policy', 'strict', '--no-ext-jwt', '--require-totp']);
    await fine(root, ['create', 'identity', 'bare', '--auth-policy', 'strict']);
    const { stdout } = await fine(root, ['explain', 'policy', 'bare']);
    assert.match(stdout, /^bare logs in under the auth policy strict with one of\n/);
    assert.match(
      stdout,
      /\u2717 password: it has none: overlay-auth create authenticator updb \S+ USERNAME\n/,
    );
    assert.match(stdout, /\u2717 cert: it has none: overlay-auth create enrollment ott \S+ -o FILE\n/);
    assert.match(stdout, /\u2013 ext-jwt: not allowed by the policy\n/);
    assert.match(stdout, /and must prove as well\n {2}\u2717 totp: no app yet/);
    assert.match(stdout, /\nbare cannot log in\.\n$/);
  });

  test('says that an identity can log in, and that it cannot while it is disabled', async () => {
    assert.equal((await fine(root, ['explain', 'policy', 'ada', '-j'])).json.canLogIn, true);
    await fine(root, ['create', 'identity', 'off', '--updb', '--password-stdin'], password);
    await fine(root, ['identity', 'disable', 'off']);
    const { stdout } = await fine(root, ['explain', 'policy', 'off']);
    assert.match(stdout, /It is disabled: overlay-auth identity enable \S+\noff cannot log in\.\n$/);
  });

  test('is for those who may read what identities have', async () => {
    assert.equal((await ada.run(['explain', 'policy', 'ada'])).code, 4);
  });
});

describe('lists', () => {
  test('of login attempts lead to explain, which leads back', async () => {
    await using stranger = commandLine();
    const args = ['login', server.url, '--ca', join(server.home, 'ca.pem'), '-u', 'ada', '--password-stdin'];
    const refused = await stranger.run(args, { input: 'not the password' });
    const reference = /^reference: (\S+)$/m.exec(refused.stderr)?.[1] ?? '';
    const { stdout } = await fine(root, ['list', 'login-attempts', `reference = "${reference}"`]);
    assert.match(stdout, new RegExp(`\\n${reference} +\\S+ +ada +password +wrong-password +127\\.0\\.0\\.1`));
    const unknown = await root.run(['explain', 'AAAAAAAAAA']);
    assert.match(unknown.stderr, /\nnext: overlay-auth list login-attempts\n$/);
  });

  test('of controllers and config types', async () => {
    await fine(root, ['list', 'controllers']);
    await fine(root, ['create', 'config-type', 'tunnel.v1']);
    assert.match((await fine(root, ['list', 'config-types'])).stdout, /\ntunnel\.v1 +\S+\n$/);
    assert.equal((await root.run(['delete', 'controller', 'x'])).code, 2);
  });
});
