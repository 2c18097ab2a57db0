import { Argument, type Command } from 'commander';
import { type Shell, shells } from '../complete/scripts.ts';
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
