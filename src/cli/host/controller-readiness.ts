import { SECOND } from '../../platform/clock.ts';
import { CliError } from '../terminal/cli-error.ts';
import { printResult, type Report } from '../terminal/output.ts';
import { askController } from './ask-controller.ts';
import { configPath, shownPath } from './load-config.ts';

/** More than its checks may take. */
const longestWait = 8 * SECOND;

/**
 * `status --ready`: whether the controller of this configuration runs and passes all health checks. It asks through the
 * control socket, so no listener has to serve health checks and no certificate has to be trusted.
 * @param named the configuration file; default: that of the home
 * @throws CliError exit 5 when none is running or answers, exit 1 when a check fails
 */
export async function controllerReadiness(report: Report, named: string | undefined): Promise<void> {
  const { ports } = report;
  const path = configPath(ports, named);
  const file = shownPath(ports.cwd, path);
  const checks = await askController({ ports, file: path, word: 'health', limit: longestWait });
  const failing = checks.filter(({ healthy }) => !healthy).map(({ id }) => id);
  if (failing.length > 0) {
    throw new CliError(`The controller of ${file} is not ready: ${failing.join(', ')}.`, {
      code: 'unhealthy',
      next: 'look into its log',
    });
  }
  printResult(report, { ready: true, checks }, () => `The controller of ${file} is ready.`);
}
