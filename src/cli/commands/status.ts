import { type Command, Option } from 'commander';
import { usageError } from '../terminal/cli-error.ts';
import { reportOf, serverOption } from '../terminal/command-options.ts';
import type { CliPorts } from '../terminal/ports.ts';

interface StatusOptions {
  readonly server?: string;
  readonly config?: string;
  readonly ready?: boolean;
}

/** `status`: of the server of the login or, with `--config`, of a controller on this host. */
export function registerStatusCommand(program: Command, ports: CliPorts): void {
  serverOption(program.command('status'))
    .description('show issuers, nodes, health, and when keys and certificates expire')
    .addOption(
      new Option(
        '--config <file>',
        'on the host: of the controller with this configuration, whether it runs or not',
      ),
    )
    .option('--ready', 'on the host: succeed if the controller runs and is ready, for health checks')
    .action(async (options: StatusOptions, command: Command) => {
      const isOnHost = options.config !== undefined || options.ready === true;
      if (isOnHost && options.server !== undefined)
        throw usageError(
          '--config and --ready ask on the host, --server a running service: give one of them.',
          'overlay-auth status --help',
        );
      if (options.ready === true) {
        const { controllerReadiness } = await import('../host/controller-readiness.ts');
        await controllerReadiness(reportOf(command, ports), options.config);
      } else if (options.config === undefined) {
        const { serverStatus } = await import('../client/server-status.ts');
        await serverStatus(reportOf(command, ports), options.server);
      } else {
        const { hostStatus } = await import('../host/host-status.ts');
        await hostStatus(reportOf(command, ports), options.config);
      }
    });
}
