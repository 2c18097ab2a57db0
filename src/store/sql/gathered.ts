// Several intents as one: their changes are made together, or none of them is.

import type { CommitConditions, GatheredKind } from '../contracts/gathered.ts';
import { NotAsSeen } from '../contracts/gathered.ts';
import { keepingAnAdministrator } from './administrators.ts';
import { integer } from './codec.ts';
import { first, type Intent } from './intent.ts';

export interface GatheredCall {
  readonly name: string;
  readonly args: unknown;
}

export interface GatheredCalls {
  readonly calls: readonly GatheredCall[];
  readonly conditions: CommitConditions;
}

const tables: Readonly<Record<GatheredKind, string>> = {
  'auth-policy': 'auth_policies',
  'ext-jwt-signer': 'external_jwt_signers',
  ca: 'cas',
  'config-type': 'config_types',
  'oidc-client': 'oidc_clients',
  identity: 'identities',
};

/** What an intent that is kept back is said to have done: that it found its entity. */
export function assumedOutcome(name: string): unknown {
  if (name.startsWith('create')) return undefined;
  return name === 'deleteAuthPolicy' || name === 'deleteExternalJwtSigner' ? 'deleted' : true;
}

/** @param run the body of an intent, by its name */
export function runTogether(
  { calls, conditions }: GatheredCalls,
  run: (call: GatheredCall) => Intent<unknown>,
): Intent<void> {
  return keepingAnAdministrator(runAll(calls, conditions, run), conditions);
}

function* runAll(
  calls: readonly GatheredCall[],
  { seen }: CommitConditions,
  run: (call: GatheredCall) => Intent<unknown>,
): Intent<void> {
  for (const { kind, id, updatedAt } of seen) {
    const row = yield* first(`SELECT updated_at FROM ${tables[kind]} WHERE id = ?`, id);
    if (row === undefined || integer(row, 'updated_at') !== updatedAt) throw new NotAsSeen('changed');
  }
  for (const call of calls) {
    // Whether an administrator remains is asked once, of all changes together.
    const args = { ...(call.args as object), force: true };
    const outcome = yield* run({ name: call.name, args });
    if (outcome === 'referenced') throw new NotAsSeen('referenced');
    if (outcome === false || outcome === 'unknown') throw new NotAsSeen('changed');
  }
}
