// Checks the certificate that opened a session again, without a connection that presents it: for sessions whose calls
// may come over any connection. login/standing.ts checks everything else that a session depends on.

import type { Account } from '../../model/account.ts';
import type { ApiSession } from '../../model/api-session.ts';
import type { Millis } from '../../platform/clock.ts';
import { type TrustAnchor, validateClientPath } from '../../platform/x509/path-validation.ts';
import type { CertificateServices } from '../services.ts';
import { externalIdFrom } from './ca-claim.ts';
import { type CheckedCertificate, checkedCertificates, isChecked } from './revocation.ts';
import type { ValidPath } from './trusted-path.ts';

/** What a chain proves. Valid while `anchors` are the trusted ones, and before `soundUntil`. */
export interface JudgedChain {
  readonly anchors: readonly TrustAnchor[];
  readonly soundUntil: Millis;
  readonly leafNotAfter: Millis;
  /** The external id that the authority's rule finds; null without a rule, or if it finds none. */
  readonly externalId: string | null;
  /** What decides whether its third-party authority has revoked one; empty: that is not checked. */
  readonly checked: readonly CheckedCertificate[];
}

/** The path of a chain to an authority that is trusted now; null: there is none. */
export function pathOfChain(
  { authorities, clock }: Pick<CertificateServices, 'authorities' | 'clock'>,
  [leaf, ...intermediates]: readonly Buffer[],
): ValidPath | null {
  if (leaf === undefined) return null;
  // Whether an expired leaf is accepted depends on the policy.
  const of = { leaf, intermediates, anchors: authorities.anchors(), now: clock.now(), allowExpired: true };
  const verdict = validateClientPath(of);
  return verdict.verdict === 'trusted' ? verdict : null;
}

export function judgeChain(
  { authorities }: Pick<CertificateServices, 'authorities'>,
  path: ValidPath,
): JudgedChain {
  const ca = authorities.caOf(path.anchor);
  const rule = ca?.externalIdClaim ?? null;
  const claim = rule === null ? null : externalIdFrom(path.leaf.names, rule);
  return {
    anchors: authorities.anchors(),
    soundUntil: path.soundUntil,
    leafNotAfter: path.leaf.notAfter,
    externalId: claim?.verdict === 'found' ? claim.externalId : null,
    checked: isChecked(ca) ? checkedCertificates(path.certificates) : [],
  };
}

/** Whether a chain would open the session today. Its authenticator exists: deleting one ends what it opened. */
export function stillOpens(
  { leafNotAfter, externalId }: JudgedChain,
  {
    session: { authenticatorId },
    account: { identity, policy },
  }: { session: Pick<ApiSession, 'authenticatorId'>; account: Pick<Account, 'identity' | 'policy'> },
  now: Millis,
): boolean {
  if (now > leafNotAfter && !policy.primary.cert.allowExpiredCerts) return false;
  return authenticatorId !== null || (externalId !== null && externalId === identity.externalId);
}
