import { pem, tags, text } from './entity.ts';

/** What administrators decide about a password (`updb`). model/authenticator.ts has all that is stored. */
export const passwordFields = {
  /** As the administrator entered it; shown, never compared. */
  username: text(),
  password: text({ isSecret: true }),
  tags: tags(),
};

/** The same for a client certificate (`cert`). */
export const certificateFields = { certPem: pem(), tags: tags() };
