import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { TestDatabase } from './contract.ts';

/** A fresh database in a folder of its own. */
export async function openSqliteDatabase(): Promise<TestDatabase & { readonly path: string }> {
  const home = mkdtempSync(join(tmpdir(), 'overlay-auth-store-'));
  const path = join(home, 'overlay.db');
  const store = await openSqliteStore({ path });
  return {
    path,
    store,
    openAnother: () => openSqliteStore({ path }),
    async drop() {
      await store.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
