// Whether a database has the columns and indexes of this release. The version proves it for released schemas; a
// database of a commit between releases, or one that was changed by hand, would fail later, at a login.

import { DatabaseSync } from 'node:sqlite';
import { sqliteDialect } from '../sql/engine.ts';
import { migrateSqlite, ourSchema, type Schema, SchemaError } from './migrate.ts';

function shapeOf(database: DatabaseSync): ReadonlySet<string> {
  return new Set(
    database
      .prepare(sqliteDialect.parts)
      .all()
      .map(({ part }) => String(part)),
  );
}

/** @throws SchemaError as `requireShape` */
export function requireShapeOfSqlite(database: DatabaseSync, schema = ourSchema): void {
  requireShape(shapeOf(database), schema);
}

/**
 * More than is needed does no harm: a newer release may have added it.
 * @param found what `Dialect.parts` returns
 * @throws SchemaError something is missing
 */
export function requireShape(found: ReadonlySet<string>, schema: Schema = ourSchema): void {
  const missing = [...partsOf(schema)].filter((part) => !found.has(part));
  const [first] = missing;
  if (first === undefined) return;
  const more = missing.length === 1 ? '' : ` and ${missing.length - 1} more`;
  throw new SchemaError(
    `the database lacks ${first}${more}, which this release needs: a commit between releases made it, or it was changed by hand; restore a backup that fits this release, or set up a new database`,
  );
}

const known = new WeakMap<Schema, ReadonlySet<string>>();

/** Columns and indexes of a schema, as `Dialect.parts` returns them. */
export function partsOf(schema: Schema): ReadonlySet<string> {
  const before = known.get(schema);
  if (before !== undefined) return before;
  using database = new DatabaseSync(':memory:');
  migrateSqlite(database, schema);
  const needed = shapeOf(database);
  known.set(schema, needed);
  return needed;
}
