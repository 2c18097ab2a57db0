// Several intents as one: either all of their changes are made, or none.

import { entityNamed } from '../../model/entities/all-entities.ts';
import type { EnrollmentStore } from '../contracts/enrollments.ts';
import { type CommitConditions, NotAsSeen } from '../contracts/gathered.ts';
import type { NewIdentity } from '../contracts/identities.ts';
import { keepingAnAdministrator } from './administrators.ts';
import { requireReferred } from './caller.ts';
import { createIdentities } from './identities.ts';
import { type Force, first, type Intent } from './intent.ts';

export interface GatheredCall {
  readonly name: string;
  readonly args: readonly unknown[];
}

export interface GatheredCalls {
  readonly calls: readonly GatheredCall[];
  readonly conditions: CommitConditions;
}

/** The assumed outcome of a deferred intent: it found its entity. */
export function assumedOutcome(name: string): unknown {
  return name.includes('.create') ? undefined : true;
}

/** @param run runs the body of an intent, by its name. That an administrator remains is checked once for all changes. */
export function runTogether(
  { calls, conditions }: GatheredCalls,
  run: (call: GatheredCall, how: Force) => Intent<unknown>,
): Intent<void> {
  return keepingAnAdministrator(runAll(calls, conditions, run), conditions.now, conditions);
}

/** Entities in a statement. */
const askedTogether = 50;

const changedSince: ReadonlySet<unknown> = new Set([false, 'unknown', 'disabled', 'beyond-help']);

function* runAll(
  calls: readonly GatheredCall[],
  { seen, referred = [], force, now }: CommitConditions,
  run: (call: GatheredCall, how: Force) => Intent<unknown>,
): Intent<void> {
  for (let at = 0; at < seen.length; at += askedTogether) {
    // One statement for each of them would be most of what a change of many asks.
    const some = seen.slice(at, at + askedTogether);
    const conditions = some.map(
      ({ kind }) => `(SELECT updated_at FROM ${entityNamed(kind).table} WHERE id = ?) = ?`,
    );
    const row = yield* first(
      `SELECT 1 AS same WHERE ${conditions.join(' AND ')}`,
      ...some.flatMap(({ id, updatedAt }) => [id, updatedAt]),
    );
    if (row === undefined) throw new NotAsSeen('changed');
  }
  for (let at = 0; at < calls.length; at += 1) {
    const call = calls[at] as GatheredCall;
    const created = newIdentitiesFrom(calls, at);
    if (created.length > 1) {
      yield* createIdentities({ force: true, sharesName: force }, created, now);
      at += created.length - 1;
      continue;
    }
    const outcome = yield* run(call, { force: true, sharesName: force });
    // An invitation has further outcomes, which its rule has seen before.
    if (changedSince.has(outcome)) throw new NotAsSeen('changed');
  }
  yield* requireReferred(referred);
}

/** The identities that calls from one on create in a row, as long as they create nothing else. */
function newIdentitiesFrom(calls: readonly GatheredCall[], at: number): readonly NewIdentity[] {
  const created: NewIdentity[] = [];
  for (let next = at; next < calls.length; next += 1) {
    const { name, args } = calls[next] as GatheredCall;
    // Sound because calls have the parameters of their contract.
    const [identity, enrollments] = args as Parameters<EnrollmentStore['createIdentity']>;
    if (name !== 'enrollments.createIdentity' || enrollments.length > 0) break;
    created.push(identity);
  }
  return created;
}
