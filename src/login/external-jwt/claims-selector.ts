// Where a foreign token contains a value: the name of a claim ('sub', 'https://example.com/id') or, with a leading
// slash, a JSON pointer ('/realm/user'). Names are never split, so each selector means one thing.

import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';

export type Claims = Readonly<Record<string, unknown>>;

const longestSelector = 256;

/** Whether the text can be a selector. A pointer has only the escapes `~0` and `~1`, and at least one name. */
export function isClaimsSelector(text: string): boolean {
  if (text === '' || text === '/' || text.length > longestSelector) return false;
  return !text.startsWith('/') || !/~(?![01])/.test(text);
}

/**
 * The value, or undefined when there is none. An `email` counts only if the claims beside it include `email_verified:
 * true`, which some providers send as a text, or, if the signer does not require that, do not include `email_verified`
 * at all: at many providers users enter the address themselves.
 * @param claims parsed from JSON; only own members count
 * @see RFC 6901
 * @returns `isVouchedFor`: false: an email address that the issuer does not call verified; `emailVerified`: beside
 *   an `email`
 */
export function selectClaim(
  claims: Claims,
  selector: string,
  { requireVerifiedEmail }: Pick<ExternalJwtSigner, 'requireVerifiedEmail'>,
) {
  if (!isClaimsSelector(selector)) return { value: undefined, isVouchedFor: true, emailVerified: undefined };
  let value: unknown = claims;
  let isVouchedFor = true;
  let emailVerified: unknown;
  for (const name of selector.startsWith('/')
    ? selector.slice(1).split('/').map(unescapeToken)
    : [selector]) {
    if (name === 'email') {
      emailVerified = memberOf(value, 'email_verified');
      const isVerified = emailVerified === true || emailVerified === 'true';
      isVouchedFor &&= isVerified || (!requireVerifiedEmail && emailVerified === undefined);
    }
    value = memberOf(value, name);
  }
  return { value, isVouchedFor, emailVerified };
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^(0|[1-9][0-9]{0,5})$/.test(name) ? value[Number(name)] : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Claims)[name];
}

function unescapeToken(token: string): string {
  // The order matters: `~01` is `~1`, not `/`.
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
