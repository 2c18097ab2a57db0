import { Refusal } from '../../../../packages/client/src/errors.ts';
import { type DeviceLogin, startDeviceLogin } from '../../../../packages/client/src/login/device-login.ts';
import type { Provider } from '../../../../packages/client/src/oidc/provider.ts';
import type { Tokens } from '../../../../packages/client/src/oidc/tokens.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { CliError } from '../../terminal/cli-error.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { notice, printable, type Report } from '../../terminal/output.ts';
import { failure } from '../connection/library-failure.ts';
import { terminalQrCode } from './terminal-qr-code.ts';

/**
 * Logs in with the browser of another device: shows a code and waits until somebody has entered it there.
 * @throws CliError exit 3 when the person refuses or nobody comes in time
 * @see RFC 8628
 */
export async function deviceLogin(report: Report, provider: Provider): Promise<Tokens> {
  const { pause, clock } = report.ports;
  if (provider.metadata.device_authorization_endpoint === undefined) {
    throw new CliError('This server has no login for devices.', {
      code: 'device_login_missing',
      next: `overlay-auth login ${provider.origin}`,
    });
  }
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
