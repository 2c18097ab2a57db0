import type { z } from 'zod';
import { bounded, listQuery } from '../../admin/list-parameters.ts';
import type { ListFields } from '../../model/list-fields.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Principal } from '../../model/principal.ts';
import { inChunks } from '../../platform/in-chunks.ts';
import { type Answer, listEnvelope } from '../request/answer.ts';
import type { listParameters } from '../request/fields.ts';

/** A page of documents. */
export async function mapPage<T>(
  page: Page<T>,
  document: (item: T) => object,
  size?: number,
): Promise<Page<object>> {
  return { ...page, items: await inChunks(page.items, (items) => items.map(document), size) };
}

/** `meta` of a list: the fields that filters may name, which page this is, and how many entries there are in all. */
function listMeta(
  fields: ListFields,
  { limit, offset }: Pick<ListQuery, 'limit' | 'offset'>,
  { items, totalCount, totalCountIsEstimate }: Page<unknown>,
): Readonly<Record<string, unknown>> {
  const pagination = {
    // Clients expect a number, even without a limit.
    limit: limit ?? items.length,
    offset,
    totalCount,
    ...(totalCountIsEstimate && { totalCountIsEstimate }),
  };
  return { filterableFields: [...fields.keys()], pagination };
}

/** What is asked for, which fields there are, and who asks: only administrators get lists of any length. */
export interface AskedList {
  readonly parameters: z.output<typeof listParameters>;
  readonly fields: ListFields;
  readonly reader: Pick<Principal, 'isAdmin'>;
}

/** A page of a list with its `meta`. @throws AuthError invalid_filter, could_not_validate */
export async function pagedList(
  { parameters, fields, reader }: AskedList,
  list: (query: ListQuery) => Promise<Page<unknown>>,
): Promise<Answer> {
  const query = reader.isAdmin ? listQuery(parameters, fields) : bounded(listQuery(parameters, fields));
  const page = await list(query);
  return listEnvelope(page.items, listMeta(fields, query, page));
}

/** A list that has no pages: all that there is. */
export function wholeList(items: readonly object[]): Promise<Answer> {
  const pagination = { limit: items.length, offset: 0, totalCount: items.length };
  return listEnvelope(items, { filterableFields: [], pagination });
}
