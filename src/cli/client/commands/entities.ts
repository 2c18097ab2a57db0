import { Argument, type Command, Option } from 'commander';
import type { Field } from '../../../model/entities/entity.ts';
import type { TypedField } from '../../../model/entities/typed-fields.ts';
import { commandOf, reportOf, withPassword, yesOption } from '../../terminal/command.ts';
import { argumentCompletedBy, completedBy } from '../../terminal/hints.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { forceOption, serverOption } from '../command.ts';
import type { EntityDescriptor } from '../entities/descriptor.ts';
import { entities } from '../entities/entities.ts';

type RunEntities = typeof import('../entities/run-entities.ts');
type Run = (entity: EntityDescriptor, name: keyof RunEntities) => (...given: unknown[]) => Promise<void>;

/** `create|get|list|update|delete ENTITY …`, from the descriptors. */
export function registerEntityCommands(program: Command, ports: CliPorts): void {
  const create = commandOf(program, 'create', 'create an entity');
  const get = commandOf(program, 'get', 'show one entity');
  const list = commandOf(program, 'list', 'list entities');
  const update = commandOf(program, 'update', 'change an entity');
  const remove = commandOf(program, 'delete', 'delete entities');
  const run: Run =
    (entity, name) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const { [name]: work } = await import('../entities/run-entities.ts');
      // Sound because each gets the arguments that are described for it.
      const args = command.processedArgs as never;
      await work(reportOf(command, ports), entity, { args, options: command.opts() });
    };
  for (const entity of entities) {
    if (entity.createArguments.length > 0) describeCreate(subcommand(create, entity), entity, run);
    if (!entity.isListOnly) nameArgument(subcommand(get, entity), entity).action(run(entity, 'getEntity'));
    describeList(subcommand(list, entity), entity).action(run(entity, 'listEntities'));
    if (entity.isUpdatable) describeUpdate(subcommand(update, entity), entity, run);
    if (!entity.isListOnly && !entity.isLasting) {
      const command = subcommand(remove, entity).argument('<names...>', nameHelp(entity));
      argumentCompletedBy(command, { entity: entity.name }).addOption(yesOption());
      addForceOption(command, entity);
      command.action(run(entity, 'deleteEntities'));
    }
  }
}

function describeCreate(command: Command, entity: EntityDescriptor, run: Run): void {
  for (const { field, spelling, help } of entity.createArguments) {
    command.addArgument(valuesOf(new Argument(spelling, help), field));
  }
  addOptions(command, entity, 'create');
  if (entity.hasPassword) withPassword(command);
  for (const [flags, help] of entity.afterCreate?.options ?? []) command.option(flags, help);
  command.action(run(entity, 'createEntity'));
}

function describeList(
  command: Command,
  { lookupFields: [field = 'identityName'] }: EntityDescriptor,
): Command {
  return command
    .argument('[filter]', `such as: ${field} icontains "x", which ignores case`)
    .option('--limit <n>', 'how many at most, or none (default: 100)')
    .option('--offset <n>', 'how many to leave out before')
    .option('--sort <fields>', 'such as: name desc');
}

function describeUpdate(command: Command, entity: EntityDescriptor, run: Run): void {
  addOptions(nameArgument(command, entity, entity.changesMany), entity, 'update');
  if (entity.changesMany)
    command
      .option('--filter <filter>', 'change all that it selects instead of one, all or nothing')
      .option('--add-role-attributes <list>', 'with --filter: beside those that each has')
      .option('--remove-role-attributes <list>', 'with --filter: from those that each has')
      .addOption(yesOption());
  if (entity.hasPreview) command.option('--dry-run', 'only say what it would do, and change nothing');
  if (entity.hasPassword) withPassword(command.option('--new-password', 'ask for a new password'));
  command.action(run(entity, 'updateEntity'));
}

function subcommand(parent: Command, { name, aliases, help }: EntityDescriptor): Command {
  return serverOption(commandOf(parent, name, help).aliases([...aliases]));
}

function nameArgument(command: Command, entity: EntityDescriptor, isOptional = false): Command {
  const name = entity.lookupFields.length === 0 ? 'id' : 'name';
  command.argument(isOptional ? `[${name}]` : `<${name}>`, nameHelp(entity));
  return argumentCompletedBy(command, { entity: entity.name });
}

function nameHelp({ lookupFields, foundBy }: EntityDescriptor): string {
  return [...lookupFields, ...(foundBy === undefined ? [] : ['user name']), 'id']
    .join(', ')
    .replace(/, (?=[^,]+$)/, ' or ')
    .replace('identityName', 'name of the identity');
}

function addOptions(command: Command, entity: EntityDescriptor, name: 'create' | 'update'): void {
  for (const option of entity.options) {
    if (option.only === undefined || option.only === name) addOption(command, option);
  }
  if (entity.hasFile) {
    command.option('-f, --file <file>', 'take what no option says from FILE, YAML or JSON');
  }
  if (name === 'update' || entity.forceable === 'names') addForceOption(command, entity);
}

function addForceOption(command: Command, entity: EntityDescriptor): void {
  if (entity.forceable !== undefined) command.addOption(forceOption(entity.forceable));
}

function addOption(command: Command, { field, spelling, help }: TypedField): void {
  const added = valuesOf(new Option(spelling, help), field);
  if (field.kind === 'tags' || field.kind === 'pairs') {
    added.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
  }
  command.addOption(added);
  if (field.kind === 'flag') {
    const opposite = `do not ${help.replace(/(?: \(|; ).*/, '')}`;
    command.addOption(new Option(spelling.replace('--', '--no-'), opposite));
  }
}

/** Which values an option or an argument takes, as far as that follows from its field. */
function valuesOf<What extends Argument | Option>(what: What, field: Field): What {
  if (field.kind === 'choice') what.choices(field.choices);
  return field.kind === 'reference' ? completedBy(what, { entity: field.to }) : what;
}
