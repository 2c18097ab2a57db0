// The OpenID provider of a server: where its endpoints are, and how to check its answers.

import * as oauth from 'oauth4webapi';
import { ProtocolError, refusalOf } from '../errors.ts';
import { membersIn } from '../json-members.ts';
import { guarded, type Transport } from '../transport.ts';
import { newProofKey, type ProofKey, proving, timeAt } from './proof-key.ts';

export interface ProviderOptions {
  /** Origin of the server, such as `https://localhost:1280`. */
  readonly baseUrl: string;
  /** Default: `overlay`, the client that every server has. */
  readonly clientId?: string;
  /** Default: `fetch`. */
  readonly transport?: Transport;
  /** Milliseconds since 1970; default: `Date.now`. */
  readonly now?: () => number;
  /**
   * Makes the key that the tokens of a login are bound to (DPoP, RFC 9449), if the server knows how. Default: one that
   * can be saved as JSON with the tokens. Null: bearer tokens, which work for every holder.
   */
  readonly newKey?: (() => Promise<ProofKey>) | null;
}

/** A provider whose discovery document was read and checked. */
export interface Provider {
  readonly origin: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The discovery document. All its endpoints belong to `origin`. */
  readonly metadata: oauth.AuthorizationServer;
  /** Bounded, https only. */
  readonly transport: Transport;
  readonly now: () => number;
  /** Null: logins get bearer tokens. */
  readonly newKey: (() => Promise<ProofKey>) | null;
  /** The key whose possession every request of this provider proves. */
  readonly key?: ProofKey;
}

/** A slightly wrong clock must not prevent a login. */
const toleranceSeconds = 60;

/**
 * Reads the discovery document of a server.
 *
 * Tokens are verified against the address used to log in, and passwords go to the endpoints in this document, so it
 * must not name another server.
 * @throws Refusal when the server has no such document
 * @throws ProtocolError discovery_failed, issuer_mismatch, endpoint_elsewhere
 * @see OIDC Discovery 4.3
 */
export async function discover(options: ProviderOptions): Promise<Provider> {
  const { baseUrl, clientId = 'overlay', now = Date.now, newKey = newProofKey } = options;
  const transport = guarded(options.transport);
  const { origin } = new URL(baseUrl);
  const url = new URL('/.well-known/openid-configuration', origin);
  const response = await transport(new Request(url, { redirect: 'manual', credentials: 'omit' }));
  if (response.status !== 200) throw await refusalOf(response);
  const { issuer } = await membersIn(response.clone());
  if (typeof issuer !== 'string') {
    throw new ProtocolError('discovery_failed', `${origin} is no OpenID provider`);
  }
  if (URL.parse(issuer)?.origin !== origin) {
    throw new ProtocolError('issuer_mismatch', `${origin} announces itself as ${issuer}`);
  }
  const metadata = await oauth.processDiscoveryResponse(new URL(issuer), response).catch((error) => {
    throw new ProtocolError('discovery_failed', `The discovery document of ${origin} cannot be used`, error);
  });
  requireOwnEndpoints(metadata, origin);
  const isBinding = metadata.dpop_signing_alg_values_supported?.includes('ES256') === true;
  return { origin, issuer, clientId, metadata, transport, now, newKey: isBinding ? newKey : null };
}

/** The provider for requests that prove possession of a key; unchanged for undefined. */
export function withKey(provider: Provider, key: ProofKey | undefined): Provider {
  if (key === undefined) return provider;
  return { ...provider, key, transport: proving(key, provider.now)(provider.transport) };
}

/** The provider for the requests of a new login, with a key of its own if tokens can be bound. */
export async function withNewKey(provider: Provider): Promise<Provider> {
  return withKey(provider, await provider.newKey?.());
}

function requireOwnEndpoints(metadata: oauth.AuthorizationServer, origin: string): void {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri']) {
    if (typeof metadata[name] === 'string') continue;
    throw new ProtocolError('discovery_failed', `The discovery document of ${origin} lacks ${name}`);
  }
  for (const [name, value] of Object.entries(metadata)) {
    if (!/_endpoint$|^jwks_uri$/.test(name)) continue;
    if (typeof value === 'string' && URL.parse(value)?.origin === origin) continue;
    throw new ProtocolError(
      'endpoint_elsewhere',
      `The discovery document of ${origin} names ${name} of another server`,
    );
  }
}

/** The client in the form that the protocol library expects, with the clock of the server as far as it is known. */
export function clientOf({ clientId, origin, now }: Provider): oauth.Client {
  return {
    client_id: clientId,
    // Read when an answer is checked: the request may have shown that our clock is wrong.
    get [oauth.clockSkew]() {
      return Math.round((timeAt(origin, now) - Date.now()) / 1000);
    },
    [oauth.clockTolerance]: toleranceSeconds,
  };
}

/** How the protocol library sends requests: every refusal throws before it is examined further. */
export function sending({ transport }: Provider) {
  return {
    async [oauth.customFetch](url: string, options: object): Promise<Response> {
      const request = new Request(url, { ...options, credentials: 'omit' });
      // The protocol library names itself. People recognise their sessions by the program, which the transport names.
      request.headers.delete('user-agent');
      const response = await transport(request);
      if (response.status >= 400) throw await refusalOf(response);
      return response;
    },
  };
}
