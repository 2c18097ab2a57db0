// Combines the concerns. Each file beside this one has the intents of one concern and its part of the store; this file
// changes only when a concern is added or removed.

import { lazily } from '../../platform/lazily.ts';
import { NotAsSeen } from '../contracts/gathered.ts';
import type { GatheredChanges, Store } from '../contracts/store.ts';
import { apiSessionIntents, apiSessionStore } from './api-sessions.ts';
import { attemptIntents, attemptStore } from './attempts.ts';
import { auditEventIntents, auditEventStore } from './audit-events.ts';
import { authPolicyIntents, authPolicyStore } from './auth-policies.ts';
import { authRequestIntents, authRequestStore } from './auth-requests.ts';
import { authenticatorIntents, authenticatorStore } from './authenticators.ts';
import { browserSessionIntents, browserSessionStore } from './browser-sessions.ts';
import { bulkJobIntents, bulkJobStore } from './bulk-jobs.ts';
import { engineFor, forcing, inTheNameOf } from './caller.ts';
import { caIntents, caStore } from './cas.ts';
import { changeFeed } from './changes.ts';
import { type Database, databaseOf } from './codec.ts';
import { configTypeIntents, configTypeStore } from './config-types.ts';
import { deliveryIntents, deliveryStore } from './deliveries.ts';
import { deviceLoginIntents, deviceLoginStore } from './device-logins.ts';
import type { Caller, Engine } from './engine.ts';
import { enrollmentIntents, enrollmentStore } from './enrollments.ts';
import { eventSubscriptionIntents, eventSubscriptionStore } from './event-subscriptions.ts';
import { expiryIntents, expiryStore } from './expiry.ts';
import { externalJwtSignerIntents, externalJwtSignerStore } from './external-jwt-signers.ts';
import { assumedOutcome, type GatheredCall, type GatheredCalls, runTogether } from './gathered.ts';
import { identityIntents, identityStore } from './identities.ts';
import { importIntents, importStore } from './imports.ts';
import { type ArgsOf, begin, type Intent } from './intent.ts';
import { invitationIntents, invitationStore } from './invitations.ts';
import { keyIntents, keyStore } from './keys.ts';
import { legacySessionIntents } from './legacy-sessions.ts';
import { loginAttemptIntents, loginAttemptStore } from './login-attempts.ts';
import { nodeIntents, nodeStore } from './nodes.ts';
import { oidcClientIntents, oidcClientStore } from './oidc-clients.ts';
import { passkeyIntents, passkeyStore } from './passkeys.ts';
import { restoreIntents, restoreStore } from './restores.ts';
import { revocationListIntents, revocationListStore } from './revocation-lists.ts';
import { revocationIntents, revocationStore } from './revocations.ts';
import { sessionCertificateIntents, sessionCertificateStore } from './session-certificates.ts';
import { setupLinkIntents, setupLinkStore } from './setup-links.ts';
import { totpIntents, totpStore } from './totp.ts';
import { versionStore } from './versions.ts';

/**
 * Every intent by name, except the one that runs several. The writer thread looks them up here, since functions do not
 * cross threads.
 */
const single = {
  ...authRequestIntents,
  ...apiSessionIntents,
  ...legacySessionIntents,
  ...browserSessionIntents,
  ...sessionCertificateIntents,
  ...identityIntents,
  ...authenticatorIntents,
  ...authPolicyIntents,
  ...externalJwtSignerIntents,
  ...caIntents,
  ...configTypeIntents,
  ...deliveryIntents,
  ...deviceLoginIntents,
  ...eventSubscriptionIntents,
  ...oidcClientIntents,
  ...enrollmentIntents,
  ...invitationIntents,
  ...totpIntents,
  ...passkeyIntents,
  ...attemptIntents,
  ...loginAttemptIntents,
  ...auditEventIntents,
  ...bulkJobIntents,
  ...revocationIntents,
  ...revocationListIntents,
  ...keyIntents,
  ...setupLinkIntents,
  ...nodeIntents,
  ...restoreIntents,
  ...expiryIntents,
  ...importIntents,
} as const;

const intents = {
  ...single,
  *commitGathered(gathered: GatheredCalls): Intent<void> {
    yield* runTogether(gathered, ({ name, args }: GatheredCall) =>
      begin(single[name as keyof typeof single], args),
    );
    if (gathered.conditions.dryRun) throw new NotAsSeen('taken-back');
  },
} as const;

export type IntentName = keyof typeof intents;
export type IntentArgs<Name extends IntentName> = ArgsOf<(typeof intents)[Name]>;

/** What an engine is asked to run. */
export interface IntentCall {
  readonly name: string;
  readonly args: unknown;
  /** On whose behalf; undefined: the service itself. */
  readonly caller?: Caller | undefined;
}

export function intentOf({ name, args, caller }: IntentCall): Intent<unknown> {
  const intent = begin(intents[name as IntentName], args);
  return caller === undefined ? intent : inTheNameOf(caller, intent);
}

const concerns = {
  authRequests: authRequestStore,
  apiSessions: apiSessionStore,
  browserSessions: browserSessionStore,
  sessionCertificates: sessionCertificateStore,
  identities: identityStore,
  authenticators: authenticatorStore,
  authPolicies: authPolicyStore,
  externalJwtSigners: externalJwtSignerStore,
  cas: caStore,
  configTypes: configTypeStore,
  deliveries: deliveryStore,
  deviceLogins: deviceLoginStore,
  eventSubscriptions: eventSubscriptionStore,
  oidcClients: oidcClientStore,
  enrollments: enrollmentStore,
  invitations: invitationStore,
  totp: totpStore,
  passkeys: passkeyStore,
  attempts: attemptStore,
  loginAttempts: loginAttemptStore,
  auditEvents: auditEventStore,
  bulkJobs: bulkJobStore,
  revocations: revocationStore,
  revocationLists: revocationListStore,
  keys: keyStore,
  setupLinks: setupLinkStore,
  changes: changeFeed,
  nodes: nodeStore,
  restores: restoreStore,
  expiry: expiryStore,
  imports: importStore,
  versions: versionStore,
} as const;

type Concerns = Pick<Store, keyof typeof concerns>;

/**
 * The contracts on top of an engine: reads return model values, writes are intents. A concern is made when it is first
 * used: the store of one call needs few.
 */
export function sqlStore(engine: Engine): Store {
  const database = databaseOf<typeof intents>(engine);
  const methods: Omit<Store, keyof Concerns> = {
    onBehalfOf: (actor, now, { unchanged = null, helped = null, force = false } = {}) =>
      sqlStore(engineFor(force ? forcing(engine) : engine, { actor, now, unchanged, helped })),
    gather: (actor, now) => gathered(engineFor(engine, { actor, now, unchanged: null, helped: null })),
    letWrite: engine.letWrite,
    sessionVersion: engine.sessionVersion,
    poolUse: engine.poolUse,
    close: () => engine.close(),
  };
  return Object.assign(lazily<Concerns, Database<typeof intents>>(concerns, database), methods);
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
      await engine.write('commitGathered', { calls, conditions });
    },
  };
}
