// What a login in progress and its code are bound to, in columns: the statements that decide compare them.

export const loginBindingsSchema: readonly string[] = [
  'ALTER TABLE auth_requests ADD COLUMN browser_binding TEXT',
  'ALTER TABLE auth_requests ADD COLUMN cert_thumbprint TEXT',
];
