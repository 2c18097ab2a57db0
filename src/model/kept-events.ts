// Which events the audit trail keeps. The names are those of `AuditEvent`, which the console does not compile.

/**
 * Which events are kept: `yes` for those of administrators, the host or the service itself. Up to a limit, `own` for what
 * owners do to their accounts, and `owner` for what else they can cause. `no` for frequent ones, and for refusals that
 * anybody can cause.
 */
export const keptEvents = {
  'login.passed': 'no',
  'login.refused': 'no',
  'login.new-program': 'own',
  'totp.enrolled': 'own',
  'totp.removed': 'own',
  'totp.recovery-codes-renewed': 'own',
  'passkey.added': 'own',
  'passkey.removed': 'own',
  'passkey.cloned': 'owner',
  'enrollment.completed': 'own',
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
  'session.certificate-revoked': 'own',
  'certificate.extended': 'own',
  'certificate.replaced': 'own',
  // Another event follows with the changes, if there were any.
  'admin.requested': 'no',
  'admin.changed': 'yes',
  'enrollment.shown': 'yes',
  'account.changed': 'own',
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

/** The name of an event that the audit trail keeps, of some only under a condition. */
export type KeptEvent = {
  [Name in keyof typeof keptEvents]: (typeof keptEvents)[Name] extends 'no' ? never : Name;
}[keyof typeof keptEvents];

/** Events that are sent to who subscribes to them: those of the audit trail, and refused logins. */
export const sentEvents: readonly string[] = [
  ...Object.entries(keptEvents).flatMap(([name, kept]) => (kept === 'no' ? [] : [name])),
  'login.refused',
  'enrollment.refused',
];
