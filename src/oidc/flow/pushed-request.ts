// Pushed authorization requests (RFC 9126). The `request_uri` is the sealed request itself: a stranger costs no stored
// row, and any node can continue. It works once, because every login that it begins has the same key.

import { AuthError, AuthorizationError } from '../../errors/auth-error.ts';
import { type AuthRequestKey, asId } from '../../model/ids.ts';
import { type Millis, SECOND } from '../../platform/clock.ts';
import { isAuthenticated } from '../clients.ts';
import { authenticateClient, type ClientCredentials } from '../grants/authenticate-client.ts';
import { type GrantRequest, provenKey } from '../grants/grant.ts';
import { isRepeated, type Parameters, parameter } from '../parameters.ts';
import type { OidcServices } from '../services.ts';
import { type OidcBindPoint, validateAuthorizationRequest } from './authorization-request.ts';

/** How long a `request_uri` can be used. */
const pushedLifetime: Millis = 90 * SECOND;

const urn = 'urn:ietf:params:oauth:request_uri:';

interface Pushed {
  readonly key: AuthRequestKey;
  readonly clientId: string;
  readonly issuer: string;
  readonly parameters: Parameters;
  readonly at: Millis;
}

/** Parameters that authenticate the client; they are not part of the request. */
const proofs = ['client_secret', 'client_assertion', 'client_assertion_type'];

/**
 * Authenticates the client as the token endpoint does, and checks the request as the authorization endpoint does.
 * @returns expiresIn in Millis; `isAuthenticated`: false for a public client, which proves nothing
 * @throws AuthError as `authenticateClient`
 * @throws AuthError the error of the request (RFC 9126 2.3)
 */
export async function pushRequest(
  needs: OidcServices,
  { parameters, basic, proof }: Omit<ClientCredentials, 'issuer'> & Pick<GrantRequest, 'proof'>,
  bindPoint: OidcBindPoint,
) {
  const { issuer } = bindPoint;
  const client = await authenticateClient(needs, { parameters, basic, issuer, proof });
  const { clientId } = client;
  if (parameter(parameters, 'request_uri') !== null)
    throw new AuthError('invalid_request', {
      description: 'request_uri cannot be pushed (RFC 9126 section 2.1)',
    });
  // RFC 9449 10.1: as if its key stood in the parameters. Nothing but that follows from the proof.
  const proven = await provenKey(needs, { proof, client }, { owner: null });
  const wanted = parameter(parameters, 'dpop_jkt') ?? proven;
  if (proven !== null && wanted !== proven)
    throw new AuthError('invalid_request', { description: 'dpop_jkt is not the key of the DPoP proof' });
  const kept = Object.entries(parameters).filter(([name]) => !proofs.includes(name));
  const pushed: Parameters = Object.assign(Object.create(null), Object.fromEntries(kept), {
    client_id: clientId,
    ...(proven === null ? {} : { dpop_jkt: proven }),
  });
  const at = needs.clock.now();
  const key = asId<AuthRequestKey>(needs.random.id());
  try {
    validateAuthorizationRequest(needs, pushed, { bindPoint, browser: null, pushedAs: key });
  } catch (error) {
    // Only the browser shows whether a person is signed in.
    if (!(error instanceof AuthorizationError)) throw error;
    if (error.code !== 'login_required')
      throw new AuthError(error.code, { description: error.description, cause: error });
  }
  const sealed = needs.pushedRequests.seal(
    JSON.stringify({ key, clientId, issuer, parameters: pushed, at } satisfies Pushed),
    at,
  );
  return {
    requestUri: `${urn}${sealed}`,
    expiresIn: pushedLifetime,
    isAuthenticated: isAuthenticated(client),
  };
}

/**
 * The pushed request that `request_uri` names, in place of the parameters (RFC 9126 4); otherwise the parameters.
 * @throws AuthError invalid_request   it is not ours, has expired, or is another client's
 * @returns the request that counts, and its key if it was pushed
 */
export function askedRequest(
  needs: Pick<OidcServices, 'clock' | 'pushedRequests'>,
  parameters: Parameters,
  issuer: string,
) {
  const uri = isRepeated(parameters, 'request_uri') ? null : parameter(parameters, 'request_uri');
  if (uri === null || !uri.startsWith(urn)) return { parameters, pushedAs: null };
  const now = needs.clock.now();
  const plain = needs.pushedRequests.open(uri.slice(urn.length), now);
  const pushed = plain === undefined ? undefined : (JSON.parse(plain) as Pushed);
  if (pushed === undefined || now >= pushed.at + pushedLifetime)
    throw refused('request_uri has expired, or does not come from here: push the request again');
  if (pushed.issuer !== issuer) throw refused('request_uri was pushed at another bind point');
  if (parameter(parameters, 'client_id') !== pushed.clientId)
    throw refused('request_uri belongs to another client_id');
  return { parameters: Object.assign(Object.create(null), pushed.parameters), pushedAs: pushed.key };
}

function refused(description: string): AuthError {
  return new AuthError('invalid_request', { description });
}
