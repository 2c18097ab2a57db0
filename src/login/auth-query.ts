import type { ErrorCode } from '../errors/codes.ts';
import type { SignerId } from '../model/ids.ts';
import type { AuthQuery, Factor } from '../model/login.ts';
import type { SignerDirectory } from './external-jwt/signer-directory.ts';
import { shortestPassword } from './password/password-rules.ts';

/** Path at which an OIDC login takes the new password. */
const passwordChangeUrl = '/oidc/login/password-change';

/** Path at which an OIDC login takes the answer of a passkey. */
const passkeyUrl = '/oidc/login/passkey';

const refusals = {
  totp: null,
  passkey: 'passkey_required',
  'ext-jwt': null,
  'password-change': 'password_change_required',
} as const satisfies Readonly<Record<Factor['type'], ErrorCode | null>>;

export const factorTypes = Object.keys(refusals) as readonly Factor['type'][];

/** The refusal of programs that cannot be asked for a factor. */
export type UnaskedRefusal = NonNullable<(typeof refusals)[Factor['type']]>;

/** The refusal of existing SDKs and legacy logins, which cannot be asked for one of these factors. Null: they can be. */
export function refusalOfUnasked(outstanding: readonly Factor[]): UnaskedRefusal | null {
  return outstanding.map(({ type }) => refusals[type]).find((refusal) => refusal !== null) ?? null;
}

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
  switch (factor.type) {
    case 'totp':
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
    case 'passkey':
      return {
        typeId: 'PASSKEY',
        httpMethod: 'POST',
        httpUrl: passkeyUrl,
        provider: 'overlay',
        isPasskeyEnrolled: factor.isEnrolled,
      };
    case 'password-change':
      return {
        typeId: 'PASSWORD-CHANGE',
        httpMethod: 'POST',
        httpUrl: passwordChangeUrl,
        minLength: shortestPassword(factor.rules),
        provider: 'overlay',
      };
    case 'ext-jwt':
      return jwtQuery(factor.signerId, signers);
  }
}

function jwtQuery(id: SignerId, signers: SignerDirectory): AuthQuery {
  const query = { typeId: 'EXT-JWT', provider: 'url', id };
  const signer = signers.find(id);
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
