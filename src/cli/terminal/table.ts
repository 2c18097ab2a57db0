import { notice, printable, printResult, type Report } from './output.ts';

export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => unknown;
}

export type ColumnSpelling<Row> =
  | Column<Row>
  | (keyof Row & string)
  | readonly [heading: string, of: (keyof Row & string) | ((row: Row) => unknown)];

/** Columns: a heading that is also the member, or a heading with the member or with what makes the cell. */
export function columnsOf<Row>(spelled: readonly ColumnSpelling<Row>[]): readonly Column<Row>[] {
  return spelled.map((one) => {
    if (typeof one === 'string') return { heading: one, cell: (row) => row[one] };
    if ('heading' in one) return one;
    const [heading, of] = one;
    return { heading, cell: typeof of === 'function' ? of : (row) => row[of] };
  });
}

/**
 * The columns that fit side by side, from the left, and the others. The first two always stay.
 * @param width of the terminal, in characters
 */
function fittingColumns<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): { readonly shown: readonly Column<Row>[]; readonly leftOut: readonly Column<Row>[] } {
  const widths = columns.map(({ heading, cell }) =>
    Math.max(displayWidth(heading), ...rows.map((row) => displayWidth(cellText(cell(row))))),
  );
  const fits = (count: number) =>
    widths.slice(0, count).reduce((sum, one) => sum + one, 0) + between.length * (count - 1) <= width;
  let count = columns.length;
  while (count > 2 && !fits(count)) count -= 1;
  return { shown: columns.slice(0, count), leftOut: columns.slice(count) };
}

/**
 * A table with a heading line and two spaces between the columns; the last column is not padded.
 * Cells are made harmless for terminals; lists are joined by commas; nothing is `-`.
 */
export function renderTable<Row>(spelled: readonly ColumnSpelling<Row>[], rows: readonly Row[]): string {
  const columns = columnsOf(spelled);
  const lines = [columns.map(({ heading }) => heading.toUpperCase())];
  for (const row of rows) lines.push(columns.map(({ cell }) => cellText(cell(row))));
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => displayWidth(line[index] ?? ''))));
  return lines
    .map((line) =>
      line
        .map((text, index) => padTo(text, widths[index] ?? 0))
        .join(between)
        .trimEnd(),
    )
    .join('\n');
}

/** One line per field, with the names in one column. */
export function renderFields(fields: readonly (readonly [name: string, value: unknown])[]): string {
  const width = Math.max(0, ...fields.map(([name]) => displayWidth(name)));
  return fields.map(([name, value]) => `${padTo(name, width)}  ${cellText(value)}`.trimEnd()).join('\n');
}

const between = '  ';

/** A value of an API as a cell shows it. Times lose their milliseconds, because people read them here. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cellText).join(', ');
  const text = typeof value === 'object' ? JSON.stringify(value) : withoutMilliseconds(String(value));
  if (text === '{}') return '-';
  return printable(text).replace(/[\t\n]+/g, ' ');
}

/** An RFC 3339 time to the second; other text unchanged. */
export function withoutMilliseconds(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+Z$/, '$1Z');
}

function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

// Counts code points. Those that East Asian terminals draw two cells wide count twice.
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text)
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/.test(character) ? 2 : 1;
  return width;
}

/**
 * Prints rows: `value` as JSON under `-j`, otherwise a table. A terminal gets the columns that fit, and a note about
 * the others; a file or pipe gets all.
 * @param nothing printed on standard error when there are no rows; standard output stays empty then
 */
export function printTable<Row>(
  report: Report,
  rows: readonly Row[],
  {
    value,
    columns: spelled,
    nothing = 'There are none.',
  }: { value: unknown; columns: readonly ColumnSpelling<Row>[]; nothing?: string },
): void {
  const columns = columnsOf(spelled);
  const { isTTY, columns: width } = report.ports.stdout;
  const { shown, leftOut } =
    isTTY === true && width !== undefined
      ? fittingColumns(columns, rows, width)
      : { shown: columns, leftOut: [] };
  printResult(report, value, () => (rows.length === 0 ? '' : renderTable(shown, rows)));
  if (rows.length === 0) notice(report, nothing);
  if (leftOut.length > 0) {
    const names = leftOut.map(({ heading }) => heading).join(', ');
    notice(report, `No room for ${names}: widen the terminal, or add -j.`);
  }
}
