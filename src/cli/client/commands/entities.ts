import { Argument, type Command, Option } from 'commander';
import type { Field } from '../../../model/entities/entity.ts';
import type { TypedField } from '../../../model/entities/typed-fields.ts';
import { forceOption, reportOf, serverOption, yesOption } from '../../terminal/command-options.ts';
import { argumentCompletedBy, completedBy } from '../../terminal/hints.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import type { EntityDescriptor, EntityOptions } from '../entities/descriptor.ts';
import { entities } from '../entities/entities.ts';
import type { ListOptions } from '../entities/run-entities.ts';

/** `create|get|list|update|delete ENTITY …`, from the descriptors. */
export function registerEntityCommands(program: Command, ports: CliPorts): void {
  const create = program.command('create').description('create an entity');
  const get = program.command('get').description('show one entity');
  const list = program.command('list').description('list entities');
  const update = program.command('update').description('change an entity');
  const remove = program.command('delete').description('delete entities');
  for (const entity of entities) {
    if (entity.createArguments.length > 0) registerCreate(create, entity, ports);
    if (entity.isListOnly !== true) registerGet(get, entity, ports);
    registerList(list, entity, ports);
    if (entity.isUpdatable === true) registerUpdate(update, entity, ports);
    if (entity.isListOnly !== true && entity.isLasting !== true) registerDelete(remove, entity, ports);
  }
}

function registerCreate(parent: Command, entity: EntityDescriptor, ports: CliPorts): void {
  const command = subcommand(parent, entity);
  for (const { field, spelling, help } of entity.createArguments) {
    command.addArgument(valuesOf(new Argument(spelling, help), field));
  }
  addOptions(command, entity, 'create');
  if (entity.hasPassword === true) addPasswordOptions(command);
  for (const [flags, help] of entity.afterCreate?.options ?? []) command.option(flags, help);
  command.action(async () => {
    const { createEntity } = await import('../entities/run-entities.ts');
    await createEntity(reportOf(command, ports), entity, {
      args: command.processedArgs,
      options: command.opts<EntityOptions>(),
    });
  });
}

function registerGet(parent: Command, entity: EntityDescriptor, ports: CliPorts): void {
  nameArgument(subcommand(parent, entity), entity).action(
    async (nameOrId: string, options: EntityOptions, command: Command) => {
      const { getEntity } = await import('../entities/run-entities.ts');
      await getEntity(reportOf(command, ports), entity, { nameOrId, options });
    },
  );
}

function registerList(parent: Command, entity: EntityDescriptor, ports: CliPorts): void {
  subcommand(parent, entity)
    .argument('[filter]', `such as: ${entity.lookupFields[0] ?? 'identityName'} contains "x"`)
    .option('--limit <n>', 'how many at most, or none (default: 100)')
    .option('--offset <n>', 'how many to leave out before')
    .option('--sort <fields>', 'such as: name desc')
    .action(async (filter: string | undefined, options: ListOptions, command: Command) => {
      const { listEntities } = await import('../entities/run-entities.ts');
      await listEntities(reportOf(command, ports), entity, { filter, options });
    });
}

function registerUpdate(parent: Command, entity: EntityDescriptor, ports: CliPorts): void {
  const command = nameArgument(subcommand(parent, entity), entity);
  addOptions(command, entity, 'update');
  if (entity.hasPassword === true)
    addPasswordOptions(command.option('--new-password', 'ask for a new password'));
  command.action(async (nameOrId: string, options: EntityOptions) => {
    const { updateEntity } = await import('../entities/run-entities.ts');
    await updateEntity(reportOf(command, ports), entity, { nameOrId, options });
  });
}

function registerDelete(parent: Command, entity: EntityDescriptor, ports: CliPorts): void {
  const command = subcommand(parent, entity).argument('<names...>', nameHelp(entity));
  argumentCompletedBy(command, { entity: entity.name });
  command.addOption(yesOption());
  addForceOption(command, entity);
  command.action(async (names: string[], options: EntityOptions) => {
    const { deleteEntities } = await import('../entities/run-entities.ts');
    await deleteEntities(reportOf(command, ports), entity, { namesOrIds: names, options });
  });
}

function subcommand(parent: Command, entity: EntityDescriptor): Command {
  return serverOption(
    parent
      .command(entity.name)
      .aliases([...entity.aliases])
      .description(entity.help),
  );
}

function nameArgument(command: Command, entity: EntityDescriptor): Command {
  command.argument(entity.lookupFields.length === 0 ? '<id>' : '<name>', nameHelp(entity));
  return argumentCompletedBy(command, { entity: entity.name });
}

function nameHelp({ lookupFields }: EntityDescriptor): string {
  return [...lookupFields, 'id'].join(' or ').replace('identityName', 'name of the identity');
}

function addOptions(command: Command, entity: EntityDescriptor, name: 'create' | 'update'): void {
  for (const option of entity.options) {
    if (option.only === undefined || option.only === name) addOption(command, option);
  }
  if (entity.hasFile === true) {
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

function addPasswordOptions(command: Command): void {
  command
    .option('--password-stdin', 'read the password from standard input')
    .option('--password-file <file>', 'read the password from FILE');
}
