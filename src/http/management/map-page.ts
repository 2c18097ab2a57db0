import type { Page } from '../../model/list-query.ts';
import { inChunks } from '../../platform/in-chunks.ts';

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
