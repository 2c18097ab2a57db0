// Comma-separated values as spreadsheets write them.

import { MalformedInput } from './malformed-input.ts';

/**
 * The rows of a text, each a list of cells: quoted or not, with commas, or with
 * semicolons or tabs if the first line has only those.
 * Empty lines are left out.
 * @throws MalformedInput a quote that is not closed, or text after a closing one; names the line
 * @see RFC 4180
 */
export function parseCsv(
  text: string,
): readonly { readonly line: number; readonly cells: readonly string[] }[] {
  const input = text.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n');
  const [head = ''] = input.split('\n', 1);
  const separator = [',', ';', '\t'].find((each) => head.includes(each)) ?? ',';
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"\n${separator}]*))(${separator}|\n|$)`, 'y');
  const rows: { line: number; cells: string[] }[] = [];
  let cells: string[] = [];
  let line = 1;
  let begun = 1;
  while (cell.lastIndex < input.length || cells.length > 0) {
    const found = cell.exec(input);
    if (found === null) throw new MalformedInput(`line ${line} has a quote that is not closed or not alone`);
    const [, quoted, plain = '', end] = found;
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    line += (quoted ?? '').split('\n').length - 1;
    if (end === separator) continue;
    if (cells.some((each) => each !== '')) rows.push({ line: begun, cells });
    cells = [];
    line += 1;
    begun = line;
  }
  return rows;
}
