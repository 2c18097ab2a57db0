import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DAY } from '../../src/platform/clock.ts';
import { authority, authorityExtensions, generalName, nameConstraints } from '../support/chains.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Sandbox, sandbox } from '../support/command.ts';
import { commandLine, exits } from '../support/command-line.ts';
import { startTestServer } from '../support/test-server.ts';

const withoutCertutil =
  spawnSync('certutil', ['--help']).error === undefined ? false : 'certutil (libnss3-tools) is not installed';
const onlyBrowsers = ['--only', 'browser'];

/** The databases of Chromium and of a Firefox profile, as the browsers make them. */
function browsersOf(home: string): void {
  for (const path of ['.pki/nssdb', '.mozilla/firefox/ab.default']) {
    mkdirSync(join(home, path), { recursive: true });
    const made = spawnSync('certutil', ['-N', '-d', `sql:${join(home, path)}`, '--empty-password']);
    assert.equal(made.status, 0, String(made.stderr));
  }
}

/** What a browser of this home gets from an address: its status, or the reason why it does not show the page. */
async function seen(home: string, url: string): Promise<string> {
  await using browser = await launchChromium([], { HOME: home });
  const page = await browser.newPage();
  const answer = await page.goto(url).catch((error: Error) => error.message);
  return typeof answer === 'string' ? (/ERR_\w+/.exec(answer)?.[0] ?? answer) : String(answer?.status());
}

describe('pki trust', { skip: withoutCertutil }, () => {
  test('a browser opens the pages without a warning, until it is undone', async () => {
    await using server = await startTestServer();
    await using cli = commandLine();
    browsersOf(cli.cwd);
    const file = join(server.home, 'ca.pem');
    const states = async (...args: string[]) => {
      const { json, stderr } = await cli.run(['pki', 'trust', file, ...onlyBrowsers, '-j', ...args], {
        env: { PATH: process.env.PATH ?? '' },
      });
      assert.equal(stderr, '');
      return json.stores.map(({ state }: { state: string }) => state);
    };
    assert.deepEqual(await states('--dry-run'), ['planned', 'planned']);
    assert.deepEqual(await states('--yes'), ['trusted', 'trusted']);
    assert.equal(await seen(cli.cwd, `${server.url}/account`), '200');
    assert.deepEqual(await states('--yes'), ['unchanged', 'unchanged']);
    assert.deepEqual(await states('--undo'), ['removed', 'removed']);
    assert.equal(await seen(cli.cwd, `${server.url}/account`), 'ERR_CERT_AUTHORITY_INVALID');
    assert.deepEqual(await states('--undo'), ['unchanged', 'unchanged']);
  });

  test('says what it means, and does nothing without a yes', async () => {
    await using cli = commandLine();
    browsersOf(cli.cwd);
    const env = { PATH: process.env.PATH ?? '' };
    writeFileSync(join(cli.cwd, 'root.pem'), authority().certPem);
    const args = ['pki', 'trust', 'root.pem', ...onlyBrowsers];

    const unasked = await cli.exits(2, args, { env });
    assert.match(unasked.stderr, /next: .*--yes/);
    const no = await cli.exits(1, args, {
      env,
      person: (screen) => (screen.includes('[y/N]') ? 'n' : undefined),
    });
    assert.match(no.stderr, /SHA-256 +([0-9A-F]{2}:){31}[0-9A-F]{2}\n/);
    assert.match(no.stderr, /can vouch for +every name\n[\s\S]*can pretend to be any site/);
    assert.match(no.stderr, /Nothing was changed/);
    const yes = await cli.exits(0, args, {
      env,
      person: (screen) => (screen.includes('[y/N]') ? 'y' : undefined),
    });
    assert.match(yes.stdout, /Firefox ab\.default +trusted +~\/\.mozilla/);
    assert.match(yes.stderr, /running: certutil -A .*-t C,,[\s\S]*Restart the browsers/);

    // Only this authority is removed.
    const database = `sql:${join(cli.cwd, '.pki/nssdb')}`;
    const add = ['-A', '-d', database, '-n', 'of somebody', '-t', 'C,,'];
    assert.equal(spawnSync('certutil', add, { input: authority().certPem }).status, 0);
    await cli.exits(0, [...args, '--undo'], { env });
    const left = String(spawnSync('certutil', ['-L', '-d', database]).stdout);
    assert.match(left, /of somebody/);
    assert.doesNotMatch(left, /overlay-auth-/);
  });

  test('a database that cannot be changed is named, and the others are done', async () => {
    await using cli = commandLine();
    browsersOf(cli.cwd);
    const env = { PATH: process.env.PATH ?? '' };
    writeFileSync(join(cli.cwd, 'root.pem'), authority().certPem);
    writeFileSync(join(cli.cwd, '.mozilla/firefox/ab.default/cert9.db'), 'not a database');
    const { stdout, stderr } = await cli.exits(1, ['pki', 'trust', 'root.pem', '--yes', ...onlyBrowsers], {
      env,
    });
    assert.match(stdout, /Chromium, Chrome +trusted/);
    assert.match(stdout, /Firefox ab\.default +failed: certutil/);
    assert.match(stderr, /error: Firefox ab\.default: certutil: .*\nnext: /);
  });
});

test('pki trust shows every command before it is run', { skip: withoutCertutil }, async (t) => {
  const box: Sandbox = sandbox();
  t.after(() => box.close());
  await box.home('a home', 'localhost:0');
  mkdirSync(join(box.cwd, '.config', 'chromium'), { recursive: true });
  const trust = (...args: string[]) =>
    box.run(['pki', 'trust', '--config', 'a home/controller.yml', '--dry-run', '-j', ...args], {
      env: { HOME: box.cwd },
    });
  const { stdout } = await exits(0, trust());
  const stores: { kind: string; state: string; commands: string[] }[] = JSON.parse(stdout).stores;
  const quoted = `'${join(box.cwd, 'a home/pki/root-ca.cert.pem')}'`;
  for (const { kind, commands } of stores.filter(({ state }) => state === 'planned')) {
    assert.ok(
      commands.some((command) => command.includes(quoted)),
      `${kind}: ${commands}`,
    );
    // The command asks to be run as root, or is.
    assert.equal(
      commands.every((command) => command.startsWith('sudo ')),
      kind === 'system' && process.getuid?.() !== 0,
    );
  }
});

test('pki trust refuses what is not the authority of a server', async () => {
  await using box = sandbox();
  await box.home('h', 'localhost:0');
  const refusal = async (...args: string[]) => {
    const { stderr } = await box.exits(1, ['pki', 'trust', '--yes', ...onlyBrowsers, ...args], {
      env: { HOME: box.cwd },
    });
    return stderr;
  };
  const pki = join(box.cwd, 'h', 'pki');
  assert.match(await refusal('h/pki/server.cert.pem'), /it may not sign certificates/);
  assert.match(await refusal('h/pki/client-ca.cert.pem'), /issued by another authority/);
  assert.match(await refusal('h/pki/ca-bundle.pem'), /holds 2 certificates/);
  assert.match(await refusal('h/pki/root-ca.key.pem'), /contains no certificate/);
  assert.match(await refusal('h/pki/none.pem'), /cannot be read: it does not exist\./);
  assert.match(await refusal('h/pki'), /cannot be read: it is a folder\./);
  writeFileSync(join(box.cwd, 'old.pem'), authority({ from: -2 * DAY, until: -DAY }).certPem);
  assert.match(await refusal('old.pem'), /has expired/);
  // A home whose server certificate was replaced by another authority's.
  writeFileSync(join(pki, 'root-ca.cert.pem'), authority().certPem);
  assert.match(
    await refusal('--config', 'h/controller.yml'),
    /does not come from the authority of its home[\s\S]*pki trust FILE/,
  );
});

test('pki trust says when an authority is limited to some names', async () => {
  await using box = sandbox();
  const limits = nameConstraints({ permitted: [generalName.dns('localhost')] });
  writeFileSync(join(box.cwd, 'limited.pem'), authority({}, authorityExtensions(undefined, limits)).certPem);
  mkdirSync(join(box.cwd, '.config', 'chromium'), { recursive: true });
  const { stderr } = await box.run(['pki', 'trust', 'limited.pem', '--dry-run', ...onlyBrowsers], {
    env: { HOME: box.cwd },
  });
  assert.match(stderr, /can vouch for +the names in its certificate only/);
});
