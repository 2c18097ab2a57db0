// The rules of RFC 5280 section 6.1 for a path whose signatures are already verified. The trust anchor has to follow
// the same rules as the authorities below it, although section 6.1.1 would use only its name and key: the constraints
// in a root certificate are meant to apply.

import type { Millis } from '../clock.ts';
import { forbiddenName } from './name-constraints.ts';
import type { GeneralName, PathCertificate } from './path-certificate.ts';
import {
  type CertificateRole,
  type NamedCertificate,
  nameCertificate,
  type PathRefusal,
} from './path-refusal.ts';

/** The leaf first, the trust anchor last. */
export type CertificatePath = readonly PathCertificate[];

export interface PathConditions {
  readonly now: Millis;
  /** Accepts an expired leaf. Nothing else: neither an expired authority, nor a leaf that is not valid yet. */
  readonly allowExpired: boolean;
  /** Accepts certificates that are not for clients: the path shows possession of a key, and is not a login. */
  readonly anyPurpose?: boolean;
}

/** A certificate at its place in a path. */
interface Step {
  readonly certificate: PathCertificate;
  readonly role: CertificateRole;
  /** From the leaf up to the authority just below this one. */
  readonly below: CertificatePath;
}

const clientAuthOid = '1.3.6.1.5.5.7.3.2';
const anyUsageOid = '2.5.29.37.0';
/** Comparisons of names with constraints in one path. No certificate in use comes near. */
const mostComparisons = 50_000;

/** The first rule that the path breaks, from the anchor down, names last. Undefined when it breaks none. */
export function brokenRule(path: CertificatePath, conditions: PathConditions): PathRefusal | undefined {
  const steps = path.map((certificate, index): Step => {
    const role = index === 0 ? 'leaf' : index === path.length - 1 ? 'anchor' : 'intermediate';
    return { certificate, role, below: path.slice(0, index) };
  });
  for (const step of steps.toReversed()) {
    const refusal =
      brokenInGeneral(step, conditions) ??
      (step.role === 'leaf' ? undefined : brokenByAuthority(step)) ??
      (conditions.anyPurpose === true ? undefined : brokenByPurpose(step));
    if (refusal !== undefined) return refusal;
  }
  return brokenNameConstraint(steps);
}

/** Why an anchor would break every path that ends in it. */
export function brokenByAnchor(anchor: PathCertificate, now: Millis): PathRefusal | undefined {
  const step: Step = { certificate: anchor, role: 'anchor', below: [] };
  return (
    brokenInGeneral(step, { now, allowExpired: false }) ?? brokenByAuthority(step) ?? brokenByPurpose(step)
  );
}

function brokenInGeneral(step: Step, { now, allowExpired }: PathConditions): PathRefusal | undefined {
  const { notBefore, notAfter, extensions } = step.certificate;
  const [oid] = extensions.unknownCritical;
  if (oid !== undefined) return { reason: 'unknown-critical-extension', certificate: named(step), oid };
  if (extensions.hasPolicyConstraints) return { reason: 'policy-constraints', certificate: named(step) };
  if (now < notBefore) return { reason: 'not-yet-valid', certificate: named(step), notBefore };
  if (now > notAfter && !(allowExpired && step.role === 'leaf'))
    return { reason: 'expired', certificate: named(step), notAfter };
  return undefined;
}

function brokenByAuthority(step: Step): PathRefusal | undefined {
  const { isCa, pathLength, keyUsage } = step.certificate.extensions;
  if (!isCa) return { reason: 'not-a-ca', certificate: named(step) };
  if (keyUsage?.keyCertSign === false) return { reason: 'cert-sign-not-allowed', certificate: named(step) };
  // Self-issued ones do not count: authorities use them to change their key. @see RFC 5280 section 4.2.1.9
  const authoritiesBelow = step.below.slice(1).filter((below) => !isSelfIssued(below)).length;
  if (pathLength !== undefined && authoritiesBelow > pathLength)
    return { reason: 'path-length-exceeded', certificate: named(step), allowed: pathLength };
  return undefined;
}

function brokenByPurpose(step: Step): PathRefusal | undefined {
  const { keyUsage, extendedKeyUsages } = step.certificate.extensions;
  if (step.role !== 'leaf') {
    // On an authority, they limit the purposes of everything it issues.
    const isForClients = extendedKeyUsages?.some((usage) => usage === clientAuthOid || usage === anyUsageOid);
    if (isForClients !== false) return undefined;
    return { reason: 'wrong-usage', certificate: named(step), problem: 'no-client-auth' };
  }
  // anyExtendedKeyUsage is not enough here: section 4.2.1.12 leaves that to the application.
  if (extendedKeyUsages?.includes(clientAuthOid) === false)
    return { reason: 'wrong-usage', certificate: named(step), problem: 'no-client-auth' };
  // The client signs the handshake.
  if (keyUsage?.digitalSignature === false)
    return { reason: 'wrong-usage', certificate: named(step), problem: 'no-digital-signature' };
  return undefined;
}

function brokenNameConstraint(steps: readonly Step[]): PathRefusal | undefined {
  let comparisons = 0;
  for (const constraining of steps.toReversed()) {
    const constraints = constraining.certificate.extensions.nameConstraints;
    if (constraints === undefined) continue;
    for (const step of steps.slice(0, constraining.below.length)) {
      // An authority that changes its key need not be within its own constraints. @see section 6.1.3 (b)
      if (step.role !== 'leaf' && isSelfIssued(step.certificate)) continue;
      const names = constrainedNames(step.certificate);
      comparisons += names.length * (constraints.permitted.length + constraints.excluded.length);
      if (comparisons > mostComparisons) return { reason: 'too-much-work' };
      const name = forbiddenName(names, constraints);
      if (name !== undefined)
        return {
          reason: 'name-not-permitted',
          certificate: named(step),
          form: name.form,
          constrainedBy: named(constraining),
        };
    }
  }
  return undefined;
}

// All alternative names, and the subject; also mail addresses in the subject, even beside alternative names.
function constrainedNames({ subject, extensions }: PathCertificate): readonly GeneralName[] {
  const names: GeneralName[] = [...extensions.alternativeNames];
  if (subject.parts.length > 0) names.push({ form: 'directory', name: subject });
  for (const text of subject.emails) names.push({ form: 'email', text });
  return names;
}

function isSelfIssued({ subject, issuer }: PathCertificate): boolean {
  return subject.key === issuer.key;
}

function named({ certificate, role }: Step): NamedCertificate {
  return nameCertificate(certificate, role);
}
