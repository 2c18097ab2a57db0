import type { AuthQuery, Factor } from '../model/login.ts';
import type { SignerDirectory } from './external-jwt/signer-directory.ts';
import { shortestPassword } from './password/password-rules.ts';

/** Path at which an OIDC login takes the new password. Legacy logins that need one are refused. */
const passwordChangeUrl = '/oidc/login/password-change';

/** Path at which an OIDC login takes the answer of a passkey. Legacy logins that need one are refused. */
const passkeyUrl = '/oidc/login/passkey';

/**
 * How a client is asked for a factor (spec 2.3).
 * @param totpUrl path at which this mechanism takes TOTP codes
 * @param totpType the client's name for the question for a TOTP code
 */
export function authQueryOf(
  factor: Factor,
  {
    totpUrl,
    signers,
    totpType = 'MFA',
  }: { totpUrl: string; signers: SignerDirectory; totpType?: 'MFA' | 'TOTP' },
): AuthQuery {
  if (factor.type === 'totp')
    return {
      typeId: totpType,
      format: 'alphaNumeric',
      httpMethod: 'POST',
      httpUrl: totpUrl,
      minLength: 6,
      maxLength: 6,
      provider: 'ziti',
      isTotpEnrolled: factor.isEnrolled,
    };
  if (factor.type === 'passkey')
    return {
      typeId: 'PASSKEY',
      httpMethod: 'POST',
      httpUrl: passkeyUrl,
      provider: 'overlay',
      isPasskeyEnrolled: factor.isEnrolled,
    };
  if (factor.type === 'password-change')
    return {
      typeId: 'PASSWORD-CHANGE',
      httpMethod: 'POST',
      httpUrl: passwordChangeUrl,
      minLength: shortestPassword(factor.rules),
      provider: 'overlay',
    };
  const query = { typeId: 'EXT-JWT', provider: 'url', id: factor.signerId };
  const signer = signers.find(factor.signerId);
  if (signer === undefined) return query;
  const { issuer, scopes, clientId, externalAuthUrl } = signer;
  return {
    ...query,
    issuer,
    scopes,
    ...(clientId === null ? {} : { clientId }),
    ...(externalAuthUrl === null ? {} : { httpUrl: externalAuthUrl }),
  };
}
