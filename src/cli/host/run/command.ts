import { resolve } from 'node:path';
import { issuersOf } from '../../../controller/controller.ts';
import { claimDatabase, databaseName } from '../../../controller/database.ts';
import { openFoundations } from '../../../controller/foundations.ts';
import { openLogger } from '../../../platform/log/logger.ts';
import { openVault } from '../../../platform/secrets/key-files.ts';
import type { Work } from '../../terminal/command.ts';
import { printResult, type Report } from '../../terminal/output.ts';
import { checkedConfig, saidOf } from './check.ts';
import { checkDatabaseAndKey } from './check-database.ts';
import { runController } from './run-controller.ts';
import { listenForSignals } from './signals.ts';

/** `run controller CONFIG [--check]`: resolves when the controller has stopped. */
export const runControllerCommand: Work<
  { check?: boolean; logFormat?: 'text' | 'json' },
  readonly [string]
> = async (report, { check = false, logFormat }, [file]) => {
  if (check) return checkController(report, file);
  using signals = listenForSignals();
  const { ports, json } = report;
  const { loaded } = await checkedConfig(ports, file);
  const { config } = loaded;
  using _lock = claimDatabase(config);
  const format = logFormat ?? (json ? 'json' : config.log.format);
  await using log = openLogger({ level: config.log.level, format, to: 'stdout' });
  const { clock, random, env } = ports;
  await using foundations = await openFoundations({ config, clock, random, env, log });
  await runController({ ports, file: resolve(ports.cwd, file), foundations, loaded, log, signals });
};

/** Everything that can be checked without starting, even beside a running controller. */
async function checkController(report: Report, file: string): Promise<void> {
  const { loaded, notes } = await checkedConfig(report.ports, file);
  const { config, adjustments, warnings } = loaded;
  const { clock, env } = report.ports;
  const vault = openVault(config.secrets.keyFile, env);
  const findings = await checkDatabaseAndKey({ config, clock, vault });
  const issuers = issuersOf(config.listeners);
  const value = {
    ok: true,
    issuers,
    database: databaseName(config),
    adjustments,
    warnings: [...warnings, ...notes, ...findings],
  };
  printResult(report, value, () =>
    [`${file} can be used.`, ...saidOf(value), ...issuers.map((issuer) => `issuer: ${issuer}`)].join('\n'),
  );
}
