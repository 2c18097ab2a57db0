// Keeps a login alive: renews the access token before it expires, once for everybody who waits for it.

import type { TokenSource } from '../api/edge-api.ts';
import { isOutage, ProtocolError, Refusal, type SessionEnd, SessionEnded, Unreachable } from '../errors.ts';
import { type Proving, proving } from '../oidc/proof-key.ts';
import type { Provider } from '../oidc/provider.ts';
import { endSession, refreshTokens } from '../oidc/refresh.ts';
import type { Tokens } from '../oidc/tokens.ts';
import { isUsable, type TokenStore } from './token-store.ts';

export type SessionEvent =
  | { readonly kind: 'renewed'; readonly tokens: Tokens }
  /** Only a new login helps. `requestId`: the reference id of the refusal, if the server refused. */
  | { readonly kind: 'ended'; readonly reason: SessionEnd; readonly requestId: string | undefined };

export interface Session extends TokenSource {
  /** The current tokens, renewed or not; null without a login. */
  tokens(): Promise<Tokens | null>;
  /** Tokens whose access token is valid for a while. @throws SessionEnded, Unreachable, Refusal (503) */
  fresh(): Promise<Tokens>;
  /** Starts with the tokens of a new login. */
  begin(tokens: Tokens): Promise<void>;
  proving(): Promise<Proving | undefined>;
  /** Ends the session at the server, then forgets it. @throws Unreachable, Refusal (429, 5xx); then nothing is forgotten */
  logOut(): Promise<void>;
  /** Calls back at each event until the signal, if given, is aborted. */
  on(listener: (event: SessionEvent) => void, options?: { readonly signal?: AbortSignal }): void;
}

export interface SessionOptions {
  readonly provider: Provider;
  readonly store: TokenStore;
  /** At least 0 and below 1; default: `Math.random`. Spreads renewals, and protects no secret. */
  readonly random?: () => number;
}

/**
 * The session whose tokens are in a store.
 *
 * A refresh token is used once: by one caller in this program, for whose result the others wait, and under the lock of
 * the store. If another tab or process has renewed meanwhile, its result is used instead. Only a request without an
 * answer is sent again, at once, as the protocol of the service allows.
 *
 * How early it renews is drawn once, up to a minute earlier than needed: programs that logged in together, for example
 * after an outage, do not all come back in the same second.
 */
export function openSession({ provider, store, random = Math.random }: SessionOptions): Session {
  const early = random();
  const listeners = new Set<(event: SessionEvent) => void>();
  /** The end was told, and there were no tokens since. */
  let hasEnded = false;
  const tell = (event: SessionEvent) => {
    const isKnown = hasEnded && event.kind === 'ended';
    hasEnded = event.kind === 'ended';
    if (isKnown) return;
    for (const listener of listeners) listener(event);
  };
  const read = async () => {
    const tokens = await store.read();
    if (tokens !== null) hasEnded = false;
    return tokens;
  };
  store.watch?.((tokens) =>
    tell(
      tokens === null
        ? { kind: 'ended', reason: 'logged-out', requestId: undefined }
        : { kind: 'renewed', tokens },
    ),
  );
  const isGood = (tokens: Tokens, refused: string | undefined) =>
    tokens.accessToken !== refused && isUsable(tokens, provider.now(), early);

  async function renewed(before: Tokens | null, refused: string | undefined): Promise<Tokens> {
    const outcome = await store.update<Tokens | Ended>(async (latest) => {
      if (latest === null) {
        return [null, endedBy(new SessionEnded(before === null ? 'not-logged-in' : 'ended-elsewhere'))];
      }
      if (isGood(latest, refused)) return [latest, latest];
      const { refreshToken } = latest;
      const next =
        refreshToken === null
          ? endedBy(new SessionEnded('expired'))
          : await renew(provider, { ...latest, refreshToken });
      // Forgets a dead session, so that it is not tried again.
      return ['error' in next ? null : next, next];
    });
    if (!('error' in outcome)) {
      tell({ kind: 'renewed', tokens: outcome });
      return outcome;
    }
    tell({ kind: 'ended', reason: outcome.reason, requestId: outcome.requestId });
    throw outcome.error;
  }

  let renewing: Promise<Tokens> | undefined;
  async function usable(refused?: string): Promise<Tokens> {
    const current = await read();
    if (current !== null && isGood(current, refused)) return current;
    const isOwn = renewing === undefined;
    renewing ??= renewed(current, refused).finally(() => {
      renewing = undefined;
    });
    let next: Tokens;
    try {
      next = await renewing;
    } catch (error) {
      // It cannot be renewed right now, but it is still valid.
      if (current !== null && current.accessToken !== refused && isOutage(error)) {
        if (provider.now() < current.accessTokenExpiresAt) return current;
      }
      throw error;
    }
    // The renewal that it waited for may have begun before this token was refused. If its own gives the same token,
    // another one would too.
    return next.accessToken === refused && !isOwn ? usable(refused) : next;
  }

  return {
    tokens: () => store.read(),
    fresh: () => usable(),
    accessToken: async () => (await usable()).accessToken,
    renewedToken: async (refused) => (await usable(refused)).accessToken,
    async proving() {
      const key = (await store.read())?.key;
      return key && proving(key, provider.now);
    },
    begin: (tokens) => store.update(async () => [tokens, undefined]),
    async logOut() {
      const tokens = await read();
      if (tokens !== null) await endSession(provider, tokens);
      await store.update(async () => [null, undefined]);
      tell({ kind: 'ended', reason: 'logged-out', requestId: undefined });
    },
    on(listener, { signal } = {}) {
      if (signal?.aborted) return;
      listeners.add(listener);
      signal?.addEventListener('abort', () => listeners.delete(listener));
    },
  };
}

/** The end of a session, and what to throw for it. */
interface Ended {
  readonly reason: SessionEnd;
  readonly requestId: string | undefined;
  readonly error: SessionEnded | ProtocolError;
}

function endedBy(error: SessionEnded): Ended {
  return { reason: error.reason, requestId: error.requestId, error };
}

async function renew(
  provider: Provider,
  tokens: Tokens & { readonly refreshToken: string },
): Promise<Tokens | Ended> {
  const request = () => refreshTokens(provider, tokens);
  try {
    return await request().catch((error) => {
      // It is unknown whether it arrived. Sent again at once, it either works or is refused.
      if (error instanceof Unreachable) return request();
      throw error;
    });
  } catch (error) {
    // The token is used up, and its answer was rejected: the session cannot continue.
    if (error instanceof ProtocolError) return { reason: 'answer-refused', requestId: undefined, error };
    if (!(error instanceof Refusal) || error.code !== 'invalid_grant') throw error;
    return endedBy(new SessionEnded('refused', error.requestId));
  }
}
