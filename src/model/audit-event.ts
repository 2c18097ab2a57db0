import type { Millis } from '../platform/clock.ts';
import type { SessionEndReason } from './api-session.ts';
import type { EnrollmentKind } from './enrollment.ts';
import type { NewProgram } from './last-login.ts';
import type { AttemptStep } from './login.ts';

/** Where a request came from, for records and for what counts attempts. */
export interface RequestOrigin {
  /** The reference id that the answer shows. */
  readonly requestId: string;
  /** Of the trace that the request belongs to, if it does: 32 hexadecimal digits. */
  readonly traceId?: string;
  /** Address of the TCP peer. */
  readonly ipAddress: string;
  /** The header of that name as it was sent: up to 16 kB from a stranger. */
  readonly userAgent?: string;
  /** Issuer of the bind point at which it arrived. */
  readonly issuer: string;
  /** Aborts when the connection closes: no answer will be read. */
  readonly gone?: AbortSignal;
}

/** A field before and after a change, as documents show it; null: none. Of a secret, only that it was changed. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

interface OfIdentity {
  identityId: string;
}

interface OfSession extends OfIdentity {
  sessionId: string;
}

interface OfClient extends OfSession {
  clientId: string;
}

/** A change by the owner or an administrator. */
interface ByOwnerOr extends OfIdentity {
  /** The administrator who removed it; missing: its owner. */
  byIdentityId?: string;
}

interface OfPasskey extends ByOwnerOr {
  passkeyId: string;
}

interface InBrowser extends OfIdentity {
  browserSessionId: string;
  clientId: string;
}

/** Done by a person, or by the service. */
interface Done {
  byIdentityId: string | null;
}

/** The owner, if another identity did it. */
interface OfOwner {
  identityId?: string;
}

interface OfAuthenticator extends OfIdentity {
  authenticatorId: string;
}

interface FromTo {
  from: string;
  to: string;
}

/** Events of the audit trail, by name, with their fields: one event per security decision, never a secret. */
interface Events {
  /** A step of a login; the decision record with the same reference id has the checks. */
  'login.passed': OfIdentity & { method: AttemptStep };
  'login.refused': { method: AttemptStep };
  /** A login that is complete, with a program that the identity has not used before; never its very first one. */
  'login.new-program': OfClient & Omit<NewProgram, 'ipAddress'>;
  'totp.enrolled': ByOwnerOr;
  'totp.removed': ByOwnerOr;
  'totp.recovery-codes-renewed': ByOwnerOr;
  'passkey.added': OfPasskey;
  'passkey.removed': OfPasskey;
  /** Its counter went back, so another device may have the key. */
  'passkey.cloned': OfPasskey;
  /**
   * An identity got a credential; the decision record with the same reference id has the checks. `passkeyId` of
   * an invitation: the person added it instead of choosing a password.
   */
  'enrollment.completed': OfIdentity & { enrollment: EnrollmentKind; passkeyId?: string };
  'enrollment.refused': { enrollment: EnrollmentKind };
  /** By the legacy mechanism; for OIDC it is `token.issued`. */
  'session.opened': OfSession;
  'token.issued': OfClient;
  'token.refreshed': OfClient;
  /** The person stays signed in in a browser, and an application got its code that way. */
  'browser-session.opened': InBrowser;
  'browser-session.used': InBrowser;
  'browser-session.ended': Done &
    OfOwner & { browserSessionId: string; reason: 'logout' | 'administrator' | 'no-longer-enough' };
  /** The owner is that of the ended session. */
  'code.refused': OfOwner & { reason: string; clientId: string; endedSessionId: string | null };
  'refresh.refused': OfClient & { reason: string };
  'session.ended': Done & OfOwner & { sessionId: string; reason: SessionEndReason };
  'session.certified': OfSession & { thumbprint: string };
  'session.certificate-revoked': OfSession & { certificateId: string };
  /** A successor was issued. */
  'certificate.extended': OfAuthenticator;
  /** Its owner has stored the successor, and uses it from now on. */
  'certificate.replaced': OfAuthenticator;
  /**
   * A request of an administrator, written before it is executed: no change goes without a trace. Method and path,
   * without the query.
   */
  'admin.requested': { request: string; byIdentityId: string };
  'admin.changed': Done &
    OfOwner & {
      action: 'create' | 'update' | 'delete' | 'disable' | 'enable' | 'unlock' | 'end-sessions';
      entity: string;
      entityId: string;
      /** The name of the external JWT signer whose token did it, at a login. */
      bySigner?: string;
      /** Names of the fields that were set. */
      fields: readonly string[];
      /** The fields of a managed entity whose values are different now. */
      changes?: readonly FieldChange[];
    };
  /** A caller has seen the token of the device or person: its holder can enroll as the identity. */
  'enrollment.shown': Done & OfIdentity & { enrollmentId: string };
  /** Done by the owner. */
  'account.changed': OfIdentity & { change: 'username' | 'password' | 'other-sessions-ended' };
  'key.rotated': { kid: string; alg: string };
  /** A step of the rotation of an authority on this host; the fingerprint is that of the one that the step is about. */
  'authority.rotated': {
    authority: 'root' | 'client-ca';
    step: 'prepare' | 'switch' | 'retire' | 'undo';
    fingerprint: string;
  };
  /** A reload of the configuration file changed a setting of the running controller. None of the values is a secret. */
  'config.changed': { path: string; before: unknown; after: unknown };
  /** All secrets are now sealed under another key-encryption key; the fingerprint is that of the key file. */
  'secrets.rekeyed': { fingerprint: string; resealed: number };
  /** The database comes from a backup; see docs/decisions/restoring-a-backup.md. */
  'database.restored': { restoreId: string; sessionsEnded: number };
  /** An administrator of the host has copied or moved the whole database; the names contain no passwords. */
  'database.copied': FromTo;
  'database.moved': FromTo;
  /** The first person who opens the link becomes an administrator. */
  'setup.link-created': { expiresAt: string };
  /** Identities and their authenticators came from another controller. */
  'database.imported': { created: number; changed: number; conflicts: number };
  'setup.completed': OfIdentity;
}

export type AuditEvent = {
  readonly [Name in keyof Events]: { readonly event: Name } & Readonly<Events[Name]>;
}[keyof Events];

/** Takes events for the audit trail. `origin` is null for actions of the service itself. */
export interface AuditTrail {
  record(event: AuditEvent, origin: RequestOrigin | null): void;
}

/** A trail that knows whether its events were written. */
export interface WrittenAuditTrail extends AuditTrail {
  /** Resolves when every event so far is written. @returns false when writing fails */
  written(): Promise<boolean>;
}

/** A trail that also keeps some of its events in the store. */
export interface KeptAuditTrail extends WrittenAuditTrail {
  /** Resolves when this thread's events so far are in the store. @returns false when one of them cannot be stored */
  kept(): Promise<boolean>;
}

/** An event as the store keeps it. */
export interface AuditRecord {
  readonly id: string;
  readonly at: Millis;
  readonly event: AuditEvent['event'];
  /** The change of the entity; null if the name of the event says it. */
  readonly action: string | null;
  /** The kind of the changed entity, and its id. */
  readonly entity: string | null;
  readonly entityId: string | null;
  /** The identity that the event is about. */
  readonly identityId: string | null;
  /** The identity that did it; null: the service itself, or a command on the host. */
  readonly byIdentityId: string | null;
  readonly requestId: string | null;
  readonly ipAddress: string | null;
  readonly issuer: string | null;
  /** The other members of the event. */
  readonly details: Readonly<Record<string, unknown>>;
}
