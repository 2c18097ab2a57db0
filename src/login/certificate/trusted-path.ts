// The path of a client certificate to an authority that may log somebody in: what logins and enrolments by
// certificate have in common.

import type { AttemptRecorder, RefusalReason } from '../../model/login-attempt.ts';
import type { Clock } from '../../platform/clock.ts';
import { describeRefusal, type PathRefusal } from '../../platform/x509/path-refusal.ts';
import {
  type PathVerdict,
  type TrustAnchor,
  validateClientPath,
} from '../../platform/x509/path-validation.ts';
import { displaySubject, parseCertificate } from '../../platform/x509/x509.ts';
import type { TrustedAuthorities } from './trusted-authorities.ts';

export interface TrustedPathNeeds {
  readonly authorities: TrustedAuthorities;
  readonly clock: Clock;
}

export type TrustedPath = Extract<PathVerdict, { verdict: 'trusted' }>;

/**
 * Validates what a connection brought and records what was found.
 * @param chain DER of what the connection proved and brought, the leaf first; null when it brought nothing
 * @param allowExpired whether an expired leaf is let through, for the caller to judge
 * @returns null when it is refused
 */
export function findTrustedPath(
  needs: TrustedPathNeeds,
  chain: readonly Buffer[] | null,
  attempt: AttemptRecorder,
  allowExpired: boolean,
): TrustedPath | null {
  const [leaf, ...intermediates] = chain ?? [];
  if (leaf === undefined) {
    attempt.failed('certificate', 'no-certificate');
    return null;
  }
  attempt.about({ subject: subjectOf(leaf) });
  const anchors = needs.authorities.anchors();
  const path = validateClientPath({ leaf, intermediates, anchors, now: needs.clock.now(), allowExpired });
  if (path.verdict === 'refused') {
    attempt.failed('path', reasonOf(path.refusal), describeRefusal(path.refusal));
    return null;
  }
  attempt.passed('path', `leads to ${displaySubject(path.anchor.x509)}`);
  return path;
}

/** Whether nobody turned the authority off meanwhile. To be asked last, without waiting for anything afterwards. */
export function isStillTrusted({ authorities }: TrustedPathNeeds, anchor: TrustAnchor): boolean {
  return authorities.anchors().some(({ thumbprint }) => thumbprint === anchor.thumbprint);
}

/** What is wrong with an authority is a matter of the chain; only the leaf is the caller's own. */
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
