// Finds out which client sent a request, and authenticates it (RFC 6749 2.3, 3.2.1, OIDC Core 9), at each
// endpoint that clients call themselves.

import { AuthError, recordingClient } from '../../errors/auth-error.ts';
import {
  type ClientAuthMethod,
  type OidcClientSecret,
  usesSecret,
} from '../../model/entities/oidc-client.ts';
import { HOUR, type Millis } from '../../platform/clock.ts';
import { constantTimeEqual, sha256 } from '../../platform/digest.ts';
import { quoted, shorterThanSecrets } from '../../platform/formats/quoted.ts';
import type { PresentedProof } from '../../tokens/dpop-proof.ts';
import { type Client, unknownClient } from '../clients.ts';
import { optional, type Parameters, required } from '../parameters.ts';
import type { OidcServices } from '../services.ts';
import { assertionType, requireAssertion, subjectOf } from './client-assertion.ts';

/** Credentials of HTTP Basic, decoded. A public client has an empty secret. */
export interface BasicCredentials {
  readonly clientId: string;
  readonly secret: string;
}

/** The parts of a request that identify its client. */
export interface ClientCredentials {
  readonly parameters: Parameters;
  readonly basic: BasicCredentials | null;
  /** Of the bind point at which it arrived. */
  readonly issuer: string;
  /** Of a key (RFC 9449); absent where the endpoint does not check one. */
  readonly proof?: PresentedProof | null;
}

/** How the sender tried to authenticate. */
interface Proof {
  readonly method: Exclude<ClientAuthMethod, `client_secret_${string}`> | 'client_secret';
  readonly clientId: string;
  /** The secret or the assertion; empty for `none`. */
  readonly secret: string;
}

/**
 * The client of a request. Its secret may come in the header or in the form, whichever of both is registered: RFC 6749
 * 2.3.1 lets a server take both, and refusing a secret that was sent already protects nothing. One that is missing, or
 * that the client should not have, is refused alike in both.
 * @throws AuthError invalid_request            no client is named, or it authenticates in several ways
 * @throws AuthError invalid_client             there is no such client, and it did not try to authenticate
 * @throws AuthError client_not_authenticated   everything else, alike
 * @throws AuthError use_dpop_nonce             it authenticates, and the same assertion may come again with the nonce
 */
export async function authenticateClient(needs: OidcServices, sent: ClientCredentials): Promise<Client> {
  const { method, clientId, secret } = proofOf(sent);
  const client = needs.clients.find(clientId);
  if (client === undefined) {
    if (method === 'none') throw unknownClient(clientId);
    throw notAuthenticated(`there is no client ${quoted(clientId, shorterThanSecrets)}`);
  }
  return recordingClient(clientId, async () => {
    const registered = client.registered?.tokenEndpointAuthMethod ?? 'none';
    const expected = usesSecret(registered) ? 'client_secret' : registered;
    if (method !== expected) throw notAuthenticated(`it uses ${method} in place of ${expected}`);
    if (client.registered === null || method === 'none') return client;
    if (method === 'private_key_jwt') {
      await requireAssertion(needs, client.registered, { ...sent, assertion: secret });
      return client;
    }
    const held = matching(client.registered.secrets, secret);
    if (held === undefined) throw notAuthenticated('the secret is not one of its own');
    await noteUse(needs, held);
    return client;
  });
}

/** Whether a request tries to authenticate its client. */
export function hasClientProof({ parameters, basic }: Omit<ClientCredentials, 'issuer'>): boolean {
  return basic !== null || 'client_secret' in parameters || 'client_assertion' in parameters;
}

function proofOf({ parameters, basic }: ClientCredentials): Proof {
  const named = optional(parameters, 'client_id');
  const secret = optional(parameters, 'client_secret');
  const assertion = optional(parameters, 'client_assertion');
  const ways = [basic !== null && basic.secret !== '', secret !== null, assertion !== null];
  if (ways.filter((isUsed) => isUsed).length > 1)
    throw new AuthError('invalid_request', {
      description: 'the client proves itself in more than one way (RFC 6749 section 2.3)',
    });
  if (assertion !== null) {
    if (optional(parameters, 'client_assertion_type') !== assertionType)
      throw new AuthError('invalid_request', {
        description: `client_assertion_type must be ${assertionType}`,
      });
    return {
      method: 'private_key_jwt',
      clientId: sameId(named, subjectOf(assertion) ?? ''),
      secret: assertion,
    };
  }
  const clientId = basic === null ? required(parameters, 'client_id') : sameId(named, basic.clientId);
  const given = secret ?? basic?.secret ?? '';
  return { method: given === '' ? 'none' : 'client_secret', clientId, secret: given };
}

function sameId(named: string | null, proven: string): string {
  if (named !== null && named !== proven) throw notAuthenticated('it names two clients');
  return proven;
}

/** Compares every secret, so that timing does not reveal which one it was. */
function matching(secrets: readonly OidcClientSecret[], presented: string): OidcClientSecret | undefined {
  const hash = sha256(presented);
  return secrets.filter((secret) => constantTimeEqual(secret.hash, hash))[0];
}

const noteEvery: Millis = HOUR;

/** Rounded to the hour, so that a secret in constant use does not cause constant writes. */
async function noteUse({ store, clock }: OidcServices, { id, lastUsedAt }: OidcClientSecret): Promise<void> {
  const now = clock.now();
  if (lastUsedAt !== null && now < lastUsedAt + noteEvery) return;
  await store.oidcClients.noteSecretUse(id, now);
}

function notAuthenticated(why: string): AuthError {
  return new AuthError('client_not_authenticated', { detail: `the client is not authenticated: ${why}` });
}
