// New identities from a table: its rows, and their mistakes. bulk-jobs.ts makes them.

import { setImmediate } from 'node:timers/promises';
import { AuthError } from '../errors/auth-error.ts';
import { importColumns } from '../model/bulk-actions.ts';
import { type IdentityType, identityTypes } from '../model/entities/identity.ts';
import type { AuthPolicyId, StoredName } from '../model/ids.ts';
import { budgetOf, noOrder } from '../model/list-query.ts';
import { type NameKey, nameKeys, typedName } from '../model/names.ts';
import { parseCsv } from '../platform/formats/csv.ts';
import { quoted } from '../platform/formats/quoted.ts';
import { chunkSize, inChunks } from '../platform/in-chunks.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';
import { reasonOf, refusedField } from './acceptable-values.ts';
import type { AdminCall } from './admin-call.ts';
import { type Gathered, gatheredWork, type ImportProblem, mostAtOnce } from './bulk.ts';
import { createIdentity, type NewIdentityFields } from './identities.ts';
import type { AdminServices } from './services.ts';

type Column = (typeof importColumns)[number];

/** Of as many full rows as are allowed, and twice as many empty cells, which spreadsheets write. */
const mostCells = 3 * mostAtOnce * importColumns.length;

export interface Row {
  readonly line: number;
  readonly values: Readonly<Partial<Record<Column, string>>>;
  /** Values that an earlier row has too. */
  readonly repeats?: readonly ImportProblem[];
}

/**
 * Checks every row, and gathers the new identities; none is made before the commit.
 * @returns the problems in the order of the rows, with which it may not be committed
 */
export async function gatherRows(
  needs: AdminServices,
  by: AdminCall,
  rows: readonly Row[],
): Promise<Gathered> {
  const { names, ids } = shared(rows, by);
  const problems: ImportProblem[] = [
    ...rows.flatMap(({ repeats = [] }) => repeats),
    ...(await takenNames(needs, by, names.lineOf)),
    ...(await takenIds(needs, by, ids.lineOf)),
  ];
  const gathering = gatheredWork(needs, by, []);
  const policies = await policiesNamed(needs, by, rows);
  const created: Gathered['created'][number][] = [];
  for (const { line, values } of rows) {
    // Other work gets its turn.
    await setImmediate();
    try {
      const fields = fieldsOf(values, policies);
      const id = await createIdentity(gathering.needs, by, { fields });
      created.push({ id, name: typedName(fields.name) });
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      const [problem] = error.fields;
      const column = problem?.field === 'authPolicyId' ? 'authPolicy' : (problem?.field ?? null);
      problems.push({ line, column, reason: problem?.reason ?? error.description });
    }
  }
  const inOrder = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { gathering, created, invitations: [], problems: inOrder };
}

/**
 * @throws MalformedInput                 the text is no table, or has too many cells
 * @throws AuthError could_not_validate   the head has unknown columns, or there are too many rows
 */
export function rowsOf(csv: string, by: AdminCall, linesBefore: number): readonly Row[] {
  const [head, ...rows] = parseCsv(csv, mostCells, linesBefore);
  if (head === undefined || rows.length === 0)
    throw refusedField(
      'body',
      `needs a line with the names of columns (${importColumns.join(', ')}) and rows`,
    );
  if (rows.length > mostAtOnce) throw refusedField('body', `has more than ${mostAtOnce} rows`);
  const columns = head.cells.map((name) => {
    const column = importColumns.find((known) => known.toLowerCase() === name.toLowerCase());
    if (column !== undefined) return column;
    throw refusedField(
      'body',
      `has an unknown column ${quoted(name)}; known are ${importColumns.join(', ')}`,
      name.slice(0, 100),
    );
  });
  if (new Set(columns).size < columns.length) throw refusedField('body', 'has a column twice');
  if (!columns.includes('name')) throw refusedField('body', 'has no column "name"');
  const read = rows.map(({ line, cells }): Row => {
    const given = columns.map((column, at) => [column, cells[at] ?? ''] as const);
    return { line, values: Object.fromEntries(given.filter(([, value]) => value !== '')) };
  });
  const { names, ids } = shared(read, by);
  const problems = Map.groupBy([...names.problems, ...ids.problems], ({ line }) => line);
  return read.map((row) => ({ ...row, repeats: problems.get(row.line) ?? [] }));
}

function fieldsOf(
  { name, type = 'User', externalId, email, roleAttributes, authPolicy }: Row['values'],
  policies: ReadonlyMap<StoredName, AuthPolicyId>,
): NewIdentityFields {
  if (name === undefined) throw refusedField('name', 'is missing');
  const known = identityTypes.find((one) => one.toLowerCase() === type.toLowerCase());
  if (known === undefined) throw refusedField('type', `must be one of ${identityTypes.join(', ')}`);
  const policy = authPolicy === undefined ? undefined : policies.get(typedName(authPolicy));
  if (authPolicy !== undefined && policy === undefined)
    throw refusedField('authPolicy', 'names no auth policy');
  return {
    name,
    type: known satisfies IdentityType,
    ...(externalId !== undefined && { externalId }),
    ...(email !== undefined && { email }),
    ...(roleAttributes !== undefined && {
      roleAttributes: roleAttributes
        .split(/[,;|]/)
        .map((one) => one.trim())
        .filter((one) => one !== ''),
    }),
    ...(policy !== undefined && { authPolicyId: policy }),
  };
}

/** By name and by id. */
async function policiesNamed(
  { store }: AdminServices,
  by: AdminCall,
  rows: readonly Row[],
): Promise<ReadonlyMap<StoredName, AuthPolicyId>> {
  const named = rows.flatMap(({ values }) => values.authPolicy ?? []);
  const found = await inChunks([...new Set(named.map(typedName))], async (values) => {
    const terms = (['id', 'name'] as const).map((field) => ({ op: 'in', field, values }) as const);
    return (await store.authPolicies.list({ ...everyOne(by), filter: { op: 'or', terms } })).items;
  });
  // A name is not found under the id of another policy.
  return new Map([
    ...found.map(({ id, name }) => [name, id] as const),
    ...found.map(({ id }) => [typedName(id), id] as const),
  ]);
}

/** A list without a limit beyond what its filter names. */
function everyOne(by: AdminCall) {
  return {
    sort: noOrder,
    limit: 2 * chunkSize,
    offset: 0,
    budget: budgetOf({ identityId: by.actor.identityId, isAdmin: by.isAdmin }),
  };
}

/** Names and external ids that rows share. */
function shared(rows: readonly Row[], { isForced }: AdminCall) {
  return {
    names: sharing(rows, 'name', (name) => nameKeys(name).slice(0, isForced ? 1 : undefined)),
    ids: sharing(rows, 'externalId', (id) => [id]),
  };
}

/** @param keysOf what two values have in common if they are the same */
function sharing<Key extends string>(
  rows: readonly Row[],
  column: 'name' | 'externalId',
  keysOf: (value: string) => readonly Key[],
): { readonly problems: readonly ImportProblem[]; readonly lineOf: ReadonlyMap<Key, Row> } {
  const problems: ImportProblem[] = [];
  const lineOf = new Map<Key, Row>();
  for (const row of rows) {
    const value = row.values[column];
    if (value === undefined) continue;
    const keys = keysOf(value);
    const before = keys.map((key) => lineOf.get(key)).find((one) => one !== undefined);
    if (before !== undefined) {
      const is = before.values[column] === value ? 'is the same as' : 'passes for the one';
      problems.push({ line: row.line, column, reason: `${is} in line ${before.line}` });
    }
    for (const key of keys) if (!lineOf.has(key)) lineOf.set(key, row);
  }
  return { problems, lineOf };
}

/** Names that identities have, or that pass for one of theirs. */
async function takenNames(
  { store }: AdminServices,
  { isForced }: AdminCall,
  lineOf: ReadonlyMap<NameKey, Row>,
): Promise<readonly ImportProblem[]> {
  const problems = new Map<number, ImportProblem>();
  const found = await inChunks([...lineOf.keys()], (keys) => store.identities.listByNameKeys(keys));
  for (const { key, name: passesFor } of found) {
    // Sound because only keys of rows are asked for.
    const { line, values } = lineOf.get(key) as Row;
    const isSame = passesFor === typedName(values.name ?? '');
    if (isForced && !isSame) continue;
    const reason = reasonOf(new AlreadyTaken('name', isSame ? null : passesFor));
    problems.set(line, { line, column: 'name', reason });
  }
  return [...problems.values()];
}

async function takenIds(
  { store }: AdminServices,
  by: AdminCall,
  lineOf: ReadonlyMap<string, Row>,
): Promise<readonly ImportProblem[]> {
  const found = await inChunks([...lineOf.keys()], async (values) => {
    const filter = { op: 'in', field: 'externalId', values } as const;
    return (await store.identities.list({ ...everyOne(by), filter })).items;
  });
  return found.map(({ externalId }) => {
    const line = lineOf.get(externalId ?? '')?.line ?? null;
    return { line, column: 'externalId', reason: 'is already taken by an identity' };
  });
}
