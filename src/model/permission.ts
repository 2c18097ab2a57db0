/**
 * Permissions on the management API for people who are not administrators:
 * - `read`: read everything except credentials, and change nothing
 * - `helpdesk`: the same, and help people to log in again: unlock, remove TOTP, end sessions, invite; never
 *   administrators or people with a permission
 */
export const permissions = ['read', 'helpdesk'] as const;
export type Permission = (typeof permissions)[number];

/** Whether the held permissions include the required one. */
export function isCovered(asked: Permission, held: readonly Permission[]): boolean {
  return held.includes(asked) || (asked === 'read' && held.includes('helpdesk'));
}

/** Whether an identity has more rights than any other. */
export function hasPower(identity: {
  readonly isAdmin: boolean;
  readonly permissions: readonly Permission[];
}): boolean {
  return identity.isAdmin || identity.permissions.length > 0;
}
