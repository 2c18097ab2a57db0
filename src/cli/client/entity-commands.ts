// `create|get|list|update|delete ENTITY …`, from the descriptors.

import { isReference } from '../../model/entities/entity.ts';
import type { TypedField } from '../../model/entities/typed-fields.ts';
import { type CommandRow, type Commands, password, type Typed, yes } from '../terminal/command.ts';
import type { EntityDescriptor } from './entities/descriptor.ts';
import { entities } from './entities/entities.ts';
import { force, server } from './options.ts';

type RunEntities = typeof import('./entities/run-entities.ts');

/** All of them, and their groups. */
export function entityCommands(): Commands {
  const rows = entities.map((entity): readonly (readonly [string, CommandRow | false | undefined])[] => [
    ['create', entity.createArguments.length > 0 && createRow(entity)],
    ['get', !entity.isListOnly && rowOf(entity, 'getEntity', nameArgument(entity))],
    ['list', listRow(entity)],
    ['update', entity.isUpdatable && updateRow(entity)],
    ['delete', !entity.isListOnly && !entity.isLasting && deleteRow(entity)],
  ]);
  const groups = {
    create: { help: 'create an entity' },
    get: { help: 'show one entity' },
    list: { help: 'list entities' },
    update: { help: 'change an entity' },
    delete: { help: 'delete entities' },
  };
  const named = entities.flatMap(({ name }, at) =>
    (rows[at] ?? []).flatMap(([verb, row]) => (row ? [[`${verb} ${name}`, row] as const] : [])),
  );
  return { ...groups, ...Object.fromEntries(named) };
}

function rowOf(entity: EntityDescriptor, work: keyof RunEntities, typed: Typed): CommandRow {
  const { help, aliases } = entity;
  const run = async () => (await import('./entities/run-entities.ts'))[work](entity);
  return { help, aliases, typed: { ...server, ...typed }, run };
}

function createRow(entity: EntityDescriptor): CommandRow {
  return rowOf(entity, 'createEntity', {
    ...Object.assign({}, ...entity.createArguments.map(typed)),
    ...optionsOf(entity, 'create'),
    ...(entity.hasPassword && password()),
    ...entity.afterCreate?.options,
  });
}

function listRow(entity: EntityDescriptor): CommandRow {
  const [field = 'identityName'] = entity.lookupFields;
  return rowOf(entity, 'listEntities', {
    '[filter]': `such as: ${field} icontains "x", which ignores case`,
    '--limit <n>': 'how many at most, or none (default: 100)',
    '--offset <n>': 'how many to leave out before',
    '--sort <fields>': 'such as: name desc',
  });
}

function updateRow(entity: EntityDescriptor): CommandRow {
  return rowOf(entity, 'updateEntity', {
    ...nameArgument(entity, entity.changesMany),
    ...optionsOf(entity, 'update'),
    ...(entity.changesMany && {
      '--filter <filter>': 'change all that it selects instead of one; all are checked first',
      '--add-role-attributes <list>': {
        help: 'with --filter: in addition to those of each identity',
        needs: ['filter'],
        isList: true,
      },
      '--remove-role-attributes <list>': {
        help: 'with --filter: from those of each identity',
        needs: ['filter'],
        isList: true,
      },
      ...yes,
    }),
    ...(entity.hasPreview && { '--dry-run': 'only show the effect, and change nothing' }),
    ...(entity.hasPassword && { '--new-password': 'ask for a new password', ...password() }),
  });
}

function deleteRow(entity: EntityDescriptor): CommandRow {
  return rowOf(entity, 'deleteEntities', { '<names...>': name(entity), ...yes, ...forceOf(entity) });
}

function nameArgument(entity: EntityDescriptor, isOptional = false): Typed {
  const word = entity.lookupFields.length === 0 ? 'id' : 'name';
  return { [isOptional ? `[${word}]` : `<${word}>`]: name(entity) };
}

function name({ lookupFields, foundBy, name: entity }: EntityDescriptor) {
  const help = [...lookupFields, ...(foundBy === undefined ? [] : ['user name']), 'id']
    .join(', ')
    .replace(/, (?=[^,]+$)/, ' or ')
    .replace('identityName', 'name of the identity');
  return { help, completedBy: { entity } };
}

function optionsOf(entity: EntityDescriptor, command: 'create' | 'update'): Typed {
  const own = entity.options.filter(({ only = command }) => only === command);
  return {
    ...Object.assign({}, ...own.map(typed)),
    ...(entity.hasFile && { '-f, --file <file>': 'take values without an option from FILE, YAML or JSON' }),
    ...((command === 'update' || entity.forceable === 'names') && forceOf(entity)),
  };
}

function forceOf({ forceable }: EntityDescriptor): Typed {
  return forceable === undefined ? {} : force(forceable);
}

const listKinds: readonly string[] = ['texts', 'choices', 'references'];

/** The parts of an option that follow from its field: the values, their completion, and the opposite of a flag. */
function typed({ field, spelling, help }: TypedField): Typed {
  const { kind } = field;
  const said = {
    help,
    ...(kind === 'choice' && { choices: field.choices }),
    ...(isReference(field) && { completedBy: { entity: field.to, isList: kind === 'references' } }),
    ...(kind === 'choices' && { completedBy: { among: field.choices, isList: true } }),
    ...((kind === 'tags' || kind === 'pairs') && { isMany: true }),
    ...(listKinds.includes(kind) && { isList: true }),
  };
  if (kind !== 'flag') return { [spelling]: said };
  const opposite = `do not ${help.replace(/(?: \(|; ).*/, '')}`;
  return { [spelling]: said, [spelling.replace('--', '--no-')]: opposite };
}
