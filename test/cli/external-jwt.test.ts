import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type CommandLine, commandLine, exits, type Outcome } from '../support/command-line.ts';
import { createIdentity, createPolicy, createUserWithPolicy, tokenOf } from '../support/external-jwt.ts';
import { password } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';

const [server, idp] = await Promise.all([startTestServer(), startTestIdp()]);
await server.createUser({ name: 'root', password, isAdmin: true });
const admin = commandLine();
await login(admin, ['-u', 'root', '--password-stdin']);
after(async () => {
  await admin[Symbol.asyncDispose]();
  await Promise.all([server.close(), idp.close()]);
});

function login(
  who: CommandLine,
  more: readonly string[],
  { input = password }: { readonly input?: string } = {},
): Promise<Outcome> {
  return who.run(['login', server.url, '--ca', join(server.home, 'ca.pem'), ...more], { input });
}

function passwordFile(who: CommandLine): string {
  const file = join(who.cwd, 'password');
  writeFileSync(file, password);
  return file;
}

const fine = (args: readonly string[]) => admin.exits(0, args);

async function tokenFile(who: CommandLine, subject: string): Promise<string> {
  const file = join(who.cwd, 'external.jwt');
  writeFileSync(file, `${await tokenOf(server, idp, subject)}\n`);
  return file;
}

describe('external JWTs on the command line', () => {
  test('a signer is created, shown, changed and used to log in, until it is disabled', async () => {
    await fine([
      ...[
        'create',
        'ext-jwt-signer',
        'corporate',
        idp.issuer,
        'overlay',
        '--jwks-endpoint',
        idp.jwksEndpoint,
      ],
      ...['--use-external-id', '--scopes', 'openid, email', '--max-lifetime', '3600', '--tag', 'team=ops'],
    ]);
    const shown = (await fine(['get', 'ext-jwt-signer', 'corporate', '-j'])).json;
    assert.deepEqual(
      [shown.enabled, shown.issuer, shown.scopes, shown.maxLifetimeSeconds, shown.useExternalId, shown.tags],
      [true, idp.issuer, ['openid', 'email'], 3600, true, { team: 'ops' }],
    );
    assert.match((await fine(['list', 'ext-jwt-signers'])).stdout, /corporate/);

    await createIdentity(server, 'grace');
    await using cli = commandLine();
    const done = await exits(0, login(cli, ['-e', await tokenFile(cli, 'grace@idp')]));
    assert.match(done.stdout, /as grace \(ext-jwt\)/);
    assert.equal((await cli.run(['whoami', '-j'])).json.name, 'grace');

    await fine(['update', 'ext-jwt-signer', 'corporate', '--no-enabled']);
    await exits(3, login(cli, ['-e', await tokenFile(cli, 'grace@idp')]));
    await fine(['update', 'ext-jwt-signer', 'corporate', '--enabled']);
  });

  test('an option for new identities keeps the other ones', async () => {
    const authPolicyId = await createPolicy(server, 'newcomers', {});
    const create = ['--create-attribute-claim', 'groups', '--create-allowed-attributes', 'staff,guest'];
    await fine([
      'create',
      'ext-jwt-signer',
      'creating',
      'https://idp.example.com',
      'overlay',
      '--use-external-id',
    ]);
    await fine(['update', 'ext-jwt-signer', 'creating', ...create, '--create-auth-policy', 'newcomers']);
    await fine(['update', 'ext-jwt-signer', 'creating', '--create-name-claim', 'sub']);
    assert.deepEqual((await fine(['get', 'ext-jwt-signer', 'creating', '-j'])).json.createIdentities, {
      name: 'sub',
      email: 'email',
      roleAttributes: 'groups',
      allowedRoleAttributes: ['staff', 'guest'],
      authPolicyId,
    });
    await fine(['delete', 'ext-jwt-signer', 'creating']);
  });

  test('a client secret comes from a file, and is never printed', async () => {
    await using cli = commandLine();
    const secret = join(cli.cwd, 'secret.txt');
    writeFileSync(secret, 'of our client there\n');
    const keys = ['--jwks-endpoint', idp.jwksEndpoint, '--client-id', 'overlay'];
    const named = ['ext-jwt-signer', 'secretive'];
    const created = await fine([
      ...['create', ...named, `${idp.issuer}/s`, 's', ...keys],
      ...['--client-secret-file', secret],
    ]);
    const method = async () => {
      const shown = await fine(['get', ...named, '-j']);
      assert.ok(![created, shown].some(({ stdout, stderr }) => /of our client/.test(stdout + stderr)));
      return shown.json.clientAuthMethod;
    };
    assert.equal(await method(), 'client_secret_basic');
    await fine(['update', ...named, '--client-auth', 'client_secret_post']);
    assert.equal(await method(), 'client_secret_post');
    await fine(['update', ...named, '--client-secret-file', '']);
    assert.equal(await method(), 'none');
  });

  test('an empty file changes nothing: the command that was to fill it has failed', async () => {
    await using cli = commandLine();
    const named = ['ext-jwt-signer', 'kept'];
    const keys = ['--jwks-endpoint', idp.jwksEndpoint, '--client-id', 'overlay'];
    const [secret, empty] = [join(cli.cwd, 'secret.txt'), join(cli.cwd, 'empty.txt')];
    writeFileSync(secret, 'of our client there\n');
    writeFileSync(empty, '\n');
    await fine(['create', ...named, `${idp.issuer}/k`, 'k', ...keys, '--client-secret-file', secret]);
    for (const option of ['--client-secret-file', '--cert']) {
      const refused = await admin.exits(2, ['update', ...named, option, empty]);
      assert.match(refused.stderr, /empty\.txt is empty\.\nnext: /);
    }
    const { json } = await fine(['get', ...named, '-j']);
    assert.equal(json.clientAuthMethod, 'client_secret_basic');
    assert.equal(json.jwksEndpoint, idp.jwksEndpoint);
  });

  test('one update replaces the address of the keys with a certificate, and back', async () => {
    await fine([
      'create',
      'ext-jwt-signer',
      'moving',
      `${idp.issuer}/m`,
      'm',
      '--jwks-endpoint',
      idp.jwksEndpoint,
    ]);
    const keys = async () => {
      const { jwksEndpoint, certPem } = (await fine(['get', 'ext-jwt-signer', 'moving', '-j'])).json;
      return [jwksEndpoint, certPem === null];
    };
    const cert = join(server.home, 'ca.pem');
    await fine(['update', 'ext-jwt-signer', 'moving', '--cert', cert, '--jwks-endpoint', '']);
    assert.deepEqual(await keys(), [null, false]);
    await fine(['update', 'ext-jwt-signer', 'moving', '--cert', '', '--jwks-endpoint', idp.jwksEndpoint]);
    assert.deepEqual(await keys(), [idp.jwksEndpoint, true]);
  });

  test('a token can be tested, from a file or standard input, and a refusal is exit 1 with its reason', async () => {
    await using cli = commandLine();
    const file = await tokenFile(cli, 'grace@idp');
    const good = await fine(['verify', 'ext-jwt-signer', 'corporate', file]);
    assert.match(good.stdout, /"sub": "grace@idp"/);
    assert.match(good.stdout, /passed +token: valid for signer corporate/);
    assert.match(good.stdout, /accepts this token as a login of grace\..* overlay-auth explain policy grace/);

    const input = await tokenOf(server, idp, 'grace@idp', { aud: 'elsewhere' });
    const refused = await admin.exits(1, ['verify', 'ext-jwt-signer', 'corporate', '-'], { input });
    assert.match(refused.stdout, /failed +token: .*audience/);
    assert.match(refused.stderr, /^error: This token is refused\. .*\nnext: /);
    const asJson = await admin.run(['-j', 'verify', 'ext-jwt-signer', 'corporate', '-'], { input });
    assert.deepEqual([asJson.code, asJson.json.reason, asJson.json.identity], [1, 'token-audience', null]);
    assert.equal(JSON.parse(asJson.stderr).error.code, 'token-audience');
    const env = { OVERLAY_AUTH_COMMAND: './overlay-auth' };
    const explained = await admin.run(['explain', 'token', '-'], { input, env });
    assert.match(explained.stdout, / \.\/overlay-auth verify ext-jwt-signer NAME FILE/);
  });

  test('a token with the password is the second factor, and its absence is explained', async () => {
    const signer = (await fine(['get', 'ext-jwt-signer', 'corporate', '-j'])).json;
    const policy = await createPolicy(server, 'two proofs', { secondary: { requireExtJwt: signer.id } });
    await createUserWithPolicy(server, 'ada', policy);
    await using cli = commandLine();
    const byPassword = ['-u', 'ada', '--password-stdin'];
    const refused = await exits(3, login(cli, byPassword));
    assert.match(refused.stderr, new RegExp(`requires a token from ${idp.issuer}`));
    const done = await exits(0, login(cli, [...byPassword, '-e', await tokenFile(cli, 'ada@idp')]));
    assert.match(done.stdout, /as ada \(password, ejs:/);
  });

  test('the second factor is sent with every later command, as its file has it then', async () => {
    const signer = (await fine(['get', 'ext-jwt-signer', 'corporate', '-j'])).json;
    const policy = await createPolicy(server, 'at every call', { secondary: { requireExtJwt: signer.id } });
    await createUserWithPolicy(server, 'joan', policy);
    await using cli = commandLine();
    const file = await tokenFile(cli, 'joan@idp');
    await exits(0, login(cli, ['-u', 'joan', '--password-stdin', '-e', 'external.jwt']));
    assert.equal((await cli.run(['whoami', '-j'])).json.name, 'joan');

    writeFileSync(file, await tokenOf(server, idp, 'somebody-else@idp'));
    const refused = await cli.exits(3, ['whoami']);
    assert.match(refused.stderr, new RegExp(`needs a valid token of ${idp.issuer}`));
    assert.match(refused.stderr, /next: put a new token into .*external\.jwt and run the command again/);
    writeFileSync(file, 'nothing of that kind');
    await cli.exits(2, ['whoami']);
    await tokenFile(cli, 'joan@idp');
    await cli.exits(0, ['whoami']);

    await exits(
      0,
      login(cli, ['-u', 'joan', '--password-file', passwordFile(cli), '-e', '-'], {
        input: await tokenOf(server, idp, 'joan@idp'),
      }),
    );
    assert.match((await cli.run(['whoami'])).stderr, /next: overlay-auth login \S+ --ext-jwt FILE/);
  });
});
