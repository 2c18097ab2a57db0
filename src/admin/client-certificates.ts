// Certificates that administrators submit: parsed once, and refused by the name of their field.

import { MalformedInput } from '../platform/formats/strict-input.ts';
import { type PathCertificate, readPathCertificate } from '../platform/x509/path-certificate.ts';
import { parseCertificates } from '../platform/x509/x509.ts';
import { refusedField } from './acceptable-values.ts';

const longestPem = 16_384;
const clientAuth = '1.3.6.1.5.5.7.3.2';

interface AcceptableCertificate {
  readonly certificate: PathCertificate;
  /** Only this certificate, without the text around it. */
  readonly pem: string;
}

/** Exactly one certificate. @throws AuthError could_not_validate */
export function acceptableCertificate(field: string, pem: string): AcceptableCertificate {
  const [certificate, ...others] = acceptableCertificates(field, pem);
  if (certificate === undefined || others.length > 0)
    throw refusedField(field, 'must be exactly one certificate in PEM form (several certificates)');
  return { certificate, pem: certificate.x509.toString() };
}

/** One or more certificates. @throws AuthError could_not_validate */
export function acceptableCertificates(field: string, pem: string): readonly PathCertificate[] {
  if (pem.length > longestPem) throw refusedField(field, `must have at most ${longestPem} characters`);
  try {
    return parseCertificates(pem).map(({ raw }) => readPathCertificate(raw));
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    throw refusedField(field, `must be exactly one certificate in PEM form (${error.reason})`);
  }
}

/** A certificate for logging in, judged by its own contents alone. @throws AuthError could_not_validate */
export function acceptableLeaf(field: string, pem: string): AcceptableCertificate {
  const acceptable = acceptableCertificate(field, pem);
  const { isCa, extendedKeyUsages, keyUsage } = acceptable.certificate.extensions;
  if (isCa) throw refusedField(field, 'is a certificate authority, which does not log in');
  if (extendedKeyUsages?.includes(clientAuth) === false || keyUsage?.digitalSignature === false)
    throw refusedField(field, 'is not meant for client authentication');
  return acceptable;
}
