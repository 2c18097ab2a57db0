import type { Typed } from '../terminal/command.ts';

/** `--server`, an option of every command that uses a saved login. */
export const server: Typed = {
  '--server <login>': {
    help: 'use another saved login: an address, a name, or both (ada@localhost:1280)',
    completedBy: 'login',
  },
};

/** `--force`: allows changes that the rules about the last administrator, and about names, would refuse. */
export function force(what: 'changes' | 'names'): Typed {
  const also = what === 'names' ? ', or the name passes for that of another identity' : '';
  return { '--force': `even if no administrator could log in afterwards${also}` };
}

/** The argument of a command that acts on one entity. @param noun such as `identity` */
export function named(entity: string, noun = entity): Typed {
  return { '<name>': { help: `name or id of the ${noun}`, completedBy: { entity } } };
}
