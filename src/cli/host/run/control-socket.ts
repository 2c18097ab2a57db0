// The socket through which commands on the same host reach a running controller: beside its configuration file, for its
// user only. It takes one word and answers with one JSON document. It reloads, as SIGHUP does, and reports health.

import { chmodSync, closeSync, constants, lstatSync, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { basename, dirname, relative } from 'node:path';
import type { Finding } from '../../../http/server/health.ts';
import { type Millis, SECOND } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log/logger.ts';
import type { ReloadAnswer } from './reload.ts';

/** The questions, and their answers. */
export interface ControlAnswers {
  readonly reload: ReloadAnswer;
  readonly health: readonly Finding[];
}

export type ControlWord = keyof ControlAnswers;

type Control = { readonly [Word in ControlWord]: () => Promise<ControlAnswers[Word]> };

const longestWord = 'reload\n'.length;
const mostConnections = 8;
const longestSilence: Millis = 10 * SECOND;
/** The smallest limit is 104 bytes including the terminator (unix(4) of macOS). */
const longestPath = 103;

/** Where the controller of a configuration file listens. */
export interface SocketPlace {
  /** Null if it cannot have a socket. */
  readonly path: string | null;
  /** When the socket is closed: the path may lead nowhere after this. */
  release(): void;
}

/**
 * The same socket from every working directory, however long the path of the file is.
 * @param file absolute
 * @throws Error of node:fs: there is no such folder, or this user may not open it
 */
export function socketPlace(file: string, platform: NodeJS.Platform): SocketPlace {
  const path = `${file}.sock`;
  const fits = (name: string) => Buffer.byteLength(name) <= longestPath;
  if (platform !== 'linux' || fits(path)) {
    const short = [path, relative('', path)].find(fits) ?? null;
    return { path: platform === 'win32' ? null : short, release() {} };
  }
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  const below = `/proc/self/fd/${folder}/${basename(path)}`;
  return { path: fits(below) ? below : null, release: () => closeSync(folder) };
}

/**
 * Listens until closed. If the socket cannot be created, for example in a read-only folder, a controller continues
 * without it.
 */
export async function openControlSocket(
  needs: { readonly file: string; readonly platform: NodeJS.Platform; readonly log: Logger },
  control: Control,
): Promise<{ close(): Promise<void> }> {
  const { file, platform, log } = needs;
  let place: SocketPlace | undefined;
  const unreachable = (reason: unknown) => {
    place?.release();
    log.info('this controller reloads at SIGHUP only', { reason });
    return { async close() {} };
  };
  try {
    place = socketPlace(file, platform);
  } catch (error) {
    return unreachable(error);
  }
  const { path, release } = place;
  if (path === null) return unreachable('the path of the configuration file is too long for a socket');
  if (await isAnswered(path)) return unreachable('another controller was started with the same file');
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    answer(socket, control);
  });
  server.maxConnections = mostConnections;
  try {
    // A killed controller left its socket behind. Anything else of that name belongs to another program.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true) rmSync(path, { force: true });
    await listenForOwner(server, path);
  } catch (error) {
    return unreachable(error);
  }
  server.on('error', (error) => log.warn('the control socket does not answer any more', { error }));
  server.unref();
  return {
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroySoon();
      return closed.finally(release);
    },
  };
}

function listenForOwner(server: ReturnType<typeof createServer>, path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  const mask = process.umask(0o177);
  try {
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  } finally {
    process.umask(mask);
  }
  return promise.then(() => chmodSync(path, 0o600));
}

function answer(socket: Socket, control: Control): void {
  let text = '';
  socket.on('error', () => socket.destroy());
  socket.setTimeout(longestSilence, () => socket.destroy());
  socket.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    if (!text.endsWith('\n') && text.length < longestWord) return;
    socket.removeAllListeners('data').setTimeout(0);
    if (text === 'reload\n' || text === 'health\n') {
      const word = text.trimEnd() as ControlWord;
      void control[word]().then((answered) => socket.end(`${JSON.stringify(answered)}\n`));
    } else socket.destroy();
  });
  socket.on('end', () => {
    if (!text.endsWith('\n')) socket.destroy();
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const say = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => say(true)).once('error', () => say(false));
  });
}
