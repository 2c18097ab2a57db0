// Which events the audit trail keeps. The names are those of `AuditEvent`, which the console does not compile.

/**
 * Which events are kept: `yes` for those of administrators, the host or the service itself, `owner` for those that an
 * account's owner can cause, up to a limit. `no` for frequent ones, and for refusals that anybody can cause.
 */
export const keptEvents = {
  'login.passed': 'no',
  'login.refused': 'no',
  'login.new-program': 'owner',
  'totp.enrolled': 'owner',
  'totp.removed': 'owner',
  'totp.recovery-codes-renewed': 'owner',
  'passkey.added': 'owner',
  'passkey.removed': 'owner',
  'passkey.cloned': 'owner',
  'enrollment.completed': 'owner',
  'enrollment.refused': 'no',
  'session.opened': 'no',
  'token.issued': 'no',
  'token.refreshed': 'no',
  'browser-session.opened': 'no',
  'browser-session.used': 'no',
  // By an administrator; see `isKept` of explain/audit-trail.ts.
  'browser-session.ended': 'yes',
  'session.ended': 'yes',
  // If it ended a session; see `isKept` of explain/audit-trail.ts.
  'code.refused': 'owner',
  'refresh.refused': 'owner',
  'session.certified': 'no',
  'session.certificate-revoked': 'owner',
  'certificate.extended': 'owner',
  'certificate.replaced': 'owner',
  // Another event follows with the changes, if there were any.
  'admin.requested': 'no',
  'admin.changed': 'yes',
  'enrollment.shown': 'yes',
  'account.changed': 'owner',
  'key.rotated': 'yes',
  'authority.rotated': 'yes',
  'config.changed': 'yes',
  'secrets.rekeyed': 'yes',
  'database.restored': 'yes',
  'database.copied': 'yes',
  'database.moved': 'yes',
  'setup.link-created': 'yes',
  'database.imported': 'yes',
  'setup.completed': 'yes',
} as const;

/** Events that are sent to who subscribes to them: those of the audit trail, and refused logins. */
export const sentEvents: readonly string[] = [
  ...Object.entries(keptEvents).flatMap(([name, kept]) => (kept === 'no' ? [] : [name])),
  'login.refused',
  'enrollment.refused',
];
