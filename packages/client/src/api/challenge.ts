// What a 401 says about missing tokens (WWW-Authenticate), as values.

/** What is wrong with a token: act on this, not on texts. */
export type ChallengeError = 'missing' | 'invalid' | 'expired';

/** An external JWT signer whose token would be accepted. */
export interface ChallengeSigner {
  readonly id: string;
  readonly issuer: string;
}

export type Challenge =
  /** The access token is missing or refused: refresh, or log in. */
  | { readonly realm: 'overlay-oidc'; readonly error: ChallengeError }
  /** The token is valid, but this call needs a login that is at most this many seconds old (RFC 9470). */
  | {
      readonly realm: 'overlay-oidc' | 'zt-session';
      readonly error: 'insufficient_user_authentication';
      readonly maxAgeSeconds: number;
    }
  /** Log in with an external JWT of one of the signers. */
  | {
      readonly realm: 'overlay-primary-ext-jwt';
      readonly error: ChallengeError;
      readonly signers: readonly ChallengeSigner[];
    }
  /** Every call also needs a valid external JWT of one of the signers. The session itself is still valid. */
  | {
      readonly realm: 'overlay-secondary-ext-jwt';
      readonly error: ChallengeError;
      readonly signers: readonly ChallengeSigner[];
    }
  /** The session token of the deprecated mechanism. */
  | { readonly realm: 'zt-session'; readonly error: ChallengeError }
  /** A challenge that this version does not know. */
  | { readonly realm: 'unknown'; readonly scheme: string; readonly parameters: Parameters };

type Parameters = Readonly<Record<string, string>>;

/**
 * The challenges in the value of a WWW-Authenticate header. Several headers may be joined with commas, as `fetch` does.
 * Stops at text that cannot be read; never throws.
 * @see RFC 9110 section 11.6.1
 */
export function parseChallenges(value: string | null): readonly Challenge[] {
  const challenges: Challenge[] = [];
  let current: { scheme: string; parameters: Record<string, string> } | undefined;
  // A scheme before a parameter, a parameter, or a comma. Nothing here can match the same text in two ways.
  const part =
    /[\s,]*(?:([\w!#$%&'*+.^`|~-]+)[ \t]+(?=[\w-]+[ \t]*=))?([\w-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y;
  for (let found = part.exec(value ?? ''); found !== null; found = part.exec(value ?? '')) {
    const [, scheme, name = '', quoted, plain = ''] = found;
    if (scheme !== undefined) {
      if (current !== undefined) challenges.push(challengeOf(current));
      current = { scheme, parameters: Object.create(null) };
    }
    if (current === undefined) break;
    current.parameters[name.toLowerCase()] = quoted?.replace(/\\(.)/g, '$1') ?? plain;
  }
  if (current !== undefined) challenges.push(challengeOf(current));
  return challenges;
}

function challengeOf({ scheme, parameters }: { scheme: string; parameters: Parameters }): Challenge {
  const { realm, error } = parameters;
  // What a caller with a bound token is told (RFC 9449 section 7.1).
  if (realm === 'overlay-oidc' && error === 'invalid_token') return { realm, error: 'invalid' };
  const unknown = { realm: 'unknown', scheme, parameters: { ...parameters } } as const;
  if (error === 'insufficient_user_authentication' && (realm === 'overlay-oidc' || realm === 'zt-session')) {
    return { realm, error, maxAgeSeconds: Number(parameters.max_age ?? 0) };
  }
  if (error !== 'missing' && error !== 'invalid' && error !== 'expired') return unknown;
  switch (realm) {
    case 'overlay-oidc':
    case 'zt-session':
      return { realm, error };
    case 'overlay-primary-ext-jwt':
    case 'overlay-secondary-ext-jwt':
      return { realm, error, signers: signersOf(parameters) };
    default:
      return unknown;
  }
}

function signersOf({ id = '', issuer = '' }: Parameters): readonly ChallengeSigner[] {
  if (id === '') return [];
  const issuers = issuer.split('|');
  return id.split('|').map((one, at) => ({ id: one, issuer: issuers[at] ?? '' }));
}
