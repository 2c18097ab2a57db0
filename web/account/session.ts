// The session of the account page, which is an ordinary public client of the provider at its own origin. It is the one of
// all tabs of account page and console, and stays until the browser is closed: the tokens are bound to a key that cannot
// leave this browser.

import {
  createClientApi,
  freshLoginAge,
  Refusal,
  SessionEnded,
  secondaryTokenChallenge,
} from '@overlay-auth/client';
import { type BrowserSession, openBrowserSession } from '@overlay-auth/client/browser';
import { held, once } from '../parts/held.ts';
import { isRefused } from '../parts/refused.ts';

export type SessionState =
  | { readonly kind: 'starting' | 'signed-in' }
  /** `left`: the person signed out, here or in another tab. `failed`: a sign-in did not finish. */
  | { readonly kind: 'signed-out'; readonly reason: 'none' | 'left' | 'ended' | 'failed' }
  /** Every call also needs a token of another provider, which a page cannot send. */
  | { readonly kind: 'second-token'; readonly reference: string }
  | { readonly kind: 'unavailable'; readonly error: unknown };

const page = '/account';
const signedOutPage = '/account/signed-out';
const callback = '/account/callback';

const state = held<SessionState>({ kind: 'starting' });
export const { current: currentState, on: onState } = state;
const { become } = state;

/** The session of this tab, signed in or not. @throws Refusal, ProtocolError, Unreachable; the next call tries again */
export const session = once(open);

async function open(): Promise<BrowserSession> {
  const found = await openBrowserSession({
    baseUrl: location.origin,
    redirectUri: location.origin + callback,
    postLogoutRedirectUri: location.origin + signedOutPage,
  });
  found.on((event) => {
    if (event.kind !== 'ended') return;
    become({ kind: 'signed-out', reason: event.reason === 'logged-out' ? 'left' : 'ended' });
  });
  return found;
}

/** Calls to the client API as the signed-in person. */
export const api = createClientApi({
  baseUrl: location.origin,
  token: {
    accessToken: async () => (await session()).accessToken(),
    renewedToken: async (refused) => (await session()).renewedToken(refused),
    proving: async () => (await session()).proving(),
  },
});

/** Starts at the opened address: completes a returning sign-in, continues a session, or shows how to sign in. */
export async function begin(): Promise<void> {
  if (location.pathname === signedOutPage) {
    become({ kind: 'signed-out', reason: 'left' });
    return;
  }
  const comesBack = location.pathname === callback;
  try {
    const start = await (await session()).start();
    if (comesBack) {
      history.replaceState(null, '', start.isSignedIn ? (start.returnTo ?? page) : page);
    }
    become(start.isSignedIn ? { kind: 'signed-in' } : { kind: 'signed-out', reason: 'none' });
  } catch (error) {
    if (comesBack) history.replaceState(null, '', page);
    const isFailed = comesBack && isRefused(error);
    become(isFailed ? { kind: 'signed-out', reason: 'failed' } : { kind: 'unavailable', error });
  }
}

/** Looks for errors that end the whole page, after any action. */
export function notice(error: unknown): void {
  if (secondaryTokenChallenge(error) !== undefined) {
    become({ kind: 'second-token', reference: (error as Refusal).requestId ?? '' });
  } else if (error instanceof SessionEnded) {
    become({ kind: 'signed-out', reason: 'ended' });
  } else if (error instanceof Refusal && error.status === 401 && freshLoginAge(error) === undefined) {
    // A renewed token was refused too.
    void session().then((one) => one.logOut().catch(() => undefined));
    become({ kind: 'signed-out', reason: 'ended' });
  }
}

/** Leaves for the sign-in, which returns to the part that is shown. */
export async function signIn(): Promise<void> {
  await (await session()).signIn({ returnTo: page + location.hash });
}

/** Ends the session, and leaves for a sign-in that requires every factor again. */
export async function signInAnew(): Promise<void> {
  const current = await session();
  await current.logOut();
  await current.signIn({ returnTo: page + location.hash, prompt: 'login' });
}

/** Ends the session at the provider, which leads to a page that says so. */
export async function signOut(): Promise<void> {
  await (await session()).signOut();
}
