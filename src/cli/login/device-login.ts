import { SECOND } from '../../platform/clock.ts';
import { answerError, failureOf } from '../answer-failure.ts';
import { CliError } from '../cli-error.ts';
import type { HttpsClient } from '../client/https-client.ts';
import { asObject, numberField, textField } from '../client/json-shape.ts';
import { clientId, type Provider, readTokens, scope, type TokenAnswer } from '../client/oidc-client.ts';
import { exitCodes } from '../exit-codes.ts';
import { notice, printable, type Report } from '../terminal/output.ts';
import { terminalQrCode } from './terminal-qr-code.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const defaultInterval = 5;
const slowDownBy = 5;

/** What the device authorization endpoint gave. @see RFC 8628 section 3.2 */
interface DeviceAuthorization {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  readonly completeUri: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly interval: number;
}

/**
 * Logs in with the browser of another device: shows a code and waits until somebody has entered it there.
 * @throws CliError exit 3 when the person refuses or nobody comes in time
 * @see RFC 8628
 */
export async function deviceLogin(
  needs: { readonly report: Report; readonly http: HttpsClient },
  provider: Provider,
): Promise<TokenAnswer> {
  const { report, http } = needs;
  const { ports } = report;
  const device = await begin(http, provider);
  showCode(report, device);
  const end = ports.clock.now() + device.expiresIn * SECOND;
  let { interval } = device;
  while (ports.clock.now() < end) {
    await ports.pause(interval * SECOND);
    const form = { grant_type: grantType, device_code: device.deviceCode, client_id: clientId };
    const answer = await http.send({ method: 'POST', url: new URL(provider.tokenEndpoint), form });
    if (answer.status === 200) return readTokens(answer);
    const { code } = failureOf(answer);
    if (code === 'slow_down') interval += slowDownBy;
    else if (code === 'expired_token') break;
    else if (code !== 'authorization_pending' && answer.status < 500) {
      throw answerError(answer, { what: 'No tokens were issued', exitCode: exitCodes.notAuthenticated });
    }
  }
  throw new CliError('Nobody logged in with the code in time.', {
    exitCode: exitCodes.notAuthenticated,
    code: 'expired_token',
    next: `overlay-auth login --device ${new URL(provider.issuer).origin}`,
  });
}

async function begin(http: HttpsClient, provider: Provider): Promise<DeviceAuthorization> {
  const { deviceAuthorizationEndpoint } = provider;
  if (deviceAuthorizationEndpoint === undefined) {
    throw new CliError('This server has no login for devices.', {
      code: 'device_login_missing',
      next: `overlay-auth login ${new URL(provider.issuer).origin}`,
    });
  }
  const form = { client_id: clientId, scope };
  const answer = await http.send({ method: 'POST', url: new URL(deviceAuthorizationEndpoint), form });
  if (answer.status !== 200) throw answerError(answer, { what: 'The login could not be started' });
  const body = asObject(answer.body);
  const deviceCode = textField(body, 'device_code');
  const userCode = textField(body, 'user_code');
  const verificationUri = textField(body, 'verification_uri');
  const expiresIn = numberField(body, 'expires_in');
  if (
    deviceCode === undefined ||
    userCode === undefined ||
    verificationUri === undefined ||
    expiresIn === undefined
  ) {
    throw new CliError('The server answered without the codes for a device.', {
      code: 'device_answer_invalid',
    });
  }
  const completeUri = textField(body, 'verification_uri_complete') ?? verificationUri;
  const interval = numberField(body, 'interval') ?? defaultInterval;
  return { deviceCode, userCode, verificationUri, completeUri, expiresIn, interval };
}

function showCode(
  report: Report,
  { userCode, verificationUri, completeUri, expiresIn }: DeviceAuthorization,
): void {
  const { stderr } = report.ports;
  const picture = stderr.isTTY === true ? terminalQrCode(completeUri, stderr.columns ?? 80) : undefined;
  if (picture !== undefined) stderr.write(`${picture}\n`);
  stderr.write(
    printable(
      `On any device with a browser, visit\n  ${verificationUri}\nand enter the code\n  ${userCode}\n`,
    ),
  );
  notice(report, `Waiting for the login; the code works for ${Math.round(expiresIn / 60)} minutes …`);
}
