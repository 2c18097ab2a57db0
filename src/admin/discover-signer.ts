// An identity provider's discovery document (OpenID Connect Discovery 1.0), as far as a signer needs it. Fetched
// through the outbound client, within the limits of the configuration.

import { z } from 'zod';
import { jsonOf, presentMembers, wrongMember } from '../login/external-jwt/provider-endpoints.ts';
import { quoted } from '../platform/formats/quoted.ts';
import { readJwkSet } from '../platform/jwk/jwk-set.ts';
import { discoveryAddress, jwksCacheDefaults } from '../platform/jwk/jwks-cache.ts';
import { FetchRefused } from '../platform/network/fetch-refused.ts';
import type { OutboundClient } from '../platform/network/outbound-client.ts';
import { refusedField } from './acceptable-values.ts';
import { acceptableIssuer, comparableUrl } from './external-jwt-signers.ts';

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
 * @param typed the provider's address as a person types it: with or without https, a trailing slash, or the well-known
 *   path
 * @throws AuthError could_not_validate   names `address`, and says why nothing usable was found there
 */
export async function discoverSigner(
  needs: { outbound: OutboundClient; issuers: ReadonlySet<string> },
  typed: string,
) {
  const address = addressOf(typed);
  const refused = (reason: string) => refusedField('address', reason, typed.slice(0, 200));
  const fetched = async (url: string, limit: number) => {
    try {
      return await needs.outbound.get(url, { accept: 'application/json', maxBytes: limit });
    } catch (error) {
      if (!(error instanceof FetchRefused)) throw error;
      const hint = error.reason === 'status' ? `. ${addressHint}` : '';
      throw refused(`cannot be used: ${url}: ${error.message}${hint}`);
    }
  };
  const url = discoveryAddress(address);
  const parsed = discovery.safeParse(presentMembers(jsonOf(await fetched(url, maxBytes))));
  if (!parsed.success) throw refused(`cannot be used: ${url}: ${wrongMember(parsed.error)}. ${addressHint}`);
  const { issuer, jwks_uri: jwksEndpoint, ...rest } = parsed.data;
  // Discovery 4.3: the server at one address must not speak for another provider.
  if (comparableUrl(issuer) !== comparableUrl(address))
    throw refused(await adviceFor(needs.outbound, { address, issuer, jwksEndpoint }));
  acceptableIssuer(issuer, needs.issuers);
  const keys = usableKeys(await fetched(jwksEndpoint, jwksCacheDefaults.maxBytes));
  if (keys === 0) throw refused('publishes no key that can be used');
  const hasPages = rest.authorization_endpoint !== undefined && rest.token_endpoint !== undefined;
  const has = new Set(rest.scopes_supported ?? ['openid']);
  return {
    issuer,
    jwksEndpoint,
    /** The number of usable keys. */
    keys,
    /** Where the discovery document is for people who sign in there; null: it has no endpoints for that. */
    externalAuthUrl: hasPages ? address : null,
    /** The supported scopes that help to identify a person. */
    scopes: usefulScopes.filter((scope) => scope === 'openid' || has.has(scope)),
    /** The claims that it says it supports. */
    claims: [...new Set(rest.claims_supported ?? [])].slice(0, mostClaims),
  };
}

const addressHint =
  'The address of a provider is its issuer. At Keycloak it ends in /realms/NAME, at Entra ID in /TENANT-ID/v2.0, at Okta often in /oauth2/default';

/** Advice when a provider's issuer differs from its address; tried on what is found there. */
async function adviceFor(
  outbound: OutboundClient,
  { address, issuer, jwksEndpoint }: Readonly<Record<'address' | 'issuer' | 'jwksEndpoint', string>>,
): Promise<string> {
  if (/[{}]/.test(issuer))
    return `serves many tenants: its issuer has a placeholder, ${quoted(issuer)}. Put the id of your tenant (directory) into the address, in place of "common", "organizations" or "consumers"`;
  const is = `is of the issuer ${shown(issuer)}`;
  if (issuer.startsWith('http://'))
    return `${is}, which is not https: set the public https address of the provider in its own configuration, behind a proxy too`;
  const problem = await problemAt(outbound, issuer);
  if (problem === null) return `${is}: use that`;
  return `${is}, where discovery does not work (${problem}). If this server may speak for that issuer, create the signer by hand, with that issuer, jwksEndpoint ${shown(jwksEndpoint)} and externalAuthUrl ${shown(address)}`;
}

/** Why an issuer has no discovery document of its own; null if it has. */
async function problemAt(outbound: OutboundClient, issuer: string): Promise<string | null> {
  const url = discoveryAddress(issuer);
  try {
    const document = presentMembers(
      jsonOf(await outbound.get(url, { accept: 'application/json', maxBytes })),
    );
    const parsed = discovery.safeParse(document);
    if (!parsed.success) return wrongMember(parsed.error);
    return comparableUrl(parsed.data.issuer) === comparableUrl(issuer) ? null : 'it names yet another issuer';
  } catch (error) {
    if (error instanceof FetchRefused) return error.message;
    throw error;
  }
}

/** Without a trailing slash of its path and the fragment, which a page may leave in a copied address. */
function addressOf(typed: string): string {
  const text = typed.trim().replace(/#.*/, '');
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  return address.replace(wellKnown, '').replace(/\/+(?=\?|$)/, '');
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
