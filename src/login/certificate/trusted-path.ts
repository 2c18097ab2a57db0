// The path from a client certificate to an authority that may log somebody in, shared by logins and enrollments.

import type { AttemptRecorder } from '../../model/login-attempt.ts';
import type { RefusalReason } from '../../model/refusal-reason.ts';
import { MINUTE, type Millis } from '../../platform/clock.ts';
import { describeRefusal, type PathRefusal } from '../../platform/x509/path-refusal.ts';
import {
  type PathVerdict,
  type TrustAnchor,
  validateClientPath,
} from '../../platform/x509/path-validation.ts';
import { displaySubject, parseCertificate } from '../../platform/x509/x509.ts';
import type { CertificateServices } from '../services.ts';

export type TrustedPath = Extract<PathVerdict, { verdict: 'trusted' }>;

/**
 * Validates the certificates that a connection sent, and records what was found.
 * @param chain DER of what the connection proved and sent, the leaf first; null when it sent nothing
 * @param allowExpired lets an expired leaf through, for the caller to judge
 * @returns null when it is refused
 */
export function findTrustedPath(
  needs: CertificateServices,
  chain: readonly Buffer[] | null,
  { attempt, allowExpired }: { readonly attempt: AttemptRecorder; readonly allowExpired: boolean },
): TrustedPath | null {
  const leaf = chain?.[0];
  if (chain === null || leaf === undefined) {
    attempt.failed('certificate', 'no-certificate');
    return null;
  }
  const path = judge(needs, chain, { leaf, allowExpired });
  attempt.about({ subject: path.verdict === 'trusted' ? path.leaf.subject : subjectOf(leaf) });
  if (path.verdict === 'refused') {
    attempt.failed('path', reasonOf(path.refusal), describeRefusal(path.refusal));
    return null;
  }
  attempt.passed('path', `leads to ${displaySubject(path.anchor.x509)}`);
  return path;
}

interface RefusedChain {
  readonly anchors: readonly TrustAnchor[];
  readonly at: Millis;
  readonly verdict: PathVerdict;
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
  { leaf, allowExpired }: { readonly leaf: Buffer; readonly allowExpired: boolean },
): PathVerdict {
  const anchors = authorities.anchors();
  const now = clock.now();
  const refusals = allowExpired ? refusedChains.leavingExpired : refusedChains.strict;
  const before = refusals.get(chain);
  const isFresh = before !== undefined && now >= before.at && now < before.at + refusalStands;
  if (isFresh && before.anchors === anchors) return before.verdict;
  const verdict = validateClientPath({ leaf, intermediates: chain.slice(1), anchors, now, allowExpired });
  if (verdict.verdict === 'refused') refusals.set(chain, { anchors, at: now, verdict });
  return verdict;
}

/** Whether the authority is still enabled. Call it last, and do not await anything afterwards. */
export function isStillTrusted({ authorities }: CertificateServices, anchor: TrustAnchor): boolean {
  return authorities.anchors().some(({ thumbprint }) => thumbprint === anchor.thumbprint);
}

/** Problems of an authority concern the chain. Only the leaf belongs to the caller. */
function reasonOf(refusal: PathRefusal): RefusalReason {
  const isLeaf = 'certificate' in refusal && refusal.certificate.role === 'leaf';
  if (!isLeaf) return 'untrusted-chain';
  if (refusal.reason === 'expired') return 'certificate-expired';
  if (refusal.reason === 'not-yet-valid') return 'certificate-not-yet-valid';
  return refusal.reason === 'wrong-usage' ? 'certificate-usage' : 'untrusted-chain';
}

function subjectOf(leaf: Buffer): string {
  try {
    return displaySubject(parseCertificate(leaf));
  } catch {
    return '(unreadable certificate)';
  }
}
