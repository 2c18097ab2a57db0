// Revocation lists and responders' answers, in the memory of a thread. The first thread has them verified and shares the
// bytes of the lists; entries that are missing here are asked there, and a failed question is not repeated at once.

import {
  type CertificateStatus,
  type CheckedCertificate,
  checkedCertificates,
  isChecked,
  type RevocationStatuses,
  revokedBy,
  statusByLists,
} from '../login/certificate/revocation.ts';
import type { Ca } from '../model/entities/ca.ts';
import type { CaId } from '../model/ids.ts';
import { type Followed, recentMap } from '../platform/caches.ts';
import { type Clock, type Millis, SECOND } from '../platform/clock.ts';
import { withinTime } from '../platform/within-time.ts';
import type { OcspAnswer } from '../platform/x509/ocsp.ts';
import type { PathCertificate } from '../platform/x509/path-certificate.ts';
import type { RevocationList } from '../platform/x509/revocation-list.ts';
import type { CaStore } from '../store/contracts/entities.ts';

/** The certificate and its issuer, DER. The path was validated. */
export interface StatusQuestion {
  readonly caId: CaId;
  readonly certificate: Uint8Array;
  readonly issuer: Uint8Array;
}

/** Of a responder. */
export interface StandingAnswer extends OcspAnswer {
  /** From then on it is asked again. */
  readonly until: Millis;
}

export interface StatusNews {
  /** All of the authority. */
  readonly lists: readonly RevocationList[];
  /** Only if the lists do not decide. */
  readonly answer: StandingAnswer | null;
  /** Why there is neither. */
  readonly problem: string;
}

/** Fetches CRLs and OCSP answers: the first thread, for all threads. */
export interface RevocationSource {
  /** The verified lists of an authority, as the store has them now. */
  listsOf(caId: CaId): Promise<readonly RevocationList[]>;
  obtain(question: StatusQuestion): Promise<StatusNews>;
}

/** Follows the changes of authorities and of their lists. */
export interface RevocationView extends RevocationStatuses, Followed<CaId> {}

/** How long a login or call waits for a status. */
const longestWait: Millis = 3 * SECOND;
/** So long a status that could not be had is not asked for again. */
const unknownStands: Millis = 30 * SECOND;

interface Known {
  readonly status: CertificateStatus;
  readonly until: Millis;
  /** The epoch of the authority at that time: after a change of it, only the status `revoked` still counts. */
  readonly epoch: number | undefined;
}

/** Resolves when all lists that are stored are in memory. @param threads number of request threads */
export async function openRevocationView(
  { store, clock, source }: { store: { cas: CaStore }; clock: Clock; source: RevocationSource },
  threads = 1,
): Promise<RevocationView> {
  const lists = new Map<CaId, readonly RevocationList[]>();
  const epochs = new Map<CaId, number>();
  const asked = recentMap<string, Known>(Math.ceil(20_000 / threads));

  async function changed(caId: CaId): Promise<void> {
    const found = await source.listsOf(caId);
    if (found.length === 0) lists.delete(caId);
    else lists.set(caId, found);
    epochs.set(caId, (epochs.get(caId) ?? 0) + 1);
  }
  async function allChanged(): Promise<void> {
    const all = await store.cas.listAll();
    for (const id of new Set([...lists.keys(), ...all.filter(isChecked).map((ca) => ca.id)]))
      await changed(id);
  }

  function known(
    caId: CaId,
    certificate: CheckedCertificate,
    by = lists.get(caId) ?? [],
  ): CertificateStatus | undefined {
    const listed = statusByLists(certificate, by, clock.now());
    if (listed.status !== null) return listed;
    const before = asked.get(keyOf(caId, certificate));
    if (before === undefined || clock.now() >= before.until) return undefined;
    return before.epoch === epochs.get(caId) || before.status.status === 'revoked'
      ? before.status
      : undefined;
  }

  async function find(ca: Ca, certificate: PathCertificate, issuer: PathCertificate) {
    const [checked] = checkedCertificates([certificate, issuer]) as [CheckedCertificate];
    const key = keyOf(ca.id, checked);
    const before = asked.get(key);
    const endOfUnknown = clock.now() + unknownStands;
    // The authority may change until the answer is here.
    const epoch = epochs.get(ca.id);
    const keep = (status: CertificateStatus, until: Millis): CertificateStatus => {
      asked.set(key, { status, until, epoch });
      return status;
    };
    // An attacker who blocks the responder must not make a revoked certificate valid again.
    const unknown = (saw: string) =>
      keep(before?.status.status === 'revoked' ? before.status : { status: 'unknown', saw }, endOfUnknown);
    try {
      const news = await withinTime(
        source.obtain({ caId: ca.id, certificate: certificate.x509.raw, issuer: issuer.x509.raw }),
        longestWait,
        `there was no answer within ${longestWait / SECOND} s`,
      );
      // Newer lists may have come meanwhile: then these decide nothing but this question.
      if (epoch === epochs.get(ca.id)) lists.set(ca.id, news.lists);
      const { answer, problem } = news;
      const status = answer === null ? unknown(problem) : keep(statusBy(answer, checked), answer.until);
      return known(ca.id, checked) ?? known(ca.id, checked, news.lists) ?? status;
    } catch (error) {
      return unknown(error instanceof Error ? error.message : String(error));
    }
  }

  await allChanged();
  return {
    peek: (caId, path) => combined(path.map((certificate) => known(caId, certificate))),
    async ask(ca, path) {
      const statuses = checkedCertificates(path).map((each, at) => {
        const [certificate, issuer] = path.slice(at, at + 2);
        return known(ca.id, each) ?? (certificate && issuer && find(ca, certificate, issuer));
      });
      return combined(await Promise.all(statuses)) ?? { status: 'unknown', saw: 'nothing says it' };
    },
    changed,
    allChanged,
  };
}

function keyOf(caId: CaId, { issuer, serialNumber }: CheckedCertificate): string {
  return `${caId} ${issuer} ${serialNumber}`;
}

function statusBy({ revoked, authorityName }: OcspAnswer, checked: CheckedCertificate): CertificateStatus {
  const by = `the OCSP responder ${authorityName}`;
  if (revoked !== null) return revokedBy(checked, { entry: revoked, by });
  return { status: 'good', saw: `good, by ${by}` };
}

/** A path is as bad as the worst of its certificates. */
function combined(statuses: readonly (CertificateStatus | undefined)[]): CertificateStatus | undefined {
  const revoked = statuses.find((each) => each?.status === 'revoked');
  if (revoked !== undefined) return revoked;
  if (statuses.includes(undefined)) return undefined;
  return statuses.find((each) => each?.status === 'unknown') ?? statuses[0];
}
