// The package as it is published: packed, installed in a folder of its own, compiled against and run. The examples and
// the README are what its readers copy, so they are what is compiled and run.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { systemClock } from '../../src/platform/clock.ts';
import { givePassword } from '../pages/support.ts';
import { visitor } from '../support/browser.ts';
import { buildClient, startClientApplication } from '../support/built-client.ts';
import { enrolled } from '../support/certificates.ts';
import { createPolicy, createSigner, createUserWithPolicy, tokenOf } from '../support/external-jwt.ts';
import { password, rootOf } from '../support/management.ts';
import { startTestIdp, type TestIdp } from '../support/test-idp.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { createTotpUser, scan, totpPolicy } from '../support/totp.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const examples = join(root, 'packages', 'client', 'examples');
/** A user's project. */
const project = mkdtempSync(join(tmpdir(), 'overlay-auth-project-'));
const installed = join(project, 'node_modules', '@overlay-auth', 'client');
const client = buildClient();
let server: TestServer;
let idp: TestIdp;
/** The files in the archive. */
let published: readonly string[] = [];

before(async () => {
  const packed = spawnSync('npm', ['pack', client.folder, '--pack-destination', project, '--json'], {
    encoding: 'utf8',
  });
  assert.equal(packed.status, 0, packed.stderr);
  const archive = /[\w.-]+\.tgz/.exec(packed.stdout)?.[0] ?? '';
  published = JSON.parse(packed.stdout)[0].files.map(({ path }: { path: string }) => path);
  mkdirSync(installed, { recursive: true });
  const args = ['-xzf', join(project, archive), '-C', installed, '--strip-components=1'];
  assert.equal(spawnSync('tar', args).status, 0);
  // What npm would install with it.
  for (const name of [
    'oauth4webapi',
    'openapi-fetch',
    'openapi-typescript-helpers',
    '@types',
    'undici-types',
  ]) {
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
  }
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  cpSync(examples, project, { recursive: true });
  [server, idp] = await Promise.all([startTestServer(), startTestIdp()]);
  writeFileSync(join(project, 'ca.pem'), server.caPem);
});
after(async () => {
  await Promise.all([server.close(), idp.close()]);
  client.remove();
  rmSync(project, { recursive: true, force: true });
});

/** Compiles files of the project strictly, declarations of the package included. */
function compile(files: readonly string[], options: object): string {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'es2024',
    module: 'nodenext',
    skipLibCheck: false,
    ...options,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const { stdout, stderr } = spawnSync(tsc, ['-p', project], { encoding: 'utf8' });
  return stdout + stderr;
}

interface Run {
  readonly child: ChildProcess;
  readonly over: Promise<{ readonly code: number | null; readonly text: string; readonly errors: string }>;
}

/** Runs an example. @param onText what it has said so far; what this returns is typed */
function run(
  example: string,
  args: readonly string[],
  onText: (text: string) => string | undefined = () => undefined,
): Run {
  const child = spawn(process.execPath, [
    join(project, example),
    server.url,
    join(project, 'ca.pem'),
    ...args,
  ]);
  let text = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    text += data;
    const typed = onText(text);
    if (typed !== undefined) child.stdin.write(`${typed}\n`);
  });
  child.stderr.setEncoding('utf8').on('data', (data: string) => {
    errors += data;
  });
  return { child, over: new Promise((over) => child.on('close', (code) => over({ code, text, errors }))) };
}

describe('the published package', () => {
  test('has code and declarations, nothing of how it is developed, and is small', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.equal(manifest.devDependencies ?? manifest.private ?? manifest.scripts, undefined);
    const others = published.filter((path) => !/\.(?:js|d\.ts)$|^package\.json$|^README\.md$/.test(path));
    assert.deepEqual(others, []);
    assert.ok(published.includes('client.js') && published.includes('client.d.ts'));
    assert.ok(!published.some((path) => /test|example|scripts/.test(path)));
    const imported = ['client.js', 'browser/browser.js'].reduce(
      (found, entry) => reachable(join(installed, entry), found),
      new Map<string, string>(),
    );
    const names = [...imported.values()].flatMap((code) => importsIn(code));
    assert.deepEqual(
      names.filter((name) => name.startsWith('node:')),
      [],
    );
    const compressed = gzipSync([...imported.values()].join('\n')).length;
    // Not minified, with comments, and without the protocol library: 16 kB when this was written.
    assert.ok(compressed < 24_000, `${compressed} bytes`);
  });

  test('is installed as the README says', () => {
    const readme = readFileSync(join(root, 'packages', 'client', 'README.md'), 'utf8');
    const command = /^npm install \.\/(\S+\.tgz)/m.exec(readme);
    assert.ok(command);
    const [line, archive = ''] = command;
    const own = mkdtempSync(join(tmpdir(), 'overlay-auth-install-'));
    cpSync(join(project, archive), join(own, archive));
    // What it needs comes from here: a registry is not always there.
    const needed = ['oauth4webapi', 'openapi-fetch', 'openapi-typescript-helpers'];
    const overrides = Object.fromEntries(
      needed.map((name) => [name, `file:${join(root, 'node_modules', name)}`]),
    );
    writeFileSync(join(own, 'package.json'), JSON.stringify({ type: 'module', private: true, overrides }));
    const [program = '', ...args] = line.split(' ');
    const quiet = ['--offline', '--no-audit', '--no-fund', '--install-links=false'];
    const done = spawnSync(program, [...args, ...quiet], { cwd: own, encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
    const script = "import('@overlay-auth/client').then(({ Refusal }) => console.log(typeof Refusal))";
    const run = spawnSync(process.execPath, ['-e', script], { cwd: own, encoding: 'utf8' });
    assert.equal(run.stdout.trim(), 'function', run.stderr);
    rmSync(own, { recursive: true });
  });

  test('compiles in a program and in a page, each with the types of its platform alone', () => {
    const programs = ['command-line.ts', 'device.ts', 'direct-login.ts'];
    const onNode = { lib: ['es2024', 'esnext.disposable'], types: ['node'], skipLibCheck: true };
    assert.equal(compile(programs, { ...onNode, module: 'node16' }), '');
    const inBrowser = { lib: ['es2024', 'dom', 'dom.iterable'], types: [] };
    assert.equal(compile(['browser.ts'], inBrowser), '');
    const bundled = { module: 'esnext', moduleResolution: 'bundler' };
    assert.equal(compile(['browser.ts'], { ...inBrowser, ...bundled }), '');
  });

  test('compiles as the README says', () => {
    const readme = readFileSync(join(installed, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
    assert.ok(blocks.length >= 4);
    const prelude = `
      declare const accessToken: string, username: string, password: string, configFolder: string;
      declare const signInButton: HTMLButtonElement;
      declare const authenticator: Record<'get' | 'create', (options: object) => Promise<object>>;
      declare function showSignIn(reason: string): void;
      declare function openInBrowser(url: string): void;
      declare function ask(question: string): Promise<string>;
      declare function show(url: string, codes: readonly string[]): void;
      declare function tokenOf(issuer: string | undefined): Promise<string>;\n`;
    const files = blocks.map((code, at) => {
      const name = `readme-${at}.ts`;
      const needsTransport = /\btransport\b/.test(code) && !code.includes('send: transport');
      const given = needsTransport
        ? "declare const transport: import('@overlay-auth/client').Transport;\n"
        : '';
      writeFileSync(join(project, name), prelude + given + code);
      return name;
    });
    const options = {
      lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
      types: ['node'],
      skipLibCheck: true,
    };
    assert.equal(compile(files, options), '');
  });
});

function importsIn(code: string): readonly string[] {
  return [...code.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => name);
}

/** The files that an entry leads to, with their code. */
function reachable(file: string, found: Map<string, string>): Map<string, string> {
  if (found.has(file)) return found;
  const code = readFileSync(file, 'utf8');
  found.set(file, code);
  for (const name of importsIn(code).filter((one) => one.startsWith('.'))) {
    reachable(normalize(join(dirname(file), name)), found);
  }
  return found;
}

describe('the examples', () => {
  test('a command line logs in by browser once, and continues with the file', async () => {
    await server.createUser({ name: 'ada', password });
    const tokens = join(project, 'tokens.json');
    const { child, over } = run('command-line.ts', [tokens]);
    const address = await new Promise<string>((found) => {
      let text = '';
      child.stderr?.on('data', (data) => {
        text += String(data);
        const [url] = /https:\/\/\S+(?=\n)/.exec(text) ?? [];
        if (url !== undefined) found(url);
      });
    });
    const { page, close } = await visitor();
    await page.goto(address);
    await givePassword(page, 'ada', password);
    await page.waitForURL('http://127.0.0.1:*/auth/callback*');
    assert.match(await page.locator('main').innerText(), /You are logged in/);
    await close();
    assert.deepEqual([(await over).code, (await over).text], [0, 'You are ada.\n']);

    const again = await run('command-line.ts', [tokens]).over;
    assert.deepEqual([again.code, again.text, again.errors], [0, 'You are ada.\n', '']);
  });

  test('a device shows a code, accepts a refusal, and is logged in by a telephone', async () => {
    await server.createUser({ name: 'lise', password });
    for (const [answer, says] of [
      ['deny', 'The login of this device was refused.\n'],
      ['continue', 'This device is logged in as lise.\n'],
    ] as const) {
      let shown = (_address: string) => {};
      const address = new Promise<string>((found) => {
        shown = found;
      });
      const { over } = run('device.ts', [], (text) => {
        const [, url] = /Or open (\S+)\n/.exec(text) ?? [];
        if (url !== undefined) shown(url);
        return undefined;
      });
      const { page, close } = await visitor();
      await page.goto(await address);
      await page.getByRole('button').click();
      await page.locator(`button[value=${answer}]`).click();
      if (answer === 'continue') {
        await givePassword(page, 'lise', password);
        await page.click('#approve-device');
      }
      const { code, text, errors } = await over;
      assert.equal(code, 0, errors);
      assert.ok(text.endsWith(says), text);
      await close();
    }
  });

  test('a program logs in directly with a password, and sets up one-time codes', async () => {
    await createTotpUser(server, await totpPolicy(server), 'grace');
    let codes: readonly string[] = [];
    let questions = 0;
    const first = run('direct-login.ts', ['password', 'grace', password], (text) => {
      const asked = text.split('?\n').length - 1;
      if (asked === questions) return undefined;
      questions = asked;
      const [, url = ''] = /scan (\S+)/.exec(text) ?? [];
      codes = /keep (.+)/.exec(text)?.[1]?.split(' ') ?? [];
      const app = scan(systemClock, url);
      return questions === 1 ? app.wrongCode() : app.code();
    });
    const done = await first.over;
    assert.equal(done.code, 0, done.errors);
    assert.match(done.text, /refused: .* \(\S+\)\n/);
    assert.match(done.text, /You are grace, by password and totp\.\n$/);

    let isAnswered = false;
    const second = await run('direct-login.ts', ['password', 'grace', password], (text) => {
      if (isAnswered || !text.endsWith('?\n')) return undefined;
      isAnswered = true;
      return codes[0];
    }).over;
    assert.match(second.text, /You are grace/, second.errors);
  });

  test('with a client certificate', async () => {
    const leaf = await enrolled(server, await server.createUser({ name: 'device', password }));
    const [cert, key] = [join(project, 'cert.pem'), join(project, 'key.pem')];
    writeFileSync(cert, leaf.certPem);
    writeFileSync(key, leaf.keyPem);
    const { code, text, errors } = await run('direct-login.ts', ['certificate', cert, key]).over;
    assert.equal(code, 0, errors);
    assert.match(text, /You are device/);
  });

  test('with an external JWT, alone and as the second proof', async () => {
    const signer = await createSigner(await rootOf(server), idp, 'lab');
    await createUserWithPolicy(server, 'joan', await createPolicy(server, 'plain', {}));
    const policy = await createPolicy(server, 'two', { secondary: { requireExtJwt: signer } });
    await createUserWithPolicy(server, 'hedy', policy);
    const alone = await run('direct-login.ts', ['external-jwt', await tokenOf(server, idp, 'joan@idp')]).over;
    assert.match(alone.text, /You are joan/, alone.errors);
    const token = await tokenOf(server, idp, 'hedy@idp');
    let isAnswered = false;
    const both = await run('direct-login.ts', ['password', 'hedy', password], (text) => {
      if (isAnswered || !text.includes(`token of ${idp.issuer}?`)) return undefined;
      isAnswered = true;
      return token;
    }).over;
    assert.match(both.text, /You are hedy/, both.errors);
  });

  test('a refusal ends a program with its reference', async () => {
    const { code, errors } = await run('direct-login.ts', ['password', 'ada', 'wrong']).over;
    assert.notEqual(code, 0);
    assert.match(errors, /INVALID_AUTH[\s\S]*requestId/);
  });

  test('a page signs a person in and out', async () => {
    const code = stripTypeScriptTypes(readFileSync(join(examples, 'browser.ts'), 'utf8'));
    let own: TestServer | undefined;
    const application = await startClientApplication(
      installed,
      () => `document.documentElement.dataset.server = ${JSON.stringify(own?.url)};\n${code}`,
    );
    const { origin } = application;
    own = await startTestServer({
      configure: (yaml) =>
        yaml.replace(
          '      - binding: edge-management\n',
          `      - binding: edge-management
      - binding: edge-oidc
        options:
          redirectURIs: [${origin}/callback]
          postLogoutURIs: [${origin}/signed-out]
`,
        ),
    });
    await own.createUser({ name: 'alice', password });
    const { page, complaints, close } = await visitor();
    await page.goto(`${origin}/reports`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('#username').waitFor();
    await givePassword(page, 'alice', password);
    await page.getByText('You are alice.').waitFor();
    assert.equal(page.url(), `${origin}/reports`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${origin}/signed-out`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    // Soon after its start the server requires a nonce.
    assert.deepEqual(
      complaints.filter((complaint) => !complaint.includes('status of 400')),
      [],
    );
    await close();
    await own.close();
    await application.close();
  });
});
