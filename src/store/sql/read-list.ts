// Reads a page of a list within its budget.

import { AuthError } from '../../errors/auth-error.ts';
import type { ListPart, ListQuery, ListTotal } from '../../model/list-query.ts';
import { SECOND } from '../../platform/clock.ts';
import { chunkSize } from '../../platform/in-chunks.ts';
import type { Engine, ReadInTurn } from './engine.ts';
import type { SqlRow } from './intent.ts';
import { comparisonsOf, compileList, foldingCost } from './list-query.ts';
import type { ListSource } from './list-source.ts';
import { onlyNumber, totalOf } from './list-total.ts';
import { OutOfTime } from './turns.ts';

/** Comparisons for each entry that every filter may make, however long the list: what a person types. */
const freeComparisons = 24;
/** A list of everything has at most this many entries in an order other than that of a unique field. */
const mostKeys = 100_000;

interface RowsOfPage extends ListTotal {
  readonly rows: readonly SqlRow[];
  readonly next?: ListPart | null;
}

/** A list whose turn it is. */
interface Listing {
  readonly engine: Pick<Engine, 'dialect'>;
  readonly source: ListSource;
  readonly read: ReadInTurn;
}

/**
 * @throws AuthError invalid_filter   also when the filter costs more than its budget
 * @throws NoTurn, OutOfTime
 */
export async function readList(engine: Engine, source: ListSource, query: ListQuery): Promise<RowsOfPage> {
  try {
    return await engine.inTurn(query.budget, async (read) => {
      const listing = { engine, source, read };
      await requireAffordable(listing, query);
      return query.part === undefined ? onePage(listing, query) : onePart(listing, query);
    });
  } catch (error) {
    if (!(error instanceof OutOfTime) || query.filter.op === 'true') throw error;
    const limit = query.budget.time / SECOND;
    throw refused(`takes longer than ${limit} seconds: use fewer terms, or compare id or name with =`, error);
  }
}

/** @throws AuthError invalid_filter */
async function requireAffordable({ engine, source, read }: Listing, query: ListQuery): Promise<void> {
  const each = comparisonsOf(source, query.filter);
  if (each <= freeComparisons) return;
  const rows = onlyNumber(await read({ sql: engine.dialect.rowsOf(source.table), params: [] }));
  if (each * rows <= query.budget.comparisons) return;
  const possible = Math.max(freeComparisons, Math.floor(query.budget.comparisons / rows));
  throw refused(
    `costs ${each} comparisons for each of about ${rows} entries, and ${possible} are possible: use fewer terms (the first icontains of a field counts as ${foldingCost + 1}), or "in" with all values of a field`,
  );
}

async function onePage({ engine, source, read }: Listing, query: ListQuery): Promise<RowsOfPage> {
  const statements = compileList(engine.dialect, source, query);
  const rows = await read(statements.page());
  const total = await totalOf(query, rows.length, async () => onlyNumber(await read(statements.count())));
  return { rows, ...total };
}

/** A page of a list of everything: no statement stays open while a client takes its time. */
async function onePart(listing: Listing, query: ListQuery): Promise<RowsOfPage> {
  const { part } = query;
  const found =
    part !== undefined && part !== 'first' && 'keys' in part
      ? await rowsWith(listing, query, part.keys)
      : await rowsAfter(listing, query, part !== undefined && part !== 'first' ? part.after : null);
  if (part === 'first' && found.rows.length === 0 && query.offset > 0) return onePage(listing, query);
  return { ...found, totalCount: query.offset + found.rows.length, totalCountIsEstimate: false };
}

type PartOfRows = Pick<RowsOfPage, 'rows' | 'next'>;

/**
 * In the order of a unique field each page begins after the last entry of the one before. In any other, the keys of all
 * entries are read first.
 */
async function rowsAfter(listing: Listing, query: ListQuery, after: string | null): Promise<PartOfRows> {
  const { engine, source, read } = listing;
  const { field: name, descending } = query.sort[0] ?? { field: 'id', descending: false };
  const field = source.fields[name];
  if (field !== undefined && (!field.isUnique || field.isOptional)) {
    const [row] = await read(compileList(engine.dialect, source, query).keys(mostKeys + 1));
    const keys = JSON.parse((row?.entries ?? '[]') as string) as string[];
    if (keys.length <= mostKeys) return rowsWith(listing, query, keys);
    throw refused(
      `has more than ${mostKeys} entries, which is too many for limit none in this order: leave the order out, or use limit and offset`,
    );
  }
  const beyond = { op: descending ? '<' : '>', field: name, value: after } as const;
  const rest = { filter: { op: 'and', terms: [query.filter, beyond] }, offset: 0 } as const;
  const rows = await read(
    compileList(engine.dialect, source, after === null ? query : { ...query, ...rest }).page(),
  );
  const last = rows.length < query.limit ? undefined : rows.at(-1);
  const column = field?.column.split('.')[1] ?? '';
  return { rows, next: last === undefined ? null : { after: String(last[column]) } };
}

async function rowsWith(
  { engine, source, read }: Listing,
  { budget, sort }: ListQuery,
  keys: readonly string[],
): Promise<PartOfRows> {
  const these = keys.slice(0, chunkSize);
  const rest = keys.slice(chunkSize);
  const filter = { op: 'in', field: 'id', values: these } as const;
  const page = { filter, sort, limit: chunkSize, offset: 0, budget };
  const rows = await read(compileList(engine.dialect, source, page).page());
  return { rows, next: rest.length === 0 ? null : { keys: rest } };
}

function refused(reason: string, cause?: unknown): AuthError {
  return new AuthError('invalid_filter', {
    description: `The list ${reason}`,
    fields: [{ field: 'filter', reason }],
    cause,
  });
}
