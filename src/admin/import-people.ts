// Many new identities from a table, checked row by row before any is made, and made together or not at all.

import { AuthError } from '../errors/auth-error.ts';
import { importColumns } from '../model/bulk-actions.ts';
import { type Identity, type IdentityType, identityTypes } from '../model/entities/identity.ts';
import type { AuthPolicyId } from '../model/ids.ts';
import { budgetOf } from '../model/list-query.ts';
import { foldedName, nameKeys } from '../model/names.ts';
import { parseCsv } from '../platform/formats/csv.ts';
import { quoted } from '../platform/formats/quoted.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';
import { reasonOf, refusedField } from './acceptable-values.ts';
import type { AdminCall } from './admin-call.ts';
import { gatheredWork, mostAtOnce, whyOf } from './bulk.ts';
import { createIdentity, type NewIdentityFields } from './identities.ts';
import type { AdminServices } from './services.ts';

type Column = (typeof importColumns)[number];

export interface ImportProblem {
  /** Of the table; the head is line 1. Null: the table as a whole. */
  readonly line: number | null;
  readonly column: string | null;
  readonly reason: string;
}

export interface ImportResult {
  readonly rows: number;
  /** Empty if there are problems, or nothing was to be made. */
  readonly created: readonly Pick<Identity, 'id' | 'name'>[];
  readonly problems: readonly ImportProblem[];
}

interface Row {
  readonly line: number;
  readonly values: Readonly<Partial<Record<Column, string>>>;
}

/**
 * Checks every row, and makes the identities if all of them are acceptable.
 * @throws MalformedInput            the text is no table
 * @throws AuthError could_not_validate   the head has unknown columns, or there are too many rows
 */
export async function importPeople(
  needs: AdminServices,
  by: AdminCall,
  { csv, dryRun }: { readonly csv: string; readonly dryRun: boolean },
): Promise<ImportResult> {
  const rows = rowsOf(csv);
  const problems: ImportProblem[] = [...(await taken(needs, by, rows))];
  const gathering = gatheredWork(needs, by, []);
  const policies = await policiesNamed(needs, rows);
  const created: ImportResult['created'][number][] = [];
  for (const { line, values } of rows) {
    try {
      const fields = fieldsOf(values, policies);
      created.push({ id: await createIdentity(gathering.needs, by, { fields }), name: fields.name });
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      const [problem] = error.fields;
      const column = problem?.field === 'authPolicyId' ? 'authPolicy' : (problem?.field ?? null);
      problems.push({ line, column, reason: problem?.reason ?? error.description });
    }
  }
  if (problems.length === 0) {
    try {
      await gathering.commit(dryRun);
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      problems.push({ line: null, column: null, reason: whyOf(error) });
    }
  }
  return { rows: rows.length, created: problems.length > 0 || dryRun ? [] : created, problems };
}

function rowsOf(csv: string): readonly Row[] {
  const [head, ...rows] = parseCsv(csv);
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
  return rows.map(({ line, cells }) => {
    const given = columns.map((column, at) => [column, cells[at] ?? ''] as const);
    return { line, values: Object.fromEntries(given.filter(([, value]) => value !== '')) };
  });
}

function fieldsOf(
  { name, type = 'User', externalId, email, roleAttributes, authPolicy }: Row['values'],
  policies: ReadonlyMap<string, AuthPolicyId>,
): NewIdentityFields {
  if (name === undefined) throw refusedField('name', 'is missing');
  const known = identityTypes.find((one) => one.toLowerCase() === type.toLowerCase());
  if (known === undefined) throw refusedField('type', `must be one of ${identityTypes.join(', ')}`);
  const policy = authPolicy === undefined ? undefined : policies.get(authPolicy);
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
  rows: readonly Row[],
): Promise<ReadonlyMap<string, AuthPolicyId>> {
  const found = new Map<string, AuthPolicyId>();
  for (const wanted of new Set(rows.map(({ values }) => values.authPolicy))) {
    if (wanted === undefined) continue;
    const { items } = await store.authPolicies.list({
      filter: { op: 'or', terms: [equal('name', wanted), equal('id', wanted)] },
      sort: [{ field: 'id', descending: false }],
      limit: 1,
      offset: 0,
      budget: budgetOf({ source: '', isAdmin: false }),
    });
    if (items[0] !== undefined) found.set(wanted, items[0].id);
  }
  return found;
}

const equal = (field: string, value: string) => ({ op: '=', field, value }) as const;
const pageSize = 200;

/** Names and external ids that rows share, or that identities have already. */
async function taken(
  needs: AdminServices,
  by: AdminCall,
  rows: readonly Row[],
): Promise<readonly ImportProblem[]> {
  const names = sharing(rows, 'name', by.isForced ? (name) => [foldedName(name)] : nameKeys);
  const ids = sharing(rows, 'externalId', (id) => [id]);
  return [
    ...names.problems,
    ...ids.problems,
    ...(await takenNames(needs, by, names.lineOf)),
    ...(await takenIds(needs, by, ids.lineOf)),
  ];
}

/** @param keysOf what two values have in common if they are the same */
function sharing(
  rows: readonly Row[],
  column: 'name' | 'externalId',
  keysOf: (value: string) => readonly string[],
): { readonly problems: readonly ImportProblem[]; readonly lineOf: ReadonlyMap<string, Row> } {
  const problems: ImportProblem[] = [];
  const lineOf = new Map<string, Row>();
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
  lineOf: ReadonlyMap<string, Row>,
): Promise<readonly ImportProblem[]> {
  const problems = new Map<number, ImportProblem>();
  const keys = [...lineOf.keys()];
  for (let at = 0; at < keys.length; at += pageSize) {
    for (const { key, name: passesFor } of await store.identities.listByNameKeys(
      keys.slice(at, at + pageSize),
    )) {
      // Sound because only keys of rows are asked for.
      const { line, values } = lineOf.get(key) as Row;
      const isSame = passesFor === values.name;
      if (isForced && !isSame) continue;
      const reason = reasonOf(new AlreadyTaken('name', isSame ? null : passesFor));
      problems.set(line, { line, column: 'name', reason });
    }
  }
  return [...problems.values()];
}

async function takenIds(
  { store }: AdminServices,
  by: AdminCall,
  lineOf: ReadonlyMap<string, Row>,
): Promise<readonly ImportProblem[]> {
  const problems: ImportProblem[] = [];
  const budget = budgetOf({ identityId: by.actor.identityId, isAdmin: by.isAdmin });
  const ids = [...lineOf.keys()];
  for (let at = 0; at < ids.length; at += pageSize) {
    const { items } = await store.identities.list({
      filter: { op: 'in', field: 'externalId', values: ids.slice(at, at + pageSize) },
      sort: [{ field: 'id', descending: false }],
      limit: pageSize,
      offset: 0,
      budget,
    });
    for (const { externalId } of items) {
      const line = lineOf.get(externalId ?? '')?.line ?? null;
      problems.push({ line, column: 'externalId', reason: 'is already taken by an identity' });
    }
  }
  return problems;
}
