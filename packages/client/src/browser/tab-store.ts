// One session in all tabs of an origin. Each tab has the tokens in memory. A new tab gets them from IndexedDB or from the
// others, and the tab that renews them tells the others.

import type { Tokens } from '../oidc/tokens.ts';
import type { TokenStore } from '../session/token-store.ts';
import { findKept, forget, type Held, readCount, save, writeCount } from './kept-sessions.ts';

export interface TabStoreOptions {
  /** What the tabs share, such as issuer and client id. */
  readonly name: string;
  /**
   * `memory`: the session ends with the last tab, and with a reload of the only one. `browser`: it ends when the browser
   * is closed. Only tokens that are bound to a key of this browser are kept; others stay in memory all the same.
   */
  readonly remember: 'memory' | 'browser';
}

export interface TabStore extends TokenStore {
  /** Takes over what this browser remembers, or the session of another tab. Returns whether there is one. */
  resume(): Promise<boolean>;
  close(): void;
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
 * is raised before a token is sent. A tab whose own count is lower has missed a renewal: it takes the new tokens from
 * IndexedDB or waits for them and, if their holder is gone, gives up the session rather than use an old token. Without
 * IndexedDB there is no count, and each tab has a session of its own.
 */
export function tabTokenStore({ name, remember }: TabStoreOptions): TabStore {
  const channel = new BroadcastChannel(name);
  const watchers = new Set<(tokens: Tokens | null) => void>();
  const waiting = new Set<() => void>();
  let held: Held | null = null;
  /** The person whose session in this tab has ended. */
  let former: string | null = null;
  /** Sessions that have ended. A tab that has not heard of it yet may still offer one. */
  const over = new Set<string>();
  /** What is saved of the session. */
  let saved: Awaited<ReturnType<typeof save>> = 'count';

  const say = (message: Message) => {
    if (saved !== 'nothing') channel.postMessage(message);
  };
  const sayEnded = (session: string) => {
    over.add(session);
    say({ kind: 'ended', session });
  };
  function hold(next: Held | null): void {
    if (next === null) former = held?.tokens.identityId ?? former;
    held = next;
    // A reload continues with the same person, also when another one has signed in elsewhere meanwhile.
    if (next === null) sessionStorage.removeItem(name);
    else if (saved === 'tokens') {
      const { session, tokens } = next;
      sessionStorage.setItem(name, JSON.stringify({ session, identityId: tokens.identityId }));
    }
    for (const wake of waiting) wake();
  }
  channel.onmessage = ({ data: message }: MessageEvent<Message>) => {
    if (message.kind === 'who-has') {
      // A new tab finds what is kept by itself.
      const isMeant = message.session === undefined ? saved === 'count' : message.session === held?.session;
      if (held !== null && isMeant) say({ kind: 'has', held });
    } else if (message.kind === 'has') {
      if (over.has(message.held.session)) return;
      const isAnswer = held === null && waiting.size > 0;
      const isNews =
        held === null
          ? // After the end of a session, the same person signs in once for all tabs.
            message.held.tokens.identityId === former
          : message.held.session === held.session && message.held.count > held.count;
      if (!isAnswer && !isNews) return;
      hold(message.held);
      if (!isAnswer) for (const watcher of watchers) watcher(message.held.tokens);
    } else {
      over.add(message.session);
      if (held?.session !== message.session) return;
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

  /** Brings this tab up to date with a session that others may have renewed or ended. Call it under the lock. */
  async function catchUp({ session, tokens }: Held): Promise<void> {
    if (saved === 'nothing') return;
    const count = await readCount(session);
    if (count === undefined) return hold(null);
    const isCurrent = () => held === null || held.session !== session || held.count >= count;
    if (isCurrent()) return;
    const kept = remember === 'browser' ? await findKept(name, { session, ...tokens }) : null;
    // A tab that was closed while it renewed has left the tokens from before. Its request may not have arrived.
    if (kept?.session === session) return hold(kept);
    await ask(session, isCurrent, renewalLimit);
    if (isCurrent()) return;
    hold(null);
    sayEnded(session);
  }

  /** Begins a session of its own. Tabs with another person keep theirs. */
  async function enter(tokens: Tokens): Promise<void> {
    const next = { session: crypto.randomUUID(), count: 0, tokens };
    saved = await save(name, next, remember === 'browser');
    hold(next);
    say({ kind: 'has', held: next });
  }

  async function setCount(session: string, count: number): Promise<void> {
    if (saved !== 'nothing') await writeCount(session, count);
  }

  async function change<T>(
    make: (tokens: Tokens | null) => Promise<readonly [Tokens | null, T]>,
  ): Promise<T> {
    if (held !== null) await catchUp(held);
    const before = held;
    if (before === null) {
      const [tokens, result] = await make(null);
      if (tokens !== null) await enter(tokens);
      return result;
    }
    const { session, count } = before;
    // Before the token is sent: if this tab dies with the answer, the count keeps others from using the token again.
    await setCount(session, count + 1);
    let made: readonly [Tokens | null, T];
    try {
      made = await make(before.tokens);
    } catch (error) {
      await setCount(session, count);
      throw error;
    }
    const [tokens, result] = made;
    if (tokens === null) {
      sayEnded(session);
      hold(null);
      if (saved !== 'nothing') await forget(session);
    } else if (tokens === before.tokens) {
      await setCount(session, count);
    } else if (tokens.identityId !== before.tokens.identityId) {
      await setCount(session, count);
      await enter(tokens);
    } else {
      const next = { session, count: count + 1, tokens };
      saved = await save(name, next, remember === 'browser');
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
      const own = ownIn(name);
      const kept = remember === 'browser' ? await findKept(name, own) : null;
      if (kept !== null) saved = 'tokens';
      hold(kept);
      // The session of this tab has ended. Another person's would be a surprise here.
      if (held === null && own === null) await ask(undefined, () => held !== null, answerLimit);
      return held !== null;
    },
    close: () => channel.close(),
  };
}

/** The session that this tab had before it was loaded again. */
function ownIn(name: string): { readonly session: string; readonly identityId: string } | null {
  try {
    const { session, identityId } = JSON.parse(sessionStorage.getItem(name) ?? 'null');
    return typeof session === 'string' && typeof identityId === 'string' ? { session, identityId } : null;
  } catch {
    return null;
  }
}
