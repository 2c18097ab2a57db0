import { createServer, type ServerResponse } from 'node:http';
import { MINUTE } from '../../platform/clock.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';

/** The end of a login as the browser brings it, and what the browser is to show. */
export interface Callback {
  readonly url: URL;
  /** Shows the result. Called once. */
  answer(result: { readonly isLoggedIn: boolean; readonly text: string }): void;
}

export interface LoopbackRedirect extends AsyncDisposable {
  readonly port: number;
  /** The next answer that `isOurs`; others are refused and waited past. @throws CliError exit 3 after a while */
  next(isOurs: (url: URL) => boolean): Promise<Callback>;
}

export const callbackPath = '/auth/callback';
const longestWait = 15 * MINUTE;

/**
 * Listens on a free port of 127.0.0.1 for the redirect that ends a login in the browser.
 * @see RFC 8252 section 7.3
 */
export async function listenForRedirect(): Promise<LoopbackRedirect> {
  let deliver: ((callback: Callback) => void) | undefined;
  let isOurs = (_url: URL) => false;
  let lastPage: Promise<void> | undefined;
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
    if (request.method !== 'GET' || url?.pathname !== callbackPath) {
      show(response, 404, 'Nothing here', 'This address only receives the end of a login.');
      return;
    }
    if (deliver === undefined || !isOurs(url)) {
      show(response, 400, 'Not this login', 'This answer does not belong to the login that is waiting.');
      return;
    }
    const found = deliver;
    deliver = undefined;
    found({
      url,
      answer({ isLoggedIn, text }) {
        lastPage = new Promise((sent) => response.once('close', sent));
        show(response, isLoggedIn ? 200 : 400, isLoggedIn ? 'Logged in' : 'Not logged in', text);
      },
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise<void>((listening, failed) => {
    server.once('listening', listening);
    server.once('error', failed);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    next(matches) {
      isOurs = matches;
      return new Promise((fulfil, fail) => {
        const timer = setTimeout(() => {
          fail(
            new CliError('Nobody finished the login in the browser.', {
              exitCode: exitCodes.notAuthenticated,
              code: 'login_timeout',
              next: 'run the command again, or log in with -u USER',
            }),
          );
        }, longestWait);
        deliver = (callback) => {
          clearTimeout(timer);
          fulfil(callback);
        };
      });
    },
    async [Symbol.asyncDispose]() {
      // The last page has to get out; beside it browsers keep connections open for minutes.
      await lastPage;
      server.close();
      server.closeAllConnections();
    },
  };
}

function show(response: ServerResponse, status: number, heading: string, text: string): void {
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
