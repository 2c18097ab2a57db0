import { jsonSchema, renderAdjustment, renderShow } from '../../config/explain.ts';
import { toFileShape } from '../../config/file-shape.ts';
import { printResult, type Report } from '../terminal/output.ts';
import type { CliPorts } from '../terminal/ports.ts';
import { explained } from './failures.ts';
import { loadConfigFile } from './load-config.ts';
import { checkedConfig } from './run/check.ts';

/** @throws CliError with every problem of the file */
export async function validateConfig(report: Report, file: string): Promise<void> {
  await explained(async () => {
    const { loaded, notes } = checkedConfig(report.ports, file);
    const { adjustments } = loaded;
    const warnings = [...loaded.warnings, ...notes];
    printResult(report, { valid: true, adjustments, warnings }, () =>
      [
        `${file} is valid.`,
        ...adjustments.map((adjustment) => `adjusted: ${renderAdjustment(adjustment)}.`),
        ...warnings.map((warning) => `warning: ${warning}`),
      ].join('\n'),
    );
  });
}

/** @throws CliError with every problem of the file */
export async function showConfig(report: Report, file: string, origin: boolean): Promise<void> {
  await explained(async () => {
    const { config, origins } = loadConfigFile(report.ports, file);
    const value = origin
      ? { config: toFileShape(config), origins: Object.fromEntries(origins) }
      : toFileShape(config);
    printResult(report, value, () => renderShow(config, origins, { origin }));
  });
}

/** Always JSON. */
export function printConfigSchema({ stdout }: Pick<CliPorts, 'stdout'>): void {
  stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
}
