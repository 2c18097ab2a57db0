// The interface of the store, split by concern. A method is one atomic intent, never a table operation, and its promise
// resolves once the commit is durable. The implementations are in the folders beside this one; only the files directly
// in src/ know them.

import type { MessagePort } from 'node:worker_threads';
import type { Referred } from '../../model/entities/all-entities.ts';
import type { ApiSessionId, IdentityId } from '../../model/ids.ts';
import type { PoolUse } from '../../model/metrics.ts';
import type { Actor } from '../../model/principal.ts';
import type { Millis } from '../../platform/clock.ts';
import type { ApiSessionStore } from './api-sessions.ts';
import type { AttemptStore } from './attempts.ts';
import type { AuditEventStore } from './audit-events.ts';
import type { AuthRequestStore } from './auth-requests.ts';
import type { AuthenticatorStore } from './authenticators.ts';
import type { BrowserSessionStore } from './browser-sessions.ts';
import type { BulkJobStore } from './bulk-jobs.ts';
import type { ChangeFeed } from './changes.ts';
import type { DeliveryStore } from './deliveries.ts';
import type { DeviceLoginStore } from './device-logins.ts';
import type { EnrollmentStore } from './enrollments.ts';
import type {
  AuthPolicyStore,
  CaStore,
  ConfigTypeStore,
  EventSubscriptionStore,
  ExternalJwtSignerStore,
  OidcClientStore,
} from './entities.ts';
import type { ExpiryStore } from './expiry.ts';
import type { CommitConditions } from './gathered.ts';
import type { IdentityStore } from './identities.ts';
import type { ImportStore } from './imports.ts';
import type { InvitationStore } from './invitations.ts';
import type { KeyStore } from './keys.ts';
import type { LastLoginStore } from './last-logins.ts';
import type { LoginAttemptStore } from './login-attempts.ts';
import type { NodeStore } from './nodes.ts';
import type { PasskeyStore } from './passkeys.ts';
import type { RestoreStore } from './restores.ts';
import type { RevocationListStore } from './revocation-lists.ts';
import type { RevocationStore } from './revocations.ts';
import type { SessionCertificateStore } from './session-certificates.ts';
import type { SetupLinkStore } from './setup-links.ts';
import type { TotpStore } from './totp.ts';
import type { Unchanged, VersionStore } from './versions.ts';

export interface Store {
  readonly authRequests: AuthRequestStore;
  readonly apiSessions: ApiSessionStore;
  readonly browserSessions: BrowserSessionStore;
  readonly sessionCertificates: SessionCertificateStore;
  readonly identities: IdentityStore;
  readonly authenticators: AuthenticatorStore;
  readonly authPolicies: AuthPolicyStore;
  readonly externalJwtSigners: ExternalJwtSignerStore;
  readonly cas: CaStore;
  readonly configTypes: ConfigTypeStore;
  readonly deliveries: DeliveryStore;
  readonly deviceLogins: DeviceLoginStore;
  readonly eventSubscriptions: EventSubscriptionStore;
  readonly oidcClients: OidcClientStore;
  readonly enrollments: EnrollmentStore;
  readonly invitations: InvitationStore;
  readonly totp: TotpStore;
  readonly passkeys: PasskeyStore;
  readonly attempts: AttemptStore;
  readonly loginAttempts: LoginAttemptStore;
  readonly lastLogins: LastLoginStore;
  readonly auditEvents: AuditEventStore;
  readonly bulkJobs: BulkJobStore;
  readonly revocations: RevocationStore;
  readonly revocationLists: RevocationListStore;
  readonly keys: KeyStore;
  readonly setupLinks: SetupLinkStore;
  readonly changes: ChangeFeed;
  readonly nodes: NodeStore;
  readonly restores: RestoreStore;
  readonly expiry: ExpiryStore;
  readonly imports: ImportStore;
  readonly versions: VersionStore;
  /**
   * The same store for changes on behalf of a caller: each intent first checks, in its own transaction, that the
   * session and the right of the actor still exist. However long the call has waited since it was let in (for its body,
   * a hash, an answer from elsewhere), it cannot use a right that was taken from the caller meanwhile.
   * @param now   Millis; sessions that expire at or before it are over
   * @throws CallerRefused from every method that changes something; NotAsSeen when `unchanged` has changed
   */
  onBehalfOf(actor: Actor, now: Millis, conditions?: ChangeConditions): Store;
  /** Several changes on behalf of a caller, to be made together. */
  gather(actor: Actor, now: Millis): GatheredChanges;
  /**
   * Lets another thread of this process, which has opened the same database with the other end of the port, write
   * through the thread that writes here. Closes the port if each thread writes by itself.
   */
  letWrite(port: MessagePort): void;
  /**
   * A number that changes whenever a change of the session is acknowledged, for any thread of the process. Sessions
   * share numbers, so it may differ without a change. Null if the engine cannot promise that.
   */
  sessionVersion(id: ApiSessionId): number | null;
  /** The pools of connections of this thread; empty on SQLite. */
  poolUse(): readonly PoolUse[];
  /** Waits for intents under way, then closes the database. */
  close(): Promise<void>;
}

/** Changes that are deferred, to be made in one step or not at all. */
export interface GatheredChanges {
  /**
   * Reads stored entities. Changes made through it are deferred, and their promises claim success; only methods that
   * create, update and delete what administrators manage may be used this way.
   */
  readonly store: Store;
  /**
   * Makes the changes in order, in one step.
   * @throws NotAsSeen            something has changed since, or another entity still refers to the deleted one
   * @throws AlreadyTaken, NoAdministratorLeft, CallerRefused
   */
  commit(conditions: CommitConditions): Promise<void>;
}

/** The conditions under which changes are made in the name of an actor. */
export interface ChangeConditions {
  /** Asked for in the same transaction; null and left out: nothing has to be as it was. */
  readonly unchanged?: Unchanged | null;
  /** Entities to which the changed one will refer; it throws ReferenceGone when one of them is gone. */
  readonly referred?: readonly Referred[];
  /** The person whom the actor helps to log in again. A helper must not help people with rights: see `mayHelp`. */
  readonly helped?: IdentityId | null;
  /**
   * Also what leaves no administrator who can log in is done, and names that pass for those of other identities are
   * given; otherwise it throws NoAdministratorLeft or AlreadyTaken.
   */
  readonly force?: boolean;
}

/**
 * Thrown by any method when the database could not do its part: disk full, connection lost, shutting down. The intent
 * has not taken effect, except that a commit whose answer was lost may have.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The intent may have taken effect: its commit was not answered, or not confirmed. */
export class OutcomeUnknown extends StoreUnavailable {}

/**
 * The methods that grant or remove power. Rules that act for callers get the store without them (`StoreForCallers`), so
 * that such changes go through `onBehalfOf`.
 */
interface Powers {
  readonly apiSessions: 'end' | 'endAllOf' | 'endOthers';
  readonly browserSessions: 'end';
  readonly identities: 'create' | 'update' | 'delete';
  readonly authenticators:
    | 'createPassword'
    | 'createCertificate'
    | 'requestExtension'
    | 'keepSuccessor'
    | 'promoteSuccessor'
    | 'updatePassword'
    | 'delete';
  readonly authPolicies: 'create' | 'update' | 'delete';
  readonly externalJwtSigners: 'create' | 'update' | 'delete';
  readonly cas: 'create' | 'update' | 'verify' | 'delete';
  readonly configTypes: 'create' | 'update' | 'delete';
  readonly eventSubscriptions: 'create' | 'update' | 'delete';
  readonly deliveries: 'replay';
  readonly oidcClients: 'create' | 'update' | 'delete' | 'addSecret' | 'deleteSecret';
  readonly enrollments: 'create' | 'createIdentity' | 'renew' | 'delete';
  readonly invitations: 'create' | 'delete';
  readonly passkeys: 'add' | 'rename' | 'delete';
  readonly totp: 'start' | 'verify' | 'abandon' | 'replaceRecoveryCodes' | 'remove';
  readonly attempts: 'clear';
  readonly revocations: 'revoke' | 'delete';
}

/** Some parts of the store, or all of it, for rules that act for callers. */
export type StoreForCallers<Part extends keyof Store = keyof Store> = Pick<Store, 'onBehalfOf'> & {
  readonly [Name in Part]: Name extends keyof Powers ? Omit<Store[Name], Powers[Name]> : Store[Name];
};

/**
 * Thrown by a store of `onBehalfOf` when the actor's session has ended or the right is lost, or
 * does not extend to whom they help. Nothing was changed.
 */
export class CallerRefused extends Error {
  override readonly name = 'CallerRefused';
  readonly lacks: 'session' | 'right';
  constructor(lacks: 'session' | 'right') {
    super(lacks === 'session' ? 'the session of the caller has ended' : 'the caller has lost the right');
    this.lacks = lacks;
  }
}

/** Thrown by methods that would leave no administrator who can log in, unless they are forced. */
export class NoAdministratorLeft extends Error {
  override readonly name = 'NoAdministratorLeft';
  constructor() {
    super('no administrator could log in');
  }
}

/** Thrown by methods that create or rename when a unique value is taken. `field` is the wire name of the field. */
export class AlreadyTaken extends Error {
  override readonly name = 'AlreadyTaken';
  readonly field: string;
  /**
   * The identity for which the name would pass, where it is not the very same value: an administrator may insist with
   * `force`. Only for administrators. Null: the value itself is taken.
   */
  readonly passesFor: string | null;
  constructor(field: string, passesFor: string | null = null) {
    super(`${field} is already taken`);
    this.field = field;
    this.passesFor = passesFor;
  }
}

/** Thrown by methods that store a reference to another entity, such as an owner, when that entity is gone. */
export class ReferenceGone extends Error {
  override readonly name = 'ReferenceGone';
  constructor() {
    super('an entity that it refers to was deleted');
  }
}
