// Why a client certificate is not trusted: a closed list, for the audit trail and for administrators. Clients never
// learn it.

import { isoTime, type Millis } from '../clock.ts';
import type { GeneralName, PathCertificate } from './path-certificate.ts';
import { displaySubject } from './x509.ts';

export type CertificateRole = 'leaf' | 'intermediate' | 'anchor';

/** The certificate that a reason refers to. */
export interface NamedCertificate {
  readonly role: CertificateRole;
  /** On one line, for display only. */
  readonly subject: string;
  /** SHA-256 of the DER form, base64url. */
  readonly thumbprint: string;
}

export type PathRefusal =
  /** The leaf or an intermediate is not a certificate according to RFC 5280; `problem` is short. */
  | { readonly reason: 'malformed'; readonly role: CertificateRole; readonly problem: string }
  /** No trusted authority issued `certificate`, the last one of the longest chain that could be built. */
  | {
      readonly reason: 'untrusted';
      readonly certificate: NamedCertificate;
      readonly issuer: string;
      readonly isSelfSigned: boolean;
    }
  /** It names a known issuer, but was not signed with that issuer's key. */
  | { readonly reason: 'bad-signature'; readonly certificate: NamedCertificate; readonly issuer: string }
  | { readonly reason: 'expired'; readonly certificate: NamedCertificate; readonly notAfter: Millis }
  | { readonly reason: 'not-yet-valid'; readonly certificate: NamedCertificate; readonly notBefore: Millis }
  /** It issued the next certificate without being an authority. */
  | { readonly reason: 'not-a-ca'; readonly certificate: NamedCertificate }
  | { readonly reason: 'cert-sign-not-allowed'; readonly certificate: NamedCertificate }
  /** More authorities follow than its pathLenConstraint allows. */
  | {
      readonly reason: 'path-length-exceeded';
      readonly certificate: NamedCertificate;
      readonly allowed: number;
    }
  | {
      readonly reason: 'wrong-usage';
      readonly certificate: NamedCertificate;
      readonly problem: 'no-client-auth' | 'no-digital-signature' | 'is-a-trust-anchor';
    }
  | {
      readonly reason: 'name-not-permitted';
      readonly certificate: NamedCertificate;
      readonly form: GeneralName['form'];
      /** The authority that restricts the names. */
      readonly constrainedBy: NamedCertificate;
    }
  | {
      readonly reason: 'unknown-critical-extension';
      readonly certificate: NamedCertificate;
      readonly oid: string;
    }
  | { readonly reason: 'policy-constraints'; readonly certificate: NamedCertificate }
  | {
      readonly reason: 'algorithm-not-accepted';
      readonly certificate: NamedCertificate;
      readonly algorithm: string;
    }
  | { readonly reason: 'key-not-accepted'; readonly certificate: NamedCertificate; readonly key: string }
  | { readonly reason: 'chain-too-large'; readonly limit: 'certificates' | 'bytes' }
  /** Building or checking paths was given up. */
  | { readonly reason: 'too-much-work' };

/** Names a certificate in a refusal. */
export function nameCertificate(certificate: PathCertificate, role: CertificateRole): NamedCertificate {
  return { role, subject: displaySubject(certificate.x509), thumbprint: certificate.thumbprint };
}

/** One sentence for an administrator. Contains names from the certificate: escape it in markup. */
export function describeRefusal(refusal: PathRefusal): string {
  switch (refusal.reason) {
    case 'malformed':
      return `${roleWords[refusal.role]} is malformed: ${refusal.problem}.`;
    case 'untrusted':
      return refusal.isSelfSigned
        ? `${describe(refusal.certificate)} is self-signed and not among the trusted authorities.`
        : `No trusted authority issued ${lower(describe(refusal.certificate))}; its issuer "${refusal.issuer}" is neither trusted nor was its certificate sent.`;
    case 'bad-signature':
      return `${describe(refusal.certificate)} names "${refusal.issuer}" as its issuer, but was not signed with the key of that authority.`;
    case 'expired':
      return `${describe(refusal.certificate)} expired at ${isoTime(refusal.notAfter)}.`;
    case 'not-yet-valid':
      return `${describe(refusal.certificate)} is not valid before ${isoTime(refusal.notBefore)}.`;
    case 'not-a-ca':
      return `${describe(refusal.certificate)} issued a certificate but is not an authority (basicConstraints).`;
    case 'cert-sign-not-allowed':
      return `${describe(refusal.certificate)} issued a certificate but its key usage does not allow that (keyCertSign).`;
    case 'path-length-exceeded':
      return `${describe(refusal.certificate)} allows ${refusal.allowed} further authorities below it, and there are more.`;
    case 'wrong-usage':
      return `${describe(refusal.certificate)} ${usageProblems[refusal.problem]}.`;
    case 'name-not-permitted':
      return `${describe(refusal.certificate)} has a name (${refusal.form}) that ${lower(describe(refusal.constrainedBy))} does not permit.`;
    case 'unknown-critical-extension':
      return `${describe(refusal.certificate)} has a critical extension that is not supported: ${refusal.oid}.`;
    case 'policy-constraints':
      return `${describe(refusal.certificate)} has policy constraints, which are not supported.`;
    case 'algorithm-not-accepted':
      return `${describe(refusal.certificate)} is signed with an algorithm that is not accepted: ${refusal.algorithm}.`;
    case 'key-not-accepted':
      return `${describe(refusal.certificate)} has a key that is not accepted: ${refusal.key}.`;
    case 'chain-too-large':
      return `The certificates sent exceed the limit of ${refusal.limit}.`;
    case 'too-much-work':
      return 'The certificates sent can be combined in too many ways.';
  }
}

const roleWords: Readonly<Record<CertificateRole, string>> = {
  leaf: 'The client certificate',
  intermediate: 'The intermediate certificate',
  anchor: 'The trusted authority',
};

const usageProblems = {
  'no-client-auth': 'may not be used by clients (extended key usage without clientAuth)',
  'no-digital-signature': 'may not sign (key usage without digitalSignature)',
  'is-a-trust-anchor': 'is itself a trusted authority, which does not log in',
} as const;

function describe(certificate: NamedCertificate): string {
  return `${roleWords[certificate.role]} "${certificate.subject}"`;
}

function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
