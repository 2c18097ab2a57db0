import type { Millis } from '../../platform/clock.ts';

/** What a restored database contained that could be used, and is worthless now. */
export interface Withdrawn {
  readonly sessions: number;
  readonly recoveryCodes: number;
  readonly setupLinks: number;
  readonly enrollments: number;
  readonly invitations: number;
}

export interface RestoreStore {
  /**
   * Makes worthless, in one step, everything that was ever issued from this database and can be presented: the
   * database is of an earlier moment and does not know what was used, ended or withdrawn since, nor what was issued
   * since. Sessions, logins in progress, links, enrollments and recovery codes go; so do the signing keys and the server secrets,
   * under which tokens that this database has never seen would still be good. New ones are made at the next start.
   * What proves who somebody is stays: passwords, certificates, TOTP enrollments. For use while no controller runs.
   * @param totpStep the last time step whose code may have been used by now; no code up to it is accepted any more
   */
  withdrawEverythingIssued(restore: { id: string; totpStep: number; now: Millis }): Promise<Withdrawn>;
  /** The id of the last restore; null when there was none. */
  latest(): Promise<string | null>;
}
