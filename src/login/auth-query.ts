import type { AuthQuery, Factor } from '../model/login.ts';

/**
 * How a factor is asked of a client (spec 2.3).
 * @param totpUrl path at which this mechanism takes TOTP codes
 */
export function authQueryOf(factor: Factor, totpUrl: string): AuthQuery {
  if (factor.type === 'totp') {
    return {
      typeId: 'MFA',
      format: 'alphaNumeric',
      httpMethod: 'POST',
      httpUrl: totpUrl,
      minLength: 6,
      maxLength: 6,
      provider: 'ziti',
      isTotpEnrolled: factor.isEnrolled,
    };
  }
  return { typeId: 'EXT-JWT', provider: 'url' };
}
