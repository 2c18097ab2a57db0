/** What can be done for many identities at once. */
export const bulkActions = ['disable', 'enable', 'invite', 'end-sessions', 'delete'] as const;
export type BulkAction = (typeof bulkActions)[number];

/** What a row of a table of new people may say. Rights are given one by one. */
export const importColumns = ['name', 'type', 'externalId', 'email', 'roleAttributes', 'authPolicy'] as const;
