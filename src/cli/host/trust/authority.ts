import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Millis } from '../../../platform/clock.ts';
import { fileErrorReason } from '../../../platform/file-error-reason.ts';
import { MalformedInput } from '../../../platform/formats/strict-input.ts';
import { readPathCertificate } from '../../../platform/x509/path-certificate.ts';
import { displaySubject, isIssuedBy, isSelfSigned, parseCertificates } from '../../../platform/x509/x509.ts';
import { CliError } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { configPath, loadConfigFile, shownPath } from '../load-config.ts';
import { homePaths } from '../setup/home.ts';

/** An authority that programs of this computer should trust. */
export interface Authority {
  /** PEM of one certificate, and nothing else from the file. */
  readonly pem: string;
  /** Absolute. */
  readonly file: string;
  readonly subject: string;
  /** SHA-256, as `AB:CD:…`. */
  readonly fingerprint: string;
  /** SHA-1 in hex, which macOS finds it by. */
  readonly sha1: string;
  /** Its name in the stores, which contains its fingerprint. */
  readonly name: string;
  readonly expiresAt: Millis;
  /** Whether its certificate limits the names it can vouch for. @see RFC 5280 section 4.2.1.10 */
  readonly isLimited: boolean;
}

/**
 * Reads an authority from a file or from the home of a configuration.
 * @throws CliError no such file; not one root authority; expired; not the signer of the server certificate
 */
export function readAuthority(
  ports: CliPorts,
  named: { readonly file: string | undefined; readonly config: string | undefined },
): Authority {
  if (named.file !== undefined) return authorityIn(ports, resolve(ports.cwd, named.file));
  const configFile = configPath(ports, named);
  const { config } = loadConfigFile(ports, configFile);
  const authority = authorityIn(ports, homePaths(ports.cwd, dirname(configFile)).rootCa.cert);
  const [root] = parseCertificates(authority.pem);
  const [server] = parseCertificates(textOf(ports, config.identity.serverCertFile));
  if (root === undefined || server === undefined || !isIssuedBy(server, root))
    throw new CliError(
      'The server certificate of this configuration does not come from the authority of its home.',
      {
        code: 'foreign_certificate',
        next: 'overlay-auth pki trust FILE   (FILE: the certificate of that authority, from its operator)',
      },
    );
  return authority;
}

function authorityIn(ports: CliPorts, file: string): Authority {
  const shown = shownPath(ports.cwd, file);
  const certificates = certificatesIn(ports, file);
  const [certificate] = certificates;
  if (certificate === undefined || certificates.length > 1)
    throw refused(
      `${shown} holds ${certificates.length} certificates, and you have to decide about each of them.`,
    );
  if (!certificate.ca || !isSelfSigned(certificate))
    throw refused(
      `The certificate in ${shown} is not that of a root authority: it ${certificate.ca ? 'was issued by another authority' : 'may not sign certificates'}.`,
    );
  const { extensions, notAfter } = readPathCertificate(certificate.raw);
  if (notAfter <= ports.clock.now()) throw refused(`The authority in ${shown} has expired.`);
  const fingerprint = certificate.fingerprint256;
  return {
    pem: certificate.toString(),
    file,
    subject: displaySubject(certificate),
    fingerprint,
    sha1: certificate.fingerprint.replaceAll(':', ''),
    name: `overlay-auth-${fingerprint.replaceAll(':', '').toLowerCase().slice(0, 16)}`,
    expiresAt: notAfter,
    isLimited: extensions.nameConstraints !== undefined,
  };
}

function certificatesIn(ports: CliPorts, file: string): ReturnType<typeof parseCertificates> {
  try {
    return parseCertificates(textOf(ports, file));
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    throw refused(
      `${shownPath(ports.cwd, file)} contains no certificate in PEM form, or a broken one.`,
      error,
    );
  }
}

function textOf(ports: CliPorts, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw refused(`${shownPath(ports.cwd, file)} cannot be read: ${fileErrorReason(error)}.`, error);
  }
}

function refused(message: string, cause?: unknown): CliError {
  return new CliError(message, {
    code: 'not_an_authority',
    next: 'give the file with the certificate of the root authority: overlay-auth pki trust FILE',
    cause,
  });
}
