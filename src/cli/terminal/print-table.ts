import { notice, printResult, type Report } from './output.ts';
import { type ColumnSpelling, columnsOf, fittingColumns, renderTable } from './table.ts';

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
