import { type Command, Option } from 'commander';
import { serverOption } from '../client/command.ts';
import { runsOnHost } from '../host/host-command.ts';
import { commandOf, runs } from '../terminal/command.ts';
import { usageError } from '../terminal/output.ts';
import type { CliPorts } from '../terminal/ports.ts';

/** `status`: of the server of the login or, with `--config`, of a controller on this host. */
export function registerStatusCommand(program: Command, ports: CliPorts): void {
  const ofServer = runs(ports, () => import('../client/server-status.ts'))('serverStatus');
  const onHost = runsOnHost(ports, () => import('../host/host-status.ts'));
  serverOption(
    commandOf(program, 'status', 'show issuers, nodes, health, and when keys and certificates expire'),
  )
    .addOption(
      new Option(
        '--config <file>',
        'on the host: of the controller with this configuration, whether it runs or not',
      ),
    )
    .option('--ready', 'on the host: succeed if the controller runs and is ready, for health checks')
    .action(async (options: { server?: string; config?: string; ready?: boolean }, command: Command) => {
      const isOnHost = options.config !== undefined || options.ready === true;
      if (isOnHost && options.server !== undefined)
        throw usageError(
          '--config and --ready ask on the host, --server a running service: give one of them.',
          'overlay-auth status --help',
        );
      const run = isOnHost ? onHost(options.ready ? 'controllerReadiness' : 'hostStatus') : ofServer;
      await run(options, command);
    });
}
