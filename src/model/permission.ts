/**
 * What somebody who is not an administrator may do on the management API:
 * - `read`: read everything except what would let somebody log in, and change nothing
 * - `helpdesk`: the same, and help people to log in again: unlock, remove TOTP, end sessions, invite; never
 *   administrators or people with a permission
 */
export const permissions = ['read', 'helpdesk'] as const;
export type Permission = (typeof permissions)[number];

/** Whether somebody's permissions include the one asked for. */
export function isCovered(asked: Permission, held: readonly Permission[]): boolean {
  return held.includes(asked) || (asked === 'read' && held.includes('helpdesk'));
}
