// Client certificates (spec 5.3). Only the leaf identifies the client, because the handshake proved only its key. Other
// certificates of the client may help to find the path to a trusted authority. Everything is checked again at each
// login and refresh.

import type { AuthPolicy } from '../../model/entities/auth-policy.ts';
import type { IdentityId } from '../../model/ids.ts';
import type { AttemptRecorder, StepOrigin, StepResult } from '../../model/login-attempt.ts';
import { sha256 } from '../../platform/digest.ts';
import { shownFingerprint } from '../../platform/formats/fingerprint.ts';
import type { PathCertificate } from '../../platform/x509/path-certificate.ts';
import {
  type CertificateProof,
  type LoginAccount,
  mayLogIn,
  type PrimaryVerdict,
  voucherOf,
} from '../primary-verdict.ts';
import type { LoginServices } from '../services.ts';
import { claimRefusals, externalIdFrom } from './ca-claim.ts';
import { findTrustedPath, noteExpired, type TrustedPath, type ValidPath } from './trusted-path.ts';

/** The account that the certificate identifies. */
interface Found {
  readonly account: LoginAccount;
  readonly authenticatorId: CertificateProof['authenticatorId'];
  readonly vouched: CertificateProof['vouched'];
}

/** @param chain DER of the connection's certificates, the proven leaf first; null when it sent nothing */
export async function verifyCertificate(
  needs: LoginServices,
  chain: readonly Buffer[] | null,
  attempt: AttemptRecorder,
): Promise<PrimaryVerdict<CertificateProof>> {
  // Whether an expired one is accepted depends on the policy of an identity that is not known yet.
  const path = await findTrustedPath(needs, chain, { attempt, allowExpired: true });
  if (path === null) return { verdict: 'refused' };
  const found = await accountOf(needs, path, attempt);
  if (found === null || !mayLogIn(found.account, { method: 'cert', now: needs.clock.now() }, attempt))
    return { verdict: 'refused' };
  if (!isWithinValidity(found.account.policy, path, attempt)) return { verdict: 'refused' };
  // The store was asked meanwhile, and the authority may have been disabled. Nothing is awaited from here on.
  if (!needs.authorities.anchors().some(({ thumbprint }) => thumbprint === path.anchor.thumbprint)) {
    attempt.failed('unchanged', 'changed-meanwhile', 'the authority was disabled during the login');
    return { verdict: 'refused' };
  }
  return {
    verdict: 'passed',
    account: found.account,
    proof: {
      method: 'cert',
      authenticatorId: found.authenticatorId,
      certThumbprint: path.leaf.thumbprint,
      certificates: chain?.filter((der, at) => at === 0 || path.path.includes(sha256(der))) ?? [],
      caId: needs.authorities.caOf(path.anchor)?.id ?? null,
      vouched: found.vouched,
    },
  };
}

/**
 * Whether the certificate that opened a session would open it today, as a new login is checked: with the present
 * authorities, policy, identity and time. Only a refusal leaves a record: going on is no login.
 * @param chain DER of the connection's certificates, the proven leaf first
 */
export async function wouldStillOpen(
  needs: LoginServices,
  { chain, identityId }: { chain: readonly Buffer[]; identityId: IdentityId },
  { mechanism, origin }: StepOrigin,
): Promise<boolean> {
  const { verdict } = await needs.attempts.decide(
    { step: 'cert', mechanism, origin },
    async (attempt): Promise<StepResult> => {
      const decided = await verifyCertificate(needs, chain, attempt);
      if (decided.verdict === 'refused') return decided;
      if (decided.account.identity.id === identityId) return { verdict: 'unrecorded' };
      const saw = 'the certificate belongs to another identity than before';
      attempt.failed('identity', 'changed-meanwhile', saw);
      return { verdict: 'refused' };
    },
  );
  return verdict === 'unrecorded';
}

/** Whether a trusted certificate has not expired, or the policy accepts expired ones. Recorded. */
export function isWithinValidity(
  policy: AuthPolicy,
  {
    leaf: { isExpired },
    certificates: [leaf],
  }: { leaf: Pick<ValidPath['leaf'], 'isExpired'>; certificates: readonly Pick<PathCertificate, 'x509'>[] },
  attempt: AttemptRecorder,
): boolean {
  if (isExpired && !policy.primary.cert.allowExpiredCerts) {
    const saw = `policy ${policy.name} does not allow expired certificates`;
    attempt.failed('validity', 'certificate-expired', saw);
    if (leaf !== undefined) noteExpired(leaf.x509, attempt);
    return false;
  }
  attempt.passed('validity', isExpired ? `expired, which policy ${policy.name} allows` : undefined);
  return true;
}

/**
 * Found by the certificate itself if it is registered, otherwise by the rule of the authority at the end of the path.
 */
async function accountOf(
  needs: LoginServices,
  path: TrustedPath,
  attempt: AttemptRecorder,
): Promise<Found | null> {
  const ca = needs.authorities.caOf(path.anchor);
  const known = await needs.store.authenticators.findCertificateLogin(path.leaf.thumbprint);
  if (known !== null) {
    attempt.passed('certificate known', known.identity.name);
    const vouched = ca === undefined ? null : { voucher: voucherOf('ca', ca), externalId: null };
    return { account: known, authenticatorId: known.authenticator.id, vouched };
  }
  if (ca === undefined || ca.externalIdClaim === null)
    return attempt.failed(
      'certificate known',
      'unknown-thumbprint',
      `SHA-256 ${shownFingerprint(path.leaf.thumbprint)}`,
    );
  const claim = externalIdFrom(path.leaf.names, ca.externalIdClaim);
  if (claim.verdict === 'refused')
    return attempt.failed(
      'external id',
      'certificate-claim-missing',
      `rule of ${ca.name}: ${claimRefusals[claim.reason]}`,
    );
  const account = await needs.store.identities.findAccountByExternalId(claim.externalId);
  if (account === null) {
    const saw = `rule of ${ca.name}: no identity has the external id "${claim.externalId}"`;
    return attempt.failed('external id', 'no-identity-for-claim', saw);
  }
  attempt.passed('external id', `rule of ${ca.name}: "${claim.externalId}"`);
  const { externalId } = account.identity;
  return { account, authenticatorId: null, vouched: { voucher: voucherOf('ca', ca), externalId } };
}
