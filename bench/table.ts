/** A Markdown table with aligned columns. */
export function renderTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(3, ...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return `${[line(heads), rule, ...rows.map(line)].join('\n')}\n`;
}
