// The same change as a command: the words after `overlay-auth`.

import type { Entity } from '../../../src/model/entities/entity.ts';
import { argumentsOf, optionsOf } from '../../../src/model/entities/typed-fields.ts';
import { chosenIn, fieldAt, type Values } from './entity-fields.ts';

/** Fields without an option need a document with `--file`. */
type Options = Readonly<Record<string, string>>;

/** By the path of the field. */
function spelledOptions(entity: Entity): Options {
  return Object.fromEntries(
    optionsOf(entity).map(({ path, spelling }) => [path, spelling.replace(/ .*/, '')]),
  );
}

/** @returns null when no option says one of the changes */
export function updateCommand(entity: Entity, id: string, changes: Values): readonly string[] | null {
  const options = optionsFor(entity, changes);
  return options === null ? null : ['update', entity.kind, id, ...options];
}

/** Values at their default are omitted. @param usual defaults that follow from other fields */
export function createCommand(entity: Entity, draft: object, usual: Values = {}): readonly string[] | null {
  const args = argumentsOf(entity).map(({ path }) => path);
  const { ...chosen } = chosenIn(entity, draft, usual);
  const typed = args.map((name) =>
    fieldAt(entity, name).kind === 'pem' ? file : String(chosen[name] ?? ''),
  );
  const options = optionsFor(
    entity,
    Object.fromEntries(Object.entries(chosen).filter(([name]) => !args.includes(name))),
  );
  if (options === null) return null;
  // After `--` a name that begins with a dash is no option.
  const words = typed.some((one) => one.startsWith('-'))
    ? [...options, '--', ...typed]
    : [...typed, ...options];
  return ['create', entity.kind, ...words];
}

/** The command line takes certificates and secrets from files. */
const file = 'certificate.pem';

/** A flag and its opposite, lists with commas, pairs one by one, and an empty text for none. */
function optionsFor(entity: Entity, changes: Values): readonly string[] | null {
  const options = spelledOptions(entity);
  const words = Object.entries(changes).map(([path, value]) => {
    const field = fieldAt(entity, path);
    if (field.kind === 'object') return wordsOfMembers(options, path, value);
    const option = options[path];
    if (option === undefined) return null;
    if (field.kind === 'pem' || field.isSecret)
      return [option, value === null ? '' : field.isSecret ? 'secret.txt' : file];
    return wordsOf(option, value);
  });
  return words.every((some) => some !== null) ? words.flat() : null;
}

/** All of them: a member that no option names keeps its value. */
function wordsOfMembers(options: Options, path: string, value: unknown): readonly string[] | null {
  if (typeof value !== 'object' || value === null) return null;
  return Object.entries(value).flatMap(([name, member]) => {
    const option = options[`${path}.${name}`];
    return option === undefined ? [] : (wordsOf(option, member) ?? []);
  });
}

/** @returns null for what can only be given in a document */
function wordsOf(option: string, value: unknown): readonly string[] | null {
  if (typeof value === 'boolean') return [value ? option : option.replace('--', '--no-')];
  if (Array.isArray(value)) return value.some((one) => one.includes(',')) ? null : [option, value.join(',')];
  if (typeof value !== 'object' || value === null) return [option, String(value ?? '')];
  const pairs = Object.entries(value);
  const canBeTyped = pairs.every(([name, each]) => !name.includes('=') && typeof each === 'string');
  // No option removes all of them.
  return pairs.length > 0 && canBeTyped ? pairs.flatMap(([name, each]) => [option, `${name}=${each}`]) : null;
}
