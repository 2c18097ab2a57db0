// Login in a page: leaves for the login page, returns to the redirect URI, and shares the session with other tabs.

import { ProtocolError, SessionEnded } from '../errors.ts';
import {
  type AuthorizationOptions,
  authorizationUrl,
  finishLogin,
  type LoginAttempt,
  newLoginAttempt,
} from '../oidc/code-flow.ts';
import { newLockedProofKey } from '../oidc/proof-key.ts';
import { discover, type ProviderOptions } from '../oidc/provider.ts';
import { openSession, type Session } from '../session/session.ts';
import { type TabStoreOptions, tabTokenStore } from './tab-store.ts';

export interface BrowserSessionOptions extends ProviderOptions, Pick<AuthorizationOptions, 'scope'> {
  /** Where logins return: an address of this origin that the server allows. */
  readonly redirectUri: string;
  /** Where the page after a logout leads; an address that the server allows. */
  readonly postLogoutRedirectUri?: string;
  /** Default: `browser`. */
  readonly remember?: TabStoreOptions['remember'];
  /**
   * Pages of one group share a session; others of the same origin and client have their own. Default: all pages without
   * a group share one.
   */
  readonly group?: string;
}

export interface SignInOptions extends Pick<AuthorizationOptions, 'method' | 'prompt' | 'maxAge'> {
  /** Where to continue afterwards, on this origin. Default: where the person is now. */
  readonly returnTo?: string;
}

/** How a page begins: what to show. */
export type PageStart =
  /** A person is signed in. `returnTo`: where they were before a login that has just returned. */
  { readonly isSignedIn: true; readonly returnTo?: string } | { readonly isSignedIn: false };

export interface BrowserSession extends Session {
  /**
   * Call it once, first: completes a login that has returned to the redirect URI, or continues with the session of this
   * tab or another one.
   * @throws Refusal when the person or the server refused; ProtocolError; Unreachable
   */
  start(): Promise<PageStart>;
  /** Leaves for the login page. */
  signIn(options?: SignInOptions): Promise<void>;
  /**
   * Prepares a login like `signIn`, and returns the address that begins it: for pages that send its parameters along
   * with something else. `start` completes it in this tab, for every way back to the redirect URI.
   */
  prepareSignIn(options?: SignInOptions): Promise<URL>;
  /**
   * Signs in again in a separate window, for a session that has ended while a person works: what this page shows stays.
   * Call it in a click handler, because browsers open no window later. Begins the session only if the expected person
   * signs in. Waits until the window returns; another call cancels this one.
   * @param identityId whose page this is
   * @returns false when another person has signed in, who must not see what is here
   * @throws WindowBlocked; Refusal when the person or the server refused; ProtocolError; Unreachable
   */
  signInInWindow(identityId: string): Promise<boolean>;
  /** Forgets the session in all tabs, and leaves for the end of the session at the server. */
  signOut(): Promise<void>;
}

/** The browser did not open a window for the sign-in. */
export class WindowBlocked extends Error {
  readonly kind = 'window-blocked';

  constructor() {
    super('The browser opens no window for the sign-in');
    this.name = 'WindowBlocked';
  }
}

/** The browser denies the page what it needs to recognize the answer to its login. */
export class StorageDenied extends Error {
  readonly kind = 'storage-denied';

  constructor(cause: unknown) {
    super('The browser denies this site its storage: allow cookies and site data', { cause });
    this.name = 'StorageDenied';
  }
}

/** A login that has left this tab. */
interface Left extends LoginAttempt {
  readonly returnTo: string;
}

/**
 * The session of this page and of the other pages of its origin.
 * @throws StorageDenied
 * @throws Refusal, ProtocolError, Unreachable when the server's discovery document is missing or wrong
 */
export async function openBrowserSession(options: BrowserSessionOptions): Promise<BrowserSession> {
  try {
    void sessionStorage.length;
  } catch (error) {
    throw new StorageDenied(error);
  }
  const { redirectUri, postLogoutRedirectUri, scope, remember = 'browser', group } = options;
  const { newKey = newLockedProofKey } = options;
  const provider = await discover({ ...options, newKey });
  const name = `overlay-auth ${provider.issuer} ${provider.clientId}${group === undefined ? '' : ` ${group}`}`;
  const store = tabTokenStore({ name, remember });
  const session = openSession({ provider, store });
  const leftKey = `${name} login`;
  const beside = windowAnswers(leftKey);

  /** Continues a session that can still be renewed. The server not answering says nothing about it. */
  async function resumed(): Promise<boolean> {
    if (!(await store.resume())) return false;
    return session.fresh().then(
      () => true,
      (error) => !(error instanceof SessionEnded || error instanceof ProtocolError),
    );
  }

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
      const url = new URL(location.href);
      // The page may also be opened or reloaded, with a query of its own. Each answer has the state of its login.
      if (url.origin + url.pathname !== redirectUri || !url.searchParams.has('state')) {
        return { isSignedIn: await resumed() };
      }
      const left = takeLeft(leftKey, url);
      // A code works once. It stays neither in the address bar nor in the history.
      history.replaceState(null, '', location.pathname);
      if (left === undefined) {
        beside.handOver(url);
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
    async signInInWindow(identityId) {
      const opened = window.open('', name.replace(/\W/g, '-'), 'popup,width=520,height=760');
      if (opened === null) throw new WindowBlocked();
      const attempt = newLoginAttempt(redirectUri);
      const answered = beside.answerTo(attempt);
      const { href } = await authorizationUrl(provider, attempt, scope === undefined ? {} : { scope });
      opened.location.href = href;
      const tokens = await finishLogin(provider, attempt, await answered);
      if (tokens.identityId !== identityId) return false;
      await session.begin(tokens);
      return true;
    },
    async signOut() {
      const tokens = await session.tokens();
      const endpoint = provider.metadata.end_session_endpoint;
      if (tokens === null || endpoint === undefined) return session.logOut();
      await store.update(async () => [null, undefined]);
      // By POST, so that the ID token is in no address.
      submit(endpoint, {
        id_token_hint: tokens.idToken,
        client_id: provider.clientId,
        ...(postLogoutRedirectUri === undefined ? {} : { post_logout_redirect_uri: postLogoutRedirectUri }),
      });
    },
  };
}

/**
 * Answers to logins in a window beside the page. The window passes on the address it returned to. A code is useless
 * without the verifier, which never leaves the waiting page.
 */
function windowAnswers(channelName: string) {
  let stopWaiting = () => {};
  return {
    /**
     * This may be the window beside a page. No other page accepts the answer, because the state belongs to that page.
     */
    handOver({ href }: URL): void {
      const channel = new BroadcastChannel(channelName);
      channel.postMessage(href);
      channel.close();
      window.close();
    },
    answerTo({ state }: LoginAttempt): Promise<URL> {
      stopWaiting();
      return new Promise((resolve) => {
        const channel = new BroadcastChannel(channelName);
        stopWaiting = () => channel.close();
        channel.onmessage = ({ data }) => {
          const answer = URL.parse(String(data));
          if (answer === null || answer.searchParams.get('state') !== state) return;
          channel.close();
          resolve(answer);
        };
      });
    },
  };
}

/** The login that an answer belongs to. Others are kept: they may still return in this tab. */
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

/**
 * Path, query and fragment of an address of this origin; the start page for any other. A path that begins with two
 * slashes would lead to another host.
 */
function ownPath(address: string): string {
  const url = URL.parse(address, location.href);
  if (url?.origin !== location.origin) return '/';
  return url.pathname.replace(/^\/+/, '/') + url.search + url.hash;
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
