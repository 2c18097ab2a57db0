// Combines the concerns. Each file beside this one has the intents of one concern and its part of the store; this file
// changes only when a concern is added or removed.

import { lazily } from '../../platform/lazily.ts';
import { NotAsSeen } from '../contracts/gathered.ts';
import type { GatheredChanges, Store } from '../contracts/store.ts';
import { apiSessions } from './api-sessions.ts';
import { attempts } from './attempts.ts';
import { auditEvents } from './audit-events.ts';
import { authRequests } from './auth-requests.ts';
import { authenticators } from './authenticators.ts';
import { browserSessions } from './browser-sessions.ts';
import { bulkJobs } from './bulk-jobs.ts';
import { engineFor, forcing, inTheNameOf, versions } from './caller.ts';
import { changes } from './changes.ts';
import { makersOf, startersOf } from './concern.ts';
import { deliveries } from './deliveries.ts';
import { deviceLogins } from './device-logins.ts';
import type { Caller, Engine } from './engine.ts';
import { enrollments } from './enrollments.ts';
import { authPolicies, cas, configTypes, eventSubscriptions, externalJwtSigners } from './entity-stores.ts';
import { expiry } from './expiry.ts';
import { assumedOutcome, type GatheredCall, type GatheredCalls, runTogether } from './gathered.ts';
import { identities } from './identities.ts';
import { imports } from './imports.ts';
import { type Force, type Intent, unforced } from './intent.ts';
import { invitations } from './invitations.ts';
import { keys } from './keys.ts';
import { lastLogins } from './last-logins.ts';
import { loginAttempts } from './login-attempts.ts';
import { nodes } from './nodes.ts';
import { oidcClients } from './oidc-clients.ts';
import { passkeys } from './passkeys.ts';
import { restores } from './restores.ts';
import { revocationLists } from './revocation-lists.ts';
import { revocations } from './revocations.ts';
import { sessionCertificates } from './session-certificates.ts';
import { setupLinks } from './setup-links.ts';
import { totp } from './totp.ts';

const concerns = {
  authRequests,
  apiSessions,
  browserSessions,
  sessionCertificates,
  identities,
  authenticators,
  authPolicies,
  externalJwtSigners,
  cas,
  configTypes,
  deliveries,
  deviceLogins,
  eventSubscriptions,
  oidcClients,
  enrollments,
  invitations,
  totp,
  passkeys,
  attempts,
  loginAttempts,
  lastLogins,
  auditEvents,
  bulkJobs,
  revocations,
  revocationLists,
  keys,
  setupLinks,
  changes,
  nodes,
  restores,
  expiry,
  imports,
  versions,
} satisfies { readonly [Name in keyof Store]?: { readonly contract?: Store[Name] } };

type Concerns = Pick<Store, keyof typeof concerns>;

const makers = makersOf<Concerns>(concerns);
const starters = startersOf(concerns);
const commitGathered = 'gathered.commit';

type Bodies<Of> = Of extends { writes: infer W; forced: infer F; intents: infer I }
  ? W & I & Unforced<F>
  : never;
type Unforced<F> = {
  readonly [Name in keyof F]: F[Name] extends (
    how: never,
    args: infer Args extends readonly unknown[],
  ) => unknown
    ? (...args: Args) => unknown
    : never;
};
/** The intents of each concern, with their parameters. */
export type ConcernIntents = { readonly [Name in keyof typeof concerns]: Bodies<(typeof concerns)[Name]> };

/** A call of an intent by an engine. */
export interface IntentCall {
  /** As `totp.verify`. */
  readonly name: string;
  readonly args: readonly unknown[];
  /** On whose behalf; undefined: the service itself. */
  readonly caller?: Caller | undefined;
  readonly how?: Force | undefined;
}

export function intentOf({ caller, ...call }: IntentCall): Intent<unknown> {
  const intent = call.name === commitGathered ? commit(call.args[0] as GatheredCalls) : begun(call);
  return caller === undefined ? intent : inTheNameOf(caller, intent);
}

function begun({ name, args, how = unforced }: IntentCall): Intent<unknown> {
  const start = starters.get(name);
  if (start === undefined) throw new Error(`no intent ${name}`);
  return start(how, args);
}

function* commit(gathered: GatheredCalls): Intent<void> {
  yield* runTogether(gathered, (call, how) => begun({ ...call, how }));
  if (gathered.conditions.dryRun) throw new NotAsSeen('taken-back');
}

/**
 * The contracts on top of an engine: reads return model values, writes are intents. A concern is made when it is first
 * used: the store of one call needs few.
 */
export function sqlStore(engine: Engine): Store {
  const methods: Omit<Store, keyof Concerns> = {
    onBehalfOf: (actor, now, { unchanged = null, referred = [], helped = null, force = false } = {}) =>
      sqlStore(engineFor(force ? forcing(engine) : engine, { actor, now, unchanged, referred, helped })),
    gather: (actor, now) =>
      gathered(engineFor(engine, { actor, now, unchanged: null, referred: [], helped: null })),
    letWrite: engine.letWrite,
    sessionVersion: engine.sessionVersion,
    poolUse: engine.poolUse,
    close: () => engine.close(),
  };
  return Object.assign(lazily<Concerns, Engine>(makers, engine), methods);
}

function gathered(engine: Engine): GatheredChanges {
  const calls: GatheredCall[] = [];
  const write: Engine['write'] = async (name, args) => {
    calls.push({ name, args });
    // Safe for the methods allowed here: callers only use the outcome to know that the entity was found.
    return assumedOutcome(name);
  };
  const store = sqlStore({ ...engine, write });
  return {
    // The caller is already known.
    store: { ...store, onBehalfOf: () => store },
    commit: async (conditions) => {
      await engine.write(commitGathered, [{ calls, conditions }]);
    },
  };
}
