// The path from a client certificate to a trusted authority, shared by logins and enrollments.

import type { X509Certificate } from 'node:crypto';
import type { Ca } from '../../model/entities/ca.ts';
import type { AttemptRecorder } from '../../model/login-attempt.ts';
import { expiredCertificateChecks, type RefusalReason } from '../../model/refusal-reason.ts';
import { isoTime, MINUTE, type Millis } from '../../platform/clock.ts';
import { rememberIntermediates } from '../../platform/x509/known-intermediates.ts';
import type { PathCertificate } from '../../platform/x509/path-certificate.ts';
import { describeRefusal, type PathRefusal } from '../../platform/x509/path-refusal.ts';
import {
  anchorProblem,
  leafProblem,
  type PathQuestion,
  type PathVerdict,
  validateClientPath,
} from '../../platform/x509/path-validation.ts';
import { certificateFacts, displaySubject, parseCertificate } from '../../platform/x509/x509.ts';
import type { CertificateServices } from '../services.ts';
import { checkedCertificates, isChecked, recordStatus } from './revocation.ts';

/** A valid path to an authority that is trusted now, which may have revoked a certificate on it. */
export type ValidPath = Extract<PathVerdict, { verdict: 'trusted' }>;

declare const unrevoked: unique symbol;
/**
 * A valid path without a revoked certificate, as far as its authority wants revocation checked. Only `findTrustedPath`
 * makes it, so no login or enrollment with a certificate can skip that check.
 */
export type TrustedPath = ValidPath & { readonly [unrevoked]: true };

interface PathSearch {
  readonly attempt: AttemptRecorder;
  /** Lets an expired leaf through, for the caller to judge. */
  readonly allowExpired: boolean;
}

/**
 * Validates the certificates that a connection sent, asks whether one was revoked, and records the findings.
 * @param chain DER of the connection's certificates, the proven leaf first; null when it sent nothing
 * @returns null when it is refused
 */
export async function findTrustedPath(
  needs: CertificateServices,
  chain: readonly Buffer[] | null,
  search: PathSearch,
): Promise<TrustedPath | null> {
  const path = findPath(needs, chain, search);
  if (path === null) return null;
  const ca = needs.authorities.caOf(path.anchor);
  rememberIntermediates({
    leafThumbprint: path.leaf.thumbprint,
    certificates: path.certificates.slice(1, -1).map(({ x509 }) => x509.raw),
    areTrusted: true,
  });
  if (!isChecked(ca)) return path as TrustedPath;
  const status =
    needs.revocations.peek(ca.id, checkedCertificates(path.certificates)) ??
    (await needs.revocations.ask(ca, path.certificates));
  return recordStatus(ca, status, search.attempt) ? (path as TrustedPath) : null;
}

/**
 * The same for a stored certificate, without asking others, so only for showing: an unknown status counts as not
 * revoked.
 * @returns `below`, which is recorded: certificates that only the client has may lead to a third-party authority
 */
export function foreseePath(
  needs: CertificateServices,
  leaf: Buffer,
  search: PathSearch,
): ValidPath | 'below' | null {
  const chain = [leaf];
  const issuer = issuerBetween(needs, chain, leaf);
  if (issuer !== null) {
    const problem = leafProblem(leaf, { now: needs.clock.now(), allowExpired: search.allowExpired });
    if (problem !== undefined)
      return search.attempt.failed('path', reasonOf(problem), describeRefusal(problem));
    const saw = `its issuer ${issuer} is not registered: the client has to send the certificates up to a CA that is`;
    search.attempt.seen('path', saw);
    return 'below';
  }
  const path = findPath(needs, chain, search);
  const ca = path === null ? undefined : needs.authorities.caOf(path.anchor);
  if (path === null || !isChecked(ca)) return path;
  const status = needs.revocations.peek(ca.id, checkedCertificates(path.certificates));
  return status === undefined || recordStatus(ca, status, search.attempt) ? path : null;
}

/** An issuer of which nothing is known here, and which may be below a third-party authority. */
function issuerBetween(needs: CertificateServices, chain: readonly Buffer[], leaf: Buffer): string | null {
  const judged = judge(needs, chain, { leaf, allowExpired: true });
  if (judged.verdict === 'trusted' || judged.unusedCa !== null) return null;
  const { refusal } = judged;
  if (refusal.reason !== 'untrusted' || refusal.isSelfSigned) return null;
  const { authorities, clock } = needs;
  const mayHaveOthers = (anchor: PathCertificate) =>
    authorities.caOf(anchor) !== undefined &&
    anchor.extensions.pathLength !== 0 &&
    anchorProblem(anchor, clock.now()) === undefined;
  return authorities.anchors().some(mayHaveOthers) ? refusal.issuer : null;
}

/** Whether a path can end in this authority now. Recorded if not. */
export function isUsableAnchor(
  { clock }: Pick<CertificateServices, 'clock'>,
  anchor: PathCertificate,
  attempt: AttemptRecorder,
): boolean {
  const problem = anchorProblem(anchor, clock.now());
  if (problem !== undefined) attempt.failed('path', reasonOf(problem), describeRefusal(problem));
  return problem === undefined;
}

function findPath(
  needs: CertificateServices,
  chain: readonly Buffer[] | null,
  { attempt, allowExpired }: PathSearch,
): ValidPath | null {
  const leaf = chain?.[0];
  if (chain === null || leaf === undefined) return attempt.failed('certificate', 'no-certificate');
  const path = judge(needs, chain, { leaf, allowExpired });
  attempt.about({ subject: path.verdict === 'trusted' ? path.leaf.subject : subjectOf(leaf) });
  if (path.verdict === 'refused') {
    const { unusedCa } = path;
    if (unusedCa === null) {
      const reason = reasonOf(path.refusal);
      attempt.failed('path', reason, describeRefusal(path.refusal));
      if (reason === 'certificate-expired') noteExpired(parseCertificate(leaf), attempt);
    } else if (unusedCa.verifiedAt === null)
      attempt.failed('path', 'ca-not-verified', `leads to the CA ${unusedCa.name}, which is not verified`);
    else
      attempt.failed('path', 'ca-auth-off', `leads to the CA ${unusedCa.name}, whose authentication is off`);
    return null;
  }
  attempt.passed('path', `leads to ${displaySubject(path.anchor.x509)}`);
  return path;
}

/** Says which certificate has expired, so that it can be found and replaced. */
export function noteExpired(certificate: X509Certificate, attempt: AttemptRecorder): void {
  const { notAfter, serialNumber, fingerprint } = certificateFacts(certificate);
  attempt.seen(expiredCertificateChecks.end, isoTime(notAfter));
  attempt.seen(expiredCertificateChecks.serialNumber, serialNumber);
  attempt.seen(expiredCertificateChecks.fingerprint, fingerprint);
}

/** A refusal, with the registered authority to which the path leads, if that does not count. */
type Judged = ValidPath | (Extract<PathVerdict, { verdict: 'refused' }> & { readonly unusedCa: Ca | null });

interface RefusedChain {
  readonly anchors: readonly PathCertificate[];
  readonly at: Millis;
  readonly verdict: Judged;
}

/** How long a refusal is remembered. It is short because a certificate that is not valid yet may become valid. */
const refusalStands: Millis = MINUTE;
/** Keyed by the chain of a connection, which is read once: repeating a request on it repeats no work. */
const refusedChains = { leavingExpired: newRefusals(), strict: newRefusals() };

function newRefusals() {
  return new WeakMap<readonly Buffer[], RefusedChain>();
}

function judge(
  { authorities, clock }: CertificateServices,
  chain: readonly Buffer[],
  { leaf, allowExpired }: { leaf: Buffer; allowExpired: boolean },
): Judged {
  const anchors = authorities.anchors();
  const now = clock.now();
  const refusals = allowExpired ? refusedChains.leavingExpired : refusedChains.strict;
  const before = refusals.get(chain);
  const isFresh = before !== undefined && now >= before.at && now < before.at + refusalStands;
  if (isFresh && before.anchors === anchors) return before.verdict;
  const barred = authorities.barred();
  const question = { leaf, intermediates: chain.slice(1), anchors, barred, now, allowExpired };
  const verdict = validateClientPath(question);
  if (verdict.verdict === 'trusted') return verdict;
  const judged = { ...verdict, unusedCa: unusedCaOf(authorities, verdict.refusal, question) };
  refusals.set(chain, { anchors, at: now, verdict: judged });
  return judged;
}

/** The registered authority that would be trusted if it was verified and on. */
function unusedCaOf(
  authorities: CertificateServices['authorities'],
  refusal: PathRefusal,
  question: PathQuestion,
): Ca | null {
  const unused = refusal.reason === 'untrusted' ? authorities.unused() : [];
  if (unused.length === 0) return null;
  const verdict = validateClientPath({ ...question, anchors: unused.map(({ anchor }) => anchor) });
  if (verdict.verdict === 'refused') return null;
  return unused.find(({ anchor }) => anchor === verdict.anchor)?.ca ?? null;
}

/** Problems of an authority concern the chain. Only the leaf belongs to the caller. */
function reasonOf(refusal: PathRefusal): RefusalReason {
  const isLeaf = 'certificate' in refusal && refusal.certificate.role === 'leaf';
  switch (refusal.reason) {
    case 'untrusted':
      return 'untrusted-chain';
    case 'expired':
      return isLeaf ? 'certificate-expired' : 'authority-expired';
    case 'not-yet-valid':
      return isLeaf ? 'certificate-not-yet-valid' : 'authority-expired';
    case 'algorithm-not-accepted':
    case 'key-not-accepted':
      return 'certificate-algorithm';
    case 'wrong-usage':
      return isLeaf ? usageReasons[refusal.problem] : 'broken-chain';
    default:
      return 'broken-chain';
  }
}

const usageReasons = {
  'no-client-auth': 'certificate-usage',
  'no-digital-signature': 'certificate-key-usage',
  'is-a-trust-anchor': 'certificate-is-authority',
} as const;

function subjectOf(leaf: Buffer): string {
  try {
    return displaySubject(parseCertificate(leaf));
  } catch {
    return '(unreadable certificate)';
  }
}
