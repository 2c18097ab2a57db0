// The session of this tab. Tokens live in memory: a reload signs in anew, which asks for nothing where the provider keeps
// a browser session. When the session ends in the middle, whoever sits there signs in beside the page, in a window of its
// own, and every call that waited goes on: nothing that was typed is lost.

import { continueAddress } from './continue-address.ts';
import {
  authorizationUrl,
  type Login,
  leave,
  newLogin,
  redeem,
  redirectUri,
  refreshed,
  SignedOut,
  type Tokens,
} from './provider.ts';

/** `ended`: it was there, and waits for a sign-in to go on. */
export type SessionState = 'starting' | 'signed-in' | 'ended' | 'signed-out' | 'failed';

const loginKey = 'console.login';
const channelName = 'console.login';
const windowName = 'console-sign-in';

let state: SessionState = 'starting';
let tokens: Tokens | null = null;
let renewing: Promise<void> | null = null;
const listeners = new Set<() => void>();
/** Calls that wait for the sign-in. */
const waiting: (() => void)[] = [];

export function currentState(): SessionState {
  return state;
}

/** For `useSyncExternalStore`. */
export function onState(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function become(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

/**
 * Begins at the address that was opened.
 * @returns the address within the console to show; null when the browser goes elsewhere
 */
export async function begin(): Promise<string | null> {
  const { pathname, search, hash } = location;
  if (pathname === '/console/signed-out') {
    become('signed-out');
    return pathname;
  }
  if (pathname !== new URL(redirectUri).pathname) {
    await signIn(`${pathname}${search}${hash}`);
    return null;
  }
  history.replaceState(null, '', '/console');
  const answer = new URLSearchParams(search);
  const stored = takeStoredLogin();
  if (answer.get('state') === stored?.login.state) return finish(answer, stored);
  handOver(search);
  become('failed');
  return '/console';
}

async function finish(answer: URLSearchParams, stored: StoredLogin | null): Promise<string> {
  try {
    tokens = await redeem(answer, stored?.login ?? null);
  } catch (error) {
    if (!(error instanceof SignedOut)) throw error;
    become('failed');
    return '/console';
  }
  become('signed-in');
  return continueAddress(stored?.address);
}

/** Leaves for the sign-in, which comes back to this address. */
export async function signIn(address = '/console'): Promise<void> {
  const login = newLogin();
  const url = await authorizationUrl(login);
  sessionStorage.setItem(loginKey, JSON.stringify({ login, address } satisfies StoredLogin));
  location.assign(url);
}

interface StoredLogin {
  readonly login: Login;
  readonly address: string;
}

function takeStoredLogin(): StoredLogin | null {
  const stored = sessionStorage.getItem(loginKey);
  sessionStorage.removeItem(loginKey);
  return stored === null ? null : JSON.parse(stored);
}

/** This may be the window beside a page that waits for the answer. No other page takes it: the state is theirs. */
function handOver(search: string): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(search);
  channel.close();
  window.close();
}

/**
 * Signs in beside the page, and lets the calls that waited go on. Somebody else begins anew: what is shown is not theirs
 * to see.
 * @throws SignedOut     the sign-in was refused
 * @throws PopupBlocked
 */
export async function signInBeside(): Promise<void> {
  // Opened by the click itself: later, browsers take it for advertising.
  const opened = window.open('', windowName, 'popup,width=520,height=760');
  if (opened === null) throw new PopupBlocked();
  const login = newLogin();
  const answered = answerTo(login);
  opened.location.href = await authorizationUrl(login);
  const fresh = await redeem(await answered, login);
  if (tokens !== null && fresh.subject !== tokens.subject) {
    location.assign('/console');
    return;
  }
  tokens = fresh;
  become('signed-in');
  for (const resume of waiting.splice(0)) resume();
}

/** The browser opens no window for the sign-in. */
export class PopupBlocked extends Error {}

let stopWaiting = () => {};

function answerTo(login: Login): Promise<URLSearchParams> {
  stopWaiting();
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(channelName);
    stopWaiting = () => channel.close();
    channel.onmessage = ({ data }) => {
      const answer = new URLSearchParams(String(data));
      // Of a sign-in that another tab waits for.
      if (answer.get('state') !== login.state) return;
      channel.close();
      resolve(answer);
    };
  });
}

/** An access token that is good for a while yet; waits for a sign-in where the session has ended. @throws Unreachable */
export async function accessToken(): Promise<string> {
  for (;;) {
    if (tokens !== null && state === 'signed-in') {
      if (Date.now() < tokens.renewAt) return tokens.access;
      await renew();
      if (state === 'signed-in') return tokens.access;
    }
    await new Promise<void>((resume) => waiting.push(resume));
  }
}

/** Gets new tokens; callers at the same time share one request, since a refresh token is good once. @throws Unreachable */
export function renew(): Promise<void> {
  renewing ??= renewOnce().finally(() => {
    renewing = null;
  });
  return renewing;
}

async function renewOnce(): Promise<void> {
  if (tokens === null) return;
  try {
    tokens = await refreshed(tokens);
  } catch (error) {
    if (!(error instanceof SignedOut)) throw error;
    become('ended');
  }
}

/** The provider no longer knows the session although the token looked good. */
export function sessionEnded(): void {
  if (state === 'signed-in') become('ended');
}

/** Ends the session at the provider, which leads back to a page that says so. */
export async function signOut(): Promise<void> {
  if (tokens !== null && Date.now() >= tokens.renewAt) await renew();
  if (tokens === null) location.assign('/console/signed-out');
  else await leave(tokens);
}
