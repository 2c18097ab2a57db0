// Which authorities the certificates of the source need. The source contains none of those that its controller issues
// with: the operator who imports has to name them.

import { isBarred, isTrustedForLogin } from '../../../src/model/entities/ca.ts';
import type { Millis } from '../../../src/platform/clock.ts';
import { MalformedInput } from '../../../src/platform/formats/strict-input.ts';
import { type PathCertificate, readPathCertificate } from '../../../src/platform/x509/path-certificate.ts';
import { describeRefusal } from '../../../src/platform/x509/path-refusal.ts';
import { type PathQuestion, validateClientPath } from '../../../src/platform/x509/path-validation.ts';
import { isIssuedBy, parseCertificate } from '../../../src/platform/x509/x509.ts';
import type { MappedCa } from './map/cas.ts';
import type { MappedCertificate } from './map/certificates.ts';
import type { Findings } from './map/findings.ts';

/** An authority to be added to the overlay's own. */
export interface AddedAuthority {
  readonly anchor: PathCertificate;
  /** It was not named, but chains of the source contain it, and a named authority issued it. */
  readonly isFromSource: boolean;
}

/**
 * The named authorities that are not trusted yet, and those below them in chains of the source, so that clients that
 * send only their leaf are recognized too.
 * @param named certificates, in order; the caller has removed those that are not authorities
 */
export function authoritiesToAdd(
  named: readonly PathCertificate[],
  own: readonly PathCertificate[],
  certificates: readonly MappedCertificate[],
): readonly AddedAuthority[] {
  const known = new Set(own.map(({ thumbprint }) => thumbprint));
  const added = new Map<string, AddedAuthority>();
  for (const anchor of named) {
    if (!known.has(anchor.thumbprint)) added.set(anchor.thumbprint, { anchor, isFromSource: false });
  }
  const issuers = [...named];
  const open = intermediatesOf(certificates);
  for (const issuer of issuers) {
    for (const [thumbprint, anchor] of open) {
      if (!isIssuedBy(anchor.x509, issuer.x509)) continue;
      open.delete(thumbprint);
      issuers.push(anchor);
      if (!known.has(thumbprint) && !added.has(thumbprint))
        added.set(thumbprint, { anchor, isFromSource: true });
    }
  }
  return [...added.values()];
}

const mostIntermediates = 100;

function intermediatesOf(certificates: readonly MappedCertificate[]): Map<string, PathCertificate> {
  const found = new Map<string, PathCertificate>();
  const read = new Set<string>();
  for (const der of certificates.flatMap(({ intermediates }) => intermediates)) {
    const text = der.toString('latin1');
    if (read.has(text) || read.size >= mostIntermediates) continue;
    read.add(text);
    try {
      const anchor = readPathCertificate(parseCertificate(der).raw);
      if (anchor.extensions.isCa) found.set(anchor.thumbprint, anchor);
    } catch (error) {
      if (!(error instanceof MalformedInput)) throw error;
    }
  }
  return found;
}

/** Reports for each certificate that cannot log in why not. @param own the authorities trusted after the import */
export function reportUntrusted(
  needs: { readonly findings: Findings; readonly now: Millis },
  certificates: readonly MappedCertificate[],
  { own, cas }: { readonly own: readonly PathCertificate[]; readonly cas: readonly MappedCa[] },
): void {
  const anchors = [...own, ...cas.filter(({ ca }) => isTrustedForLogin(ca)).map(({ anchor }) => anchor)];
  const barred = cas.filter(({ ca }) => isBarred(ca)).map(({ anchor }) => anchor);
  for (const { leaf, intermediates, subject } of certificates) {
    const question = { leaf: leaf.x509.raw, intermediates, barred, now: needs.now, allowExpired: true };
    const path = validateClientPath({ ...question, anchors });
    if (path.verdict === 'trusted') continue;
    const untrusted = path.refusal.reason === 'untrusted';
    const shut = untrusted ? shutCaOf(question, cas) : null;
    if (shut !== null) {
      const why = shut.verifiedAt === null ? 'is not verified' : 'has authentication off';
      needs.findings.deviates(
        subject,
        'certPem',
        `cannot log in: its CA ${shut.name} ${why}, in the source too`,
      );
      continue;
    }
    const advice = untrusted ? '; name the certificates of the authority that issued it with --trust' : '';
    needs.findings.deviates(subject, 'certPem', `cannot log in: ${describeRefusal(path.refusal)}${advice}`);
  }
}

/**
 * The third-party CA whose certificates do not log in at the source, if a certificate leads there: nothing here may
 * advise to let it in.
 */
function shutCaOf(question: Omit<PathQuestion, 'anchors'>, cas: readonly MappedCa[]): MappedCa['ca'] | null {
  const shut = cas.filter(({ ca }) => !isTrustedForLogin(ca));
  const leads = ({ anchor }: MappedCa) => {
    const path = validateClientPath({ ...question, anchors: [anchor] });
    return path.verdict === 'trusted' || path.refusal.reason !== 'untrusted';
  };
  return shut.find(leads)?.ca ?? null;
}
