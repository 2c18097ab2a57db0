// What the client of an identity said about itself at its last complete login.

export const clientInfoSchema: readonly string[] = [
  `CREATE TABLE client_info (
    identity_id TEXT PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
    env_info TEXT NOT NULL,
    sdk_info TEXT NOT NULL
  )`,
];
