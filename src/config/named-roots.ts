// The contents of files that a setting names: secrets, and authorities in PEM.

import { fileErrorReason } from '../platform/file-error-reason.ts';
import { trustingContext } from '../platform/network/outbound-trust.ts';
import { readText } from '../platform/read-file.ts';
import { parseCertificates } from '../platform/x509/x509.ts';
import { ConfigError } from './config-error.ts';

/** @param path of the setting. @throws ConfigError the file cannot be read */
export function readNamed(path: string, file: string): string {
  try {
    return readText(file);
  } catch (error) {
    throw refusedFile(path, `${file} cannot be read: ${fileErrorReason(error)}`);
  }
}

/** A secret in one line. @param path of the setting. @throws ConfigError the file cannot be read, or has other lines */
export function readSecretLine(path: string, file: string): string {
  const line = readNamed(path, file).replace(/\r?\n$/, '');
  if (line === '' || /[\r\n\0]/.test(line)) throw refusedFile(path, `${file} is not one line`);
  return line;
}

/** Authorities, PEM. @param path of the setting. @throws ConfigError the file cannot be read, or contains none */
export function readRoots(path: string, file: string): string {
  const pem = readNamed(path, file);
  try {
    parseCertificates(pem);
    trustingContext([pem]);
    return pem;
  } catch {
    throw refusedFile(path, `${file} contains no certificates in PEM, or a broken one`);
  }
}

export function refusedFile(path: string, message: string, hint: string | null = null): ConfigError {
  return new ConfigError([{ message, file: 'configuration', line: null, column: null, path, hint }]);
}
