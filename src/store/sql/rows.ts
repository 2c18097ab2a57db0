// Rows as values and values as rows, where a column has the name of its member: `createdAt` is in `created_at`.
// Structures are stored as JSON, booleans as 0 and 1.

import { type Intent, run, type SqlRow, type SqlValue, type Statement } from './intent.ts';
import { snakeCase } from './list-source.ts';

/** A word of a reader: `name` for a text or a number, `name?` where it may be null, `name:flag`, `name:json`. */
type MemberOf<Word extends string> = Word extends `${infer Name}:${string}`
  ? Name
  : Word extends `${infer Name}?`
    ? Name
    : Word;
type MembersOf<Words extends string> = Words extends `${infer Word} ${infer Rest}`
  ? MemberOf<Word> | MembersOf<Rest>
  : MemberOf<Words>;
/** The words if they name every member, and no other. */
type AllOf<Value, Words extends string> = [keyof Value, MembersOf<Words>] extends [
  MembersOf<Words>,
  keyof Value,
]
  ? Words
  : `not the members: ${Exclude<MembersOf<Words>, keyof Value> | Exclude<keyof Value & string, MembersOf<Words>>}`;

/**
 * Reads rows as values, of the named columns only: `reader<Key>()('kid publicJwk:json retiredAt?')`. A `list` is a JSON
 * array, or null for an empty one.
 */
export function reader<Value extends object>() {
  return <const Words extends string>(words: Words & AllOf<Value, Words>): ((row: SqlRow) => Value) => {
    const columns = words.split(' ').map((word) => {
      const [, member = '', kind = 'plain'] = /^(\w+)[:?]?(\w*)/.exec(word) ?? [];
      return { member, column: snakeCase(member), kind, isNullable: word.endsWith('?') || kind === 'list' };
    });
    return (row) => {
      const value: Record<string, unknown> = {};
      for (const { member, column, kind, isNullable } of columns) {
        const found = row[column];
        if (found === undefined || (found === null && !isNullable))
          throw new Error(`column ${column} holds nothing`);
        if (found === null) value[member] = kind === 'list' ? [] : null;
        else if (kind === 'flag') value[member] = found === 1;
        else value[member] = kind === 'json' || kind === 'list' ? JSON.parse(String(found)) : found;
      }
      // Sound because the words name the members, and a value is read as it was stored.
      return value as Value;
    };
  };
}

/** Inserts a row. Members that are undefined are left out. */
export function insert(table: string, members: object): Intent<void> {
  const { sql, params } = insertion(table, members);
  return run(sql, ...params);
}

/**
 * Inserts a row unless something conflicts with it.
 * @param end `ON CONFLICT …`, and `RETURNING …` for those who need the row
 * @returns the row that was inserted or changed; undefined: none, or it is not returned
 */
export function* insertOr(table: string, members: object, end: string): Intent<SqlRow | undefined> {
  const { sql, params } = insertion(table, members);
  const [row] = yield { sql: `${sql} ${end}`, params, isUnread: !end.includes('RETURNING') };
  return row;
}

function insertion(table: string, members: object): Statement {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  const names = given.map(([member]) => columnName(member)).join(', ');
  const marks = given.map(() => '?').join(', ');
  return {
    sql: `INSERT INTO ${table} (${names}) VALUES (${marks})`,
    params: given.map(([, value]) => sqlOf(value)),
  };
}

const known = new Map<string, string>();

function columnName(member: string): string {
  const found = known.get(member) ?? snakeCase(member);
  known.set(member, found);
  return found;
}

function sqlOf(value: unknown): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SqlValue);
}

/** For `DO UPDATE SET`: the columns get what would have been inserted. */
export function excluded(...columns: readonly string[]): string {
  return columns.map((column) => `${column} = excluded.${column}`).join(', ');
}
