// A real Firefox, driven by the protocol that it speaks itself (Marionette): length, colon and JSON over TCP.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND, systemClock } from '../src/platform/clock.ts';

export interface Firefox {
  /** A command of WebDriver. @throws Error what Firefox says */
  command(name: string, parameters?: object): Promise<unknown>;
  goTo(url: string): Promise<unknown>;
  /** Runs a script in the page, which may return a promise. */
  run<Result>(script: string, ...args: readonly unknown[]): Promise<Result>;
  /** Waits for an element that is seen. @returns its id */
  find(selector: string): Promise<string>;
  fill(selector: string, text: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** Waits until the address of the page fits. */
  arrivesAt(pattern: RegExp): Promise<URL>;
  close(): Promise<void>;
}

/** @returns the first value that there is @throws Error after 30 s, with what was there instead */
async function until<Result>(look: () => Promise<Result | null>, instead: () => unknown): Promise<Result> {
  for (const began = systemClock.monotonic(); systemClock.monotonic() - began < 30 * SECOND; ) {
    const found = await look().catch(() => null);
    if (found !== null) return found;
    await delay(100);
  }
  throw new Error(`not found: ${await instead()}`);
}

/** A new profile, which accepts the certificates of test servers. Its virtual authenticators are in software. */
export async function startFirefox(): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'overlay-auth-firefox-'));
  const preferences = {
    'marionette.port': 0,
    'intl.accept_languages': 'en',
    'security.webauth.webauthn_enable_softtoken': true,
    'security.webauth.webauthn_enable_usbtoken': false,
  };
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
  const browser = spawn(
    'firefox-esr',
    ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote', '--profile', profile],
    { env: { ...process.env, HOME: profile }, stdio: 'ignore' },
  );
  const ended = once(browser, 'exit');
  const portFile = join(profile, 'MarionetteActivePort');
  const port = await until(
    async () => (existsSync(portFile) && Number(readFileSync(portFile, 'utf8'))) || null,
    () => 'the port of Firefox',
  );
  const socket = connect(port, '127.0.0.1');
  const waiting = new Map<number, (answer: readonly [unknown, unknown]) => void>();
  let received: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (let colon = received.indexOf(':'); colon !== -1; colon = received.indexOf(':')) {
      const end = colon + 1 + Number(received.subarray(0, colon));
      if (received.length < end) return;
      const message = JSON.parse(received.subarray(colon + 1, end).toString());
      received = received.subarray(end);
      if (Array.isArray(message)) waiting.get(message[1])?.([message[2], message[3]]);
    }
  });
  let last = 0;
  async function command(name: string, parameters: object = {}): Promise<unknown> {
    last += 1;
    const answer = new Promise<readonly [unknown, unknown]>((done) => waiting.set(last, done));
    const text = JSON.stringify([0, last, name, parameters]);
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    const [error, result] = await answer;
    if (error !== null) throw new Error(`${name}: ${JSON.stringify(error).slice(0, 500)}`);
    return result;
  }
  const value = async <Result>(name: string, parameters: object = {}) =>
    ((await command(name, parameters)) as { readonly value: Result }).value;
  const run = <Result>(script: string, ...args: readonly unknown[]) =>
    value<Result>('WebDriver:ExecuteScript', { script, args, newSandbox: true });
  const onPage = () => run<string>('return location.href + ": " + document.body.innerText');
  const find = (selector: string) =>
    until(
      async () => {
        const found = { using: 'css selector', value: selector };
        const [id = ''] = Object.values(await value<object>('WebDriver:FindElement', found));
        return (await value('WebDriver:IsElementDisplayed', { id })) === true ? String(id) : null;
      },
      async () => `${selector} on ${await onPage()}`,
    );
  await command('WebDriver:NewSession', { acceptInsecureCerts: true });
  return {
    command,
    run,
    find,
    goTo: (url) => command('WebDriver:Navigate', { url }),
    async fill(selector, text) {
      const id = await find(selector);
      await command('WebDriver:ElementClear', { id });
      await command('WebDriver:ElementSendKeys', { id, text });
    },
    async click(selector) {
      await command('WebDriver:ElementClick', { id: await find(selector) });
    },
    arrivesAt: (pattern) =>
      until(async () => {
        const url = await value<string>('WebDriver:GetCurrentURL');
        return pattern.test(url) ? new URL(url) : null;
      }, onPage),
    async close() {
      await command('Marionette:Quit', { flags: ['eForceQuit'] });
      await ended;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
