// Where to send people at a provider, and where it redeems codes: from its discovery document, fetched on demand and
// cached, so that strangers cannot cause many fetches.

import { z } from 'zod';
import { recentMap } from '../../platform/caches.ts';
import { type Clock, MINUTE, type Millis, SECOND } from '../../platform/clock.ts';
import { parseJson } from '../../platform/formats/json-shape.ts';
import { discoveryAddress } from '../../platform/jwk/jwks-cache.ts';
import { FetchRefused } from '../../platform/network/fetch-refused.ts';
import type { OutboundClient } from '../../platform/network/outbound-client.ts';

const keepFound: Millis = 10 * MINUTE;
const keepMissing: Millis = 10 * SECOND;
const maxBytes = 64 * 1024;
const mostProviders = 1000;

const httpsUrl = z.url({ protocol: /^https$/ }).max(2000);
const discovery = z.object({
  issuer: z.string().max(2000),
  authorization_endpoint: httpsUrl,
  token_endpoint: httpsUrl,
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  token_endpoint_auth_signing_alg_values_supported: z.array(z.string().max(20)).max(50).nullish(),
});

export interface ProviderEndpoints {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Whether each answer of the authorization endpoint carries `iss` (RFC 9207 section 3). */
  readonly promisesIssuer: boolean;
  /** The algorithms that the provider accepts for our assertions (OIDC Discovery 3); null: it does not say. */
  readonly assertionAlgs: readonly string[] | null;
}

export type ProviderDirectory = ReturnType<typeof providerDirectory>;

export function providerDirectory(needs: { client: OutboundClient; clock: Clock }) {
  const held = recentMap<
    string,
    { readonly until: Millis; readonly answer: Promise<ProviderEndpoints | string> }
  >(mostProviders);
  return {
    /**
     * @param address of the provider, to which the well-known path of OpenID Connect Discovery 4 is added
     * @returns why not, in words for an administrator, if there is no usable document
     */
    find(address: string): Promise<ProviderEndpoints | string> {
      const now = needs.clock.now();
      const known = held.get(address);
      if (known !== undefined && now < known.until) return known.answer;
      const answer = fetchEndpoints(needs.client, address);
      held.set(address, { until: now + keepFound, answer });
      answer.then(
        (found) => {
          if (typeof found === 'string') held.set(address, { until: now + keepMissing, answer });
        },
        // A failure of ours: each caller gets it from `answer`, and the next one tries again.
        () => held.delete(address),
      );
      return answer;
    },
  };
}

async function fetchEndpoints(client: OutboundClient, address: string): Promise<ProviderEndpoints | string> {
  const url = discoveryAddress(address);
  let body: Buffer;
  try {
    body = await client.get(url, { accept: 'application/json', maxBytes });
  } catch (error) {
    if (error instanceof FetchRefused) return `${url}: ${error.message}`;
    throw error;
  }
  const document = discovery.safeParse(presentMembers(jsonOf(body)));
  if (!document.success) return `${url}: ${wrongMember(document.error)}`;
  const { issuer, authorization_endpoint, token_endpoint, ...rest } = document.data;
  return {
    issuer,
    authorizationEndpoint: authorization_endpoint,
    tokenEndpoint: token_endpoint,
    promisesIssuer: rest.authorization_response_iss_parameter_supported ?? false,
    assertionAlgs: rest.token_endpoint_auth_signing_alg_values_supported ?? null,
  };
}

/** A document without what its provider has not set: serializers write such members as null or as an empty text. */
export function presentMembers(document: unknown): unknown {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return document;
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null && value !== ''));
}

/** The missing or wrong member of a discovery document, as text for an administrator. */
export function wrongMember({ issues: [issue] }: z.ZodError): string {
  const name = issue?.path[0];
  if (name === undefined) return 'the answer is no discovery document';
  const isMissing = issue?.code === 'invalid_type';
  if (name === 'issuer') return 'the discovery document names no issuer';
  return `${String(name)} of the discovery document ${isMissing ? 'is missing' : 'is no https address'}`;
}

/** Undefined if it is not JSON. */
export function jsonOf(body: Buffer): unknown {
  return parseJson(body.toString().replace(/^\ufeff/, ''));
}
