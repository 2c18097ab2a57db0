/**
 * What somebody may do on the management API who is no administrator:
 * - `read`: read everything but what would let somebody log in, and change nothing
 * - `helpdesk`: the same, and let people in again: unlock, remove TOTP, end sessions, invite; never of somebody
 *   who administers or has a permission
 */
export const permissions = ['read', 'helpdesk'] as const;
export type Permission = (typeof permissions)[number];

/** Whether what somebody holds covers what is asked for. */
export function isCovered(asked: Permission, held: readonly Permission[]): boolean {
  return held.includes(asked) || (asked === 'read' && held.includes('helpdesk'));
}
