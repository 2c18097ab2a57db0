// A list of documents: its address says filter, order and page; arrow keys move through it; it exports to a file.

import { useNavigate, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect } from 'react';
import { Button, Empty } from '../../parts/screen.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { useList } from '../queries.ts';
import type { Page } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { Column } from './columns.tsx';
import { ExportButtons } from './export-buttons.tsx';

export interface DataListProps<Item> {
  /** The path to read, which also names the exported file. */
  readonly path: string;
  readonly columns: readonly Column<Item>[];
  /** Default: its id. */
  readonly keyOf?: (item: Item) => string;
  /** The filter of the address, in the filter language; empty: everything. */
  readonly filter: string;
  /** Used if the address names none. */
  readonly defaultSort?: string;
  /** The text of an empty list, and what to do about it. */
  readonly empty: readonly [title: string, text?: string];
  /** Shown above the rows. */
  readonly listTools?: (found: Page<Item>) => ReactNode;
  /** How often to read again, in milliseconds. */
  readonly interval?: number | false;
  readonly caption: string;
}

export const pageSize = 25;

type Changes = Readonly<Record<string, string | undefined>>;

/**
 * The state of a list's address, and how to change it. Changing the filter goes back to the first page. The back button
 * leads to the address before only after a `step`: not through every word that was typed.
 */
export function useListAddress(): readonly [Changes, (changes: Changes, kind?: 'step') => void] {
  const search = useSearch({ strict: false }) as Changes;
  const navigate = useNavigate();
  const change = (changes: Changes, kind?: 'step') => {
    const next = { ...search, page: undefined, ...changes };
    navigate({ to: '.', search: next, replace: kind !== 'step', resetScroll: false } as never);
  };
  return [search, change];
}

export function DataList<Item>(props: DataListProps<Item>) {
  const { path, filter, defaultSort = '', interval = false, columns, empty, listTools } = props;
  const [address, change] = useListAddress();
  const sort = sortOf(address.sort, columns) ?? defaultSort;
  const page = Math.max(1, Math.trunc(Number(address.page)) || 1);
  const asked = { filter, sort, limit: pageSize, offset: (page - 1) * pageSize };
  const query = useList<Item>(path, { ...asked, isKept: true, options: { refetchInterval: interval } });
  const { data, isPlaceholderData } = query;
  // Its entries were deleted, or the address is an old one: there is a page before it.
  const isGone = page > 1 && data?.items.length === 0 && !isPlaceholderData;
  const lastPage = Math.min(page - 1, Math.ceil((data?.total ?? 0) / pageSize));
  useEffect(() => {
    if (isGone) change({ page: lastPage > 1 ? String(lastPage) : undefined });
  });
  return (
    <Loaded query={query}>
      {(found) =>
        found.items.length === 0 ? (
          !isGone && <Empty title={empty[0]} text={empty[1]} />
        ) : (
          <>
            {listTools?.(found)}
            <Table {...props} found={found} sort={sort} change={change} />
            <div className="list-end">
              <Pages found={found} page={page} change={change} />
              <ExportButtons path={path} columns={columns} filter={filter} sort={sort} />
            </div>
          </>
        )
      }
    </Loaded>
  );
}

/** Of anything that the API lists. */
export function idOf(item: unknown): string {
  return (item as { readonly id: string }).id;
}

/** A sort order in the address counts only if a column offers it. */
function sortOf<Item>(wanted: string | undefined, columns: readonly Column<Item>[]): string | null {
  const [field, order] = (wanted ?? '').split(' ');
  const isKnown = columns.some(({ sort }) => sort != null && sort === field);
  return isKnown ? `${field} ${order === 'desc' ? 'desc' : 'asc'}` : null;
}

interface TableProps<Item> extends DataListProps<Item> {
  readonly found: Page<Item>;
  readonly sort: string;
  readonly change: ReturnType<typeof useListAddress>[1];
}

function Table<Item>({ columns, keyOf = idOf, found, sort, change, caption }: TableProps<Item>) {
  const shown = columns.filter(({ cell }) => cell !== null);
  return (
    <div className="table">
      <table>
        <caption className="hidden-text">{caption}</caption>
        <thead>
          <tr>
            {shown.map((column) => (
              <HeaderCell key={column.name} column={column} sort={sort} change={change} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={moveBetweenRows}>
          {found.items.map((item) => (
            <tr key={keyOf(item)}>
              {shown.map(({ name, title, cell }) => (
                <td key={name} data-title={title}>
                  {cell?.(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HeaderCell<Item>({
  column: { title, sort: field },
  sort,
  change,
}: Pick<TableProps<Item>, 'sort' | 'change'> & { readonly column: Column<Item> }) {
  if (field == null) return <th scope="col">{title}</th>;
  const [sorted, order] = sort.split(' ');
  const isSorted = sorted === field;
  const next = isSorted && order !== 'desc' ? `${field} desc` : `${field} asc`;
  const state = !isSorted ? 'none' : order === 'desc' ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={state}>
      <button
        type="button"
        className="sort"
        title={texts.lists.sortBy(title)}
        onClick={() => change({ sort: next })}
      >
        {title}
        <span aria-hidden="true">{isSorted ? (order === 'desc' ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  );
}

function Pages<Item>({
  found,
  page,
  change,
}: Pick<TableProps<Item>, 'found' | 'change'> & { readonly page: number }) {
  const { lists: words } = texts;
  const first = (page - 1) * pageSize;
  const last = first + found.items.length;
  const isLast = last >= found.total;
  const where = found.isEstimate ? words.pageOfMore : words.page;
  const turnTo = (next: number) => change({ page: next === 1 ? undefined : String(next) }, 'step');
  return (
    <p className="pages">
      <span>{where(first + 1, last, found.total)}</span>
      {page > 1 && <Button onClick={() => turnTo(page - 1)}>{words.newer}</Button>}
      {!isLast && <Button onClick={() => turnTo(page + 1)}>{words.older}</Button>}
    </p>
  );
}

const steps: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_at, last) => last,
};

/** Moves from the link or box of one row to that of another. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const step = steps[event.key];
  const row = (event.target as Element).closest('tr');
  if (step === undefined || row === null) return;
  const rows = [...event.currentTarget.rows];
  const next = rows[step(rows.indexOf(row), rows.length - 1)];
  event.preventDefault();
  const isBox = (event.target as Element).matches('input');
  next?.querySelector<HTMLElement>(isBox ? 'input' : 'a, button')?.focus();
}
