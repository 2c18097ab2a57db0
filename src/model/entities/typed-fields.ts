// Arguments and options with which the command line creates and changes an entity, made of its table: which there are,
// and how each is spelled. The console shows its changes as such commands.

import { type Entity, type Field, type Fields, text } from './entity.ts';

/** A field that is typed as an option or, with `create`, as an argument. */
export interface TypedField {
  /** Where the value goes in the body; dots lead into objects (`primary.updb.allowed`). */
  readonly path: string;
  readonly field: Field;
  /** `--external-id <id>`, or `<name>` for an argument. */
  readonly spelling: string;
  readonly help: string;
  /** The object that it is a member of, if a change replaces that as a whole. */
  readonly within?: string;
  /** Only for one of the two commands. Default: for both. */
  readonly only?: 'create' | 'update';
}

export type Described = Pick<Entity, 'fields' | 'arguments' | 'options'>;

type Words = NonNullable<Entity['options']>[string];

const nameWords = 'its name';
const newNameWords = 'a new name';
const tagWords = ['--tag <key=value>', 'may be repeated; an update replaces all'] as const;

/** The arguments of `create`. */
export function argumentsOf({ fields, arguments: words = {} }: Described): readonly TypedField[] {
  const all: Readonly<Record<string, Words>> = { ...(fields.name && { name: nameWords }), ...words };
  return Object.entries(all).map(([path, said]) => {
    const field = fieldAt(fields, path);
    const name = kebab(path, field);
    const usual = field.isOptional ? `[${name}]` : `<${name}>`;
    const [spelling, help] = typeof said === 'string' ? [usual, said] : said;
    return { path, field, spelling, help };
  });
}

/** The options of `create` and `update`, in the order of the help. */
export function optionsOf({ fields, arguments: args = {}, options = {} }: Described): readonly TypedField[] {
  const { id, ...others } = options;
  const words: Readonly<Record<string, Words | undefined>> = {
    id,
    ...(fields.name && { name: newNameWords }),
    ...others,
    ...(fields.tags && { tags: tagWords }),
  };
  return Object.entries(words).flatMap(([path, said]) => {
    if (said === undefined) return [];
    const field = path === 'id' ? text() : fieldAt(fields, path);
    const [spelling, help] = typeof said === 'string' ? [placeholder(path, field), said] : said;
    const [top = ''] = path.split('.');
    const isForCreate = path === 'id' || field.isFixed;
    const isForUpdate = path === 'name' || path in args || field.isForChange;
    return {
      path,
      field,
      spelling: spelling.startsWith('--') ? spelling : `--${kebab(path, field)} ${spelling}`.trimEnd(),
      help,
      ...(top !== path && fields[top]?.kind === 'object' ? { within: top } : {}),
      ...(isForCreate ? { only: 'create' as const } : isForUpdate ? { only: 'update' as const } : {}),
    };
  });
}

/** @throws Error for a path that leads to no field: a mistake in the table */
function fieldAt(fields: Fields, path: string): Field {
  const [name = '', ...rest] = path.split('.');
  const field = fields[name];
  if (field !== undefined && rest.length === 0) return field;
  if (field?.kind !== 'group' && field?.kind !== 'object') throw new Error(`no field ${path}`);
  return fieldAt(field.members, rest.join('.'));
}

/** The last name of a path as it is typed: `enrollAuthPolicyId`, a reference, is `enroll-auth-policy`. */
function kebab(path: string, { kind }: Field): string {
  const unsaid = { reference: /Id$/, pem: /Pem$/, number: /Seconds$/ } as Partial<Record<string, RegExp>>;
  const name = path.slice(path.lastIndexOf('.') + 1).replace(unsaid[kind] ?? /$^/, '');
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The placeholder of the value: `<n>`, or the last word of the name; nothing for a flag. */
function placeholder(path: string, field: Field): string {
  const lastWord = (name: string) => `<${name.slice(name.lastIndexOf('-') + 1)}>`;
  switch (field.kind) {
    case 'flag':
      return '';
    case 'texts':
    case 'choices':
    case 'references':
      return '<list>';
    case 'integer':
      return '<n>';
    case 'number':
      return '<seconds>';
    case 'time':
    case 'duration':
      return '<time>';
    case 'pem':
      return '<file>';
    case 'reference':
      return lastWord(field.to);
    default:
      return lastWord(kebab(path, field));
  }
}
