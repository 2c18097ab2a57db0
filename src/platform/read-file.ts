// The one place that reads the files that a configuration names.

import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** Pipes that a shell has opened, as in `config validate <(…)`: their end is in sight. */
const openedByShell = /^\/(?:dev|proc\/self)\/(?:fd\/\d+|stdin)$/;

/**
 * Reads a file as a whole. Opening a named pipe would wait for its writer, and with that everything that this thread
 * does; a device such as /dev/zero has no end.
 * @param check called before anything is read; may throw
 * @throws Error of node:fs, with a code of `file-error-reason.ts`
 */
export function readBytes(path: string, check: (stats: Stats) => void = () => {}): Buffer {
  if (openedByShell.test(path)) return readFileSync(path);
  // Windows has no such flag, and no such files.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw notAFile(path, stats);
    check(stats);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The same as text, with replacement characters for what is not in UTF-8. @throws Error of node:fs */
export function readText(path: string): string {
  return readBytes(path).toString('utf8');
}

function notAFile(path: string, stats: Stats): Error {
  const [code, what] = stats.isDirectory() ? ['EISDIR', 'a folder'] : ['NOT_A_FILE', 'a pipe or a device'];
  return Object.assign(new Error(`${path} is ${what}, not a file`), { code, path });
}
