import { concurrencySuite } from './concurrency.ts';
import { contractSuite } from './contract.ts';
import { openPostgresDatabase } from './postgres-database.ts';

contractSuite('PostgreSQL', openPostgresDatabase);
concurrencySuite('PostgreSQL', openPostgresDatabase);
