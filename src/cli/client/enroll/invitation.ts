// Reads an enrollment JWT, and checks that the server it names has signed it.

import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { compactVerify } from 'jose';
import { SECOND } from '../../../platform/clock.ts';
import { asObject, numberField, textField } from '../../../platform/formats/json-shape.ts';
import { CliError } from '../../terminal/cli-error.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { readJwt } from '../connection/jwt-text.ts';
import { transportFailure } from '../connection/transport-failure.ts';

export interface Invitation {
  /** The JWT itself. */
  readonly jwt: string;
  /** `https://host:port` */
  readonly origin: string;
  readonly method: string;
  readonly token: string;
  readonly identityId: string;
}

const askForAnother =
  'ask the operator for a new one   (overlay-auth enrollment refresh NAME -o FILE on their side)';

/** Reads a JWT. Nothing is verified yet. @throws CliError */
export function readInvitation(ports: CliPorts, jwt: string): Invitation {
  const claims = asObject(readJwt(jwt)?.payload);
  const origin = originOf(textField(claims, 'iss') ?? '');
  const method = textField(claims, 'em');
  if (origin === undefined || method === undefined) {
    throw new CliError('This is not an enrollment JWT.', { code: 'not_an_enrollment', next: askForAnother });
  }
  if (method === 'network') {
    throw new CliError('This JWT names a network; it does not enroll an identity.', {
      code: 'not_an_enrollment',
      next: `overlay-auth login ${origin}`,
    });
  }
  const expiry = numberField(claims, 'exp');
  if (expiry !== undefined && expiry * SECOND <= ports.clock.now()) {
    const since = new Date(expiry * SECOND).toISOString();
    throw new CliError(`The enrollment has expired at ${since}.`, {
      code: 'ENROLLMENT_EXPIRED',
      next: askForAnother,
    });
  }
  const token = textField(claims, 'jti') ?? '';
  return { jwt, origin, method, token, identityId: textField(claims, 'sub') ?? '' };
}

function originOf(issuer: string): string | undefined {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  return url?.protocol === 'https:' ? url.origin : undefined;
}

const algorithms = ['ES256', 'ES384', 'ES512', 'RS256', 'EdDSA'];

/**
 * The server's certificate, if its key signed the JWT: so whoever issued the JWT vouches for the server before any
 * authority is known here. The token is sent to no other server.
 * @throws CliError a different server answers there, or none
 */
export async function certificateOfSigner({ origin, jwt }: Invitation): Promise<X509Certificate> {
  const leaf = await presentedCertificate(origin);
  try {
    await compactVerify(jwt, leaf.publicKey, { algorithms });
    return leaf;
  } catch (error) {
    throw new CliError(
      `The server at ${origin} did not sign this JWT: it is another server, or its key was changed since.`,
      { code: 'server_untrusted', next: askForAnother, cause: error },
    );
  }
}

function presentedCertificate(origin: string): Promise<X509Certificate> {
  const url = new URL(origin);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((fulfil, fail) => {
    const socket = connect({
      host,
      port: Number(url.port || 443),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      minVersion: 'TLSv1.2',
      // Only to read the certificate: the connection is closed before anything is sent.
      rejectUnauthorized: false,
    });
    socket.setTimeout(10 * SECOND, () =>
      socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
    );
    socket.once('error', (error) => fail(transportFailure(origin, error)));
    socket.once('secureConnect', () => {
      const { raw } = socket.getPeerCertificate(false);
      socket.destroy();
      fulfil(new X509Certificate(raw));
    });
  });
}
