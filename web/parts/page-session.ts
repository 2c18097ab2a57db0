// The session of a page, which is an ordinary public client of the provider at its own origin. It is the one of all tabs
// of console and account page, and stays until the browser is closed: the tokens are bound to a key that cannot leave
// this browser. If it ends during work, the person signs in again in a separate window and every waiting call continues,
// so nothing that was typed is lost.

import { ProtocolError, SessionEnded } from '@overlay-auth/client';
import { type BrowserSession, openBrowserSession } from '@overlay-auth/client/browser';
import { held, once } from './held.ts';
import { isRefused } from './refused.ts';

/**
 * `none`: no person is signed in. `left`: they have signed out. `failed`: a sign-in did not finish. `ended`: there was a
 * session, and a sign-in can continue it. `another`: another person has signed in instead, who must not see its contents.
 */
export type SessionState = 'starting' | 'none' | 'left' | 'failed' | 'signed-in' | 'ended' | 'another';

export type PageSession = ReturnType<typeof pageSession>;

/**
 * @param page the path of its start page
 * @param whenLeft the state after the person has signed out in another tab
 */
export function pageSession(page: '/account' | '/console', { whenLeft }: { whenLeft: 'left' | 'ended' }) {
  const callback = `${page}/callback`;
  const signedOutPage = `${page}/signed-out`;
  const { current: currentState, on: onState, become } = held<SessionState>('starting');
  /** The identity of this page; null before the sign-in. */
  let identityId: string | null = null;
  /** Calls that wait for the sign-in. */
  const waiting: (() => void)[] = [];
  /** The result of `open`. */
  let current: BrowserSession | undefined;
  /** The session of this tab, signed in or not. @throws Refusal, ProtocolError, Unreachable; the next call tries again */
  const open = once(async () => {
    const found = await openBrowserSession({
      baseUrl: location.origin,
      redirectUri: location.origin + callback,
      postLogoutRedirectUri: location.origin + signedOutPage,
    });
    found.on((event) => {
      if (event.kind === 'ended') sessionEnded(event.reason === 'logged-out' ? whenLeft : 'ended');
      // In another tab.
      else if (currentState() === 'ended' && event.tokens.identityId === identityId) goOn();
    });
    current = found;
    return found;
  });

  /** The provider no longer knows the session, although the token seemed valid. */
  function sessionEnded(next: 'left' | 'ended' = 'ended'): void {
    if (currentState() === 'signed-in') become(next);
  }

  /** After signing in again. */
  function goOn(): void {
    become('signed-in');
    for (const resume of waiting.splice(0)) resume();
  }

  /**
   * Where a person continues after signing in: an address of this page, and its start for everything else. The stored
   * address is not trusted, because it decides where the browser goes.
   */
  function continueAddress(stored: string | undefined): string {
    const url = URL.parse(stored ?? '', location.origin);
    const isOurs =
      url?.origin === location.origin && (url.pathname === page || url.pathname.startsWith(`${page}/`));
    const leadsBack = url?.pathname === callback || url?.pathname === signedOutPage;
    return isOurs && !leadsBack ? `${url.pathname}${url.search}${url.hash}` : page;
  }

  async function tokenOf(give: (own: BrowserSession) => Promise<string>): Promise<string> {
    for (;;) {
      if (currentState() === 'signed-in') {
        try {
          return await give(await open());
        } catch (error) {
          if (!(error instanceof SessionEnded) && !(error instanceof ProtocolError)) throw error;
          sessionEnded();
        }
      }
      await new Promise<void>((resume) => waiting.push(resume));
    }
  }

  return {
    currentState,
    onState,
    open,
    sessionEnded,

    /** Starts at the opened address, or at the one that a sign-in returns to. */
    async begin(): Promise<void> {
      const { pathname } = location;
      if (pathname === signedOutPage) return become('left');
      const comesBack = pathname === callback;
      // Before the page is shown, which looks at the address.
      const show = (address: string) => comesBack && history.replaceState(null, '', address);
      const own = await open();
      try {
        const start = await own.start();
        identityId = start.isSignedIn ? ((await own.tokens())?.identityId ?? null) : null;
        show(start.isSignedIn ? continueAddress(start.returnTo) : page);
        become(start.isSignedIn ? 'signed-in' : 'none');
      } catch (error) {
        show(page);
        if (!comesBack || !isRefused(error)) throw error;
        become('failed');
      }
    },

    /** Continues with the session of another tab where the person has signed in meanwhile, or leaves for the sign-in. */
    async signInOnce(address: string): Promise<void> {
      const own = await open();
      if (!(await own.start()).isSignedIn) return own.signIn({ returnTo: address });
      history.replaceState(null, '', address);
      location.reload();
    },

    /** Leaves for the sign-in, which returns to this address. The back button leads past it: it would lead there again. */
    async signIn(): Promise<void> {
      location.replace(await (await open()).prepareSignIn());
    },

    /**
     * Signs in again in a separate window, and lets waiting calls continue.
     * @throws WindowBlocked, Refusal, ProtocolError, Unreachable
     */
    async signInInWindow(): Promise<void> {
      // Not awaited before the window opens: later, browsers would block it as a pop-up.
      if (current === undefined) throw new SessionEnded('not-logged-in');
      const isThem = await current.signInInWindow(identityId ?? '');
      if (isThem) goOn();
      else become('another');
    },

    /** The tokens for calls, which wait for a sign-in if the session has ended. @throws Unreachable, Refusal (503) */
    token: {
      accessToken: () => tokenOf((own) => own.accessToken()),
      renewedToken: (refused: string) => tokenOf((own) => own.renewedToken(refused)),
      proving: async () => (await open()).proving(),
    },

    /** Ends the session at the provider, which returns to a page that says so. */
    async signOut(): Promise<void> {
      await (await open()).signOut();
    },
  };
}
