// The successor of a certificate, until its owner has said that it arrived, and what an administrator asked for.

export const certificateExtensionSchema: readonly string[] = [
  'ALTER TABLE authenticators ADD COLUMN is_extend_requested INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE authenticators ADD COLUMN is_key_roll_requested INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE authenticators ADD COLUMN successor_pem TEXT',
  'ALTER TABLE authenticators ADD COLUMN successor_thumbprint TEXT',
];
