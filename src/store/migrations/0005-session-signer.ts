// The signer of the external JWT that opened a session, so that a refresh can ask whether it is still enabled.

export const sessionSignerSchema: readonly string[] = ['ALTER TABLE api_sessions ADD COLUMN signer_id TEXT'];
