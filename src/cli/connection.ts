import { CliError } from './cli-error.ts';
import type { SavedLogin, Trust } from './credentials-store.ts';
import { createHttpsClient, type HttpsClient, type TlsOptions } from './https-client.ts';
import type { CliPorts } from './ports.ts';
import { readNamedFile } from './secret-input.ts';
import { trustedCertificates } from './server-trust.ts';

/** A client for one server: with what proves the server, and with what proves us where a login needs it. */
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
  try {
    return createHttpsClient(options);
  } catch (error) {
    throw new CliError('The certificate and the key do not fit together.', {
      code: 'certificate_invalid',
      cause: error,
    });
  }
}

async function readPair(
  ports: CliPorts,
  { certFile, keyFile }: NonNullable<SavedLogin['clientCertificate']>,
): Promise<{ cert: string; key: string }> {
  return {
    cert: await readNamedFile(ports, certFile, 'certificate'),
    key: await readNamedFile(ports, keyFile, 'key'),
  };
}
