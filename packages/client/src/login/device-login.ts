// Login with the browser of another device (RFC 8628).

import * as oauth from 'oauth4webapi';
import { isOutage, ProtocolError, Refusal } from '../errors.ts';
import { clientOf, type Provider, sending, withNewKey } from '../oidc/provider.ts';
import { type Tokens, tokensOf, verifySignature } from '../oidc/tokens.ts';

/** What to show, and how to wait for the result. */
export interface DeviceLogin {
  /** To enter at `verificationUri`, on any device with a browser. */
  readonly userCode: string;
  readonly verificationUri: string;
  /** The same address including the code, for a QR code. */
  readonly completeUri: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /**
   * Waits until a person has logged in with the code.
   * @throws Refusal `access_denied` when the person refuses, `expired_token` when no person enters it in time
   * @throws the reason of the signal, at once, when it is aborted
   */
  wait(options?: { readonly signal?: AbortSignal }): Promise<Tokens>;
}

export interface DeviceLoginOptions {
  readonly scope?: string;
  /** Resolves after that many milliseconds; not waited for once the signal is aborted. Default: a timer. */
  readonly pause?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

const defaultInterval = 5;
const slowDownBy = 5;

/** Requests the codes for a device. @throws Refusal, Unreachable, ProtocolError */
export async function startDeviceLogin(
  provider: Provider,
  options: DeviceLoginOptions = {},
): Promise<DeviceLogin> {
  const { metadata, now } = provider;
  const { scope = 'openid offline_access', pause = timer } = options;
  const client = clientOf(provider);
  if (metadata.device_authorization_endpoint === undefined) {
    throw new ProtocolError('discovery_failed', `${provider.origin} has no login for devices`);
  }
  const requestedAt = now();
  const response = await oauth.deviceAuthorizationRequest(
    metadata,
    client,
    oauth.None(),
    { scope },
    sending(provider),
  );
  const device = await oauth.processDeviceAuthorizationResponse(metadata, client, response).catch((error) => {
    throw new ProtocolError(
      'answer_invalid',
      `${provider.origin} answered without the codes for a device`,
      error,
    );
  });
  const expiresAt = requestedAt + device.expires_in * 1000;
  return {
    userCode: device.user_code,
    verificationUri: device.verification_uri,
    completeUri: device.verification_uri_complete ?? device.verification_uri,
    expiresAt,
    async wait({ signal } = {}) {
      let interval = device.interval ?? defaultInterval;
      const bound = await withNewKey(provider);
      while (now() < expiresAt) {
        signal?.throwIfAborted();
        await untilAborted(pause(interval * 1000, signal), signal);
        const outcome = await untilAborted(poll(bound, device.device_code), signal);
        if (typeof outcome === 'object') return outcome;
        if (outcome === 'slow_down') interval += slowDownBy;
      }
      throw new Refusal('The login with the code was not finished in time', {
        status: 400,
        code: 'expired_token',
      });
    },
  };
}

/** One request: the tokens, or why to ask again. */
async function poll(provider: Provider, deviceCode: string): Promise<Tokens | 'slow_down' | 'later'> {
  const { metadata, now } = provider;
  const client = clientOf(provider);
  const requestedAt = now();
  let response: Response;
  try {
    response = await oauth.deviceCodeGrantRequest(
      metadata,
      client,
      oauth.None(),
      deviceCode,
      sending(provider),
    );
  } catch (error) {
    const code = error instanceof Refusal ? error.code : undefined;
    if (code === 'slow_down') return 'slow_down';
    if (code === 'authorization_pending' || isOutage(error)) return 'later';
    throw error;
  }
  const tokens = await tokensOf(
    provider,
    response,
    (answer) => oauth.processDeviceCodeResponse(metadata, client, answer),
    requestedAt,
  );
  await verifySignature(provider, response);
  return tokens;
}

function timer(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((over) => {
    const stop = () => clearTimeout(running);
    const running = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      over();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** @throws the reason of the signal once it is aborted */
function untilAborted<T>(waiting: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return waiting;
  return new Promise((over, failed) => {
    const end = () => failed(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    waiting.then(over, failed).finally(() => signal.removeEventListener('abort', end));
  });
}
