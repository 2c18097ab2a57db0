// A controller as an operator runs it, with an administrator who can log in, and what the system says of its process.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { clientOfHome, sandbox, stopped, untilReady } from '../test/support/command.ts';
import type { HttpsClient } from '../test/support/https-client.ts';
import { password } from '../test/support/management.ts';

/** Who may log in, with the password of the tests. */
export const username = 'root';

export interface RunningProgram {
  readonly client: HttpsClient;
  readonly port: number;
  /** A connection of its own, from a loopback address of its own: sources are limited each. */
  connectFrom(address: string): TLSSocket;
  /** Resident memory of the process, in bytes. */
  memory(): number;
  /** Open files and sockets of the process. */
  descriptors(): number;
  close(): Promise<void>;
}

export async function startProgram(): Promise<RunningProgram> {
  const box = sandbox();
  try {
    writeFileSync(join(box.cwd, 'password'), `${password}\n`);
    const admin = ['--admin', username, '--admin-password-file', 'password'];
    const made = await box.run(['init', '--home', 'h', '--address', 'localhost:0', ...admin]);
    assert.equal(made.code, 0, made.stderr);
    const run = box.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']);
    const { url } = await untilReady(run);
    const home = join(box.cwd, 'h');
    const client = clientOfHome(url, home);
    const port = Number(new URL(url).port);
    const { pid } = run.child;
    return {
      client,
      port,
      connectFrom(localAddress) {
        // Who it is is not at stake.
        const options: ConnectionOptions & { localAddress: string } = {
          host: '127.0.0.1',
          port,
          localAddress,
          servername: 'localhost',
          rejectUnauthorized: false,
        };
        return connect(options);
      },
      memory: () => residentMemory(pid),
      descriptors: () => readdirSync(`/proc/${pid}/fd`).length,
      async close() {
        client.closeConnections();
        await stopped(run);
        await box.close();
      },
    };
  } catch (error) {
    await box.close();
    throw error;
  }
}

/** In bytes. */
export function residentMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** A loopback address for each number. */
export function loopback(number: number): string {
  return `127.1.${Math.floor(number / 250)}.${(number % 250) + 1}`;
}

/** The value below which that share of all is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}
