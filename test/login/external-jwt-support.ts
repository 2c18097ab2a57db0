// Signers, tokens and a verifier over real identity providers.

import assert from 'node:assert/strict';
import type {
  ExternalJwtRefusal,
  ExternalJwtVerdict,
} from '../../src/login/external-jwt/external-jwt-verdict.ts';
import { verifyExternalJwt } from '../../src/login/external-jwt/verify-external-jwt.ts';
import {
  type ExternalJwtSigner,
  externalJwtSignerDefaults,
} from '../../src/model/entities/external-jwt-signer.ts';
import { asId, type SignerId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { encodeBase64url } from '../../src/platform/digest.ts';
import { type JwksCacheLimits, jwksCache, jwksCacheDefaults } from '../../src/platform/jwk/jwks-cache.ts';
import { silentLogger } from '../../src/platform/log/logger.ts';
import { outboundClient } from '../../src/platform/network/outbound-client.ts';
import type { OutboundLimits } from '../../src/platform/network/outbound-targets.ts';
import { type FixedClock, fixedClock } from '../support/fixed-clock.ts';
import { noLimits } from '../support/outbound-limits.ts';
import type { TestIdp } from '../support/test-idp.ts';
import { patience } from '../support/until.ts';

export const audience = 'overlay';

/** A signer with the provider's keys, otherwise with the defaults of a new signer. */
export function signerOf(
  idp: TestIdp,
  id: string,
  changed: Partial<ExternalJwtSigner> = {},
): ExternalJwtSigner {
  return {
    ...externalJwtSignerDefaults,
    id: asId<SignerId>(id),
    name: typedName(id),
    enabled: true,
    issuer: idp.issuer,
    audience,
    certPem: null,
    jwksEndpoint: idp.jwksEndpoint,
    kid: null,
    fingerprint: null,
    commonName: null,
    notBefore: null,
    notAfter: null,
    externalAuthUrl: null,
    clientId: null,
    enrollAuthPolicyId: null,
    enrollAttributeClaimsSelector: null,
    tags: {},
    createdAt: 0,
    updatedAt: 0,
    ...changed,
  };
}

export interface Verifier {
  readonly clock: FixedClock;
  verify(signers: readonly ExternalJwtSigner[], token: string): Promise<ExternalJwtVerdict>;
}

/** A verifier with an empty cache, on a fixed clock. */
export function newVerifier(
  idp: TestIdp,
  changed: { readonly fetch?: Partial<OutboundLimits>; readonly cache?: Partial<JwksCacheLimits> } = {},
): Verifier {
  const clock = fixedClock('2026-11-21T10:00:00Z');
  const client = outboundClient({ ...noLimits, ...changed.fetch }, { trustedRoots: [idp.caPem] });
  const cacheLimits = { ...jwksCacheDefaults, longestWait: patience, ...changed.cache };
  const jwks = jwksCache({ client, clock, logger: silentLogger }, cacheLimits);
  return { clock, verify: (signers, token) => verifyExternalJwt({ clock, jwks }, signers, token) };
}

/** Claims of a valid token by the verifier's clock; undefined removes a claim. */
export function claimsOf(
  idp: TestIdp,
  verifier: Verifier,
  changed: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const iat = Math.floor(verifier.clock.now() / 1000);
  return { iss: idp.issuer, aud: audience, sub: 'alice', iat, exp: iat + 600, ...changed };
}

/** A compact JWS with any header, claims and signature. */
export function forge(header: object, claims: object, signature: string | Uint8Array = 'signature'): string {
  const segments = [JSON.stringify(header), JSON.stringify(claims), signature];
  return segments.map((segment) => encodeBase64url(segment)).join('.');
}

export function assertRefused(
  verdict: ExternalJwtVerdict,
  reason: ExternalJwtRefusal,
  outward: 'missing' | 'invalid' | 'expired',
  about = '',
): void {
  if (verdict.verdict === 'valid') assert.fail(`${about}: accepted`);
  assert.equal(verdict.reason, reason, about);
  assert.equal(verdict.outward, outward, about);
}

/** @returns the id of the signer and the claim */
export function assertValid(verdict: ExternalJwtVerdict, about = ''): { signer: string; claim: string } {
  if (verdict.verdict === 'refused') assert.fail(`${about}: ${verdict.reason} (${verdict.saw})`);
  return { signer: verdict.signer.id, claim: verdict.claim };
}
