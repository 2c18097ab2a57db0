// What an identity provider publishes about itself (OpenID Connect Discovery 1.0), as far as a signer needs it. Fetched
// in the one way in which this service calls other servers, within the limits of the configuration.

import { z } from 'zod';
import { jsonOf } from '../login/external-jwt/provider-endpoints.ts';
import { readJwkSet } from '../platform/jwk/jwk-set.ts';
import { jwksCacheDefaults } from '../platform/jwk/jwks-cache.ts';
import { FetchRefused } from '../platform/network/fetch-refused.ts';
import type { OutboundClient } from '../platform/network/outbound-client.ts';
import { refusedField } from './acceptable-values.ts';
import { acceptableIssuer } from './signer-values.ts';

export interface DiscoveredSigner {
  readonly issuer: string;
  readonly jwksEndpoint: string;
  /** The number of usable keys. */
  readonly keys: number;
  /** Where the discovery document is for people who sign in there; null: it has no endpoints for that. */
  readonly externalAuthUrl: string | null;
  /** The scopes that help to identify somebody, as far as it supports them. */
  readonly scopes: readonly string[];
  /** The claims that it says it supports. */
  readonly claims: readonly string[];
}

const wellKnown = '/.well-known/openid-configuration';
const maxBytes = 64 * 1024;
const mostClaims = 100;
const usefulScopes = ['openid', 'profile', 'email'];

const httpsUrl = z.url({ protocol: /^https$/ }).max(2000);
const names = z.array(z.string().max(255)).max(1000).optional().catch(undefined);
const discovery = z.object({
  issuer: z.string().max(1024),
  jwks_uri: httpsUrl,
  authorization_endpoint: httpsUrl.optional(),
  token_endpoint: httpsUrl.optional(),
  scopes_supported: names,
  claims_supported: names,
});

/**
 * @param typed the provider's address as somebody types it: with or without https, a trailing slash, or the well-known
 *   path
 * @throws AuthError could_not_validate   names `address`, and says why nothing usable was found there
 */
export async function discoverSigner(
  needs: { readonly outbound: OutboundClient; readonly issuers: ReadonlySet<string> },
  typed: string,
): Promise<DiscoveredSigner> {
  const address = addressOf(typed);
  const refused = (reason: string) => refusedField('address', reason, typed.slice(0, 200));
  const fetched = async (url: string, limit: number) => {
    try {
      return await needs.outbound.get(url, { accept: 'application/json', maxBytes: limit });
    } catch (error) {
      if (error instanceof FetchRefused) throw refused(`cannot be used: ${url}: ${error.message}`);
      throw error;
    }
  };
  const parsed = discovery.safeParse(jsonOf(await fetched(`${address}${wellKnown}`, maxBytes)));
  if (!parsed.success) throw refused(`has no discovery document with https endpoints at ${wellKnown}`);
  const { issuer, jwks_uri: jwksEndpoint, ...rest } = parsed.data;
  // Discovery 4.3: the server at one address must not speak for another provider.
  if (issuer.replace(/\/+$/, '') !== address) throw refused(`is of the issuer ${shown(issuer)}: use that`);
  acceptableIssuer(issuer, needs.issuers);
  const keys = usableKeys(await fetched(jwksEndpoint, jwksCacheDefaults.maxBytes));
  if (keys === 0) throw refused('publishes no key that can be used');
  const hasPages = rest.authorization_endpoint !== undefined && rest.token_endpoint !== undefined;
  const has = new Set(rest.scopes_supported ?? ['openid']);
  return {
    issuer,
    jwksEndpoint,
    keys,
    externalAuthUrl: hasPages ? address : null,
    scopes: usefulScopes.filter((scope) => scope === 'openid' || has.has(scope)),
    claims: [...new Set(rest.claims_supported ?? [])].slice(0, mostClaims),
  };
}

/** Without a trailing slash. */
function addressOf(typed: string): string {
  const text = typed.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  return address.replace(wellKnown, '').replace(/\/+$/, '');
}

/** The answer must not be able to draw on the reader's terminal or page. */
function shown(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}

function usableKeys(body: Buffer): number {
  try {
    return readJwkSet(body).all.length;
  } catch {
    return 0;
  }
}
