// Reads a page of a list within its budget. Which statement of `CompiledList` reads it:
//
//   everything, or beyond ten thousand entries    page
//   few entries match a filter, by a sample       pageOfFew, which counts them too
//   many match, and an index has the order        pageAmongFirst; where it has too few of them, pageOfSorted
//   many match, and no index has the order        page, or none where they are too many to be sorted
//
// A list without a limit is read in parts (`onePart`): each after the last entry of the part before where the order is that
// of a unique field, and otherwise by the keys of all entries, which are read first.

import { AuthError } from '../../errors/auth-error.ts';
import {
  conjunctsOf,
  type ListPart,
  type ListQuery,
  type ListTotal,
  type Term,
  termsOf,
} from '../../model/list-query.ts';
import { SECOND } from '../../platform/clock.ts';
import { chunkSize } from '../../platform/in-chunks.ts';
import { type Engine, OutOfTime, type ReadInTurn } from './engine.ts';
import type { SqlRow } from './intent.ts';
import {
  type CompiledList,
  comparisonsOf,
  compileList,
  farOffset,
  fieldOf,
  foldingCost,
  namesOne,
} from './list-query.ts';
import type { ListSource } from './list-source.ts';
import { countedExactly, onlyNumber, raised, totalOf } from './list-total.ts';

/** Comparisons for each entry that every filter may make, however long the list: enough for a typed filter. */
const freeComparisons = 24;
/** A list of everything has at most this many entries in an order other than that of a unique field. */
const mostKeys = 100_000;

/** How many rows are looked at to say how long a list is, and which part of the table: 40 of the fewest that are not counted. */
const leastSample = 20_000;
const leastPart = 1 / 250;
/** This part of them where each takes a row of another table, which may be anywhere in it. */
const partOfJoined = 1 / 4;
/** How many rows are searched for a part of a text, or sorted, in a millisecond, read from disk. */
const searchedInMilli = 800;
/** Shorter parts of texts are in no index. */
const shortestFound = 3;
/** Among how many entries of an order a page is looked for at most, unless sorting would read far more. */
const mostCompared = 100_000;

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
    throw error instanceof OutOfTime ? tooSlow(source, query, error) : error;
  }
}

/** Says which part of a list takes so long, and what to do instead. */
function tooSlow(source: ListSource, { filter, sort, offset, budget }: ListQuery, cause: OutOfTime): Error {
  const limit = budget.time / SECOND;
  const order = fieldOf(source, sort[0]?.field ?? 'id');
  const slow = termsOf(filter).find((term) => !hasIndex(source, term));
  if (offset >= farOffset)
    return refused(
      `takes longer than ${limit} seconds because it skips ${offset} entries: ask for the entries after the last one that you have, such as ${order.name} > "VALUE"`,
      cause,
    );
  if (slow !== undefined)
    return refused(
      `takes longer than ${limit} seconds because no index finds ${written(source, slow)}: leave it out, or add a term that few entries match, such as id or name with =`,
      cause,
    );
  if (order.order === null || (sort.length > 1 && !order.isUnique))
    return refused(
      `takes longer than ${limit} seconds because no index has the order by ${orderOf(source, { sort })}: leave the order out, or add a term that few entries match`,
      cause,
    );
  if (filter.op === 'true') return cause;
  return refused(
    `takes longer than ${limit} seconds because many entries match, and the order by ${order.name} has them late: say where it should begin, such as ${order.name} > "VALUE", or add a term that few entries match`,
    cause,
  );
}

function hasIndex(source: ListSource, term: Term): boolean {
  const { column, kind, lowerCase, isUnique, order } = fieldOf(source, term.field);
  if (term.op === 'contains' || term.op === 'icontains')
    return kind === 'texts' || (lowerCase !== null && lowerCase !== column && !isShortPart(term));
  return term.op !== '!=' && (isUnique || order !== null || column === `${source.table}.identity_id`);
}

function isShortPart(term: Term): boolean {
  return (term.op === 'contains' || term.op === 'icontains') && [...term.value].length < shortestFound;
}

function written(source: ListSource, term: Term): string {
  const { name, kind } = fieldOf(source, term.field);
  const value = term.op === 'in' ? '[…]' : kind === 'time' ? 'datetime(…)' : JSON.stringify(term.value);
  return `${name} ${term.op} ${value}`;
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

async function onePage(listing: Listing, query: ListQuery): Promise<RowsOfPage> {
  const { engine, source, read } = listing;
  const { limit, offset, filter } = query;
  const statements = compileList(engine.dialect, source, query);
  if (filter.op !== 'true' && limit > 0 && offset + limit <= countedExactly)
    return pageOfFiltered(listing, statements, query);
  await requireSortable(listing, query, { statements });
  const rows = await read(statements.page());
  const total = await totalOf(query, rows.length, async () => onlyNumber(await read(statements.count())));
  const isBeyondEnd = rows.length === 0 && limit > 0;
  if (!total.totalCountIsEstimate || isBeyondEnd) return { rows, ...total };
  return { rows, ...raised(total, (await sampled(listing, statements)).matching) };
}

async function pageOfFiltered(listing: Listing, sql: CompiledList, query: ListQuery): Promise<RowsOfPage> {
  const { source, read } = listing;
  const sample = namesOne(source, query.filter) ? nothingMatches : await sampled(listing, sql);
  // Many match for sure; finding ten thousand of them among others may take far longer than the page.
  if (sample.matching < 2 * countedExactly) {
    await requireSearchable(listing, query);
    const rows = await read(sql.pageOfFew());
    const counted = rows[0]?.list_total;
    if (Number(counted ?? 0) <= countedExactly) {
      const count = async () =>
        counted === undefined ? onlyNumber(await read(sql.count())) : Number(counted);
      return { rows, ...(await totalOf(query, rows.length, count)) };
    }
  }
  const rows = await pageOfMany(listing, sql, { ...sample, query });
  const total = await totalOf(query, rows.length, async () => countedExactly + 1);
  return { rows, ...raised(total, sample.matching) };
}

/**
 * Entries of millions that contain a short part are found by searching all, unless they are among the first of the
 * order. A person who is about to type the third letter need not wait until the time is over.
 * @throws AuthError invalid_filter
 */
async function requireSearchable({ engine, source, read }: Listing, query: ListQuery): Promise<void> {
  const { true: short = [], false: others = [] } = Object.groupBy(conjunctsOf(query.filter), (term) =>
    termsOf(term).some(isShortPart) ? 'true' : 'false',
  );
  const first = short.flatMap(termsOf).find(isShortPart);
  if (first === undefined) return;
  const [table = source.table] = fieldOf(source, first.field).column.split('.');
  const all = onlyNumber(await read({ sql: engine.dialect.rowsOf(table), params: [] }));
  if (isReadInTime(query, all)) return;
  const rest = { ...query, filter: { op: 'and', terms: others } } as const;
  const left =
    others.length === 0
      ? all
      : (await sampled({ engine, source, read }, compileList(engine.dialect, source, rest))).matching;
  if (isReadInTime(query, left)) return;
  throw refused(
    `has too many entries (about ${left}) to search all for ${written(source, first)}: an index finds texts of ${shortestFound} characters or more, so add characters, or a term that few entries match`,
  );
}

/** @throws AuthError invalid_filter   an order that no index has, of more entries than can be read in time */
async function requireSortable(
  listing: Listing,
  query: ListQuery,
  { statements, matching }: { readonly statements: CompiledList; readonly matching?: number },
): Promise<void> {
  if (!statements.isSorted || query.limit === 0) return;
  const entries = matching ?? (await sampled(listing, statements)).matching;
  if (isReadInTime(query, entries)) return;
  throw refused(
    `has too many entries (about ${entries}) to read all for the order by ${orderOf(listing.source, query)}, which no index has: leave the order out, or add a term that few entries match`,
  );
}

function isReadInTime({ budget }: ListQuery, entries: number): boolean {
  return entries < budget.time * searchedInMilli;
}

function orderOf(source: ListSource, { sort }: Pick<ListQuery, 'sort'>): string {
  return sort.map(({ field }) => fieldOf(source, field).name).join(', ');
}

/** About how many rows a table has, and how many of them match. */
interface Sample {
  readonly inTable: number;
  readonly matching: number;
}

const nothingMatches: Sample = { inTable: 0, matching: 0 };

async function sampled({ engine, source, read }: Listing, list: CompiledList): Promise<Sample> {
  const inTable = onlyNumber(await read({ sql: engine.dialect.rowsOf(source.table), params: [] }));
  if (inTable <= countedExactly) return { inTable, matching: 0 };
  const rows = Math.max(leastSample, inTable * leastPart) * (list.isJoined ? partOfJoined : 1);
  const every = Math.max(1, Math.round(inTable / rows));
  return { inTable, matching: onlyNumber(await read(list.countOf(1 / every))) * every };
}

/**
 * Where many match, the first page of an order is found soon by comparing entries in that order, unless it puts those that
 * match last. Engines take them for evenly spread, and would go on to its end: beyond some times as far as that, and an
 * eighth of what sorting all would read, all are sorted.
 */
async function pageOfMany(
  listing: Listing,
  statements: CompiledList,
  { inTable, matching, query }: Sample & { readonly query: ListQuery },
): Promise<readonly SqlRow[]> {
  const { read } = listing;
  const { limit, offset } = query;
  const expected = ((offset + limit) * inTable) / Math.max(matching, countedExactly);
  const entries = Math.ceil(Math.max(Math.min(mostCompared, 4 * expected), matching / 8));
  const first = statements.pageAmongFirst(entries);
  if (first === null) {
    await requireSortable(listing, query, { statements, matching });
    return read(statements.page());
  }
  const rows = await read(first);
  if (rows.length === limit) return rows;
  await requireSearchable(listing, query);
  return read(statements.pageOfSorted());
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
    const statements = compileList(engine.dialect, source, query);
    await requireSortable(listing, query, { statements });
    const [row] = await read(statements.keys(mostKeys + 1));
    const keys = JSON.parse((row?.entries ?? '[]') as string) as string[];
    if (keys.length <= mostKeys) return rowsWith(listing, query, keys);
    throw refused(
      `has more than ${mostKeys} entries, which is too many for limit none in this order: leave the order out, or use limit and offset`,
    );
  }
  const beyond = { op: descending ? '<' : '>', field: name, value: after } as const;
  const rest = { filter: { op: 'and', terms: [query.filter, beyond] }, offset: 0 } as const;
  const { limit } = query;
  // One more says whether a page follows.
  const asked = { ...query, ...(after === null ? {} : rest), limit: limit + 1 };
  const found = await read(compileList(engine.dialect, source, asked).page());
  const rows = found.slice(0, limit);
  const column = field?.column.split('.')[1] ?? '';
  return { rows, next: found.length > limit ? { after: String(rows.at(-1)?.[column]) } : null };
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
