import { jsonSchema, renderAdjustment, renderShow } from '../../config/explain.ts';
import { toFileShape } from '../../config/file-shape.ts';
import type { SettingChange } from '../../config/reload.ts';
import { shellWord } from '../../platform/formats/shell-word.ts';
import { CliError, notice, printResult, type Report } from '../terminal/output.ts';
import { askController } from './ask-controller.ts';
import { type ConfigOptions, configPath, loadConfigFile, shownPath } from './load-config.ts';
import { checkedConfig } from './run/check.ts';
import { passkeysThatEnd } from './run/check-database.ts';

/** @throws CliError with every problem of the file */
export async function validateConfig(
  report: Report,
  _options: unknown,
  [file]: readonly [string],
): Promise<void> {
  const { loaded, notes } = await checkedConfig(report.ports, file);
  const { adjustments } = loaded;
  const warnings = [...loaded.warnings, ...notes, ...(await passkeysThatEnd(loaded.config))];
  printResult(report, { valid: true, adjustments, warnings }, () =>
    [
      `${file} is valid.`,
      ...adjustments.map((adjustment) => `adjusted: ${renderAdjustment(adjustment)}.`),
      ...warnings.map((warning) => `warning: ${warning}`),
    ].join('\n'),
  );
}

/** @throws CliError with every problem of the file */
export async function showConfig(
  report: Report,
  { origin = false }: { readonly origin?: boolean },
  [file]: readonly [string],
): Promise<void> {
  const { config, origins } = loadConfigFile(report.ports, file);
  const value = origin
    ? { config: toFileShape(config), origins: Object.fromEntries(origins) }
    : toFileShape(config);
  printResult(report, value, () => renderShow(config, origins, { origin }));
}

/** Always JSON. */
export async function printConfigSchema({ ports }: Report): Promise<void> {
  ports.stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
}

/**
 * `config reload`: makes the running controller of a configuration file read it again.
 * @throws CliError none is running, or it refused the file; then nothing has changed
 */
export async function reloadConfig(report: Report, options: ConfigOptions): Promise<void> {
  const { ports } = report;
  const file = configPath(ports, options);
  const answer = await askController({ ports, file, word: 'reload' });
  if (answer.outcome === 'refused') {
    throw new CliError(answer.reason, {
      code: 'config',
      next: `correct what is named, then run: overlay-auth config reload --config ${shellWord(shownPath(ports.cwd, file))}`,
    });
  }
  const { changed, needsRestart, newCertificates, warnings } = answer;
  printResult(report, { changed, needsRestart, newCertificates, warnings }, () =>
    [
      changed.length === 0 ? 'Read again; no setting has changed.' : 'Read again. In use from now on:',
      ...changed.map(lineOf),
      ...newCertificates.map(
        ({ file, notAfter }) =>
          `A new certificate is presented: ${shownPath(ports.cwd, file)}, valid until ${notAfter.slice(0, 10)}.`,
      ),
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
