// Logging in for a device without a browser (RFC 8628). The device gets one code and shows another, which a person
// types on one of our pages. From there on it is a normal login with the device code as PKCE verifier; its
// authorization code is kept, sealed, until the device asks for tokens.

import { AuthError } from '../../errors/auth-error.ts';
import { countBeginning, requireOpenSource, settleGuess } from '../../login/throttle.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { DeviceLogin } from '../../model/device-login.ts';
import { type AuthRequestKey, asId } from '../../model/ids.ts';
import { type Clock, MINUTE, type Millis, SECOND } from '../../platform/clock.ts';
import type { DeviceLoginStore } from '../../store/contracts/device-logins.ts';
import { mintOpaqueToken, readOpaqueToken } from '../../tokens/opaque-token.ts';
import type { Client } from '../clients.ts';
import { isSameBrowser } from '../flow/open-auth-request.ts';
import { codeChallengeOf } from '../pkce.ts';
import { deviceRedirectUri, isForDevice } from '../redirect-uri.ts';
import type { OidcServices } from '../services.ts';
import { newUserCode, readUserCode, shownUserCode, userCodeHash } from './user-code.ts';

const lifetime: Millis = 10 * MINUTE;
/** How long a device waits between two requests. */
export const pollInterval: Millis = 5 * SECOND;
/** For all devices together, because a device that begins a login has proven nothing; see also `sourceLimits`. */
const mostWaiting = 10_000;

/** The label under which the code of a login is sealed. */
export function sealedCodeLabel(id: string): string {
  return `device login ${id}`;
}

/**
 * Begins the login of a device.
 * @returns the answer to the device (RFC 8628 3.2), in wire names
 * @throws AuthError rate_limited   this source has begun too many
 * @throws AuthError busy           too many are waiting
 */
export async function beginDeviceLogin(
  needs: OidcServices,
  client: Client,
  { origin, ...asked }: Pick<DeviceLogin, 'scopes' | 'droppedScopes'> & { origin: RequestOrigin },
) {
  await countBeginning(needs, origin.ipAddress, 'device');
  const now = needs.clock.now();
  const id = needs.random.id();
  const { text: deviceCode } = mintOpaqueToken(needs, 'device', { id, generation: 1 });
  const userCode = newUserCode(needs.random);
  const begun = await needs.store.deviceLogins.begin(
    {
      id,
      userCodeHash: userCodeHash(needs.tagKey, userCode),
      codeChallenge: codeChallengeOf(deviceCode),
      clientId: client.clientId,
      ...asked,
      issuer: origin.issuer,
      ipAddress: origin.ipAddress,
      createdAt: now,
      expiresAt: now + lifetime,
    },
    mostWaiting,
  );
  // A user code that is in use is as unlikely as a guessed one. Asking again returns another.
  if (begun !== 'begun') throw new AuthError('busy', { detail: `device login: ${begun}` });
  const verificationUri = `${origin.issuer}/device`;
  return {
    device_code: deviceCode,
    user_code: shownUserCode(userCode),
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${shownUserCode(userCode)}`,
    expires_in: lifetime / SECOND,
    interval: pollInterval / SECOND,
  };
}

/**
 * The login of the device whose code a person typed. Null when no such device waits at this address. Wrong codes count
 * against their source like wrong passwords.
 * @throws AuthError rate_limited
 */
export async function findByUserCode(
  needs: OidcServices,
  typed: string,
  origin: RequestOrigin,
): Promise<DeviceLogin | null> {
  const code = readUserCode(typed);
  if (code === null) return null;
  await requireOpenSource(needs, origin.ipAddress);
  const by = { userCodeHash: userCodeHash(needs.tagKey, code) };
  const found = await needs.store.deviceLogins.findWaiting(by, needs.clock.now());
  const isRight = found !== null && found.issuer === origin.issuer;
  await settleGuess(needs, { target: null, ipAddress: origin.ipAddress, isRight });
  return isRight ? found : null;
}

/** The authorization request of a person who continues for a device, in this browser and no other. */
export function authRequestFor(
  needs: Pick<OidcServices, 'random' | 'clock'>,
  device: DeviceLogin,
  browserBinding: string,
): AuthRequest {
  return {
    key: asId<AuthRequestKey>(needs.random.id()),
    clientId: device.clientId,
    redirectUri: deviceRedirectUri(device.issuer),
    scopes: device.scopes,
    ...(device.droppedScopes.length === 0 ? {} : { droppedScopes: device.droppedScopes }),
    state: null,
    nonce: null,
    codeChallenge: device.codeChallenge,
    issuer: device.issuer,
    // The code of a certificate login works only on a connection with that certificate, which the device does not have.
    requestedMethod: 'password',
    configTypes: [],
    browserBinding,
    createdAt: needs.clock.now(),
  };
}

/** @returns false when the device no longer waits */
export function denyDevice(needs: OidcServices, device: DeviceLogin): Promise<boolean> {
  return needs.store.deviceLogins.settle(device.id, null, needs.clock.now());
}

/**
 * Ends the waiting of a device when the person who logged in may not use the application. Its next request is refused.
 */
export async function denyWaitingDevice(
  {
    store,
    clock,
  }: { store: { deviceLogins: Pick<DeviceLoginStore, 'findWaiting' | 'settle'> }; clock: Clock },
  { codeChallenge }: Pick<AuthRequest, 'codeChallenge'>,
): Promise<void> {
  const device = await store.deviceLogins.findWaiting({ codeChallenge }, clock.now());
  if (device !== null) await store.deviceLogins.settle(device.id, null, clock.now());
}

/** A finished login for a device, in the browser in which the person has logged in. */
export interface FinishedDeviceLogin {
  /** The authorization code, which only the answer to the last step of the login contained. */
  readonly code: string;
  /** The bindings that the browser presents. */
  readonly browser: readonly string[];
}

/** The device that waits for a finished login; null when none does, or when the login was done in another browser. */
export async function deviceOfLogin(
  needs: OidcServices,
  { code: codeText, browser }: FinishedDeviceLogin,
  origin: RequestOrigin,
): Promise<DeviceLogin | null> {
  const code = readOpaqueToken(needs.tagKey, 'code', codeText);
  if (code === undefined) return null;
  const now = needs.clock.now();
  const login = await needs.store.authRequests.findLogin(asId<AuthRequestKey>(code.id), now);
  if (login === null || !isForDevice(login.authRequest) || login.authRequest.issuer !== origin.issuer)
    return null;
  const { codeChallenge, browserBinding } = login.authRequest;
  if (!isSameBrowser(browserBinding, browser)) return null;
  return needs.store.deviceLogins.findWaiting({ codeChallenge }, now);
}

/**
 * Stores the code of a finished login for the device that waits for it, once the person has confirmed that.
 * @returns false when the device no longer waits
 */
export function approveDevice(needs: OidcServices, device: DeviceLogin, code: string): Promise<boolean> {
  const sealed = needs.vault.seal(Buffer.from(code), sealedCodeLabel(device.id));
  return needs.store.deviceLogins.settle(device.id, sealed, needs.clock.now());
}
