// What identities may do on the management API that are no administrators; a JSON list of words.

export const permissionsSchema: readonly string[] = [
  `ALTER TABLE identities ADD COLUMN permissions TEXT NOT NULL DEFAULT '[]'`,
];
