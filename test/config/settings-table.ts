import { readFileSync } from 'node:fs';
import { describedFile, type SettingNode } from '../../src/config/described-file.ts';

// The table of docs/configuration.md, made from the description of the settings. Its last column is written by hand.

export const settingsPage = new URL('../../docs/configuration.md', import.meta.url);

const [begin, end] = [
  '| Key | Default | In use after | Meaning | More |\n',
  '\n\n## The cost of password hashes',
];

/** The page with the table of the settings as they are described. */
export function pageWithTable(): string {
  const text = readFileSync(settingsPage, 'utf8');
  const more = new Map(
    [...text.matchAll(/^\| `([^`]+)` \|.*\| ?([^|]*) \|$/gm)].map(([, key, cell]) => [key, cell]),
  );
  const lines = rows(describedFile(), '', false).map(
    ({ key, cells }) => `| \`${key}\` | ${cells.join(' | ')} | ${more.get(key) ?? ''} |`,
  );
  return `${text.slice(0, text.indexOf(begin))}${begin}|---|---|---|---|---|\n${lines.join('\n')}${text.slice(text.indexOf(end))}`;
}

interface Row {
  readonly key: string;
  readonly cells: readonly string[];
}

function rows(node: SettingNode, path: string, needsRestart: boolean): readonly Row[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) =>
    rowsOf(child, {
      path: path === '' ? key : `${path}.${key}`,
      needsRestart: needsRestart || child.setting?.restart === true,
      isRequired: node.required?.includes(key) === true,
    }),
  );
}

function rowsOf(
  node: SettingNode,
  at: { readonly path: string; readonly needsRestart: boolean; readonly isRequired: boolean },
): readonly Row[] {
  const { properties, items } = node;
  // A map that is always there is only what is in it.
  const isPlain = properties !== undefined && (at.isRequired || node.default !== undefined);
  const [, meaning = '', otherwise] = /^(.*?)(?: Default: (.*)\.)?$/.exec(node.description ?? '') ?? [];
  const known = otherwise ?? defaultOf(node, at.isRequired);
  const row = { key: at.path, cells: [known, at.needsRestart ? 'restart' : 'reload', meaning] };
  const inside = [node, ...[items ?? {}].flatMap((entry) => entry.oneOf ?? entry)].flatMap((each) =>
    rows(each, each === node ? at.path : `${at.path}[]`, at.needsRestart),
  );
  return [...(node.setting === undefined || isPlain ? [] : [row]), ...inside];
}

function defaultOf({ default: value }: SettingNode, isRequired: boolean): string {
  if (isRequired) return 'required';
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  return `\`${String(value)}\``;
}
