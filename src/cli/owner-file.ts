import { access, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError, usageError } from './cli-error.ts';
import type { CliPorts } from './ports.ts';

/** Refuses an existing file name, before anything irreversible is done. @throws CliError exit 2 */
export async function refuseTakenFile(ports: CliPorts, path: string): Promise<void> {
  const isThere = await access(resolve(ports.cwd, path)).then(
    () => true,
    () => false,
  );
  if (isThere) throw usageError(`${path} exists already.`, 'name another file, or move that one away');
}

/** Writes a new file that only its owner can read. @throws CliError */
export async function writeOwnerFile(ports: CliPorts, path: string, text: string): Promise<void> {
  try {
    await writeFile(resolve(ports.cwd, path), text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`${path} cannot be written: ${reason}`, { code: 'file_not_written', cause: error });
  }
}
