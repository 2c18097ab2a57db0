// Tables as files. People open them in spreadsheets, and strangers choose the names in them. Imports nothing, because the
// console uses it too.

/** RFC 4180. Text that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/**
 * Where a formula may begin: spreadsheets skip spaces and some marks, and East Asian ones accept full-width signs too.
 * Where numbers have a decimal comma, a semicolon separates cells despite the quotes, so a formula may begin after
 * each.
 */
const formulaSign = /[=+\-@|%\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const skipped = /[\s"']/;
const separator = /[;\t\r\n]/;

/** Reads backwards, so that a long run of line breaks or spaces is read only once. */
function withoutFormulas(text: string): string {
  if (!formulaSign.test(text)) return text;
  const pieces: string[] = [];
  let end = text.length;
  let isFormula = false;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    isFormula = formulaSign.test(text.charAt(at)) || (isFormula && skipped.test(text.charAt(at)));
    if (!isFormula || (at > 0 && !separator.test(text.charAt(at - 1)))) continue;
    pieces.push(`'${text.slice(at, end)}`);
    end = at;
  }
  pieces.push(text.slice(0, end));
  return pieces.reverse().join('');
}

function csvCell(text: string): string {
  const cell = withoutFormulas(text);
  return /[",;\r\n\t']/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
