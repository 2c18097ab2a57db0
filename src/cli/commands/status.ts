import { type Command, Option } from 'commander';
import { usageError } from '../cli-error.ts';
import type { CliPorts } from '../ports.ts';
import { reportOf, serverOption } from './report-of.ts';

/** `status`, of the server of the login or with `--config` of a controller on this host. */
export function registerStatusCommand(program: Command, ports: CliPorts): void {
  serverOption(program.command('status'))
    .description('show issuers, nodes, health, and when keys and certificates expire')
    .addOption(
      new Option(
        '--config <file>',
        'on the host: of the controller with this configuration, whether it runs or not',
      ),
    )
    .action(async (options: { server?: string; config?: string }, command: Command) => {
      if (options.config !== undefined && options.server !== undefined)
        throw usageError(
          '--config asks on the host, --server a running service: give one of them.',
          'overlay-auth status --help',
        );
      if (options.config === undefined) {
        const { serverStatus } = await import('../status/server-status.ts');
        await serverStatus(reportOf(command, ports), options.server);
      } else {
        const { hostStatus } = await import('../status/host-status.ts');
        await hostStatus(reportOf(command, ports), options.config);
      }
    });
}
