import type { Tokens } from '../oidc/tokens.ts';

/**
 * Where the tokens of one session are. Several tabs or processes may hold the same session: then the store is what
 * keeps them from using a refresh token twice, which would end the session for all.
 */
export interface TokenStore {
  /** What is there now; null when nobody is logged in. */
  read(): Promise<Tokens | null>;
  /**
   * Reads, changes and saves while no other holder does: what `change` is given cannot be outdated. `change` gives
   * what to save, and what to return; when it throws, nothing is saved.
   */
  update<T>(change: (tokens: Tokens | null) => Promise<readonly [Tokens | null, T]>): Promise<T>;
  /** Calls back when another holder has renewed the tokens, or ended the session (null). */
  watch?(listener: (tokens: Tokens | null) => void): void;
}

/** Tokens in the memory of this program, gone with it. */
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

/** A token that ends this soon is renewed first, so that it does not end on its way. Milliseconds. */
const longestMargin = 60_000;

/**
 * Whether an access token is good for a while yet.
 * @param now milliseconds since 1970
 * @param early how much earlier than needed it is renewed: from 0 for not at all to 1 for the same time again
 */
export function isUsable(tokens: Tokens, now: number, early = 0): boolean {
  const margin = Math.min(longestMargin, tokens.lifetime / 4);
  return now < tokens.accessTokenExpiresAt - margin * (1 + early);
}
