// Loading this takes a while. Import it only where a request is made.
import 'reflect-metadata';
import { KeyObject } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';

/** A new P-256 key (PKCS #8) and a request for a certificate for it, both PEM. The issuer decides on the subject. */
export async function newCertificateRequest(): Promise<{ readonly csrPem: string; readonly keyPem: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=to be enrolled',
    keys,
    signingAlgorithm: algorithm,
  });
  const keyPem = KeyObject.from(keys.privateKey).export({ format: 'pem', type: 'pkcs8' }).toString();
  return { csrPem: request.toString('pem'), keyPem };
}
