// The device_code grant (RFC 8628 3.4): redeems, for the device, the code of the login that a person has finished, with
// the device code as PKCE verifier.

import { AuthError } from '../../errors/auth-error.ts';
import type { TokenResponse } from '../../model/tokens.ts';
import { recentMap } from '../../platform/caches.ts';
import type { Millis } from '../../platform/clock.ts';
import { readOpaqueToken } from '../../tokens/opaque-token.ts';
import { pollInterval, sealedCodeLabel } from '../device/device-login.ts';
import { required } from '../parameters.ts';
import { codeChallengeOf } from '../pkce.ts';
import { deviceRedirectUri } from '../redirect-uri.ts';
import type { DevicePolls, OidcServices } from '../services.ts';
import type { GrantRequest } from './grant.ts';
import { redeemCode } from './grant-authorization-code.ts';

export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export function devicePolls(): DevicePolls {
  const polls = recentMap<string, Millis>(10_000);
  return (id, now) => {
    const before = polls.get(id);
    polls.set(id, now);
    return before;
  };
}

/**
 * Tokens for a device whose person has logged in.
 * @throws AuthError authorization_pending, slow_down, access_denied, expired_token   as in RFC 8628 3.5
 * @throws AuthError invalid_grant   not ours, or for another client or address; and as for an authorization code
 */
export async function redeemDeviceCode(needs: OidcServices, request: GrantRequest): Promise<TokenResponse> {
  const text = required(request.parameters, 'device_code');
  const code = readOpaqueToken(needs.tagKey, 'device', text);
  if (code === undefined) throw new AuthError('invalid_grant');
  const now = needs.clock.now();
  const before = await needs.devicePolls(code.id, now);
  const device = await needs.store.deviceLogins.find(code.id);
  if (device === null || now >= device.expiresAt) throw new AuthError('expired_token');
  const isBound = device.clientId === request.client.clientId && device.issuer === request.origin.issuer;
  if (!isBound || device.codeChallenge !== codeChallengeOf(text)) throw new AuthError('invalid_grant');
  if (device.state === 'denied') throw new AuthError('access_denied');
  if (device.sealedCode === null) {
    // Network delays may shorten the interval a little.
    const isTooSoon = before !== undefined && now - before < 0.8 * pollInterval;
    throw new AuthError(isTooSoon ? 'slow_down' : 'authorization_pending');
  }
  const codeText = needs.vault.open(device.sealedCode, sealedCodeLabel(device.id)).toString();
  const redirectUri = deviceRedirectUri(device.issuer);
  return redeemCode(needs, request, { codeText, redirectUri, verifier: text });
}
