import type { Command } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import { reportOf } from '../terminal/command.ts';
import { printResult } from '../terminal/output.ts';
import type { CliPorts } from '../terminal/ports.ts';

/** `version`: what a bug report should contain. */
export function registerVersionCommand(program: Command, ports: CliPorts): void {
  program
    .command('version')
    .description('show the version of this program and of what it runs on')
    .action((_options: unknown, command: Command) => {
      const { version } = packageJson;
      const { platform } = ports;
      const value = { version, node: process.versions.node, platform, architecture: process.arch };
      printResult(
        reportOf(command, ports),
        value,
        () => `overlay-auth ${version} (Node ${value.node}, ${platform} ${value.architecture})`,
      );
    });
}
