// Types what docs/command-line.md shows under "Every command", from top to bottom, in an empty folder, and answers every
// question for a password or a yes.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type Finished,
  type Sandbox,
  type Started,
  sandbox,
  stopped,
  untilReady,
} from '../support/command.ts';
import { runHere } from '../support/command-line.ts';

const text = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8');

/** The code blocks of the section except the last one, which needs more than an empty folder. */
function blocks(): readonly (readonly string[])[] {
  const part = text.slice(text.indexOf('## Every command'), text.indexOf('## Logging in'));
  return [...part.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, block = '']) => block.split('\n').filter((line) => line !== ''))
    .slice(0, -1);
}

/** These run until they are stopped. */
const runsOn = /^(run controller|quickstart) /;
/** These need no server; they find files by the working folder. */
const onHost = /^(init|admin|config|keys|pki|ops|status --)/;
/** A person types something else the second time: a new password has to differ. */
const passwords = ['tall tree bakery 41', 'long river kitchen 73'] as const;

class Reader {
  readonly #box: Sandbox = sandbox();
  readonly #env: Record<string, string>;
  #port = 0;
  #controller: Started | undefined;
  #password: string = passwords[0];

  constructor() {
    const { PATH = '' } = process.env;
    this.#env = {
      // Stands in on a machine without certutil.
      PATH: `${PATH}:${join(this.#box.cwd, 'bin')}`,
      HOME: this.#box.cwd,
      OVERLAY_AUTH_CONFIG_DIR: join(this.#box.cwd, 'config'),
    };
    // A browser that was never started, so that something can trust an authority.
    for (const folder of ['bin', '.config/chromium'])
      mkdirSync(join(this.#box.cwd, folder), { recursive: true });
    writeFileSync(join(this.#box.cwd, 'bin', 'certutil'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  }

  async type(line: string): Promise<void> {
    const typed = (await this.#named(line.replace(/ +#.*$/, ''))).replaceAll(/\b1280\b/g, String(this.#port));
    if (!typed.startsWith('overlay-auth ')) {
      execFileSync('sh', ['-c', typed], { cwd: this.#box.cwd, stdio: 'pipe' });
      return;
    }
    const [command = '', file] = typed.slice('overlay-auth '.length).split(' > ');
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    if (runsOn.test(command)) return this.#start(words);
    const outcome = await this.#run(words, command);
    // A token issued by us is none of that signer's.
    const expected = command.startsWith('verify ') ? 1 : 0;
    assert.equal(outcome.code, expected, `${line}\n${outcome.stdout}${outcome.stderr}`);
    if (file !== undefined) writeFileSync(join(this.#box.cwd, file), outcome.stdout);
  }

  async stop(): Promise<void> {
    if (this.#controller !== undefined) assert.equal((await stopped(this.#controller)).code, 0);
    this.#controller = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#box.close();
  }

  async #start(words: readonly string[]): Promise<void> {
    const isOwn = words[0] === 'run';
    const more = isOwn ? [] : ['--json'];
    const run = this.#box.start([...words.map((word) => (word === '1281' ? '0' : word)), ...more], {
      env: this.#env,
    });
    const { url } = await untilReady(run);
    if (isOwn) {
      this.#controller = run;
      this.#port = Number(new URL(url).port);
    } else assert.equal((await stopped(run)).code, 0);
  }

  async #run(words: readonly string[], command: string): Promise<Finished> {
    if (onHost.test(command)) {
      return this.#box.run(words, { env: { ...this.#env, OVERLAY_AUTH_PASSWORD: this.#password } });
    }
    const caller = { cwd: this.#box.cwd, env: this.#env };
    return runHere(caller, words, { person: (screen) => this.#answer(screen, command) });
  }

  #answer(screen: string, command: string): string | undefined {
    if (screen.includes('[y/N]')) return 'y';
    if (!/(password|Password|again)[^\n]*: $/.test(screen)) return undefined;
    return command === 'password' && !/current/i.test(screen) ? passwords[1] : this.#password;
  }

  /** Fills in the words in capitals, from what earlier commands have shown. */
  async #named(line: string): Promise<string> {
    const shown = async (args: readonly string[], member: string) => {
      const { json } = await runHere({ cwd: this.#box.cwd, env: this.#env }, [...args, '-j']);
      const items: readonly Record<string, unknown>[] = Array.isArray(json) ? json : [json];
      // Without the session and certificate of the person, the next command would be refused.
      const found = items.find((item) => !JSON.stringify(item).includes('"you"'))?.[member];
      assert.equal(typeof found, 'string', `${args.join(' ')}: ${member}`);
      return String(found);
    };
    const sources: Record<string, () => Promise<string>> = {
      TOKEN: () => shown(['get', 'ca', 'partner'], 'verificationToken'),
      SESSION: () => shown(['list', 'api-sessions'], 'id'),
      REFERENCE: () => shown(['list', 'login-attempts'], 'reference'),
      NODE: () => shown(['list', 'controllers'], 'name'),
      AUTHENTICATOR: () => shown(['list', 'authenticators', 'method = "cert"'], 'id'),
    };
    const [word] = /(?<=[ =])(TOKEN|SESSION|REFERENCE|NODE|AUTHENTICATOR)(?= |$)/.exec(line) ?? [];
    return word === undefined ? line : line.replace(word, (await sources[word]?.()) ?? '');
  }
}

/** Older versions, and LibreSSL, cannot sign with an authority in one command. */
const withoutOpenssl = /^OpenSSL [3-9]/.test(String(spawnSync('openssl', ['version']).stdout))
  ? false
  : 'openssl 3 is not installed';

test('every command of the document can be typed in its order', { skip: withoutOpenssl }, async () => {
  await using reader = new Reader();
  for (const block of blocks()) {
    // The text above it says to stop the controller.
    if (block[0] === 'overlay-auth ops db migrate') await reader.stop();
    for (const line of block) await reader.type(line);
  }
});
