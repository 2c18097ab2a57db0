import type { AuditEvent, AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import type { ApiSessionId, IdentityId } from '../model/ids.ts';

/** Who asks for a change. */
export interface AdminCall {
  /** Null for a command on the host. */
  readonly identityId: IdentityId | null;
  /** The session of the call: a new password for oneself does not end it. */
  readonly sessionId: ApiSessionId | null;
  readonly origin: RequestOrigin | null;
  /** False for somebody who may call by a permission only. */
  readonly isAdmin: boolean;
  /** Also what leaves no administrator who can log in is done. */
  readonly isForced: boolean;
}

/** The fields of an entity that a change sets; the others are left as they are. */
export type Some<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** The names of the fields that are set. */
export function namesOf(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(fields).filter((name) => fields[name] !== undefined);
}

/** What changed; names of fields, never values. */
export type AdminChange = Pick<
  Extract<AuditEvent, { event: 'admin.changed' }>,
  'action' | 'entity' | 'entityId' | 'fields'
>;

export function recordChange(
  needs: { readonly audit: AuditTrail },
  by: AdminCall,
  change: AdminChange,
): void {
  needs.audit.record({ event: 'admin.changed', ...change, byIdentityId: by.identityId }, by.origin);
}
