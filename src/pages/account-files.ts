import { readdirSync, readFileSync } from 'node:fs';
import { sha256 } from '../platform/digest.ts';

export interface AccountFile {
  readonly path: string;
  readonly contentType: string;
  readonly text: string;
}

const folder = new URL('../../web/account/', import.meta.url);
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

const texts = readdirSync(folder)
  .sort()
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));

// One address for all: the modules import one another by name, so a change of one has to change where all are.
const base = `/assets/account.${sha256(texts.map(({ name, text }) => `${name}\0${text}`).join('\0')).slice(0, 12)}`;

/** Scripts and styles of the account page. Their address changes with their content, so that they may be kept for ever. */
export const accountFiles: readonly AccountFile[] = texts.map(({ name, text }) => ({
  path: `${base}/${name}`,
  contentType: types[name.split('.').at(-1) ?? ''] ?? 'text/plain; charset=utf-8',
  text,
}));

export const accountScript = `${base}/main.js`;
export const accountStyles = `${base}/account.css`;
