// What a person types to run this program again. Plain JavaScript that any Node can parse.
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join, relative, resolve, sep } from 'node:path';

/**
 * The shortest that works in the shell that started the program: its name where the path has it, otherwise where it is.
 * @param place.launchers   the files that start this program; the first one is what a clone offers, null in an installation
 * @param place.started     the file that was started, as it was named
 */
export function commandAsTyped({ launchers: [ofClone, ...installed], started, env, cwd }) {
  const ours = [ofClone, ...installed].filter((path) => path !== null && existsSync(path)).map(realOf);
  // npm puts folders before the path of its scripts, which the person's own shell does not have.
  const isUnderNpm = env.npm_command !== undefined;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const own = isUnderNpm
    ? folders.filter((folder) => !/node_modules[/\\]\.bin[/\\]?$/.test(folder))
    : folders;
  const found = own.map((folder) => join(folder, 'overlay-auth')).find((path) => existsSync(path));
  if (found !== undefined && ours.includes(realOf(found))) return 'overlay-auth';
  if (ofClone === null && env.npm_command === 'exec') return 'npx overlay-auth';
  return shellWord(asPath(ofClone ?? resolve(cwd, started), cwd));
}

function asPath(path, cwd) {
  const below = relative(cwd, path);
  return below.startsWith('..') ? path : `.${sep}${below}`;
}

function realOf(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** As `platform/formats/shell-word.ts`, which an old Node cannot read. */
function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
