import { dirname, resolve } from 'node:path';
import { renderAdjustment } from '../../../config/explain.ts';
import type { LoadedConfig } from '../../../config/load.ts';
import { issuersOf } from '../../../controller/controller.ts';
import { claimDatabase, databaseName } from '../../../controller/database.ts';
import { openFoundations } from '../../../controller/foundations.ts';
import { type OpenLogger, openLogger } from '../../../platform/log/logger.ts';
import { openVault } from '../../../platform/secrets/key-files.ts';
import { printResult, type Report } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { loadSettledConfig } from '../load-config.ts';
import { checkedConfig } from './check.ts';
import { checkDatabaseAndKey } from './check-database.ts';
import { controlSocketPath } from './control-socket.ts';
import { readyFacts } from './ready-line.ts';
import { runController } from './run-controller.ts';

/** `run controller CONFIG [--check]`: resolves when the controller has stopped. */
export async function runControllerCommand(
  report: Report,
  { check = false, logFormat }: { readonly check?: boolean; readonly logFormat?: 'text' | 'json' },
  [file]: readonly [string],
): Promise<void> {
  if (check) return checkController(report, file);
  const { ports, json } = report;
  const loaded = checkedConfig(ports, file).loaded;
  const { config } = loaded;
  const lock = claimDatabase(config);
  try {
    const format = logFormat ?? (json ? 'json' : config.log.format);
    const log = openLogger({ level: config.log.level, format, to: 'stdout' });
    try {
      await runWithLog(ports, { file, loaded }, log);
    } finally {
      await log.flush();
    }
  } finally {
    lock.release();
  }
}

async function runWithLog(
  ports: CliPorts,
  { file, loaded }: { readonly file: string; readonly loaded: LoadedConfig },
  log: OpenLogger,
): Promise<void> {
  const { clock, random, env } = ports;
  const foundations = await openFoundations({ config: loaded.config, clock, random, env, log });
  try {
    await runController({
      foundations,
      loaded,
      log,
      reloadConfig: () => loadSettledConfig(ports, file),
      controlSocket: controlSocketPath(resolve(ports.cwd, file), ports.platform),
      onReady(controller) {
        // Whoever started the process waits for this line.
        log.always('ready', {
          ...readyFacts(controller),
          pid: process.pid,
          home: dirname(resolve(ports.cwd, file)),
        });
      },
    });
  } finally {
    await foundations.close();
  }
}

/** Everything that can be checked without starting, even beside a running controller. */
async function checkController(report: Report, file: string): Promise<void> {
  const { loaded, notes } = checkedConfig(report.ports, file);
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
    [
      `${file} can be used.`,
      ...adjustments.map((adjustment) => `adjusted: ${renderAdjustment(adjustment)}.`),
      ...value.warnings.map((warning) => `warning: ${warning}`),
      ...issuers.map((issuer) => `issuer: ${issuer}`),
    ].join('\n'),
  );
}
