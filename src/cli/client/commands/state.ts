import { type Command, Option } from 'commander';
import { stateKinds } from '../../../model/entities/state-kinds.ts';
import { runs } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { forceOption, serverOption } from '../command.ts';

/** `export` and `apply`: managed entities as files. */
export function registerStateCommands(program: Command, ports: CliPorts): void {
  const exporting = serverOption(program.command('export'));
  exporting
    .description('print the managed entities as YAML, by name and without secrets, for apply')
    .addOption(
      new Option('--kind <kind>', 'only this kind (may be repeated)')
        .choices(stateKinds)
        .argParser((kind: string, before: readonly string[] = []) => [...before, kind]),
    )
    .option('--schema', 'print the JSON Schema of such files, for editors')
    .action(runs(ports, () => import('../state/run-export.ts'))('exportCommand'));

  serverOption(exporting.command('audit'))
    .description('print the audit trail, the oldest event first, to keep or to evaluate')
    .option(
      '--since <time>',
      'from then on: a time such as 2030-01-31T12:00:00Z, or how long ago, such as 7d',
    )
    .option('--until <time>', 'up to then; default: now')
    .option('--person <name>', 'what this person did, or what was done to them')
    .option('--entity <kind>', 'what was done to entities of this kind, such as auth-policy')
    .addOption(
      new Option('--output <format>', 'one JSON object a line, or a table for spreadsheets')
        .choices(['jsonl', 'csv'])
        .default('jsonl'),
    )
    .action(runs(ports, () => import('../state/export-audit.ts'))('exportAudit'));

  serverOption(program.command('apply'))
    .description('make the managed entities match the files, all or nothing; show the difference')
    .argument('<files...>', 'YAML or JSON, as export prints it')
    .option('--prune', 'also delete what no file names, of the kinds in the files; asks first')
    .option('--dry-run', 'show the difference, and change nothing')
    .option('--yes', 'do not ask')
    .addOption(forceOption('names'))
    .action(runs(ports, () => import('../state/run-apply.ts'))('applyCommand'));
}
