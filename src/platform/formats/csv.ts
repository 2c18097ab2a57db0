// Comma-separated values as spreadsheets write them.

import { MalformedInput } from './strict-input.ts';

/**
 * The rows of a text, each a list of cells: quoted or not, with commas, or with
 * semicolons or tabs if the first line has only those.
 * Empty lines are left out.
 * @param mostCells including the empty ones, which cost as much; reading millions of them would hold up a thread
 * @param linesBefore how many lines come before its second one that are not in the text
 * @throws MalformedInput too many cells; a quote that is not closed, or text after a closing one; names the line
 * @see RFC 4180
 */
export function parseCsv(
  text: string,
  mostCells: number,
  linesBefore = 0,
): readonly { readonly line: number; readonly cells: readonly string[] }[] {
  const input = text.replace(/^\ufeff/, '');
  const [head = ''] = /^[^\r\n]*/.exec(input) ?? [];
  const separator = [',', ';', '\t'].find((each) => head.includes(each)) ?? ',';
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^"\r\n${separator}]*))(${separator}|\r\n?|\n|$)`, 'y');
  const rows: { line: number; cells: string[] }[] = [];
  let cells: string[] = [];
  let read = 0;
  let line = 1 + linesBefore;
  let begun = line;
  while (cell.lastIndex < input.length || cells.length > 0) {
    const found = cell.exec(input);
    if (found === null) throw new MalformedInput(`line ${line} has a quote that is not closed or not alone`);
    read += 1;
    if (read > mostCells) throw new MalformedInput(`the table has more than ${mostCells} cells`);
    const [, quoted, plain = '', end] = found;
    const unquoted = quoted?.replaceAll('""', '"').replaceAll(/\r\n?/g, '\n');
    cells.push(unquoted ?? plain.trim());
    line += (unquoted ?? '').split('\n').length - 1;
    if (end === separator) continue;
    if (cells.some((each) => each !== '')) rows.push({ line: begun, cells });
    cells = [];
    line += 1;
    begun = line;
  }
  return rows;
}
