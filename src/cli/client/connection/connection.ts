import { createSecureContext } from 'node:tls';
import { ProtocolError, Refusal } from '../../../../packages/client/src/errors.ts';
import * as library from '../../../../packages/client/src/oidc/provider.ts';
import type { Clock } from '../../../platform/clock.ts';
import { CliError, usageError } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { readNamedFile } from '../../terminal/secret-input.ts';
import { failure } from './answer-failure.ts';
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

/**
 * Reads the discovery document of the server at `origin`.
 * @throws CliError when there is none, or it is for another origin
 */
export async function discover(http: HttpsClient, clock: Clock, origin: string): Promise<library.Provider> {
  try {
    const { transport } = http;
    return await library.discover({ baseUrl: origin, transport, now: () => clock.now() });
  } catch (error) {
    throw notDiscovered(origin, error);
  }
}

function notDiscovered(origin: string, error: unknown): unknown {
  if (error instanceof Refusal && error.status === 421) {
    return new CliError(`The server was reached, but it does not go by the name in ${origin}.`, {
      code: 'server_name_mismatch',
      next: 'use the address that its operator configured, for example https://localhost:1280',
    });
  }
  if (error instanceof ProtocolError && error.code === 'issuer_mismatch') {
    return failure(error, { next: 'log in with the address that the server announces' });
  }
  if (error instanceof Refusal || (error instanceof ProtocolError && error.code === 'discovery_failed')) {
    const status = error instanceof Refusal ? ` (status ${error.status})` : '';
    return new CliError(`${origin} is not an Overlay Auth server with OpenID Connect${status}.`, {
      code: 'discovery_failed',
      next: 'check the address; the OpenID Connect provider may be on another listener',
      cause: error,
    });
  }
  return failure(error, { next: 'tell the operator of the server' });
}
