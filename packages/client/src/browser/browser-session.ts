// Login in a page: leaves for the login page, comes back to the redirect URI, and shares the session with other tabs.

import { ProtocolError } from '../errors.ts';
import {
  type AuthorizationOptions,
  authorizationUrl,
  finishLogin,
  type LoginAttempt,
  newLoginAttempt,
} from '../oidc/code-flow.ts';
import { discover, type ProviderOptions } from '../oidc/provider.ts';
import { openSession, type Session } from '../session/session.ts';
import { type TabStoreOptions, tabTokenStore } from './tab-store.ts';

export interface BrowserSessionOptions extends ProviderOptions, Pick<AuthorizationOptions, 'scope'> {
  /** Where logins come back to; an address of this origin that the server allows. */
  readonly redirectUri: string;
  /** Where the page after a logout leads; an address that the server allows. */
  readonly postLogoutRedirectUri?: string;
  /** Default: `memory`. */
  readonly remember?: TabStoreOptions['remember'];
}

export interface SignInOptions extends Pick<AuthorizationOptions, 'method' | 'prompt' | 'maxAge'> {
  /** Where to go on afterwards, on this origin. Default: where the person is. */
  readonly returnTo?: string;
}

/** How a page begins: what to show. */
export type PageStart =
  /** Somebody is signed in. `returnTo`: where this person was before a login that has just come back. */
  { readonly isSignedIn: true; readonly returnTo?: string } | { readonly isSignedIn: false };

export interface BrowserSession extends Session {
  /**
   * To be called once, first: ends a login that has come back to the redirect URI, or goes on with the session of this
   * tab or another one.
   * @throws Refusal when the person or the server refused; ProtocolError; Unreachable
   */
  start(): Promise<PageStart>;
  /** Leaves for the login page. */
  signIn(options?: SignInOptions): Promise<void>;
  /**
   * Notes a login as `signIn` does, and returns the address that begins it: for pages that send its parameters along
   * with something else. `start` ends it in this tab, whatever leads back to the redirect URI.
   */
  prepareSignIn(options?: SignInOptions): Promise<URL>;
  /** Forgets the session in all tabs, and leaves for the end of the session at the server. */
  signOut(): Promise<void>;
}

/** A login that has left this tab. */
interface Left extends LoginAttempt {
  readonly returnTo: string;
}

/**
 * The session of this page and of the other pages of its origin.
 * @throws Refusal, ProtocolError, Unreachable when the server is not what it should be
 */
export async function openBrowserSession(options: BrowserSessionOptions): Promise<BrowserSession> {
  const { redirectUri, postLogoutRedirectUri, scope, remember = 'memory' } = options;
  const provider = await discover(options);
  const name = `overlay-auth ${provider.issuer} ${provider.clientId}`;
  const store = tabTokenStore({ name, remember });
  const session = openSession({ provider, store });
  const leftKey = `${name} login`;

  async function prepareSignIn({ returnTo = location.href, ...more }: SignInOptions = {}): Promise<URL> {
    const attempt = newLoginAttempt(redirectUri);
    const left: Left = { ...attempt, returnTo: ownPath(returnTo) };
    const url = await authorizationUrl(provider, attempt, {
      ...more,
      ...(scope === undefined ? {} : { scope }),
    });
    sessionStorage.setItem(leftKey, JSON.stringify(left));
    return url;
  }

  return {
    ...session,
    async start() {
      if (`${location.origin}${location.pathname}` !== redirectUri) {
        return { isSignedIn: await store.resume() };
      }
      const url = new URL(location.href);
      const left = takeLeft(leftKey, url);
      // A code works once; it stays neither in the address nor in the history.
      history.replaceState(null, '', location.pathname);
      // A reload of the page that a login came back to.
      if (url.search === '') return { isSignedIn: await store.resume() };
      if (left === undefined) {
        throw new ProtocolError('state_mismatch', 'The answer does not belong to a login of this tab');
      }
      await session.begin(await finishLogin(provider, left, url));
      return { isSignedIn: true, returnTo: left.returnTo };
    },
    prepareSignIn,
    async signIn(options) {
      const { href } = await prepareSignIn(options);
      location.assign(href);
    },
    async signOut() {
      const tokens = await session.tokens();
      const endpoint = provider.metadata.end_session_endpoint;
      if (tokens === null || endpoint === undefined) return session.logOut();
      await store.update(async () => [null, undefined]);
      // By POST: the ID token stands in no address.
      submit(endpoint, {
        id_token_hint: tokens.idToken,
        client_id: provider.clientId,
        ...(postLogoutRedirectUri === undefined ? {} : { post_logout_redirect_uri: postLogoutRedirectUri }),
      });
    },
  };
}

/** The login that an answer belongs to. Others stay: it may still come back in this tab. */
function takeLeft(key: string, url: URL): Left | undefined {
  let left: Left | null;
  try {
    left = JSON.parse(sessionStorage.getItem(key) ?? 'null');
  } catch {
    left = null;
  }
  if (left === null || typeof left.state !== 'string' || url.searchParams.get('state') !== left.state) {
    return undefined;
  }
  sessionStorage.removeItem(key);
  return left;
}

/** Path, query and fragment of an address of this origin; the start page for all others. */
function ownPath(address: string): string {
  const url = URL.parse(address, location.href);
  return url?.origin === location.origin ? url.pathname + url.search + url.hash : '/';
}

function submit(action: string, fields: Readonly<Record<string, string>>): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = action;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}
