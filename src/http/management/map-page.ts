import type { Page } from '../../model/list-query.ts';

/** A page of documents. */
export function mapPage<T>(page: Page<T>, document: (item: T) => object): Page<object> {
  return { items: page.items.map(document), totalCount: page.totalCount };
}
