// Loading this takes a while. Import it only where a request is made.
import 'reflect-metadata';
import { createPrivateKey, createPublicKey, KeyObject } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A new P-256 key (PKCS #8) and a request for a certificate for it, both PEM. The issuer decides on the subject. */
export async function newCertificateRequest(): Promise<{ readonly csrPem: string; readonly keyPem: string }> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=to be enrolled',
    keys,
    signingAlgorithm: algorithm,
  });
  const keyPem = KeyObject.from(keys.privateKey).export({ format: 'pem', type: 'pkcs8' }).toString();
  return { csrPem: request.toString('pem'), keyPem };
}

/** A request for a server certificate, DER. @param keyPem P-256, PKCS #8 @param hosts DNS names */
export async function serverCertificateRequest(keyPem: string, hosts: readonly string[]): Promise<Buffer> {
  const privateKey = createPrivateKey(keyPem).toCryptoKey(algorithm, true, ['sign']);
  const publicKey = createPublicKey(keyPem).toCryptoKey(algorithm, true, ['verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys: { privateKey, publicKey },
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension(hosts.map((value) => ({ type: 'dns', value })))],
  });
  return Buffer.from(request.rawData);
}
