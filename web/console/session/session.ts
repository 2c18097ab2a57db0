// The session of the console, which is an ordinary public client of the provider at its own origin. It is the one of all
// tabs of console and account page, and stays until the browser is closed: the tokens are bound to a key that cannot
// leave this browser. If the session ends during work, the person signs in again in a separate window and every
// waiting call continues, so nothing that was typed is lost.

import { ProtocolError, SessionEnded } from '@overlay-auth/client';
import { type BrowserSession, openBrowserSession } from '@overlay-auth/client/browser';
import { held, once } from '../../parts/held.ts';
import { isRefused } from '../../parts/refused.ts';
import { callback, signedOutPage } from './addresses.ts';

/** `ended`: there was a session, and a sign-in can continue it. */
export type SessionState = 'starting' | 'signed-in' | 'ended' | 'signed-out' | 'failed';

const state = held<SessionState>('starting');
export const { current: currentState, on: onState } = state;
const { become } = state;
/** The identity of this page; null before the sign-in. */
let identityId: string | null = null;
/** Calls that wait for the sign-in. */
const waiting: (() => void)[] = [];

/** The session of this tab, signed in or not. @throws Refusal, ProtocolError, Unreachable; the next call tries again */
const session = once(open);
/** Its result. */
let current: BrowserSession | undefined;

async function open(): Promise<BrowserSession> {
  const found = await openBrowserSession({
    baseUrl: location.origin,
    redirectUri: location.origin + callback,
    postLogoutRedirectUri: location.origin + signedOutPage,
  });
  found.on(({ kind }) => {
    if (kind === 'ended') sessionEnded();
  });
  current = found;
  return found;
}

/**
 * Starts at the opened address.
 * @returns the address within the console to show; null when the browser goes elsewhere
 */
export async function begin(): Promise<string | null> {
  const { pathname, search, hash } = location;
  if (pathname === signedOutPage) {
    become('signed-out');
    return pathname;
  }
  const comesBack = pathname === callback;
  const own = await session();
  try {
    const start = await own.start();
    if (!start.isSignedIn) {
      await own.signIn({ returnTo: comesBack ? '/console' : `${pathname}${search}${hash}` });
      return null;
    }
    identityId = (await own.tokens())?.identityId ?? null;
    become('signed-in');
    return comesBack ? continueAddress(start.returnTo) : `${pathname}${search}${hash}`;
  } catch (error) {
    if (!comesBack || !isRefused(error)) throw error;
    become('failed');
    return '/console';
  }
}

/**
 * Where a person continues after signing in: an address within the console, and its start page for everything else. The
 * stored address is not trusted, because it decides where the browser goes.
 */
function continueAddress(stored: string | undefined): string {
  const url = URL.parse(stored ?? '', location.origin);
  const isOurs = url?.origin === location.origin && /^\/console(?:\/|$)/.test(url.pathname);
  const leadsBack = url?.pathname === callback || url?.pathname === signedOutPage;
  return isOurs && !leadsBack ? `${url.pathname}${url.search}${url.hash}` : '/console';
}

/** Leaves for the sign-in, which returns to this address. */
export async function signIn(address = '/console'): Promise<void> {
  await (await session()).signIn({ returnTo: address });
}

/**
 * Signs in again in a separate window, and lets waiting calls continue. If another person signs in, the page starts
 * over: they must not see its contents.
 * @throws WindowBlocked, Refusal, ProtocolError, Unreachable
 */
export async function signInInWindow(): Promise<void> {
  // Not awaited before the window opens: later, browsers would block it as a pop-up.
  if (current === undefined) throw new SessionEnded('not-logged-in');
  const isThem = await current.signInInWindow(identityId ?? '');
  if (!isThem) {
    // A form with changes would let them stay.
    become('starting');
    location.assign('/console');
    return;
  }
  become('signed-in');
  for (const resume of waiting.splice(0)) resume();
}

/**
 * An access token that is valid for a while. Waits for a sign-in if the session has ended. @throws Unreachable, Refusal
 * (503)
 */
export function accessToken(): Promise<string> {
  return tokenOf((own) => own.accessToken());
}

/** Another token than the refused one. @throws as `accessToken` */
export function renewedToken(refused: string): Promise<string> {
  return tokenOf((own) => own.renewedToken(refused));
}

/** Proves possession of the key that the tokens are bound to. */
export async function proving() {
  return (await session()).proving();
}

async function tokenOf(give: (own: BrowserSession) => Promise<string>): Promise<string> {
  for (;;) {
    if (currentState() === 'signed-in') {
      try {
        return await give(await session());
      } catch (error) {
        if (!(error instanceof SessionEnded) && !(error instanceof ProtocolError)) throw error;
        sessionEnded();
      }
    }
    await new Promise<void>((resume) => waiting.push(resume));
  }
}

/** The provider no longer knows the session, although the token seemed valid. */
export function sessionEnded(): void {
  if (currentState() === 'signed-in') become('ended');
}

/** Ends the session at the provider, which returns to a page that says so. */
export async function signOut(): Promise<void> {
  await (await session()).signOut();
}
