import { spawn } from 'node:child_process';
import { CliError } from '../cli-error.ts';
import type { HttpsClient } from '../client/https-client.ts';
import {
  authorizationUrl,
  hasState,
  type Provider,
  readCallback,
  redeemCode,
  startAuthorization,
  type TokenAnswer,
} from '../client/oidc-client.ts';
import type { CliPorts } from '../ports.ts';
import { notice, type Report } from '../terminal/output.ts';
import { callbackPath, listenForRedirect } from './loopback-redirect.ts';
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

/** Opens an address in the person's browser. Returns whether something was started that may do so. */
export async function openBrowser(ports: Pick<CliPorts, 'env' | 'platform'>, url: string): Promise<boolean> {
  const opener = openerOf(ports);
  if (opener === undefined) return false;
  const [command = '', ...words] = opener;
  const child = spawn(command, [...words, url], { stdio: 'ignore', detached: true, windowsHide: true });
  return new Promise((fulfil) => {
    child.once('error', () => fulfil(false));
    child.once('spawn', () => {
      child.unref();
      fulfil(true);
    });
  });
}

function openerOf({ env, platform }: Pick<CliPorts, 'env' | 'platform'>): readonly string[] | undefined {
  // A single program; the convention's lists and placeholders are not supported.
  if (env.BROWSER) return [env.BROWSER];
  if (platform === 'darwin') return ['open'];
  // Not `start`, whose shell would read the & in the address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return hasDisplay ? ['xdg-open'] : undefined;
}
