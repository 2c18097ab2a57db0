// Which audit events people are told of: those that change what opens their account.

import type { AuditRecord } from '../model/audit-event.ts';
import { asId, type IdentityId } from '../model/ids.ts';
import type { MailLanguage, NoticeKind, QueuedNotice } from '../model/mail.ts';
import { HOUR } from '../platform/clock.ts';

/** @param mail by the configuration in use; null: no mail server */
export function noticesBy(
  mail: () => { readonly notices: boolean; readonly language: MailLanguage } | null,
): (record: AuditRecord) => QueuedNotice | null {
  return (record) => {
    const { at, identityId, byIdentityId, issuer, ipAddress } = record;
    const inUse = mail();
    const notice = kindOf(record);
    if (inUse === null || !inUse.notices || notice === null || identityId === null) return null;
    // The person need not know where an administrator is.
    const from = byIdentityId === identityId ? ipAddress : null;
    return {
      id: `${notice}:${identityId}:${Math.floor(at / HOUR)}`,
      mail: {
        identityId: asId<IdentityId>(identityId),
        language: inUse.language,
        issuer: issuer ?? '',
        matter: { kind: 'notice', notice, at, ipAddress: from },
      },
    };
  };
}

const ofEvents: Partial<Record<AuditRecord['event'], NoticeKind>> = {
  'totp.enrolled': 'totp-added',
  'totp.removed': 'totp-removed',
  'passkey.added': 'passkey-added',
  'passkey.removed': 'passkey-removed',
};

/** Enrollments of identities that existed before: accounts begin with the other ones. */
const ofEnrollments: Readonly<Record<string, NoticeKind>> = {
  ott: 'certificate-added',
  ottca: 'certificate-added',
  updb: 'password-changed',
  invitation: 'password-changed',
};

function kindOf(record: AuditRecord): NoticeKind | null {
  const { event, entity, details } = record;
  switch (event) {
    case 'account.changed':
      return details.change === 'password' ? 'password-changed' : null;
    case 'enrollment.completed':
      // With a passkey: another event says so.
      return entity === 'passkey' ? null : (ofEnrollments[String(details.enrollment)] ?? null);
    case 'admin.changed':
      return entity === 'authenticator' ? ofAuthenticator(record) : null;
    default:
      return ofEvents[event] ?? null;
  }
}

function ofAuthenticator({ action, details }: AuditRecord): NoticeKind | null {
  const changes = (details.changes ?? []) as readonly { readonly field: string }[];
  const hasChanged = (name: string) => changes.some(({ field }) => field === name);
  if (action === 'delete') return hasChanged('username') ? 'password-removed' : 'certificate-removed';
  if (hasChanged('password')) return 'password-changed';
  return action === 'create' ? 'certificate-added' : null;
}
