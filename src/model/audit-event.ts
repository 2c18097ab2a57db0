import type { SessionEndReason } from './api-session.ts';
import type { PrimaryMethod } from './login.ts';

/** Where a request came from; carried through use cases for the audit trail and never used to decide. */
export interface RequestOrigin {
  /** The reference id that the answer shows. */
  readonly requestId: string;
  /** Address of the TCP peer. */
  readonly ipAddress: string;
  /** Issuer of the bind point at which it arrived. */
  readonly issuer: string;
}

/** Why a primary login was refused; the client is told none of it. */
export type LoginRefusal =
  | 'unknown-user'
  | 'wrong-password'
  | 'identity-disabled'
  | 'method-not-allowed'
  | 'changed-meanwhile';

/** What the audit trail records: one event per security decision, never a secret. */
export type AuditEvent =
  | {
      readonly event: 'login.succeeded';
      readonly method: PrimaryMethod;
      readonly identityId: string;
      readonly clientId: string;
    }
  | {
      readonly event: 'login.refused';
      readonly method: PrimaryMethod;
      readonly reason: LoginRefusal;
      readonly identityId: string | null;
      /** The user name in its look-up form; shortened. */
      readonly username: string | null;
    }
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
  | {
      readonly event: 'code.refused';
      readonly reason: string;
      readonly clientId: string;
      readonly endedSessionId: string | null;
    }
  | {
      readonly event: 'refresh.refused';
      readonly reason: string;
      readonly sessionId: string | null;
      readonly clientId: string;
    }
  | {
      readonly event: 'session.ended';
      readonly sessionId: string;
      readonly reason: SessionEndReason;
      readonly byIdentityId: string | null;
    }
  | {
      readonly event: 'admin.changed';
      readonly action: 'create' | 'update' | 'delete' | 'disable' | 'enable' | 'end-sessions';
      readonly entity: string;
      readonly entityId: string;
      readonly byIdentityId: string | null;
      /** Names of the fields that were set; never values. */
      readonly fields: readonly string[];
    }
  | { readonly event: 'key.rotated'; readonly kid: string; readonly alg: string }
  | { readonly event: 'setup.completed'; readonly identityId: string };

/** Takes events for the audit trail. `origin` is null for what the service does by itself. */
export interface AuditTrail {
  record(event: AuditEvent, origin: RequestOrigin | null): void;
}
