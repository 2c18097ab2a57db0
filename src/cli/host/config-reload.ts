// `config reload`: asks the running controller of a configuration file to read it again, and says what came of it.

import { connect } from 'node:net';
import type { SettingChange } from '../../config/reload.ts';
import { shellWord } from '../../platform/formats/shell-word.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { controlSocketPath, reloadWord } from '../run/control-socket.ts';
import type { ReloadAnswer } from '../run/reload.ts';
import { notice, printable, printResult, type Report } from '../terminal/output.ts';
import { configPath, shownPath } from './load-config.ts';

/**
 * @param named the configuration file; that of the home unless given
 * @throws CliError none is running, or the file was refused: nothing has changed then
 */
export async function reloadConfig(report: Report, named: string | undefined): Promise<void> {
  const { ports } = report;
  const file = configPath(ports, named);
  const answer = await askToReload(file, ports.platform).catch((error) => {
    throw notReached(error, shownPath(ports.cwd, file));
  });
  if (answer.outcome === 'refused') {
    throw new CliError(answer.reason, {
      code: 'config',
      next: `correct what is named, then run: overlay-auth config reload --config ${shellWord(shownPath(ports.cwd, file))}`,
    });
  }
  const { changed, needsRestart, warnings } = answer;
  printResult(report, { changed, needsRestart, warnings }, () =>
    printable(
      [
        changed.length === 0 ? 'Read again; no setting has changed.' : 'Read again. In use from now on:',
        ...changed.map(lineOf),
        ...(needsRestart.length === 0 ? [] : ['In use after a restart:', ...needsRestart.map(lineOf)]),
        ...warnings.map((warning) => `warning: ${warning}`),
      ].join('\n'),
    ),
  );
  if (needsRestart.length > 0) notice(report, 'next: restart the controller');
}

function lineOf({ path, before, after }: SettingChange): string {
  return `  ${path}: ${shown(before)} -> ${shown(after)}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  return value === null ? 'none' : String(value);
}

function askToReload(file: string, platform: NodeJS.Platform): Promise<ReloadAnswer> {
  const path = controlSocketPath(file, platform);
  if (path === null) return Promise.reject(Object.assign(new Error('no socket'), { code: 'NO_SOCKET' }));
  const { promise, resolve, reject } = Promise.withResolvers<ReloadAnswer>();
  let text = '';
  const socket = connect(path, () => socket.write(reloadWord));
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.once('error', reject);
  socket.once('close', () => {
    // A controller that stops meanwhile answers nothing.
    if (text.endsWith('\n')) resolve(JSON.parse(text) as ReloadAnswer);
    else reject(new Error('no answer'));
  });
  return promise;
}

function notReached(error: NodeJS.ErrnoException, file: string): CliError {
  const options = { exitCode: exitCodes.unreachable, code: 'not_running', cause: error };
  switch (error.code) {
    case 'EACCES':
    case 'EPERM':
      return new CliError(`The controller of ${file} runs as another user.`, {
        ...options,
        next: 'run the command as that user',
      });
    case 'NO_SOCKET':
      return new CliError(`The controller of ${file} cannot be reached by a command.`, {
        ...options,
        next: 'send SIGHUP to it where the system has signals; it says in its log what came of it',
      });
    case 'ENOENT':
    case 'ECONNREFUSED':
      return new CliError(`No controller is running with ${file}.`, {
        ...options,
        next: `overlay-auth run controller ${shellWord(file)}`,
      });
    default:
      return new CliError(`The controller of ${file} has given no answer.`, {
        ...options,
        next: 'read its log',
      });
  }
}
