// Checks the certificate that opened a session again, without a connection that presents it: for sessions whose calls
// may come over any connection. login/standing.ts checks everything else that a session depends on.

import type { Account } from '../../model/account.ts';
import type { ApiSession } from '../../model/api-session.ts';
import type { Millis } from '../../platform/clock.ts';
import { type TrustAnchor, validateClientPath } from '../../platform/x509/path-validation.ts';
import type { CertificateServices } from '../services.ts';
import { externalIdFrom } from './ca-claim.ts';

/** What a chain proves. Valid while `anchors` are the trusted ones, and before `soundUntil`. */
export interface JudgedChain {
  readonly anchors: readonly TrustAnchor[];
  readonly soundUntil: Millis;
  readonly leafNotAfter: Millis;
  /** The external id that the authority's rule finds; null without a rule, or if it finds none. */
  readonly externalId: string | null;
}

/** Null when the chain leads to no authority that is trusted now. */
export function judgeChain(
  { authorities, clock }: CertificateServices,
  [leaf, ...intermediates]: readonly Buffer[],
): JudgedChain | null {
  if (leaf === undefined) return null;
  const anchors = authorities.anchors();
  // Whether an expired leaf is accepted depends on the policy.
  const question = { leaf, intermediates, anchors, now: clock.now(), allowExpired: true };
  const verdict = validateClientPath(question);
  if (verdict.verdict === 'refused') return null;
  const rule = authorities.caOf(verdict.anchor)?.externalIdClaim ?? null;
  const claim = rule === null ? null : externalIdFrom(verdict.leaf.names, rule);
  return {
    anchors,
    soundUntil: verdict.soundUntil,
    leafNotAfter: verdict.leaf.notAfter,
    externalId: claim?.verdict === 'found' ? claim.externalId : null,
  };
}

/** Whether a chain would open the session today. Its authenticator exists: deleting one ends what it opened. */
export function stillOpens(
  { leafNotAfter, externalId }: JudgedChain,
  {
    session: { authenticatorId },
    account: { identity, policy },
  }: {
    readonly session: Pick<ApiSession, 'authenticatorId'>;
    readonly account: Pick<Account, 'identity' | 'policy'>;
  },
  now: Millis,
): boolean {
  if (now > leafNotAfter && !policy.primary.cert.allowExpiredCerts) return false;
  return authenticatorId !== null || (externalId !== null && externalId === identity.externalId);
}
