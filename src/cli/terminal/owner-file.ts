import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileErrorReason, isFileError } from '../../platform/file-error-reason.ts';
import { CliError, usageError } from './output.ts';
import type { CliPorts } from './ports.ts';

/**
 * Writes a new file that only its owner can read. The file is there before `make` runs, which may use something up: a
 * folder that is missing must not cost an enrollment. If `make` or the writing fails, there is no file.
 * @param make the text
 * @throws CliError exit 2 when the file exists already; every error of `make`
 */
export async function writeOwnerFile(
  ports: CliPorts,
  path: string,
  make: () => Promise<string>,
): Promise<void> {
  const full = resolve(ports.cwd, path);
  const file = await open(full, 'wx', 0o600).catch((error) => {
    throw error.code === 'EEXIST'
      ? usageError(`${path} exists already.`, 'name another file, or move that one away')
      : notWritten(path, error);
  });
  try {
    const text = await make();
    try {
      await file.writeFile(text);
      await file.sync();
    } catch (error) {
      throw notWritten(path, error);
    }
  } catch (error) {
    await rm(full, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

function notWritten(path: string, error: unknown): CliError {
  const isFolderMissing = isFileError(error) && error.code === 'ENOENT';
  const reason = isFolderMissing ? 'its folder does not exist' : fileErrorReason(error);
  return new CliError(`${path} cannot be written: ${reason}.`, {
    code: 'file_not_written',
    next: 'name a file in a folder where this user may write',
    cause: error,
  });
}
