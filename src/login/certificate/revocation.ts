// Whether a certificate of a third-party authority was revoked: the one rule for logins, enrollments, refreshes and
// calls. Lists decide, if there is a current one of the issuer; otherwise a responder's answer. What cannot be found out
// refuses only where the authority says `hard`.

import type { Ca } from '../../model/entities/ca.ts';
import type { CaId } from '../../model/ids.ts';
import { isOlderList } from '../../model/list-state.ts';
import type { AttemptRecorder } from '../../model/login-attempt.ts';
import type { Millis } from '../../platform/clock.ts';
import type { PathCertificate } from '../../platform/x509/path-certificate.ts';
import {
  authorityKey,
  entryOf,
  type RevocationList,
  type RevokedEntry,
  type UnverifiedList,
} from '../../platform/x509/revocation-list.ts';
import { displaySubject } from '../../platform/x509/x509.ts';

/** The few fields that the status of a certificate depends on; they are kept for each session. */
export interface CheckedCertificate {
  readonly subject: string;
  readonly serialNumber: string;
  readonly isAuthority: boolean;
  /** `authorityKey` of its issuer. */
  readonly issuer: string;
  readonly listAddresses: readonly string[];
}

/** Of a certificate, or of all on a path. `saw` is for the record. */
export type CertificateStatus = { readonly status: 'good' | 'revoked' | 'unknown'; readonly saw: string };

/** The statuses of certificates, in memory, and how to get others. */
export interface RevocationStatuses {
  /** Undefined: it has to be asked for. @param path without the anchor */
  peek(caId: CaId, path: readonly CheckedCertificate[]): CertificateStatus | undefined;
  /** Takes a few seconds at most. @param path the leaf first, the anchor last */
  ask(ca: Ca, path: readonly PathCertificate[]): Promise<CertificateStatus>;
}

/** @param path the leaf first, the anchor last */
export function checkedCertificates(path: readonly PathCertificate[]): readonly CheckedCertificate[] {
  return path.slice(0, -1).map((certificate, at) => ({
    subject: displaySubject(certificate.x509),
    serialNumber: certificate.serialNumber,
    isAuthority: certificate.extensions.isCa,
    issuer: authorityKey(path[at + 1] ?? certificate),
    listAddresses: certificate.extensions.listAddresses,
  }));
}

export function isChecked(ca: Ca | undefined): ca is Ca {
  return ca !== undefined && ca.revocation.mode !== 'off';
}

/** Whether a status lets a certificate in. */
export function isAdmitted({ revocation: { mode } }: Ca, { status }: CertificateStatus): boolean {
  return status === 'good' || (status === 'unknown' && mode !== 'hard');
}

/** The same, recorded. */
export function recordStatus(ca: Ca, { status, saw }: CertificateStatus, attempt: AttemptRecorder): boolean {
  const isIn = isAdmitted(ca, { status, saw });
  if (status === 'unknown' && isIn)
    attempt.passed('revocation', `accepted by mode soft, although the status is unknown: ${saw}`);
  else if (isIn) attempt.passed('revocation', saw);
  else if (status === 'revoked') attempt.failed('revocation', 'certificate-revoked', saw);
  else attempt.failed('revocation', 'revocation-unknown', `the status cannot be had: ${saw}`);
  return isIn;
}

/** Null: the lists do not decide, and why. */
export type ListVerdict = CertificateStatus | { readonly status: null; readonly saw: string };

/** The status of a certificate by its authority's CRLs. Once revoked, it stays revoked, however old the list is. */
export function statusByLists(
  certificate: CheckedCertificate,
  lists: readonly RevocationList[],
  now: Millis,
): ListVerdict {
  const covering = lists.filter((list) => covers(list, certificate));
  const base = newest(covering.filter(({ baseNumber }) => baseNumber === null));
  if (base === undefined) return { status: null, saw: 'there is no CRL of its issuer' };
  const added = newest(covering.filter((list) => continues(list, base)));
  const addition = added && entryOf(added, certificate.serialNumber);
  const entry = addition ?? entryOf(base, certificate.serialNumber);
  if (entry !== undefined && entry.reason !== 'removeFromCRL')
    return revokedBy(certificate, { entry, by: `the CRL of ${base.authorityName}` });
  if (now < base.nextUpdate) return { status: 'good', saw: `not in the CRL of ${base.authorityName}` };
  const since = new Date(base.nextUpdate).toISOString();
  return { status: null, saw: `the CRL of ${base.authorityName} has been outdated since ${since}` };
}

/** @param of.by who says so */
export function revokedBy(
  { subject }: Pick<CheckedCertificate, 'subject'>,
  { entry: { at, reason }, by }: { entry: RevokedEntry; by: string },
): CertificateStatus {
  return {
    status: 'revoked',
    saw: `${subject} was revoked on ${new Date(at).toISOString()} (${reason}), by ${by}`,
  };
}

function covers({ authority, scope, points }: RevocationList, certificate: CheckedCertificate): boolean {
  if (authority !== certificate.issuer) return false;
  if (scope !== 'all' && (scope === 'authorities') !== certificate.isAuthority) return false;
  return points.length === 0 || points.some((point) => certificate.listAddresses.includes(point));
}

/** The lists that count of those that were put in together, by their series. */
export function newestOfEach(lists: readonly UnverifiedList[]): ReadonlyMap<string, UnverifiedList> {
  const bySeries = Map.groupBy(lists, ({ series }) => series);
  return new Map(
    [...bySeries].flatMap(([series, all]) => {
      const list = newest(all);
      return list === undefined ? [] : [[series, list]];
    }),
  );
}

function newest<L extends Pick<RevocationList, 'listNumber' | 'thisUpdate'>>(
  lists: readonly L[],
): L | undefined {
  return lists.reduce<L | undefined>(
    (best, list) => (best === undefined || isOlderList(best, list) ? list : best),
    undefined,
  );
}

/** Whether a list adds to another one. @see RFC 5280 section 5.2.4 */
function continues({ baseNumber, listNumber, thisUpdate }: RevocationList, base: RevocationList): boolean {
  if (baseNumber === null || listNumber === null || base.listNumber === null) return false;
  const from = { listNumber: baseNumber, thisUpdate: base.thisUpdate };
  return !isOlderList(base, from) && !isOlderList({ listNumber, thisUpdate }, base);
}
