import type { Millis } from '../../platform/clock.ts';

/** Usable items that a restored database contained, and that were withdrawn. */
export interface Withdrawn {
  readonly sessions: number;
  readonly recoveryCodes: number;
  readonly setupLinks: number;
  readonly enrollments: number;
  readonly invitations: number;
}

export interface RestoreStore {
  /** A backup of this database, made with any tool, is complete and was begun at this time. */
  noteBackup(at: Millis): Promise<void>;
  /** When the last one was begun; null: none is known. */
  lastBackup(): Promise<Millis | null>;
  /**
   * Withdraws, in one step, everything ever issued from this database that could be presented: the database is of an
   * earlier moment and does not know what was used, ended, withdrawn or issued since. Deletes sessions, logins in
   * progress, links, enrollments and recovery codes; also the signing keys and server secrets, with which tokens
   * unknown to this database would still be valid. The next start makes new ones. Authenticators stay:
   * passwords, certificates, TOTP enrollments. Call only while no controller runs.
   * @param totpStep the last time step whose code may have been used by now; no code up to it is accepted any more
   */
  withdrawEverythingIssued(restore: { id: string; totpStep: number; now: Millis }): Promise<Withdrawn>;
  /** The id of the last restore; null when there was none. */
  latest(): Promise<string | null>;
}
