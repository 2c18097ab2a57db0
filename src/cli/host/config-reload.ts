// `config reload`: makes the running controller of a configuration file read it again, and reports the result.

import type { SettingChange } from '../../config/reload.ts';
import { shellWord } from '../../platform/formats/shell-word.ts';
import { CliError } from '../terminal/cli-error.ts';
import { notice, printResult, type Report } from '../terminal/output.ts';
import { askController } from './ask-controller.ts';
import { configPath, shownPath } from './load-config.ts';

/**
 * @param named the configuration file; default: that of the home
 * @throws CliError none is running, or it refused the file; then nothing has changed
 */
export async function reloadConfig(report: Report, named: string | undefined): Promise<void> {
  const { ports } = report;
  const file = configPath(ports, named);
  const answer = await askController({ ports, file, word: 'reload' });
  if (answer.outcome === 'refused') {
    throw new CliError(answer.reason, {
      code: 'config',
      next: `correct what is named, then run: overlay-auth config reload --config ${shellWord(shownPath(ports.cwd, file))}`,
    });
  }
  const { changed, needsRestart, warnings } = answer;
  printResult(report, { changed, needsRestart, warnings }, () =>
    [
      changed.length === 0 ? 'Read again; no setting has changed.' : 'Read again. In use from now on:',
      ...changed.map(lineOf),
      ...(needsRestart.length === 0 ? [] : ['In use after a restart:', ...needsRestart.map(lineOf)]),
      ...warnings.map((warning) => `warning: ${warning}`),
    ].join('\n'),
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
