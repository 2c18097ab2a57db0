// Lists as files. They are opened in spreadsheets, and names in them are written by strangers.

/** RFC 4180. What a spreadsheet would take for a formula begins with an apostrophe instead. */
export function csvOf(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/**
 * Where a formula begins: spreadsheets look past spaces and some marks, and East Asian ones take wide signs too. Where
 * numbers have a decimal comma, a semicolon separates cells, whatever the quotes say: a formula may begin after each.
 */
const formula = /(^|[;\t\r\n])(?=[\s"']*[=+\-@|%\t\r\n\uff1d\uff0b\uff0d\uff20])/g;

function csvCell(text: string): string {
  const cell = text.replace(formula, "$1'");
  return /[",;\r\n\t']/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

export function download(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
