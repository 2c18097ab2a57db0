import type { Page } from '../../model/list-query.ts';

/** A page of documents that take a while to make: one after another, so that others have their turn in between. */
export async function mapPageInTurn<T>(
  page: Page<T>,
  document: (item: T) => Promise<object>,
): Promise<Page<object>> {
  const items: object[] = [];
  for (const item of page.items) items.push(await document(item));
  return { items, totalCount: page.totalCount };
}

/** A page of documents. */
export function mapPage<T>(page: Page<T>, document: (item: T) => object): Page<object> {
  return { items: page.items.map(document), totalCount: page.totalCount };
}
