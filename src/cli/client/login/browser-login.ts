import { spawn } from 'node:child_process';
import { Refusal } from '../../../../packages/client/src/errors.ts';
import { type DeviceLogin, startDeviceLogin } from '../../../../packages/client/src/login/device-login.ts';
import { loopbackLogin } from '../../../../packages/client/src/node/loopback-login.ts';
import type { Provider } from '../../../../packages/client/src/oidc/provider.ts';
import type { Tokens } from '../../../../packages/client/src/oidc/tokens.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { CliError, exitCodes, notice, printable, type Report } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { failure } from '../connection/answer-failure.ts';
import { terminalQrCode } from './terminal-qr-code.ts';

const longestWait = 15 * MINUTE;

/**
 * Logs in through the browser, which returns to a port of this computer. The page there appears after `complete` has
 * decided, so that it never claims a success that did not happen.
 * @param complete saves the tokens
 * @throws CliError exit 3 when the browser does not return in time; and every error of the client library
 */
export async function browserLogin<T>(
  { report, opensBrowser }: { report: Report; opensBrowser: boolean },
  provider: Provider,
  complete: (tokens: Tokens) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(longestWait);
  const timedOut = new CliError('The login in the browser was not finished in time.', {
    exitCode: exitCodes.notAuthenticated,
    code: 'login_timeout',
    next: 'run the command again, or log in with -u USER',
  });
  return loopbackLogin(provider, {
    complete,
    signal,
    loggedInText: 'The command line is logged in.',
    async open(href) {
      const isOpened = opensBrowser && (await openBrowser(report.ports, href));
      report.ports.stderr.write(
        isOpened
          ? `Log in in your browser. If it did not open, visit:\n  ${href}\n`
          : `Log in by visiting, in a browser on this computer:\n  ${href}\n`,
      );
      if (!isOpened && provider.metadata.device_authorization_endpoint !== undefined)
        notice(report, `With a browser on another device: overlay-auth login --device ${provider.origin}`);
      notice(report, 'Waiting for the login …');
    },
  }).catch((error) => {
    throw error === signal.reason ? timedOut : error;
  });
}

/** Opens an address in the person's browser. Returns whether a program for it was started. */
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
  // A single program. The convention's lists and placeholders are not supported.
  if (env.BROWSER) return [env.BROWSER];
  if (platform === 'darwin') return ['open'];
  // Not `start`: its shell would interpret the & in the address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return hasDisplay ? ['xdg-open'] : undefined;
}

/**
 * Logs in with the browser of another device: shows a code and waits until a person has entered it there.
 * @throws CliError exit 3 when the person refuses, or does not enter the code in time
 * @see RFC 8628
 */
export async function deviceLogin(report: Report, provider: Provider): Promise<Tokens> {
  const { pause, clock } = report.ports;
  if (provider.metadata.device_authorization_endpoint === undefined)
    throw new CliError('This server has no login for devices.', {
      code: 'device_login_missing',
      next: `overlay-auth login ${provider.origin}`,
    });
  const device = await startDeviceLogin(provider, { pause }).catch((error) => {
    throw failure(error, { what: 'The login could not be started' });
  });
  showCode(report, device, device.expiresAt - clock.now());
  return device.wait().catch((error) => {
    throw error instanceof Refusal && error.code === 'expired_token'
      ? new CliError('The login with the code was not finished in time.', {
          exitCode: exitCodes.notAuthenticated,
          code: 'expired_token',
          next: `overlay-auth login --device ${provider.origin}`,
        })
      : failure(error, { what: 'No tokens were issued', exitCode: exitCodes.notAuthenticated });
  });
}

function showCode(
  report: Report,
  { userCode, verificationUri, completeUri }: DeviceLogin,
  remaining: number,
): void {
  const { stderr } = report.ports;
  const picture = stderr.isTTY === true ? terminalQrCode(completeUri, stderr.columns ?? 80) : undefined;
  if (picture !== undefined) stderr.write(`${picture}\n`);
  stderr.write(
    printable(
      `On any device with a browser, visit\n  ${verificationUri}\nand enter the code\n  ${userCode}\n`,
    ),
  );
  notice(report, `Waiting for the login; the code works for ${Math.round(remaining / MINUTE)} minutes …`);
}
