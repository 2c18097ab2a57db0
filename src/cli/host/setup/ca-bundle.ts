// The file with the authorities that the controller trusts as its own PKI. Others that were added to it, for example by
// an import, and texts between them, stay.

import type { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { readable, readIfThere, writeWhole } from '../../../platform/whole-file.ts';
import { parseCertificate, pemCertificate } from '../../../platform/x509/x509.ts';

/** Adds certificates that are not in the file yet, first; makes the file if there is none. */
export function trustIn(file: string, certificates: readonly X509Certificate[]): void {
  const text = readIfThere(file);
  const present = trustedIn(file);
  const missing = certificates.filter((one) => !isAmong(present, one));
  if (missing.length === 0) return;
  const mode = text === undefined ? readable : statSync(file).mode & 0o777;
  writeWhole(file, missing.map(String).join('') + (text ?? ''), mode);
}

/** Removes certificates from the file. */
export function distrustIn(file: string, certificates: readonly X509Certificate[]): void {
  const text = readIfThere(file) ?? '';
  const rest = text.replaceAll(pemCertificate, (block) =>
    isAmong(certificates, parseCertificate(block)) ? '' : block,
  );
  if (rest === text) return;
  writeWhole(file, rest.replaceAll(/\n{2,}/g, '\n').trimStart(), statSync(file).mode & 0o777);
}

/** @throws MalformedInput one cannot be read */
export function trustedIn(file: string): readonly X509Certificate[] {
  return (readIfThere(file)?.match(pemCertificate) ?? []).map((block) => parseCertificate(block));
}

export function isAmong(certificates: readonly X509Certificate[], one: X509Certificate): boolean {
  return certificates.some(({ raw }) => raw.equals(one.raw));
}
