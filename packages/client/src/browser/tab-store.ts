// One session in all tabs of an origin. Each tab keeps the tokens in memory. A new tab asks the others for them, and
// the tab that renews them tells the others.

import type { Tokens } from '../oidc/tokens.ts';
import type { TokenStore } from '../session/token-store.ts';
import { forgetCounts, readCount, writeCount } from './renewal-count.ts';

export interface TabStoreOptions {
  /** What the tabs share, such as issuer and client id. */
  readonly name: string;
  /**
   * `memory`: the session ends with the last tab, and with a reload of the only one. `tab`: it survives a reload,
   * because the tokens are in `sessionStorage`, where scripts of this origin can read them.
   */
  readonly remember: 'memory' | 'tab';
}

export interface TabStore extends TokenStore {
  /** Takes over what this tab remembers, or the session of another tab. Returns whether there is one. */
  resume(): Promise<boolean>;
  close(): void;
}

/** The tokens of one login, and how often they were renewed since. */
interface Held {
  /** Random; tells logins apart. */
  readonly session: string;
  readonly count: number;
  readonly tokens: Tokens;
}

type Message =
  | { readonly kind: 'who-has'; readonly session: string | undefined }
  | { readonly kind: 'has'; readonly held: Held }
  | { readonly kind: 'ended'; readonly session: string };

/** How long the others may take to answer: a background tab is slow. Milliseconds. */
const answerLimit = 300;
const renewalLimit = 5000;

/**
 * The store of this tab.
 *
 * Two things ensure that no refresh token is used twice: a Web Lock around every change, and a count of renewals that
 * is raised before a token is sent. A tab whose own count is lower has missed a renewal: it waits for the new tokens
 * and, if their holder is gone, gives up the session rather than use an old token.
 */
export function tabTokenStore({ name, remember }: TabStoreOptions): TabStore {
  const channel = new BroadcastChannel(name);
  const watchers = new Set<(tokens: Tokens | null) => void>();
  const waiting = new Set<() => void>();
  let held = remember === 'tab' ? remembered(name) : null;

  const say = (message: Message) => channel.postMessage(message);
  function hold(next: Held | null): void {
    held = next;
    if (remember === 'tab') {
      if (next === null) sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, JSON.stringify(next));
    }
    for (const wake of waiting) wake();
  }
  channel.onmessage = ({ data: message }: MessageEvent<Message>) => {
    if (message.kind === 'who-has') {
      if (held !== null && (message.session ?? held.session) === held.session) say({ kind: 'has', held });
    } else if (message.kind === 'has') {
      const isNews =
        held === null
          ? waiting.size > 0
          : message.held.session === held.session && message.held.count > held.count;
      if (!isNews) return;
      const isRenewal = held !== null;
      hold(message.held);
      if (isRenewal) for (const watcher of watchers) watcher(message.held.tokens);
    } else if (held?.session === message.session) {
      hold(null);
      for (const watcher of watchers) watcher(null);
    }
  };

  /** Asks the other tabs until `isEnough`, or until the time is up. */
  function ask(session: string | undefined, isEnough: () => boolean, limit: number): Promise<void> {
    return new Promise((over) => {
      const wake = () => {
        if (!isEnough()) return;
        clearTimeout(timer);
        waiting.delete(wake);
        over();
      };
      const timer = setTimeout(() => {
        waiting.delete(wake);
        over();
      }, limit);
      waiting.add(wake);
      say({ kind: 'who-has', session });
    });
  }

  /** Brings this tab up to date with a session that others may have renewed. Call it under the lock. */
  async function catchUp({ session }: Held): Promise<void> {
    const count = await readCount(session);
    const isCurrent = () => held === null || held.session !== session || held.count >= count;
    if (!isCurrent()) await ask(session, isCurrent, renewalLimit);
    if (isCurrent()) return;
    hold(null);
    say({ kind: 'ended', session });
  }

  async function change<T>(
    make: (tokens: Tokens | null) => Promise<readonly [Tokens | null, T]>,
  ): Promise<T> {
    if (held !== null) await catchUp(held);
    const before = held;
    if (before === null) {
      const [tokens, result] = await make(null);
      if (tokens !== null) hold({ session: crypto.randomUUID(), count: 0, tokens });
      return result;
    }
    const { session, count } = before;
    // Before the token is sent: if this tab dies with the answer, the count keeps others from using the token again.
    await writeCount(session, count + 1);
    let made: readonly [Tokens | null, T];
    try {
      made = await make(before.tokens);
    } catch (error) {
      await writeCount(session, count);
      throw error;
    }
    const [tokens, result] = made;
    if (tokens === null) {
      hold(null);
      say({ kind: 'ended', session });
      await forgetCounts(session);
    } else if (tokens === before.tokens) {
      await writeCount(session, count);
    } else if (tokens.identityId !== before.tokens.identityId) {
      // Another person: the other tabs keep their session.
      await writeCount(session, count);
      hold({ session: crypto.randomUUID(), count: 0, tokens });
    } else {
      const next = { session, count: count + 1, tokens };
      hold(next);
      say({ kind: 'has', held: next });
    }
    return result;
  }

  return {
    read: async () => held?.tokens ?? null,
    update: (make) => navigator.locks.request(name, () => change(make)),
    watch: (listener) => void watchers.add(listener),
    async resume() {
      if (held === null) await ask(undefined, () => held !== null, answerLimit);
      return held !== null;
    },
    close: () => channel.close(),
  };
}

function remembered(name: string): Held | null {
  try {
    const held = JSON.parse(sessionStorage.getItem(name) ?? 'null');
    return typeof held?.session === 'string' && typeof held?.tokens?.accessToken === 'string' ? held : null;
  } catch {
    return null;
  }
}
