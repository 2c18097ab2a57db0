import type { z } from 'zod';
import { listQuery } from '../../admin/list-parameters.ts';
import type { ListFields } from '../../model/list-fields.ts';
import type { ListQuery, ListReader, ListTotal, Page } from '../../model/list-query.ts';
import { fairTurns, usualTurns } from '../../platform/fair-turns.ts';
import { inChunks } from '../../platform/in-chunks.ts';
import { type Answer, jsonParts, listEnvelope } from '../request/answer.ts';
import { type listParameters, listParametersOf } from '../request/fields.ts';
import type { AuthenticatedContext } from '../request/request-context.ts';
import { listAnswer } from '../request/route.ts';

/** A page of documents. */
export async function mapPage<T, Document extends object>(
  page: Page<T>,
  document: (item: T) => Document,
  size?: number,
): Promise<Page<Document>> {
  return { ...page, items: await inChunks(page.items, (items) => items.map(document), size) };
}

/** `meta` of a list: the fields that filters may name, which page this is, and how many entries there are in all. */
function listMeta(
  fields: ListFields,
  { limit, offset }: Pick<ListQuery, 'limit' | 'offset'>,
  { totalCount, totalCountIsEstimate }: ListTotal,
): Readonly<Record<string, unknown>> {
  const pagination = { limit, offset, totalCount, ...(totalCountIsEstimate && { totalCountIsEstimate }) };
  return { filterableFields: [...fields.keys()], pagination };
}

/** The query of a list, the fields that it may use, and the caller. */
export interface AskedList {
  readonly parameters: z.output<typeof listParameters>;
  readonly fields: ListFields;
  readonly reader: ListReader;
}

/** The parts of a list. */
export interface Listed {
  readonly document: z.ZodType;
  readonly listFields: ListFields;
}

/**
 * The part of a declaration that is the same wherever a page of a list is answered.
 * @param list for the caller; @throws AuthError not_found
 */
export function listRules(
  { document, listFields: fields, what = 'list' }: Listed & { what?: string },
  list: (query: ListQuery, context: AuthenticatedContext) => Promise<Page<unknown>>,
) {
  return {
    answer: listAnswer(document, `One page of the ${what}`),
    refusals: ['invalid_filter'],
    query: listParametersOf(fields),
    handler(context: AuthenticatedContext, { query }: { query: AskedList['parameters'] }) {
      const asked = { parameters: query, fields, reader: context.principal };
      return pagedList(asked, (page) => list(page, context));
    },
  } as const;
}

/** A page of a list with its `meta`. @throws AuthError invalid_filter, could_not_validate */
export async function pagedList(
  { parameters, fields, reader }: AskedList,
  list: (query: ListQuery) => Promise<Page<unknown>>,
): Promise<Answer> {
  const query = listQuery(parameters, fields, reader);
  const page = await list(query);
  if (query.part === undefined) return listEnvelope(page.items, listMeta(fields, query, page));
  return wholeRead(query.budget.payer, everything(query, page, { fields, list }));
}

/** Every page, each read when the one before has been taken. */
async function* everything(
  query: ListQuery,
  first: Page<unknown>,
  { fields, list }: { fields: ListFields; list(query: ListQuery): Promise<Page<unknown>> },
): AsyncGenerator<string> {
  let read = 0;
  let chunks = 0;
  yield '{"data":[';
  for (let page = first; ; ) {
    for (const text of await inChunks(page.items, (chunk) => [JSON.stringify(chunk).slice(1, -1)])) {
      yield chunks === 0 ? text : `,${text}`;
      chunks += 1;
    }
    read += page.items.length;
    if (page.next === undefined || page.next === null) break;
    page = await list({ ...query, part: page.next });
  }
  // Clients expect a number, even without a limit.
  const total = {
    totalCount: read === 0 ? first.totalCount : query.offset + read,
    totalCountIsEstimate: false,
  };
  yield `],"meta":${JSON.stringify(listMeta(fields, { ...query, limit: read }, total))}}`;
}

/** A list that has no pages: all that there is. */
export function wholeList(items: readonly object[]): Promise<Answer> {
  const pagination = { limit: items.length, offset: 0, totalCount: items.length };
  return listEnvelope(items, { filterableFields: [], pagination });
}

// Requests that read every entry of a table: one at a time for each caller, and a few in all.

/** Of this thread. Each may take as long as its client takes to read. */
const turns = fairTurns({ ...usualTurns, atOnce: 8, ofOne: 1, waitingOfOne: 4 });

/**
 * A JSON document whose parts are made when the client has taken those before.
 * @param payer whose turn it takes, until the last part is taken or the client is gone
 * @throws NoTurn
 */
export async function wholeRead(payer: string, parts: AsyncGenerator<string>): Promise<Answer> {
  const end = await turns.take(payer);
  const next = async () => {
    try {
      const part = await parts.next();
      if (part.done === true) end();
      return part;
    } catch (error) {
      end();
      throw error;
    }
  };
  // An error before the first piece is sent is answered as usual.
  let first: IteratorResult<string> | null = await next();
  const iterator: AsyncIterator<string> = {
    async next() {
      const part = first ?? (await next());
      first = null;
      return part;
    },
    // Unlike `finally` of a generator, it also runs for an answer that is never read, such as that to HEAD.
    return() {
      end();
      return parts.return(undefined);
    },
  };
  return jsonParts({ [Symbol.asyncIterator]: () => iterator });
}

/** @throws NoTurn, and what `work` throws */
export async function inWholeTurn<T>(payer: string, work: () => Promise<T>): Promise<T> {
  const end = await turns.take(payer);
  try {
    return await work();
  } finally {
    end();
  }
}
