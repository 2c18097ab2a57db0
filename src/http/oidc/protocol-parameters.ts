// Parameters of the protocol endpoints, from query and body, and the client that Basic names.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import type { BasicCredentials } from '../../oidc/grants/authenticate-client.ts';
import type { Parameters } from '../../oidc/parameters.ts';

/** A query or form in which every parameter may be repeated. The endpoint decides what that means. */
export const anyParameters = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
type AnyParameters = z.output<typeof anyParameters>;

/** Every value of every name, in order. Values of earlier sources come first. */
export function parametersOf(...sources: readonly AnyParameters[]): Parameters {
  const parameters = new Map<string, string[]>();
  for (const source of sources) {
    for (const [name, value] of Object.entries(source)) {
      const values = Array.isArray(value) ? value : [value];
      parameters.set(name, [...(parameters.get(name) ?? []), ...values]);
    }
  }
  return parameters;
}

/**
 * The credentials of an `Authorization: Basic` line (RFC 6749 2.3.1), or null when there is none.
 * @throws AuthError client_not_authenticated   it cannot be decoded
 */
export function basicCredentials(authorization: readonly string[]): BasicCredentials | null {
  const line = authorization.find((value) => /^basic /i.test(value));
  if (line === undefined) return null;
  const pair = Buffer.from(line.slice('basic '.length).trim(), 'base64url').toString();
  const colon = pair.indexOf(':');
  if (colon === -1)
    throw new AuthError('client_not_authenticated', { detail: 'Basic credentials without a colon' });
  try {
    return {
      clientId: decodeURIComponent(pair.slice(0, colon).replaceAll('+', ' ')),
      secret: decodeURIComponent(pair.slice(colon + 1).replaceAll('+', ' ')),
    };
  } catch (cause) {
    throw new AuthError('client_not_authenticated', {
      detail: 'Basic credentials with a malformed escape',
      cause,
    });
  }
}
