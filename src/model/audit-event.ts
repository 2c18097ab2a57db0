import type { Millis } from '../platform/clock.ts';
import type { SessionEndReason } from './api-session.ts';
import type { EnrollmentKind } from './enrollment.ts';
import type { AttemptStep } from './login.ts';

/** Where a request came from. Use cases pass it on for the audit trail and never decide by it. */
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
}

/** A field before and after a change, as documents show it; null: none. Of a secret, only that it was changed. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What the audit trail records: one event per security decision, never a secret. */
export type AuditEvent =
  /** A step of a login; the decision record with the same reference id has the checks. */
  | { readonly event: 'login.passed'; readonly method: AttemptStep; readonly identityId: string }
  | { readonly event: 'login.refused'; readonly method: AttemptStep }
  | {
      readonly event: 'totp.enrolled' | 'totp.removed' | 'totp.recovery-codes-renewed';
      readonly identityId: string;
      /** Who removed it; missing: its owner. */
      readonly byIdentityId?: string;
    }
  /** `cloned`: its counter went back, so another device may have the key. */
  | {
      readonly event: 'passkey.added' | 'passkey.removed' | 'passkey.cloned';
      readonly identityId: string;
      readonly passkeyId: string;
      /** Who removed it; missing: its owner. */
      readonly byIdentityId?: string;
    }
  /** An identity got what it logs in with; the decision record with the same reference id has the checks. */
  | {
      readonly event: 'enrollment.completed';
      readonly enrollment: EnrollmentKind;
      readonly identityId: string;
      /** Of an invitation: the person added it instead of choosing a password. */
      readonly passkeyId?: string;
    }
  | { readonly event: 'enrollment.refused'; readonly enrollment: EnrollmentKind }
  /** By the legacy mechanism; for OIDC it is `token.issued`. */
  | { readonly event: 'session.opened'; readonly identityId: string; readonly sessionId: string }
  | {
      readonly event: 'token.issued';
      readonly identityId: string;
      readonly sessionId: string;
      readonly clientId: string;
    }
  | {
      readonly event: 'token.refreshed';
      readonly identityId: string;
      readonly sessionId: string;
      readonly clientId: string;
    }
  /** Somebody stays signed in in a browser, and an application got its code that way. */
  | {
      readonly event: 'browser-session.opened' | 'browser-session.used';
      readonly identityId: string;
      readonly browserSessionId: string;
      readonly clientId: string;
    }
  | {
      readonly event: 'browser-session.ended';
      readonly browserSessionId: string;
      readonly reason: 'logout' | 'administrator' | 'no-longer-enough';
      readonly byIdentityId: string | null;
      /** The owner, if somebody else ended it. */
      readonly identityId?: string;
    }
  | {
      readonly event: 'code.refused';
      readonly reason: string;
      readonly clientId: string;
      readonly endedSessionId: string | null;
      /** The owner of the ended session. */
      readonly identityId?: string;
    }
  | {
      readonly event: 'refresh.refused';
      readonly reason: string;
      readonly sessionId: string;
      readonly clientId: string;
      readonly identityId: string;
    }
  | {
      readonly event: 'session.ended';
      readonly sessionId: string;
      readonly reason: SessionEndReason;
      readonly byIdentityId: string | null;
      /** The owner, if somebody else ended it. */
      readonly identityId?: string;
    }
  | {
      readonly event: 'session.certified';
      readonly identityId: string;
      readonly sessionId: string;
      readonly thumbprint: string;
    }
  | {
      readonly event: 'session.certificate-revoked';
      readonly identityId: string;
      readonly sessionId: string;
      readonly certificateId: string;
    }
  /** `extended`: a successor was issued. `replaced`: its owner has stored it, and uses it from now on. */
  | {
      readonly event: 'certificate.extended' | 'certificate.replaced';
      readonly identityId: string;
      readonly authenticatorId: string;
    }
  /** What an administrator asked for, written before it is done: no change goes without a trace. */
  | {
      readonly event: 'admin.requested';
      /** Method and path, without the query. */
      readonly request: string;
      readonly byIdentityId: string;
    }
  | {
      readonly event: 'admin.changed';
      readonly action: 'create' | 'update' | 'delete' | 'disable' | 'enable' | 'unlock' | 'end-sessions';
      readonly entity: string;
      readonly entityId: string;
      readonly byIdentityId: string | null;
      /** The name of the external JWT signer whose token did it, at a login. */
      readonly bySigner?: string;
      /** Names of the fields that were set. */
      readonly fields: readonly string[];
      /** The fields of a managed entity whose values are different now. */
      readonly changes?: readonly FieldChange[];
      /** The owner of the authenticator, enrollment or the like. */
      readonly identityId?: string;
    }
  /** Somebody has seen what the device or person receives: whoever has it can enroll as the identity. */
  | {
      readonly event: 'enrollment.shown';
      readonly enrollmentId: string;
      readonly identityId: string;
      readonly byIdentityId: string | null;
    }
  /** Done by the owner. */
  | {
      readonly event: 'account.changed';
      readonly change: 'username' | 'password' | 'other-sessions-ended';
      readonly identityId: string;
    }
  | { readonly event: 'key.rotated'; readonly kid: string; readonly alg: string }
  /** A step of the rotation of an authority on this host; the fingerprint is that of the one that the step is about. */
  | {
      readonly event: 'authority.rotated';
      readonly authority: 'root' | 'client-ca';
      readonly step: 'prepare' | 'switch' | 'retire' | 'undo';
      readonly fingerprint: string;
    }
  /** A reload of the configuration file changed a setting of the running controller. None of the values is a secret. */
  | {
      readonly event: 'config.changed';
      readonly path: string;
      readonly before: unknown;
      readonly after: unknown;
    }
  /** All secrets are now sealed under another key-encryption key; the fingerprint is that of the key file. */
  | { readonly event: 'secrets.rekeyed'; readonly fingerprint: string; readonly resealed: number }
  /** The database comes from a backup; see docs/decisions/restoring-a-backup.md. */
  | { readonly event: 'database.restored'; readonly restoreId: string; readonly sessionsEnded: number }
  /** Somebody on the host has copied or moved everything that is stored; the names contain no passwords. */
  | { readonly event: 'database.copied' | 'database.moved'; readonly from: string; readonly to: string }
  /** Whoever opens the link first becomes an administrator. */
  | { readonly event: 'setup.link-created'; readonly expiresAt: string }
  /** Identities and their authenticators came from another controller. */
  | {
      readonly event: 'database.imported';
      readonly created: number;
      readonly changed: number;
      readonly conflicts: number;
    }
  | { readonly event: 'setup.completed'; readonly identityId: string };

/** Takes events for the audit trail. `origin` is null for what the service does by itself. */
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
  /** What was done to the entity; null if the name of the event says it. */
  readonly action: string | null;
  /** The kind of the changed entity, and its id. */
  readonly entity: string | null;
  readonly entityId: string | null;
  /** The identity that the event is about. */
  readonly identityId: string | null;
  /** Who did it; null: the service itself, or a command on the host. */
  readonly byIdentityId: string | null;
  readonly requestId: string | null;
  readonly ipAddress: string | null;
  readonly issuer: string | null;
  /** The other members of the event. */
  readonly details: Readonly<Record<string, unknown>>;
}
