import type { Tokens } from '../oidc/tokens.ts';

/**
 * Where the tokens of a session are kept. If several tabs or processes share the session, the store keeps them from
 * using a refresh token twice, which would end the session for all.
 */
export interface TokenStore {
  /** The current tokens; null without a login. */
  read(): Promise<Tokens | null>;
  /**
   * Reads, changes and saves while no other holder does. `change` always gets the current tokens, and returns what to
   * save and what to return. If it throws, nothing is saved.
   */
  update<T>(change: (tokens: Tokens | null) => Promise<readonly [Tokens | null, T]>): Promise<T>;
  /** Calls back when another holder has renewed the tokens, or ended the session (null). */
  watch?(listener: (tokens: Tokens | null) => void): void;
}

/** Tokens in the memory of this program, gone when it ends. */
export function memoryTokenStore(tokens: Tokens | null = null): TokenStore {
  let current = tokens;
  let last: Promise<unknown> = Promise.resolve();
  return {
    read: async () => current,
    update(change) {
      const next = last.then(async () => {
        const [changed, result] = await change(current);
        current = changed;
        return result;
      });
      last = next.catch(() => undefined);
      return next;
    },
  };
}

/** A token that expires this soon is renewed first, so that it does not expire on its way. Milliseconds. */
const longestMargin = 60_000;

/**
 * Whether an access token is valid for a while.
 * @param now milliseconds since 1970
 * @param early how much earlier than needed to renew it: 0 for not at all, 1 for twice as early
 */
export function isUsable(tokens: Tokens, now: number, early = 0): boolean {
  const margin = Math.min(longestMargin, tokens.lifetime / 4);
  return now < tokens.accessTokenExpiresAt - margin * (1 + early);
}
