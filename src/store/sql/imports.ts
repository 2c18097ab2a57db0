// Imports write the source's entities where they do not conflict with those here. The table `imports` remembers
// the written values, so that a repeated import undoes no change made here and repeats nothing.

import type { Millis } from '../../platform/clock.ts';
import type { ImportBatch, ImportOutcome, ImportStore } from '../contracts/imports.ts';
import { keepingAnAdministrator } from './administrators.ts';
import { excluded, insertOr, integer, text } from './codec.ts';
import { concern } from './concern.ts';
import { type ImportStep, importSteps, type Known } from './import-steps.ts';
import { first, type Intent, raw, run } from './intent.ts';
import { holderOf } from './names.ts';

export const imports = concern<ImportStore>()({
  writes: {
    take(batch, now, dryRun) {
      const steps = takeAll({ batch, now, dryRun });
      return dryRun ? steps : keepingAnAdministrator(steps, now);
    },
  },
});

interface TakeImport {
  readonly batch: ImportBatch;
  readonly now: Millis;
  readonly dryRun: boolean;
}

function* takeAll({ batch, now, dryRun }: TakeImport): Intent<readonly ImportOutcome[]> {
  const outcomes: ImportOutcome[] = [];
  const here = new Set<string>();
  const known: Known = {
    now,
    // Later steps see the entities that this import creates, even in a dry run.
    has: (kind, id) => here.has(`${kind} ${id}`),
  };
  for (const step of importSteps(batch)) {
    const outcome = yield* takeOne(step, known, dryRun);
    if (outcome.status !== 'conflict') here.add(`${step.kind} ${step.id}`);
    outcomes.push(outcome);
  }
  return outcomes;
}

function* takeOne(step: ImportStep, known: Known, dryRun: boolean): Intent<ImportOutcome> {
  const { kind, id, digest } = step;
  const outcome = (status: ImportOutcome['status'], reason: string | null = null) => ({
    kind,
    id,
    status,
    reason,
    passesFor: null,
  });
  const before = yield* first('SELECT digest, updated_at FROM imports WHERE kind = ? AND id = ?', kind, id);
  if (before !== undefined && text(before, 'digest') === digest) return outcome('unchanged');
  const current = yield* first`SELECT ${raw(step.table.stamp)} AS stamp FROM ${raw(step.table.name)}
    WHERE ${raw(step.table.key)} = ${id}`;
  if (before !== undefined && current === undefined)
    return outcome('conflict', 'it was deleted here since it was imported');
  if (
    before !== undefined &&
    current !== undefined &&
    integer(current, 'stamp') !== integer(before, 'updated_at')
  )
    return outcome('conflict', 'it was changed here since it was imported');
  const isFresh = current !== undefined && integer(current, 'stamp') === never;
  if (before === undefined && current !== undefined && !isFresh)
    return outcome('conflict', 'something with this id is here that no import made');
  const inTheWay = yield* step.inTheWay(known);
  if (inTheWay !== null) return outcome('conflict', inTheWay);
  const passesFor = step.name === undefined ? null : yield* holderOf(step.name.text, step.name.identityId);
  if (!dryRun) {
    yield* current === undefined ? step.create(known.now) : step.change(known.now);
    yield* stamp(step);
    yield* remember(step);
  }
  return { ...outcome(current === undefined ? 'created' : 'changed'), passesFor };
}

/** The `updated_at` of the policy that every new database has, until it is changed for the first time. */
const never = 0;

/** The times of the source. Any change here sets another `updated_at`. */
function* stamp({ table, id, createdAt, updatedAt }: ImportStep): Intent<void> {
  const times = table.created === null ? [] : [createdAt];
  yield* run(
    `UPDATE ${table.name} SET ${table.created === null ? '' : `${table.created} = ?, `}${table.stamp} = ?
     WHERE ${table.key} = ?`,
    ...times,
    updatedAt,
    id,
  );
}

function* remember({ kind, id, digest, updatedAt }: ImportStep): Intent<void> {
  const end = `ON CONFLICT (kind, id) DO UPDATE SET ${excluded('digest updated_at')}`;
  yield* insertOr('imports', { kind, id, digest, updatedAt }, end);
}
