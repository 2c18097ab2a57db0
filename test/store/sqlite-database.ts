import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { TestDatabase } from './contract.ts';
import { temporaryFolder } from './fixtures.ts';

/** A fresh database in a folder of its own. */
export async function openSqliteDatabase(): Promise<TestDatabase & { readonly path: string }> {
  const folder = temporaryFolder();
  const path = folder.path('overlay.db');
  const store = await openSqliteStore({ path });
  return {
    path,
    store,
    openAnother: () => openSqliteStore({ path }),
    async drop() {
      await store.close();
      folder.remove();
    },
  };
}
