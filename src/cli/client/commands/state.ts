import { type Command, Option } from 'commander';
import { forceOption, reportOf, serverOption } from '../../terminal/command-options.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import type { ApplyOptions } from '../state/run-apply.ts';
import type { ExportOptions } from '../state/run-export.ts';

/** The names in `create` of the kinds that a document can contain. */
const kinds = ['auth-policy', 'ext-jwt-signer', 'ca', 'config-type', 'oidc-client', 'identity'];

/** `export` and `apply`: managed entities as files. */
export function registerStateCommands(program: Command, ports: CliPorts): void {
  serverOption(program.command('export'))
    .description('print the managed entities as YAML, by name and without secrets, for apply')
    .addOption(
      new Option('--kind <kind>', 'only this kind (may be repeated)')
        .choices(kinds)
        .argParser((kind: string, before: readonly string[] = []) => [...before, kind]),
    )
    .option('--schema', 'print the JSON Schema of such files, for editors')
    .action(async (options: ExportOptions, command: Command) => {
      const { exportCommand } = await import('../state/run-export.ts');
      await exportCommand(reportOf(command, ports), options);
    });

  serverOption(program.command('apply'))
    .description('make the managed entities match the files, all or nothing; show the difference')
    .argument('<files...>', 'YAML or JSON, as export prints it')
    .option('--prune', 'also delete what no file names, of the kinds in the files; asks first')
    .option('--dry-run', 'show the difference, and change nothing')
    .option('--yes', 'do not ask')
    .addOption(forceOption('names'))
    .action(async (files: string[], options: ApplyOptions, command: Command) => {
      const { applyCommand } = await import('../state/run-apply.ts');
      await applyCommand(reportOf(command, ports), files, options);
    });
}
