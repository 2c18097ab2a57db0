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
const formula = /(^|[;\t\r\n])(?=[\s"']*[=+\-@|%\t\r\n\uff1d\uff0b\uff0d\uff20])/g;

function csvCell(text: string): string {
  const cell = text.replace(formula, "$1'");
  return /[",;\r\n\t']/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
