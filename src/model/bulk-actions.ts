/** What can be done for many identities at once. */
export const bulkActions = ['disable', 'enable', 'invite', 'end-sessions', 'delete'] as const;
export type BulkAction = (typeof bulkActions)[number];
