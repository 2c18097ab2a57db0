import { Argument, type Command } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import { type Shell, shells } from '../complete/scripts.ts';
import { reportOf } from '../terminal/command.ts';
import { printResult } from '../terminal/output.ts';
import type { CliPorts } from '../terminal/ports.ts';

/** `completion bash|zsh|fish`, and `complete`, which the scripts call. */
export function registerCompletionCommand(program: Command, ports: CliPorts): void {
  program
    .command('completion')
    .description('print a script that completes commands, options, names and files in the shell')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText(
      'after',
      `
For bash, add to ~/.bashrc:  source <(overlay-auth completion bash)
For zsh, add to ~/.zshrc:    source <(overlay-auth completion zsh)
For fish, once:              overlay-auth completion fish > ~/.config/fish/completions/overlay-auth.fish`,
    )
    .action(async (shell: Shell) => {
      const { completionScript } = await import('../complete/scripts.ts');
      ports.stdout.write(completionScript(shell));
    });

  program
    .command('complete', { hidden: true })
    .description('print the possible completions of the last word (for completion scripts)')
    .argument('[words...]', 'after --: what was typed, and what is being typed')
    .action(async (words: readonly string[]) => {
      const { complete } = await import('../complete/complete.ts');
      const found = await complete(ports, program, words);
      if (found.length > 0) ports.stdout.write(`${found.join('\n')}\n`);
    });
}

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
