import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { type PostgresTls, PostgresTlsError } from '../../platform/network/postgres-tls.ts';
import { readText } from '../../platform/read-file.ts';
import { parseCertificates } from '../../platform/x509/x509.ts';

/** The TLS options of the next connection; `false`: no TLS. */
export type TlsForConnections = () => ConnectionOptions | false;

/**
 * Reads the files that the URL names, now and again for each connection, so that certificates can be replaced while a
 * controller runs. As long as new files cannot be used, the previous ones are.
 * @throws PostgresTlsError a file has the wrong content; or the error of the file system
 */
export function tlsForConnections(tls: PostgresTls): TlsForConnections {
  if (tls.protection === 'plain' || tls.protection === 'unasked') return () => false;
  let latest = readFiles(tls);
  return () => {
    try {
      latest = readFiles(tls);
    } catch {
      // An administrator may be replacing them right now.
    }
    // pg changes the object that it receives.
    return { ...latest };
  };
}

function readFiles({ protection, rootFile, certFile, keyFile }: PostgresTls): ConnectionOptions {
  const options: ConnectionOptions = {
    rejectUnauthorized: protection === 'verified',
    ...(rootFile === null ? {} : { ca: certificatesIn('sslrootcert', rootFile) }),
    ...(certFile === null ? {} : { cert: certificatesIn('sslcert', certFile) }),
    ...(keyFile === null ? {} : { key: readText(keyFile) }),
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
  const pem = readText(file);
  try {
    parseCertificates(pem);
  } catch (cause) {
    throw new PostgresTlsError(
      `${parameter} of the PostgreSQL URL names ${file}, which contains no certificate in PEM form, or a broken one`,
      { cause },
    );
  }
  return pem;
}
