import { ProtocolError, Refusal } from '../../../../packages/client/src/errors.ts';
import * as library from '../../../../packages/client/src/oidc/provider.ts';
import type { Clock } from '../../../platform/clock.ts';
import { CliError } from '../../terminal/output.ts';
import { failure } from './answer-failure.ts';
import type { HttpsClient } from './https-client.ts';

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
