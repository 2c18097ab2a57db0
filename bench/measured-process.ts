import { fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply, Usage } from './child-channel.ts';

/** A server in a process of its own, whose use of the processor and of memory can be asked. */
export interface MeasuredProcess {
  readonly pid: number;
  readonly port: number;
  /** From the start of the process to the first connection that it accepts. Millis. */
  readonly startMillis: number;
  call<Value>(command: string, args?: unknown): Promise<Value>;
  usage(): Promise<Usage>;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Absolute path of the program. */
  readonly file: string;
  readonly args: readonly string[];
  /** Where it will listen, on 127.0.0.1. */
  readonly port: number;
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the process prints goes there. */
  readonly outputFile: string;
}

const longestStart = 300_000;
const pollInterval = 3;

/** Resolves when the process accepts connections. @throws Error when it ends before, or takes five minutes */
export async function startMeasured(options: StartOptions): Promise<MeasuredProcess> {
  const { file, port } = options;
  const output = openSync(options.outputFile, 'a');
  const begun = performance.now();
  const child = fork(file, [...options.args], {
    execArgv: [...(options.execArgv ?? [])],
    env: { ...process.env, ...options.env },
    stdio: ['ignore', output, output, 'ipc'],
  });
  closeSync(output);
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  let hasEnded = false;
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => {
      hasEnded = true;
      for (const { reject } of pending.values())
        reject(new Error(`${file} has ended; see ${options.outputFile}`));
      pending.clear();
      resolve();
    });
  });
  child.on('message', (reply: Reply) => {
    const waiting = pending.get(reply.id);
    pending.delete(reply.id);
    if (reply.failure === undefined) waiting?.resolve(reply.value);
    else waiting?.reject(new Error(reply.failure));
  });

  function call<Value>(name: string, args: unknown = null): Promise<Value> {
    return new Promise((resolve, reject) => {
      lastId += 1;
      pending.set(lastId, { resolve: resolve as (value: unknown) => void, reject });
      child.send({ id: lastId, name, args });
    });
  }
  async function stop(): Promise<void> {
    if (child.connected) child.disconnect();
    await gone;
  }

  while (!(await accepts(port))) {
    if (hasEnded) throw new Error(`${file} ended before it was ready; see ${options.outputFile}`);
    if (performance.now() - begun > longestStart) {
      await stop();
      throw new Error(`${file} was not ready within five minutes; see ${options.outputFile}`);
    }
    await sleep(pollInterval);
  }
  const startMillis = performance.now() - begun;
  return { pid: child.pid ?? 0, port, startMillis, call, usage: () => call<Usage>('usage'), stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** A port without a listener. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
