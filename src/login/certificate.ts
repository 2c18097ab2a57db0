// Client certificates (spec 5.3). Only the leaf says who somebody is, because only its key was proved by the
// handshake; whatever else was sent may help to find the path to a trusted authority. All of it is judged anew at
// each login and refresh.

import type { AttemptRecorder, RefusalReason } from '../model/login-attempt.ts';
import type { Clock } from '../platform/clock.ts';
import { describeRefusal, type PathRefusal } from '../platform/path-refusal.ts';
import { type PathVerdict, type TrustAnchor, validateClientPath } from '../platform/path-validation.ts';
import { displaySubject, parseCertificate } from '../platform/x509.ts';
import { type Account, type AccountNeeds, mayLogIn, readAccount } from './account.ts';
import { externalIdFrom } from './ca-claim.ts';
import type { PrimaryVerdict } from './primary-verdict.ts';
import type { TrustedAuthorities } from './trusted-authorities.ts';

export interface CertificateLoginNeeds extends AccountNeeds {
  readonly authorities: TrustedAuthorities;
  readonly clock: Clock;
}

type TrustedPath = Extract<PathVerdict, { verdict: 'trusted' }>;
type Passed = Extract<PrimaryVerdict, { verdict: 'passed' }>;

/** @param chain DER of what the connection proved and brought, the leaf first; null when it brought nothing */
export async function verifyCertificate(
  needs: CertificateLoginNeeds,
  chain: readonly Buffer[] | null,
  attempt: AttemptRecorder,
): Promise<PrimaryVerdict> {
  const [leaf, ...intermediates] = chain ?? [];
  if (leaf === undefined) {
    attempt.failed('certificate', 'no-certificate');
    return { verdict: 'refused' };
  }
  attempt.about({ subject: subjectOf(leaf) });
  const now = needs.clock.now();
  // Whether an expired one is good enough is up to the policy of somebody who is not known yet.
  const anchors = needs.authorities.anchors();
  const path = validateClientPath({ leaf, intermediates, anchors, now, allowExpired: true });
  if (path.verdict === 'refused') {
    attempt.failed('path', reasonOf(path.refusal), describeRefusal(path.refusal));
    return { verdict: 'refused' };
  }
  attempt.passed('path', `leads to ${displaySubject(path.anchor.x509)}`);
  const found = await accountOf(needs, path, attempt);
  if (found === null || !mayLogIn(found.account, 'cert', attempt, now)) return { verdict: 'refused' };
  const { policy } = found.account;
  if (path.leaf.isExpired && !policy.primary.cert.allowExpiredCerts) {
    attempt.failed(
      'validity',
      'certificate-expired',
      `policy ${policy.name} does not allow expired certificates`,
    );
    return { verdict: 'refused' };
  }
  attempt.passed('validity', path.leaf.isExpired ? `expired, which policy ${policy.name} allows` : undefined);
  // The store was asked meanwhile, and somebody may have turned the authority off.
  if (!isStillTrusted(needs, path.anchor)) {
    attempt.failed('unchanged', 'changed-meanwhile', 'the authority was disabled during the login');
    return { verdict: 'refused' };
  }
  return {
    verdict: 'passed',
    account: found.account,
    authenticatorId: found.authenticatorId,
    certThumbprint: path.leaf.thumbprint,
    caId: needs.authorities.caOf(path.anchor)?.id ?? null,
    usedToken: null,
    verifiedHash: null,
  };
}

/** By the certificate itself if somebody has it, else by the rule of the authority that the path ends in. */
async function accountOf(
  needs: CertificateLoginNeeds,
  path: TrustedPath,
  attempt: AttemptRecorder,
): Promise<Pick<Passed, 'account' | 'authenticatorId'> | null> {
  const known = await needs.store.authenticators.findCertificateLogin(path.leaf.thumbprint);
  if (known !== null) {
    attempt.passed('certificate known', known.identity.name);
    return { account: known, authenticatorId: known.authenticator.id };
  }
  const ca = needs.authorities.caOf(path.anchor);
  if (ca === undefined || ca.externalIdClaim === null) {
    attempt.failed('certificate known', 'unknown-thumbprint', `SHA-256 ${path.leaf.thumbprint}`);
    return null;
  }
  const claim = externalIdFrom(path.leaf.names, ca.externalIdClaim);
  if (claim.verdict === 'refused') {
    attempt.failed('external id', 'certificate-claim-missing', `rule of ${ca.name}: ${claim.reason}`);
    return null;
  }
  const account = await accountWithExternalId(needs, claim.externalId);
  if (account === null) {
    const saw = `rule of ${ca.name}: no identity has the external id "${claim.externalId}"`;
    attempt.failed('external id', 'no-identity-for-claim', saw);
    return null;
  }
  attempt.passed('external id', `rule of ${ca.name}: "${claim.externalId}"`);
  return { account, authenticatorId: null };
}

async function accountWithExternalId(
  needs: CertificateLoginNeeds,
  externalId: string,
): Promise<Account | null> {
  const identity = await needs.store.identities.findByExternalId(externalId);
  return identity === null ? null : readAccount(needs, identity.id);
}

function isStillTrusted({ authorities }: CertificateLoginNeeds, anchor: TrustAnchor): boolean {
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
