import { readFileSync } from 'node:fs';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { type PostgresTls, PostgresTlsError } from '../../platform/network/postgres-tls.ts';
import { parseCertificates } from '../../platform/x509/x509.ts';

/** What the next connection uses; `false`: no TLS. */
export type TlsForConnections = () => ConnectionOptions | false;

/**
 * Reads the files that the URL names, once now and again for each connection, so that certificates that are replaced
 * while a controller runs are used without a restart. While the new files cannot be used, those of before are.
 * @throws PostgresTlsError a file does not hold what it should; or the error of the file system
 */
export function tlsForConnections(tls: PostgresTls): TlsForConnections {
  if (tls.protection === 'plain' || tls.protection === 'unasked') return () => false;
  let latest = readFiles(tls);
  return () => {
    try {
      latest = readFiles(tls);
    } catch {
      // Whoever replaces them may be half-way.
    }
    // pg changes the object that it gets.
    return { ...latest };
  };
}

function readFiles({ protection, rootFile, certFile, keyFile }: PostgresTls): ConnectionOptions {
  const options: ConnectionOptions = {
    rejectUnauthorized: protection === 'verified',
    ...(rootFile === null ? {} : { ca: certificatesIn('sslrootcert', rootFile) }),
    ...(certFile === null ? {} : { cert: certificatesIn('sslcert', certFile) }),
    ...(keyFile === null ? {} : { key: readFileSync(keyFile, 'utf8') }),
  };
  try {
    createSecureContext(options);
  } catch (cause) {
    throw new PostgresTlsError(
      `the client certificate for PostgreSQL cannot be used: sslkey must be the key of sslcert, in PEM form and without a passphrase (${String(keyFile)})`,
      { cause },
    );
  }
  return options;
}

function certificatesIn(parameter: string, file: string): string {
  const pem = readFileSync(file, 'utf8');
  try {
    parseCertificates(pem);
  } catch (cause) {
    throw new PostgresTlsError(
      `${parameter} of the PostgreSQL URL names ${file}, which holds no certificate in PEM form`,
      {
        cause,
      },
    );
  }
  return pem;
}
