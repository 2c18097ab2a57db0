// Login in the browser of this computer, for programs: it returns to a port of this computer (RFC 8252 section 7.3).

import { createServer, type ServerResponse } from 'node:http';
import { finishLogin, hasStateOf, type LoginAttempt } from '../oidc/code-flow.ts';
import type { Provider } from '../oidc/provider.ts';
import { startAuthorization } from '../oidc/start-authorization.ts';
import type { Tokens } from '../oidc/tokens.ts';

export interface LoopbackLoginOptions<T> {
  /** Shows the address to the person, or opens it in their browser. */
  readonly open: (url: string) => void | Promise<void>;
  /**
   * What to do with the tokens, such as saving them. Only afterwards does the page in the browser say that the login is
   * complete.
   */
  readonly complete: (tokens: Tokens) => Promise<T>;
  /** What that page says. Default: `You are logged in.` */
  readonly loggedInText?: string;
  readonly scope?: string;
  /** Stops waiting for the person; its reason is thrown. Default: 15 minutes. */
  readonly signal?: AbortSignal;
}

const callbackPath = '/auth/callback';
const longestWait = 15 * 60_000;

/**
 * Logs in through the browser. The program first asks the server whether it would refuse: a browser would show the
 * refusal on a page, and the program would wait for ever.
 * @returns the result of `complete`
 * @throws Refusal when the server or the person refused; ProtocolError; Unreachable; the reason of the signal
 */
export async function loopbackLogin<T>(provider: Provider, options: LoopbackLoginOptions<T>): Promise<T> {
  const { open, complete, loggedInText = 'You are logged in.', scope } = options;
  const signal = options.signal ?? AbortSignal.timeout(longestWait);
  await using redirect = await listenForRedirect();
  const candidates = ['127.0.0.1', 'localhost'].map(
    (host) => `http://${host}:${redirect.port}${callbackPath}`,
  );
  const started = await startAuthorization(provider, candidates, scope === undefined ? {} : { scope });
  // A browser in which the person is signed in may be back before it is known to be open.
  const returned = redirect.next(started.attempt, signal);
  const opened = (async () => open(started.authorizationUrl.href))();
  const { url, show } = await Promise.race([returned, opened.then(() => returned)]);
  try {
    const result = await complete(await finishLogin(provider, started.attempt, url));
    show({ isLoggedIn: true, text: loggedInText });
    return result;
  } catch (error) {
    const isKnown = error instanceof Error && ('kind' in error || 'code' in error);
    show({
      isLoggedIn: false,
      text: isKnown ? error.message : 'Something went wrong; the program says what.',
    });
    throw error;
  }
}

/** The result of a login as the browser delivers it. */
interface Callback {
  readonly url: URL;
  /** Shows the result in the browser. Called once. */
  show(result: { readonly isLoggedIn: boolean; readonly text: string }): void;
}

interface LoopbackRedirect extends AsyncDisposable {
  readonly port: number;
  /** The answer that belongs to the attempt. Others are refused, and the wait continues. */
  next(attempt: LoginAttempt, signal: AbortSignal): Promise<Callback>;
}

async function listenForRedirect(): Promise<LoopbackRedirect> {
  let waiting: { readonly attempt: LoginAttempt; readonly take: (callback: Callback) => void } | undefined;
  let lastPage: Promise<void> | undefined;
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
    if (request.method !== 'GET' || url?.pathname !== callbackPath) {
      answer(response, 404, 'Nothing here', 'This address only receives the end of a login.');
      return;
    }
    // Anybody can connect to a port of this computer.
    if (waiting === undefined || !hasStateOf(waiting.attempt, url)) {
      answer(response, 400, 'Not this login', 'This answer does not belong to the login that is waiting.');
      return;
    }
    const { take } = waiting;
    waiting = undefined;
    // The person may close the browser before there is anything to show.
    const isOver = new Promise<void>((over) => response.once('close', over));
    take({
      url,
      show({ isLoggedIn, text }) {
        lastPage = isOver;
        answer(response, isLoggedIn ? 200 : 400, isLoggedIn ? 'Logged in' : 'Not logged in', text);
      },
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise<void>((listening, failed) => {
    server.once('listening', listening);
    server.once('error', failed);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    next: (attempt, signal) =>
      new Promise((take, fail) => {
        const giveUp = () => fail(signal.reason);
        if (signal.aborted) return giveUp();
        signal.addEventListener('abort', giveUp, { once: true });
        waiting = {
          attempt,
          take(callback) {
            signal.removeEventListener('abort', giveUp);
            take(callback);
          },
        };
      }),
    async [Symbol.asyncDispose]() {
      // The last page has to be sent, but browsers keep idle connections open for minutes.
      await lastPage;
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(response: ServerResponse, status: number, heading: string, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(heading)}</title>
<style>:root{color-scheme:light dark}body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem}</style>
</head><body><main><h1>${escapeHtml(heading)}</h1><p>${escapeHtml(text)}</p><p>You can close this tab.</p></main></body></html>
`);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
