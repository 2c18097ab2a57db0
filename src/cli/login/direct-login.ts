import { CliError } from '../cli-error.ts';
import type { HttpsAnswer, HttpsClient } from '../client/https-client.ts';
import {
  isCallback,
  type MethodHint,
  type Provider,
  readCallback,
  redeemCode,
  startAuthorization,
  type TokenAnswer,
} from '../client/oidc-client.ts';
import type { Report } from '../terminal/output.ts';
import { satisfyQueries } from './auth-queries.ts';
import type { AuthorizationAttempt } from './pkce.ts';

/** What is presented in the primary login. An external token beside a password or
 * a certificate is the second factor. */
export type DirectCredentials =
  | {
      readonly method: 'password';
      readonly username: string;
      readonly password: string;
      readonly externalJwt?: string;
    }
  | { readonly method: 'cert'; readonly externalJwt?: string }
  | { readonly method: 'ext-jwt'; readonly externalJwt: string };

/** Nobody listens there: the code is taken from the answer and the address is never opened. */
const redirectUris = ['http://127.0.0.1:1/auth/callback', 'http://localhost:1/auth/callback'];

/**
 * Logs in without a browser (spec 5.2): presents the credentials, answers what else is asked, redeems the code.
 * @param http presents the client certificate for method `cert`
 * @throws CliError exit 3 when the login is refused
 */
export async function directLogin(
  needs: { readonly report: Report; readonly http: HttpsClient; readonly totpCode: string | undefined },
  provider: Provider,
  attempt: AuthorizationAttempt,
  credentials: DirectCredentials,
): Promise<TokenAnswer> {
  const { http, report, totpCode } = needs;
  const method: MethodHint = credentials.method;
  const { redirectUri, loginUrl } = await startAuthorization(http, provider, attempt, redirectUris, method);
  const authRequestId = loginUrl.searchParams.get('authRequestID');
  if (authRequestId === null)
    throw new CliError('The server started no login.', { code: 'auth_request_missing' });
  const { origin } = loginUrl;
  const answer = await submitPrimary(http, loginUrl, authRequestId, credentials);
  const end = await satisfyQueries({ report, http, origin, authRequestId, totpCode }, answer);
  if (!isCallback(end, redirectUri))
    throw new CliError(`The login leads to ${end.origin} instead of back here.`);
  return redeemCode(http, provider, attempt, redirectUri, readCallback(provider, attempt, end));
}

function submitPrimary(
  http: HttpsClient,
  loginUrl: URL,
  authRequestId: string,
  credentials: DirectCredentials,
): Promise<HttpsAnswer> {
  const url = new URL(loginUrl.pathname, loginUrl);
  const { externalJwt } = credentials;
  return http.send({
    method: 'POST',
    url,
    json:
      credentials.method === 'password'
        ? { authRequestId, username: credentials.username, password: credentials.password }
        : { authRequestId },
    ...(externalJwt === undefined ? {} : { headers: { authorization: `Bearer ${externalJwt}` } }),
  });
}
