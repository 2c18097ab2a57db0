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
  return {
    items: await inChunks(page.items, (items) => items.map(document), size),
    totalCount: page.totalCount,
  };
}

/** What is asked for, of which fields, by whom: only administrators get lists of any length. */
export interface AskedList {
  readonly parameters: z.output<typeof listParameters>;
  readonly fields: ListFields;
  readonly reader: Pick<Principal, 'isAdmin'>;
}

/** A page of a list, with what it says about itself. @throws AuthError invalid_filter, could_not_validate */
export async function listAnswer(
  { parameters, fields, reader }: AskedList,
  list: (query: ListQuery) => Promise<Page<unknown>>,
): Promise<Answer> {
  const query = reader.isAdmin ? listQuery(parameters, fields) : bounded(listQuery(parameters, fields));
  const { items, totalCount } = await list(query);
  // Clients expect a number, also where there was no limit.
  const pagination = { limit: query.limit ?? items.length, offset: query.offset, totalCount };
  return listEnvelope(items, { filterableFields: [...fields.keys()], pagination });
}
