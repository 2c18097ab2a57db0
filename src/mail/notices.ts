// Which audit events people are told of: those that change what opens their account, or where mails about that go, and
// logins with a program that is new.

import type { AuditRecord, FieldChange } from '../model/audit-event.ts';
import type { ClientProgram } from '../model/client-info.ts';
import { asId, type IdentityId } from '../model/ids.ts';
import type { LanguageTag } from '../model/languages.ts';
import type { NewProgram } from '../model/last-login.ts';
import type { FormerAddress, NoticeKind, QueuedNotice } from '../model/mail.ts';
import { HOUR } from '../platform/clock.ts';

/** @param mail by the configuration in use; null: no mail server */
export function noticesBy(
  mail: () => { readonly notices: boolean; readonly language: LanguageTag } | null,
): (record: AuditRecord) => QueuedNotice | null {
  return (record) => {
    const { at, identityId, byIdentityId, issuer, ipAddress } = record;
    const inUse = mail();
    const notice = kindOf(record);
    if (inUse === null || !inUse.notices || notice === null || identityId === null) return null;
    // The person need not know where an administrator is.
    const from = byIdentityId === identityId ? ipAddress : null;
    const program = notice === 'new-program' ? programOf(record) : undefined;
    if (program !== undefined && program.newWithinHour >= mostPrograms) return null;
    const nth = program === undefined ? '' : `:${program.newWithinHour}`;
    return {
      id: `${notice}:${identityId}:${Math.floor(at / HOUR)}${nth}`,
      former: formerAddress(record),
      mail: {
        identityId: asId<IdentityId>(identityId),
        language: inUse.language,
        issuer: issuer ?? '',
        matter: { kind: 'notice', notice, at, ipAddress: from, ...(program && { program: program.said }) },
      },
    };
  };
}

/** A stranger who has learned how to log in may use one name after the other. The very first program counts too. */
const mostPrograms = 3;

function programOf({ details }: AuditRecord): {
  readonly said: ClientProgram;
  readonly newWithinHour: number;
} {
  const { program, operatingSystem, newWithinHour } = details as unknown as NewProgram;
  return { said: { program, operatingSystem }, newWithinHour };
}

const ofEvents: Partial<Record<AuditRecord['event'], NoticeKind>> = {
  'totp.enrolled': 'totp-added',
  'totp.removed': 'totp-removed',
  'passkey.added': 'passkey-added',
  'passkey.removed': 'passkey-removed',
  'login.new-program': 'new-program',
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
      if (entity === 'authenticator') return ofAuthenticator(record);
      return formerAddress(record) === null ? null : 'email-changed';
    default:
      return ofEvents[event] ?? null;
  }
}

function changeOf({ details }: AuditRecord, name: string): FieldChange | undefined {
  return ((details.changes ?? []) as readonly FieldChange[]).find(({ field }) => field === name);
}

/** Of a change after which mails no longer reach a verified address: who makes it could go on unnoticed. */
function formerAddress(record: AuditRecord): FormerAddress | null {
  if (record.entity !== 'identity' || record.action !== 'update') return null;
  const email = changeOf(record, 'email')?.from;
  const isVerified = changeOf(record, 'emailVerified')?.from;
  if (typeof email !== 'string' && isVerified !== true) return null;
  return {
    ...(typeof email === 'string' && { email }),
    ...(typeof isVerified === 'boolean' && { isVerified }),
  };
}

function ofAuthenticator(record: AuditRecord): NoticeKind | null {
  const { action } = record;
  const hasChanged = (name: string) => changeOf(record, name) !== undefined;
  if (action === 'delete') return hasChanged('username') ? 'password-removed' : 'certificate-removed';
  if (hasChanged('password')) return 'password-changed';
  return action === 'create' ? 'certificate-added' : null;
}
