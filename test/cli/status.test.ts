import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type CommandLine, commandLine, exits } from '../support/command-line.ts';
import { password } from '../support/management.ts';
import { withMetrics } from '../support/metrics.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { eventually } from '../support/until.ts';
import { logInAs, serverOfRoot } from './support.ts';

const { server, cli: root } = await serverOfRoot({ configure: withMetrics });
await server.createUser({ name: 'ada', password });
const ada = commandLine();
await exits(0, logInAs(ada, server, 'ada'));
after(() => ada[Symbol.asyncDispose]());

const fine = (who: CommandLine, args: readonly string[], input = '') => who.exits(0, args, { input });

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
      assert.deepEqual(json.administratorsNamedBy, who === root ? [] : null);
    }
    const { stdout } = await fine(root, ['status']);
    assert.match(
      stdout,
      /^server +https:.*\nhealth +ok\nissuer +\S+\ncertificate +until \S+ \(\d+ days\)\n\nCONTROLLER/,
    );
  });

  test('shows readers which event subscriptions fail, and the metrics count them', async () => {
    const create = ['create', 'event-subscription', 'siem', 'webhook', 'https://127.0.0.1:9/in', '-j'];
    assert.deepEqual((await fine(root, ['status', '-j'])).json.eventsNotTakenBy, []);
    assert.deepEqual((await fine(root, ['status', '-j'])).json.mailsGivenUp, []);
    const { id } = (await fine(root, create)).json;
    for (let found = 0; found === 0; ) {
      found = (await fine(root, ['status', '-j'])).json.eventsNotTakenBy.length;
    }
    assert.match((await fine(root, ['status'])).stdout, /EVENTS NOT TAKEN BY.*\nsiem +https:\S+ +\d+ +\d+\n/);
    assert.equal((await fine(ada, ['status', '-j'])).json.eventsNotTakenBy, null);
    assert.equal((await fine(ada, ['status', '-j'])).json.mailsGivenUp, null);
    const { text } = await server.get('/metrics');
    assert.match(text, /^overlay_auth_delivery_subscribers_failing\{kind="event"\} 1$/m);
    await fine(root, ['delete', 'event-subscription', id, '--yes']);
  });

  test('metrics tell what waits for one event subscription from what waits for all', async () => {
    const made: string[] = [];
    for (const name of ['siem', 'archive']) {
      const create = ['create', 'event-subscription', name, 'webhook', 'https://127.0.0.1:9/in', '-j'];
      made.push((await fine(root, create)).json.id);
    }
    // The creation of the second one waits for both.
    const read = async () => {
      const { text } = await server.get('/metrics');
      const [all, most] = ['waiting', 'longest_queue'].map((name) =>
        Number(new RegExp(`^overlay_auth_deliveries_${name}\\{kind="event"\\} (\\d+)$`, 'm').exec(text)?.[1]),
      );
      return { all: all ?? 0, most: most ?? 0 };
    };
    const { all, most } = await eventually(read, (found) => found.all > found.most);
    assert.ok(most > 0 && 2 * most >= all, `${most} of ${all}`);
    for (const id of made) await fine(root, ['delete', 'event-subscription', id, '--yes']);
  });

  test('shows administrators which signers and CAs can name an administrator', async () => {
    assert.match(
      (await fine(root, ['status'])).stdout,
      /\n\nNo signer and no CA can name an administrator\.\n$/,
    );
    const signer = [
      'Example',
      'https://idp.example',
      'overlay',
      '--jwks-endpoint',
      'https://idp.example/keys',
    ];
    const { json: made } = await fine(root, ['create', 'ext-jwt-signer', ...signer, '-j']);
    const shown = /CAN NAME ADMINISTRATORS +KIND +BY +SUCH AS\nExample +external JWT signer +id +root\n$/;
    assert.match((await fine(root, ['status'])).stdout, shown);
    await fine(root, ['delete', 'ext-jwt-signer', made.id, '--yes']);
    assert.ok(!(await fine(ada, ['status'])).stdout.includes('name an administrator'));
  });

  test('needs a login', async () => {
    await using stranger = commandLine();
    await stranger.exits(3, ['status']);
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

  test('passes every check for a valid token, also for its owner', async () => {
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

  test('tells administrators, but not others, that the session has ended', async () => {
    await using other = commandLine();
    await exits(0, logInAs(other, server, 'ada'));
    const jwt = await token(other);
    assert.equal((await verdicts(ada, jwt)).session, 'unknown');
    await fine(other, ['logout']);
    assert.deepEqual(await verdicts(root, jwt), { ...good, session: 'failed' });
    const { stdout } = await fine(root, ['explain', 'token', '-'], jwt);
    assert.match(stdout, /\nThis token is refused: session\.\n$/);
  });

  test('shows what the token itself says without a login', async () => {
    await using stranger = commandLine();
    writeFileSync(join(stranger.cwd, 'token.jwt'), await token(ada));
    const { json } = await fine(stranger, ['explain', 'token', 'token.jwt', '-j']);
    assert.equal(json.failed, null);
    assert.equal(json.isAccepted, false);
    assert.equal(json.payload.iss, `${server.url}/oidc`);
  });

  test('refuses what is not a JWT', async () => {
    for (const text of ['', 'secret', 'a.b.c', 'a.b']) {
      const { code, stderr } = await root.run(['explain', 'token', '-'], { input: text });
      assert.ok(code === 1 || code === 2, text);
      assert.match(stderr, /^error: .+\nnext: /);
    }
  });
});

describe('explain policy', () => {
  test('says what an identity must prove, what refuses it, and how to fix that', async () => {
    await fine(root, ['create', 'auth-policy', 'strict', '--no-ext-jwt', '--require-totp']);
    await fine(root, ['create', 'identity', 'bare one', '--auth-policy', 'strict']);
    const { stdout } = await fine(root, ['explain', 'policy', 'bare one']);
    assert.match(stdout, /^password: refused, and asks for totp besides\n/);
    assert.match(
      stdout,
      /\u2717 failed +user name known: it has no password: overlay-auth create authenticator updb 'bare one' USERNAME\n/,
    );
    assert.match(
      stdout,
      /certificate known: it has none: overlay-auth create enrollment ott 'bare one' -o FILE\n/,
    );
    assert.match(
      stdout,
      /\next-jwt: refused.*\n(.*\n)?.*method allowed: policy strict does not allow ext-jwt\n/,
    );
    assert.match(stdout, /authenticator app: none yet: the login sets it up\n/);
    assert.match(stdout, /\nbare one cannot log in\.\n$/);
    const one = await fine(root, ['explain', 'policy', 'bare one', '--method', 'cert']);
    assert.match(one.stdout, /^cert: refused[\s\S]*\nbare one cannot log in with cert\.\n$/);
    assert.doesNotMatch(one.stdout, /password/);
    await root.exits(2, ['explain', 'policy', 'bare one', '--method', 'magic']);
  });

  test('says that an identity can log in, and that it cannot while it is disabled', async () => {
    assert.equal((await fine(root, ['explain', 'policy', 'ada', '-j'])).json.canLogIn, true);
    await fine(root, ['create', 'identity', 'off', '--updb', '--password-stdin'], password);
    await fine(root, ['identity', 'disable', 'off']);
    const { stdout } = await fine(root, ['explain', 'policy', 'off']);
    assert.match(stdout, /identity enabled: off is disabled\n[\s\S]*\noff cannot log in\.\n$/);
  });

  test('says that another party has to vouch for an identity that has nothing here', async () => {
    await fine(root, ['create', 'auth-policy', 'vouching']);
    await using idp = await startTestIdp();
    const asked = [idp.issuer, 'overlay', '--jwks-endpoint', idp.jwksEndpoint];
    await fine(root, ['create', 'ext-jwt-signer', 'idp', ...asked, '--use-external-id']);
    await fine(root, ['create', 'identity', 'vic', '--auth-policy', 'vouching', '--external-id', 'vic-7']);
    const { stdout } = await fine(root, ['explain', 'policy', 'vic']);
    assert.match(stdout, /\next-jwt: allowed, if another party vouches for it\n/);
    assert.match(stdout, /\nvic can log in, if another party vouches for it\.\n$/);
  });

  test('says what saving a policy would change for those who have it', async () => {
    await fine(root, ['create', 'auth-policy', 'loose', '--no-ext-jwt']);
    const { json } = await fine(root, ['get', 'auth-policy', 'loose', '-j']);
    const args = ['create', 'identity', 'lou', '--auth-policy', 'loose', '--updb', '--password-stdin'];
    await fine(root, args, password);
    const changed = { ...json, primary: { ...json.primary, updb: { ...json.primary.updb, allowed: false } } };
    const asked = await fine(root, ['explain', 'policy', 'lou', '--policy', '-'], JSON.stringify(changed));
    assert.match(
      asked.stdout,
      /identities that have it: +1 \(0 would get it, 0 would lose it\)\n[\s\S]*could no longer log in: +1 \(lou\)\n$/,
    );
    assert.match(asked.stdout, /^password: refused[\s\S]*\nlou could not log in\.\n/);
    assert.match((await fine(root, ['explain', 'policy', 'lou'])).stdout, /\nlou can log in\.\n/);
    const printed = await fine(
      root,
      ['explain', 'policy', 'lou', '--policy', '-', '-j'],
      JSON.stringify(changed),
    );
    assert.equal(printed.json.preview.lockedOut.count, 1);
    const wrong = await root.exits(1, ['explain', 'policy', 'lou', '--policy', '-'], {
      input: 'nonsense: 1',
    });
    assert.match(wrong.stderr, /^error: -:1: nonsense: is not known here/);
    // Without a name, and with a mistake in its second line.
    const nameless = { input: 'primary:\n  updb: {allowed: false}\nsecondary:\n  requireTotp: true\n' };
    const asIs = await root.run(['explain', 'policy', 'lou', '--policy', '-'], nameless);
    assert.match(asIs.stdout, /^password: refused[\s\S]*\nlou could not log in\.\n/, asIs.stderr);
    const misspelt = { input: 'secondary:\n  requirTotp: true\n' };
    const where = await root.run(['explain', 'policy', 'lou', '--policy', '-'], misspelt);
    assert.match(where.stderr, /^error: -:2: secondary\.requirTotp: is not known here.*requireTotp/);
    // As `export --kind auth-policy` writes it.
    const exported = { 'auth-policy': [changed] };
    const ofFile = ['explain', 'policy', 'lou', '--policy', '-', '--method', 'passkey'];
    assert.match((await fine(root, ofFile, JSON.stringify(exported))).stdout, /\nlou could not log in with/);
    const both = await root.exits(2, ofFile, {
      input: JSON.stringify({ 'auth-policy': [changed, changed] }),
    });
    assert.match(both.stderr, /2 auth policies; one is explained at a time/);
  });

  test('is for those who may read what identities have', async () => {
    await ada.exits(4, ['explain', 'policy', 'ada']);
  });
});

describe('lists', () => {
  test('of login attempts lead to explain, which leads back', async () => {
    await using stranger = commandLine();
    const refused = await logInAs(stranger, server, 'ada', 'not the password');
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
    await root.exits(2, ['delete', 'controller', 'x']);
  });
});
