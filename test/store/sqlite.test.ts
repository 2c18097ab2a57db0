import { concurrencySuite } from './concurrency.ts';
import { contractSuite } from './contract.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

contractSuite('SQLite', openSqliteDatabase);
concurrencySuite('SQLite', openSqliteDatabase);
