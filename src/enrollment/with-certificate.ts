// Enrollment with a certificate from a third-party authority: `ottca` gives it to the identity of a token, `ca` also
// creates the identity. The handshake has proven the key; the path is validated as for a login.

import { trimmedName } from '../admin/acceptable-values.ts';
import { AuthError } from '../errors/auth-error.ts';
import { claimRefusals, externalIdFrom } from '../login/certificate/ca-claim.ts';
import { findTrustedPath, type TrustedPath } from '../login/certificate/trusted-path.ts';
import { voucherOf } from '../login/primary-verdict.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import type { Ca } from '../model/entities/ca.ts';
import { type AuthenticatorId, asId, type CaId, type IdentityId, type StoredName } from '../model/ids.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import { isSameAuthority, parseCertificate } from '../platform/x509/x509.ts';
import type { NewCertificateAuthenticator } from '../store/contracts/authenticators.ts';
import {
  attemptToEnroll,
  byRule,
  type Enrolled,
  type EnrollmentServices,
  refusal,
} from './enroll-attempt.ts';
import { enrollNewIdentity, requireExternalId } from './new-identity.ts';
import { openEnrollment, redeemEnrollment } from './open-enrollment.ts';

/** DER, the leaf first; null when the connection sent none. */
type Chain = readonly Buffer[] | null;

/**
 * `ottca`: gives the identity of a token the certificate of the connection.
 * @throws AuthError enrollment_certificate_refused, enrollment_not_allowed   the token keeps working
 * @throws AuthError as openEnrollment and redeemEnrollment
 */
export function enrollWithOwnCertificate(
  needs: EnrollmentServices,
  { token, chain }: { token: string; chain: Chain },
  origin: RequestOrigin,
): Promise<Enrolled> {
  return attemptToEnroll(needs, { method: 'ottca', origin }, async (attempt) => {
    const open = await openEnrollment(needs, { token, method: 'ottca' }, attempt);
    const { path, ca, leaf } = await authorityOf(needs, chain, attempt);
    const asked = trustedAs(needs, path, open.enrollment.caId);
    if (asked === undefined) throw refusal(attempt, { ...wrongAuthority, saw: ca.name });
    if (!asked.isOttCaEnrollmentEnabled) throw notAllowed(attempt, `${asked.name}: isOttCaEnrollmentEnabled`);
    const certificate = certificateOf(needs, open.identity.id, { leaf, path });
    return redeemEnrollment(
      needs,
      { open, authenticator: { method: 'cert', ...certificate }, certificateChain: null },
      attempt,
    );
  });
}

/**
 * `ca`: creates an identity from a certificate, by the rules of the authority that issued it.
 * @param requestedName a name that the authority's name format may use
 * @throws AuthError enrollment_certificate_refused, enrollment_not_allowed, already_enrolled
 */
export function enrollByCa(
  needs: EnrollmentServices,
  { chain, requestedName }: { chain: Chain; requestedName: string },
  origin: RequestOrigin,
): Promise<Enrolled> {
  return attemptToEnroll(needs, { method: 'ca', origin }, async (attempt) => {
    const { path, ca, leaf } = await authorityOf(needs, chain, attempt);
    if (!ca.isAutoCaEnrollmentEnabled) throw notAllowed(attempt, `${ca.name}: isAutoCaEnrollmentEnabled`);
    const id = asId<IdentityId>(needs.random.id());
    const name = nameOf(ca, { path, id, requestedName }, attempt);
    const identity = {
      id,
      name,
      type: 'Default',
      externalId: externalIdOf(ca, path, attempt),
      isAdmin: false,
      roleAttributes: ca.identityRoles,
    } as const;
    const certificate = certificateOf(needs, id, { leaf, path });
    await enrollNewIdentity(needs, { identity, voucher: voucherOf('ca', ca), certificate }, attempt);
    return { identityId: id, certificateChain: null };
  });
}

const wrongAuthority = {
  check: 'authority',
  reason: 'enrollment-other-ca',
  code: 'enrollment_certificate_refused',
  description: 'The client certificate was not issued by the CA of this enrollment',
} as const;

async function authorityOf(
  needs: EnrollmentServices,
  chain: Chain,
  attempt: AttemptRecorder,
): Promise<{ readonly path: TrustedPath; readonly ca: Ca; readonly leaf: Buffer }> {
  const path = await findTrustedPath(needs, chain, { attempt, allowExpired: false });
  const leaf = chain?.[0];
  if (path === null || leaf === undefined)
    throw new AuthError('enrollment_certificate_refused', {
      description:
        leaf === undefined
          ? 'Connect with the client certificate that is to be enrolled'
          : 'The client certificate of the connection is not valid, was revoked, or is of no CA that is trusted here',
    });
  const ca = needs.authorities.caOf(path.anchor);
  if (ca === undefined)
    throw refusal(attempt, { ...wrongAuthority, saw: "an authority of the overlay's own PKI" });
  attempt.passed('authority', ca.name);
  return { path, ca, leaf };
}

/**
 * The CA with this id, if it is trusted and the path leads to it too: one that was renewed with its key is registered
 * twice, and the path names the stricter of the two.
 */
function trustedAs(
  { authorities }: EnrollmentServices,
  { anchor }: TrustedPath,
  id: CaId | null,
): Ca | undefined {
  const asked = id === null ? undefined : authorities.find(id);
  const isIts = asked !== undefined && isSameAuthority(parseCertificate(asked.certPem), anchor.x509);
  return isIts ? asked : undefined;
}

function notAllowed(attempt: AttemptRecorder, saw: string): AuthError {
  const why = { check: 'allowed by the CA', reason: 'enrollment-not-allowed', saw } as const;
  return refusal(attempt, { ...why, code: 'enrollment_not_allowed' });
}

function certificateOf(
  { random }: EnrollmentServices,
  identityId: IdentityId,
  { leaf, path }: { leaf: Buffer; path: TrustedPath },
): NewCertificateAuthenticator {
  return {
    id: asId<AuthenticatorId>(random.id()),
    identityId,
    certPem: parseCertificate(leaf).toString(),
    thumbprint: path.leaf.thumbprint,
    tags: {},
  };
}

const usualFormat = '[caName]-[commonName]';

/** The format with its placeholders filled in. Inserted values are never expanded again. */
function nameOf(
  ca: Ca,
  { path, id, requestedName }: { path: TrustedPath; id: IdentityId; requestedName: string },
  attempt: AttemptRecorder,
): StoredName {
  const [commonName = ''] = path.leaf.names.commonNames;
  const values: Readonly<Record<string, string>> = {
    caName: ca.name,
    caId: ca.id,
    commonName,
    identityId: id,
    requestedName,
  };
  const format = ca.identityNameFormat === '' ? usualFormat : ca.identityNameFormat;
  const filled = format.replaceAll(/\[(\w+)\]/g, (whole, placeholder: string) =>
    Object.hasOwn(values, placeholder) ? (values[placeholder] ?? '') : whole,
  );
  return byRule(attempt, { check: 'name', reason: 'enrollment-name-refused' }, () =>
    trimmedName('name', filled),
  );
}

/** The id by which later certificates of the same device find the identity, if the authority has a rule for it. */
function externalIdOf(ca: Ca, path: TrustedPath, attempt: AttemptRecorder): string | null {
  if (ca.externalIdClaim === null) return null;
  const claim = externalIdFrom(path.leaf.names, ca.externalIdClaim);
  if (claim.verdict === 'found') return requireExternalId(claim.externalId, attempt);
  const saw = `rule of ${ca.name}: ${claimRefusals[claim.reason]}`;
  const why = { check: 'external id', reason: 'certificate-claim-missing', saw } as const;
  const description = 'The client certificate lacks the name that this CA tells identities apart by';
  throw refusal(attempt, { ...why, code: 'enrollment_certificate_refused', description });
}
