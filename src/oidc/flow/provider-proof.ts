// How this service proves at the token endpoint of a provider which client it is (RFC 6749 2.3.1, OIDC Core 9).

import { openClientSecret } from '../../login/external-jwt/client-secret.ts';
import type { ProviderEndpoints } from '../../login/external-jwt/provider-endpoints.ts';
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import { clientSigningAlgs } from '../../model/entities/oidc-client.ts';
import { MINUTE, type Millis, SECOND } from '../../platform/clock.ts';
import { signJwt } from '../../tokens/jws.ts';
import { assertionType } from '../grants/client-assertion.ts';
import type { ProviderServices } from '../services.ts';

/** The parts of a token request that authenticate us at the provider. */
export interface ProviderProof {
  readonly form: Readonly<Record<string, string>>;
  /** The header. */
  readonly authorization?: string;
}

const assertionLife: Millis = MINUTE;

/** @returns why not, in words for an administrator, when the client cannot prove itself */
export function proofForProvider(
  needs: ProviderServices,
  signer: ExternalJwtSigner & { readonly clientId: string },
  { issuer, assertionAlgs }: Pick<ProviderEndpoints, 'issuer' | 'assertionAlgs'>,
): ProviderProof | string {
  const { clientId, clientAuthMethod: method } = signer;
  if (method === 'none') return { form: { client_id: clientId } };
  if (method === 'private_key_jwt') {
    const alg = clientSigningAlgs.find((each) => assertionAlgs?.includes(each) ?? true);
    if (alg === undefined)
      return `the provider takes assertions signed by ${(assertionAlgs ?? []).join(', ')}, and this service signs by ${clientSigningAlgs.join(' and ')}`;
    return {
      form: {
        client_id: clientId,
        client_assertion_type: assertionType,
        client_assertion: assertionFor(needs, { clientId, issuer, alg }),
      },
    };
  }
  const secret = openClientSecret(needs.vault, signer);
  if (secret === null) return 'the client secret was set for another provider or client: set it again';
  if (method === 'client_secret_post') return { form: { client_id: clientId, client_secret: secret } };
  const credentials = Buffer.from([clientId, secret].map(formEncoded).join(':'));
  return { form: {}, authorization: `Basic ${credentials.toString('base64')}` };
}

/** Its one audience is the issuer: no other party can use it (RFC 7523 3). */
function assertionFor(
  { clock, random, ring }: ProviderServices,
  given: { clientId: string; issuer: string; alg: (typeof clientSigningAlgs)[number] },
): string {
  const now = clock.now();
  const { material, header } = ring.signer(given.alg, 'JWT', now);
  return signJwt(material, header, {
    iss: given.clientId,
    sub: given.clientId,
    aud: given.issuer,
    jti: random.bytes(16).toString('base64url'),
    iat: Math.floor(now / SECOND),
    exp: Math.floor((now + assertionLife) / SECOND),
  });
}

/** As RFC 6749 2.3.1 encodes what goes into the header. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
