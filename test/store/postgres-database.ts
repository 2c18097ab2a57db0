import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { postgresServer } from '../support/postgres.ts';
import type { TestDatabase } from './contract.ts';

/** A fresh database on the server of this process. Every engine has its own connections. */
export async function openPostgresDatabase(): Promise<TestDatabase & { readonly url: string }> {
  const server = await postgresServer();
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  return {
    url,
    store,
    openAnother: () => openPostgresStore({ url }),
    drop: () => store.close(),
  };
}
