import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { isIssuedBy, parseCertificates } from './x509.ts';

/**
 * Whether a server's chain leads to an authority that programs trust without being told: each certificate is issued by
 * the next one, and the last one by a public root. Says nothing about times and names.
 * @param chain PEM, the server's certificate first
 * @param roots PEM; default: those of the runtime, which are Mozilla's
 * @throws MalformedInput
 */
export function leadsToPublicAuthority(chain: string, roots: readonly string[] = rootCertificates): boolean {
  const certificates = parseCertificates(chain);
  const isLinked = certificates.every((certificate, at) => {
    const issuer = certificates[at + 1];
    return issuer === undefined || isIssuedBy(certificate, issuer);
  });
  const last = certificates.at(-1);
  if (last === undefined || !isLinked) return false;
  return roots.some((pem) => isIssuedBy(last, new X509Certificate(pem)));
}
