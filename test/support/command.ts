// Commands in a folder of their own. A started command is a real child process, as a person or a script starts it. A
// command that only runs to its end does so inside this process, which is much cheaper; in full size it is a child
// process too. `test/cli/processes.test.ts` shows for each kind of command that it ends by itself.

import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Closable, closable } from './closable.ts';
import { exits, runHere } from './command-line.ts';
import { atTheEnd } from './group.ts';
import { type HttpsClient, httpsClient } from './https-client.ts';
import { isFullSize } from './size.ts';

/** The whole suite names what it has built for publishing (scripts/check.mjs). Otherwise the sources run. */
const entry = process.env.OVERLAY_AUTH_PROGRAM ?? new URL('../../src/main.ts', import.meta.url).pathname;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  /** Its output so far. */
  output(): { readonly stdout: string; readonly stderr: string };
  /** Resolves when it has ended. */
  readonly finished: Promise<Finished>;
  /** The first JSON line on standard output that fits. @throws when the command ends before */
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary lines
  line(fits: (line: any) => boolean): Promise<any>;
}

export interface Sandbox extends Closable {
  readonly cwd: string;
  start(args: readonly string[], options?: CommandOptions): Started;
  /** Runs to the end. This process runs one at a time: use `start` for several at once. */
  run(args: readonly string[], options?: CommandOptions): Promise<Finished>;
  /** Runs a command that has to end with this exit code. */
  exits(code: number, args: readonly string[], options?: CommandOptions): Promise<Finished>;
  /**
   * Makes a home like `init --home NAME`, by copying one made earlier: for tests that are not about `init`. All homes
   * of a process with the same address have the same keys.
   * @param address as with `--address`
   */
  home(name: string, address?: string): Promise<void>;
  /** Ends every process that was started here and still runs, and removes the folder; `await using` does it too. */
  close(): Promise<void>;
}

export interface CommandOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Whether a command runs in this process, in whose working directory. */
let isRunning = false;

/** A new folder to run commands in. */
export function sandbox(): Sandbox {
  const cwd = mkdtempSync(join(tmpdir(), 'overlay-auth-cli-'));
  const running = new Set<Started>();
  const start: Sandbox['start'] = (args, options = {}) => {
    const started = startCommand(cwd, args, options);
    running.add(started);
    const forget = () => running.delete(started);
    started.finished.then(forget, forget);
    return started;
  };
  const run: Sandbox['run'] = async (args, options = {}) => {
    if (isFullSize) return start(args, options).finished;
    const { PATH = '', HOME = '' } = process.env;
    if (isRunning) throw new Error('a command runs in this process already: start several at once');
    const before = process.cwd();
    process.chdir(cwd);
    isRunning = true;
    try {
      const ran = await runHere({ cwd, env: { PATH, HOME, ...options.env } }, args, options);
      return { code: ran.code, stdout: ran.stdout, stderr: ran.stderr };
    } finally {
      isRunning = false;
      process.chdir(before);
    }
  };
  return closable<Sandbox>({
    cwd,
    start,
    run,
    exits: (code, ...command) => exits(code, run(...command)),
    async home(name, address) {
      const original = await originalHome(address);
      cpSync(original, join(cwd, name), { recursive: true });
    },
    async close() {
      for (const { child } of running) child.kill('SIGKILL');
      await Promise.allSettled([...running].map(({ finished }) => finished));
      rmSync(cwd, { recursive: true, force: true });
    },
  });
}

const originals = new Map<string | undefined, Promise<string>>();

/** @returns a home that must not be changed */
function originalHome(address: string | undefined): Promise<string> {
  const existing = originals.get(address);
  if (existing !== undefined) return existing;
  const made = (async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'overlay-auth-home-'));
    atTheEnd(() => rmSync(cwd, { recursive: true, force: true }));
    const args = ['init', '--home', 'h', ...(address === undefined ? [] : ['--address', address])];
    const { code, stderr } = await startCommand(cwd, args, {}).finished;
    if (code !== 0) throw new Error(stderr);
    return join(cwd, 'h');
  })();
  originals.set(address, made);
  return made;
}

function startCommand(cwd: string, args: readonly string[], { input, env = {} }: CommandOptions): Started {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const known = { PATH, HOME, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
  const child = spawn(process.execPath, [entry, ...args], { cwd, env: { ...known, ...env } });
  let stdout = '';
  let stderr = '';
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const one of [...waiting]) one();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined).end(input ?? '');
  let hasEnded = false;
  const finished = new Promise<Finished>((done, reject) => {
    child.on('error', (error) => {
      hasEnded = true;
      reject(error);
      wake();
    });
    child.on('close', (code) => {
      hasEnded = true;
      done({ code, stdout, stderr });
      wake();
    });
  });
  return {
    child,
    output: () => ({ stdout, stderr }),
    finished,
    line: (fits) =>
      new Promise((found, reject) => {
        const look = () => {
          const lines = stdout
            .split('\n')
            .slice(0, -1)
            .filter((line) => line.startsWith('{'));
          const line = lines.map((text) => JSON.parse(text)).find(fits);
          if (line === undefined && !hasEnded) return;
          waiting.delete(look);
          if (line !== undefined) found(line);
          else reject(new Error(`the command ended before: ${stdout}\n${stderr}`));
        };
        waiting.add(look);
        look();
      }),
  };
}

/** Waits for the line that says that every listener accepts connections. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary lines
export function untilReady(started: Started): Promise<any> {
  return started.line((line) => line.event === 'ready');
}

/** A client that trusts the root CA of a home. */
export function clientOfHome(url: string, home: string): HttpsClient {
  return httpsClient(url, readFileSync(join(home, 'pki', 'root-ca.cert.pem'), 'utf8'));
}

/** Sends SIGTERM and waits. */
export function stopped(started: Started): Promise<Finished> {
  started.child.kill('SIGTERM');
  return started.finished;
}
