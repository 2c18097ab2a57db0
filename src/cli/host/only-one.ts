import { tryFileLock } from '../../platform/file-lock.ts';
import { CliError } from '../terminal/output.ts';

/**
 * Held while a command changes files that another one must not change at the same time on this host.
 * @param file its lock is beside it. @throws CliError another command holds it
 */
export function onlyOne(file: string): Disposable {
  const lock = tryFileLock(`${file}.lock`);
  if (lock !== null) return lock;
  throw new CliError(`Another command that changes what belongs to ${file} is under way.`, {
    code: 'already_running',
    next: 'wait until it has ended',
  });
}
