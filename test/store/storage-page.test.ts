import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrateSqlite } from '../../src/store/migrations/migrate.ts';

const page = readFileSync(new URL('../../docs/storage-schema.md', import.meta.url), 'utf8');

test('docs/storage-schema.md has every table with every column, and no other', () => {
  using database = new DatabaseSync(':memory:');
  migrateSqlite(database);
  const columns = database
    .prepare(`SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m, pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2`)
    .all()
    .map(({ table, column }) => `${table}.${column}`);
  const todo = 'write a row for each column in docs/storage-schema.md';
  assert.deepEqual(described().toSorted(), columns.toSorted(), todo);
});

/** As `table.column`. A row may name several columns. */
function described(): readonly string[] {
  const sections = page.split(/^## /m).slice(1);
  return sections.flatMap((section) => {
    const [table] = section.split('\n');
    const cells = [...section.matchAll(/^\| ([a-z_0-9, ]+) \|/gm)].flatMap(([, cell = '']) =>
      cell.split(', '),
    );
    return cells.map((column) => `${table}.${column}`);
  });
}
