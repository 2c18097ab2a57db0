import { existsSync, readFileSync } from 'node:fs';

const document = new URL('../../docs/command-line.md', import.meta.url);
const mostShown = 4;

/**
 * The examples for a command and the commands below it, which its help shows.
 * @param paths the ways to type it, with each alias: `list identity`, `list identities`
 */
export function examplesOf(paths: readonly string[]): readonly string[] {
  const fits = (line: string) => paths.some((path) => line === path || line.startsWith(`${path} `));
  return examples().filter(fits).slice(0, mostShown);
}

/** The command lines of "Every command" in docs/command-line.md, without the program's name; none without the document. */
export function examples(): readonly string[] {
  const text = existsSync(document) ? readFileSync(document, 'utf8') : '';
  const part = text.slice(text.indexOf('## Every command'), text.indexOf('## Logging in'));
  const lines = [...part.matchAll(/^overlay-auth (.+)$/gm)].map(([, line = '']) =>
    line.replace(/ +#.*$/, '').replace(/ > \S+$/, ''),
  );
  return [...new Set(lines)];
}
