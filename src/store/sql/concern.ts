// How a concern of the store is written: the methods of its contract. A method that only writes is an intent with the
// parameters and the outcome of the method, so that its types follow from the contract.
// A concern has up to four parts:
//   writes   methods that are intents
//   forced   the same, where a caller may insist on what a rule forbids (`Force`)
//   intents  intents that are no methods: a method makes of its arguments what they take, or of their outcome what it returns
//   methods  everything else: reads, and what uses `intents`

import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Engine, WriteOptions } from './engine.ts';
import type { Force, Intent, Intents, OutcomeOf, ParametersOf, SqlRow, SqlValue } from './intent.ts';
import type { ListSource } from './list-source.ts';
import { readList } from './read-list.ts';

/** The parts of a concern's methods: an engine, the concern's intents, and the reads that most use. */
export interface Database<Own extends Intents = Record<never, never>> extends Omit<Engine, 'write'> {
  /** See `Engine.write`. */
  write<Name extends keyof Own>(
    name: Name,
    args: ParametersOf<Own[Name]>,
    options?: WriteOptions,
  ): Promise<OutcomeOf<Own[Name]>>;
  /** @returns the first row, decoded by `read`; null when there is none */
  find<T>(read: (row: SqlRow) => T, sql: string, ...params: SqlValue[]): Promise<T | null>;
  /** All rows, decoded by `read`. */
  all<T>(read: (row: SqlRow) => T, sql: string, ...params: SqlValue[]): Promise<readonly T[]>;
  list<T>(source: ListSource, query: ListQuery, read: (row: SqlRow) => T): Promise<Page<T>>;
  /** The entries of a list whose field has this value, in the order of their ids, at most `most`. */
  listed<T>(source: ListSource, named: NamedEntries, read: (row: SqlRow) => T): Promise<readonly T[]>;
  /** The entry of a list with this id. */
  findListed<T>(source: ListSource, id: string, read: (row: SqlRow) => T): Promise<T | null>;
}

interface NamedEntries {
  /** An indexed one, or this would not be a short read. */
  readonly field: string;
  readonly value: string;
  readonly most?: number;
}

function databaseOf(engine: Engine, write: Database<Intents>['write']): Database<Intents> {
  const listed: Database['listed'] = async (source, { field, value, most = 1 }, read) => {
    const from = `${source.table} ${source.joined?.sql ?? ''}`;
    const sql = `SELECT ${source.select} FROM ${from} WHERE ${source.fields[field]?.column} = ?
        ORDER BY ${source.tieBreaker} LIMIT ?`;
    return (await engine.read(sql, value, most)).map(read);
  };
  return {
    ...engine,
    write,
    listed,
    findListed: async (source, id, read) =>
      (await listed(source, { field: 'id', value: id }, read))[0] ?? null,
    async find(read, sql, ...params) {
      const [row] = await engine.read(sql, ...params);
      return row === undefined ? null : read(row);
    },
    all: async (read, sql, ...params) => (await engine.read(sql, ...params)).map((row) => read(row)),
    async list<T>(source: ListSource, query: ListQuery, read: (row: SqlRow) => T) {
      const { rows, ...page } = await readList(engine, source, query);
      return { ...page, items: rows.map((row) => read(row)) };
    },
  };
}

/** The method of a contract as an intent; with `How`, one that may be forced. */
type AsIntent<Method, How = never> = Method extends (...args: infer Args) => Promise<infer Outcome>
  ? [How] extends [never]
    ? (...args: Args) => Intent<Outcome>
    : (how: How, args: Args) => Intent<Outcome>
  : never;

interface Concern<Contract, W extends keyof Contract, F extends keyof Contract, I extends Intents> {
  /** Methods that are intents. */
  readonly writes: { readonly [Name in W]: AsIntent<Contract[Name]> };
  /** Methods that are intents, and may be forced. */
  readonly forced: { readonly [Name in F]: AsIntent<Contract[Name], Force> };
  /** Intents that methods use. */
  readonly intents: I;
  /** The other methods. */
  methods(database: Database<I>): Omit<Contract, W | F>;
  readonly contract?: Contract;
}

/** Ties a concern to its contract: `concern<TotpStore>()({ … })`. Missing members are empty. */
export const concern =
  <Contract>() =>
  <
    W extends keyof Contract = never,
    F extends keyof Contract = never,
    I extends Intents = Record<never, never>,
  >(
    written: Partial<Concern<Contract, W, F, I>>,
  ): Concern<Contract, W, F, I> =>
    ({ writes: {}, forced: {}, intents: {}, methods: () => ({}), ...written }) as Concern<Contract, W, F, I>;

interface AnyConcern {
  readonly writes: object;
  readonly forced: object;
  readonly intents: object;
  methods(database: never): object;
}
type Concerns = Readonly<Record<string, AnyConcern>>;

/** How to make the methods of each concern on an engine. */
export function makersOf<Made>(concerns: Concerns): {
  readonly [Name in keyof Made]: (engine: Engine) => Made[Name];
} {
  const makers = Object.entries(concerns).map(([name, { writes, forced, methods }]) => {
    const methodsThatWrite = Object.keys({ ...writes, ...forced });
    const make = (engine: Engine) => {
      const write = (intent: string, args: readonly unknown[], options?: WriteOptions) =>
        engine.write(`${name}.${intent}`, args, options) as Promise<never>;
      return {
        ...Object.fromEntries(
          methodsThatWrite.map((method) => [method, (...args: readonly unknown[]) => write(method, args)]),
        ),
        ...methods(databaseOf(engine, write) as never),
      };
    };
    return [name, make] as const;
  });
  // Sound because each concern is tied to its contract.
  return Object.fromEntries(makers) as never;
}

/** Starts an intent with the arguments of a call. */
export type Starter = (how: Force, args: readonly unknown[]) => Intent<unknown>;

/** The intents of all concerns, as `totp.verify`: functions do not cross threads, so the thread that writes looks them up. */
export function startersOf(concerns: Concerns): ReadonlyMap<string, Starter> {
  type Start = (...args: readonly unknown[]) => Intent<unknown>;
  const named = (name: string, intents: object, start: (intent: Start) => Starter) =>
    Object.entries(intents).map(([intent, body]) => [`${name}.${intent}`, start(body as Start)] as const);
  return new Map(
    Object.entries(concerns).flatMap(([name, { writes, forced, intents }]) => [
      ...named(name, { ...writes, ...intents }, (intent) => (_how, args) => intent(...args)),
      ...named(name, forced, (intent) => intent),
    ]),
  );
}
