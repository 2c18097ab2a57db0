// Commands that belong to neither the host nor the client: `status`, which asks either, and those of the command line
// itself.

import type { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { server } from './client/options.ts';
import { shells } from './complete/scripts.ts';
import { onHost } from './host/commands.ts';
import { type Commands, from } from './terminal/command.ts';
import { printResult, type Report } from './terminal/output.ts';
import type { CliPorts } from './terminal/ports.ts';

const scripts = from(() => import('./complete/scripts.ts'));
const here = from(async () => ({ status, version }));

export const ownCommands: Commands = {
  status: here('status')`show issuers, nodes, health, and when keys and certificates expire
    ${server}
    ${{ '--config <file>': { help: 'on the host: of the controller with this configuration, whether it runs or not', conflicts: ['server'] } }}
    ${{ '--ready': { help: 'on the host: succeed if the controller runs and is ready, for health checks', conflicts: ['server'] } }}`,
  completion: scripts('completion')`
    print a script that completes commands, options, names and files in the shell
    ${{ '<shell>': { help: '', choices: shells } }}

    For bash, add to ~/.bashrc:  source <(overlay-auth completion bash)
    For zsh, add to ~/.zshrc:    source <(overlay-auth completion zsh)
    For fish, once:              overlay-auth completion fish > ~/.config/fish/completions/overlay-auth.fish`,
  version: here('version')`show the versions of this program and of its runtime`,
};

/** Of the server of the login or, with `--config`, of a controller on this host. */
async function status(
  report: Report,
  options: { readonly server?: string; readonly config?: string; readonly ready?: boolean },
  args: readonly [],
): Promise<void> {
  const { config, ready } = options;
  const isOnHost = config !== undefined || ready === true;
  const work = isOnHost
    ? onHost(async () => {
        const { controllerReadiness, hostStatus } = await import('./host/host-status.ts');
        return ready ? controllerReadiness : hostStatus;
      })
    : async () => (await import('./client/server-status.ts')).serverStatus;
  await (await work())(report, options as never, args as never);
}

/** The facts for a bug report. */
async function version(report: Report): Promise<void> {
  const { version } = packageJson;
  const { platform } = report.ports;
  const value = { version, node: process.versions.node, platform, architecture: process.arch };
  const text = `overlay-auth ${version} (Node ${value.node}, ${platform} ${value.architecture})`;
  printResult(report, value, () => text);
}

/** `complete`, which the completion scripts call. */
export function addCompletionRequest(program: Command, ports: CliPorts): void {
  program
    .command('complete', { hidden: true })
    .description('print the possible completions of the last word (for completion scripts)')
    .argument('[words...]', 'after --: what was typed, and what is being typed')
    .action(async (words: readonly string[]) => {
      const { complete } = await import('./complete/complete.ts');
      const found = await complete(ports, program, words);
      if (found.length > 0) ports.stdout.write(`${found.join('\n')}\n`);
    });
}
