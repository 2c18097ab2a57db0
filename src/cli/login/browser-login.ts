import { CliError } from '../cli-error.ts';
import type { HttpsClient } from '../client/https-client.ts';
import type { TokenAnswer } from '../client/oidc-client.ts';
import {
  authorizationUrl,
  hasState,
  type Provider,
  readCallback,
  redeemCode,
  startAuthorization,
} from '../client/oidc-client.ts';
import { notice, type Report } from '../terminal/output.ts';
import { callbackPath, listenForRedirect } from './loopback-redirect.ts';
import { openBrowser } from './open-browser.ts';
import type { AuthorizationAttempt } from './pkce.ts';

/**
 * Logs in through the browser, which comes back to a port of this computer. The page there is shown after
 * `complete` has decided, so that it never claims a success that did not happen.
 * @param complete verifies the tokens and saves them
 */
export async function browserLogin<T>(
  needs: { readonly report: Report; readonly http: HttpsClient; readonly opensBrowser: boolean },
  provider: Provider,
  attempt: AuthorizationAttempt,
  complete: (tokens: TokenAnswer) => Promise<T>,
): Promise<T> {
  const { report, http } = needs;
  await using redirect = await listenForRedirect();
  const candidates = ['127.0.0.1', 'localhost'].map(
    (host) => `http://${host}:${redirect.port}${callbackPath}`,
  );
  // Asked here first: the browser would show a refusal on a page, and this command would wait for ever.
  const { redirectUri } = await startAuthorization(http, provider, attempt, candidates);
  const { href } = authorizationUrl(provider, attempt, redirectUri);
  const isOpened = needs.opensBrowser && (await openBrowser(report.ports, href));
  report.ports.stderr.write(
    isOpened
      ? `Log in in your browser. If it did not open, visit:\n  ${href}\n`
      : `Log in by visiting, in a browser on this computer:\n  ${href}\n`,
  );
  notice(report, 'Waiting for the login …');
  const callback = await redirect.next((url) => hasState(attempt, url));
  try {
    const code = readCallback(provider, attempt, callback.url);
    const result = await complete(await redeemCode(http, provider, attempt, redirectUri, code));
    callback.answer({ isLoggedIn: true, text: 'The command line is logged in.' });
    return result;
  } catch (error) {
    const text = error instanceof CliError ? error.message : 'Something went wrong; the terminal says what.';
    callback.answer({ isLoggedIn: false, text });
    throw error;
  }
}
