import type { Principal } from '../model/principal.ts';
import type { Millis } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { edgeAudience, toSeconds } from './access-token.ts';
import { signJwt } from './jws.ts';
import type { KeyRing } from './key-ring.ts';

/**
 * Says that the identity of a session has proven a TOTP code at `iat`, which existing SDKs show to their routers. It opens
 * nothing here: it has a type of its own (`typ`, `z_t`). It ends with the access token of the call.
 */
export function mintTotpToken(
  { ring, random }: { ring: Pick<KeyRing, 'signer'>; random: Random },
  { issuer, identityId, apiSessionId, expiresAt }: Principal,
  now: Millis,
): string {
  const issuedAt = toSeconds(now);
  const { material, header } = ring.signer('ES256', 'totp+jwt', now);
  return signJwt(material, header, {
    iss: issuer,
    sub: identityId,
    aud: edgeAudience,
    iat: issuedAt,
    nbf: issuedAt,
    exp: toSeconds(expiresAt),
    jti: random.id(),
    z_asid: apiSessionId,
    z_t: 't',
  });
}
