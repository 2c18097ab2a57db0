import { readdirSync, readFileSync } from 'node:fs';
import { sha256 } from '../platform/digest.ts';

interface AccountFile {
  readonly contentType: string;
  readonly text: string;
}

const folder = new URL('../../web/account/', import.meta.url);
const read = readdirSync(folder)
  .sort()
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));

// One hash for all: the modules import one another by name, so a change of one has to change where all are.
const hash = sha256(read.map(({ name, text }) => `${name}\0${text}`).join('\0')).slice(0, 12);

/**
 * Scripts and styles of the account page, below a path that changes with their content, so that they may be kept for
 * ever.
 */
export const accountFiles: { readonly base: string; readonly byName: ReadonlyMap<string, AccountFile> } = {
  base: `/assets/account.${hash}`,
  byName: new Map(
    read.map(({ name, text }) => {
      const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
      return [name, { contentType: `${type}; charset=utf-8`, text }];
    }),
  ),
};
