import { createSecureContext } from 'node:tls';
import { usageError } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { readNamedFile } from '../../terminal/secret-input.ts';
import type { SavedLogin, Trust } from './credentials-store.ts';
import { createHttpsClient, type HttpsClient, type TlsOptions } from './https-client.ts';
import { identityFileOf } from './identity-file.ts';
import { trustedCertificates } from './server-trust.ts';

/** A client for one server, with the trust that it needs and the client certificate of a login that has one. */
export async function connectionTo(
  ports: CliPorts,
  trust: Trust | undefined,
  clientCertificate: SavedLogin['clientCertificate'],
): Promise<HttpsClient> {
  const ca = trustedCertificates(trust);
  const options: TlsOptions = {
    ...(ca === undefined ? {} : { ca }),
    ...(clientCertificate === undefined
      ? {}
      : { clientCertificate: await readPair(ports, clientCertificate) }),
  };
  return createHttpsClient(options, ports.clock);
}

async function readPair(
  ports: CliPorts,
  { certFile, keyFile }: NonNullable<SavedLogin['clientCertificate']>,
): Promise<{ cert: string; key: string }> {
  const text = await readNamedFile(ports, certFile, 'certificate');
  const identity = identityFileOf(text, certFile);
  const cert = identity?.cert ?? text;
  const key =
    identity !== undefined && keyFile === certFile
      ? identity.key
      : await readNamedFile(ports, keyFile, 'key');
  try {
    // Checked now: inside a request this would look like a failed connection.
    createSecureContext({ cert, key });
  } catch {
    throw usageError(
      certFile === keyFile
        ? `${certFile} does not contain a certificate and its key in PEM form.`
        : `${certFile} and ${keyFile} are not a certificate and its key in PEM form.`,
      'check --cert and --key',
    );
  }
  return { cert, key };
}
