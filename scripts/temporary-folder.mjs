// Where the tests of a run have their temporary files: in memory, where there is room. They write and sync thousands of
// small files, and waiting for a disk costs a tenth of a run.
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const memory = '/dev/shm';
/** A run needs less than a tenth of it, unless every database server needs its programs beside it. Bytes. */
const enough = 6 * 2 ** 30;

/** Makes the folder and sets TMPDIR, for what this process starts; the folder is removed when the process ends. */
export function useTemporaryFolder() {
  // The caller has decided.
  if (process.env.TMPDIR !== undefined || !hasRoom()) return;
  const folder = mkdtempSync(join(memory, 'overlay-auth-tests-'));
  // A database server runs as another user, and passes through it to its own files.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= enough;
  } catch {
    return false;
  }
}
