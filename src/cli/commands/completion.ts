import { Argument, type Command } from 'commander';
import type { CliPorts } from '../ports.ts';

/** `completion bash|zsh` */
export function registerCompletionCommand(program: Command, ports: CliPorts): void {
  program
    .command('completion')
    .description('print a script that completes commands in the shell')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
    .addHelpText('after', '\nFor bash, add to ~/.bashrc:\n  source <(overlay-auth completion bash)')
    .action(async (shell: 'bash' | 'zsh') => {
      const { completionScript } = await import('../completion-script.ts');
      ports.stdout.write(completionScript(program, shell));
    });
}
