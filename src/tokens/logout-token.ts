import type { SigningAlgorithm } from '../model/signing-key.ts';
import { MINUTE, type Millis } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { toSeconds } from './access-token.ts';
import { signJwt } from './jws.ts';
import type { KeyRing } from './key-ring.ts';

/** Long enough for clocks that differ. Each attempt to deliver has a token of its own. */
const lifetime: Millis = 2 * MINUTE;

/**
 * A logout token: says to an application which session has ended, of whom.
 * @see OIDC Back-Channel Logout 1.0, 2.4
 */
export function mintLogoutToken(
  needs: { ring: KeyRing; random: Random; alg: SigningAlgorithm },
  ended: { issuer: string; clientId: string; identityId: string; sessionId: string },
  now: Millis,
): string {
  const issuedAt = toSeconds(now);
  const { material, header } = needs.ring.signer(needs.alg, 'logout+jwt', now);
  return signJwt(material, header, {
    iss: ended.issuer,
    sub: ended.identityId,
    aud: ended.clientId,
    iat: issuedAt,
    exp: issuedAt + toSeconds(lifetime),
    jti: needs.random.id(),
    sid: ended.sessionId,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  });
}
