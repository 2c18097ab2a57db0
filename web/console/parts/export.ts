// Lists as files. They are opened in spreadsheets, and names in them are written by strangers.

/** RFC 4180. A cell that a spreadsheet would take for a formula begins with an apostrophe instead. */
export function csvOf(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  // Spreadsheets look past spaces, and some past other marks, for what makes a formula.
  const isFormula = /^[\s"']*[=+\-@|%\t\r\n]/.test(text);
  const cell = isFormula ? `'${text}` : text;
  return /[",\r\n\t']/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

export function download(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
