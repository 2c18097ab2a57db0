// Turns a session into the answer of the token endpoint. Called after the store has committed, never before.

import { isCertificateExtendable } from '../../certificates/client-certificate-issuer.ts';
import type { SessionCertificateNeeds } from '../../certificates/session-certificates.ts';
import type { SessionLimitNeeds } from '../../login/session-limit.ts';
import type { ApiSession } from '../../model/api-session.ts';
import type { IdentityInTokens } from '../../model/identity.ts';
import type { TokenResponse } from '../../model/tokens.ts';
import type { Millis } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import type { ApiSessionStore } from '../../store/contracts/api-sessions.ts';
import type { AuthRequestStore } from '../../store/contracts/auth-requests.ts';
import { type AccessTokenVerifier, mintAccessToken, toSeconds } from '../../tokens/access-token.ts';
import { mintIdToken } from '../../tokens/id-token.ts';
import type { KeyRing } from '../../tokens/key-ring.ts';
import { type RefreshSecret, refreshTokenText } from '../../tokens/refresh-token.ts';
import { audienceOf, type Client, type IssuingRules, type TokenLifetimes } from '../clients.ts';
import type { ClientAuthNeeds } from './authenticate-client.ts';
import type { DeviceGrantNeeds } from './grant-device-code.ts';
import type { StandingNeeds } from './require-standing.ts';
import type { GrantRequest } from './token-endpoint.ts';

export interface GrantNeeds
  extends SessionLimitNeeds,
    StandingNeeds,
    SessionCertificateNeeds,
    DeviceGrantNeeds,
    ClientAuthNeeds,
    IssuingRules {
  readonly store: StandingNeeds['store'] &
    DeviceGrantNeeds['store'] &
    ClientAuthNeeds['store'] &
    SessionCertificateNeeds['store'] & {
      readonly authRequests: AuthRequestStore;
      readonly apiSessions: ApiSessionStore;
    };
  /** How long a refresh may be retried; 0: not at all. */
  readonly retryGrace: Millis;
  readonly ring: KeyRing;
  readonly accessTokens: AccessTokenVerifier;
  readonly tagKey: Buffer;
  readonly random: Random;
}

/**
 * @param refreshToken null when `offline_access` was not granted
 * @param sessionCert  PEM; null when none was asked for
 */
export function issueTokens(
  needs: GrantNeeds,
  { client, resources }: Pick<GrantRequest, 'client' | 'resources'>,
  session: ApiSession,
  identity: IdentityInTokens,
  extra: {
    readonly nonce: string | null;
    readonly refreshToken: RefreshSecret | null;
    readonly sessionCert: string | null;
  },
  now: Millis,
): TokenResponse {
  const accessToken = issueAccessToken(needs, { client, resources }, session, identity, now);
  const idToken = issueIdToken(
    needs,
    client,
    { session, identity },
    { accessToken, nonce: extra.nonce },
    now,
  );
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: toSeconds(needs.lifetimes.accessToken),
    id_token: idToken,
    scope: session.scopes.join(' '),
    ...(extra.refreshToken === null
      ? {}
      : { refresh_token: issueRefreshToken(needs, extra.refreshToken, session, now) }),
    ...(extra.sessionCert === null ? {} : { session_cert: extra.sessionCert }),
  };
}

export function issueAccessToken(
  needs: GrantNeeds,
  { client, resources }: Pick<GrantRequest, 'client' | 'resources'>,
  session: ApiSession,
  identity: IdentityInTokens,
  now: Millis,
): string {
  const facts = {
    isAdmin: identity.isAdmin,
    isCertExtendable: isCertificateExtendable(needs.certificateIssuer, session),
  };
  return mintAccessToken(
    needs,
    session,
    facts,
    needs.lifetimes.accessToken,
    now,
    audienceOf(client, resources),
  );
}

/** @param accessToken the one that is issued along with it, or null */
export function issueIdToken(
  needs: GrantNeeds,
  client: Client,
  { session, identity }: { readonly session: ApiSession; readonly identity: IdentityInTokens },
  extra: { readonly accessToken: string | null; readonly nonce: string | null },
  now: Millis,
): string {
  const signing = { ring: needs.ring, alg: needs.idTokenAlg };
  const name = client.profile === 'compatibility' ? identity.name : null;
  return mintIdToken(signing, session, { ...extra, name, lifetime: needs.lifetimes.idToken }, now);
}

/** @param secret what the store has committed */
export function issueRefreshToken(
  { ring, lifetimes }: GrantNeeds,
  secret: RefreshSecret,
  session: ApiSession,
  now: Millis,
): string {
  const expiresAt = Math.min(now + lifetimes.refreshToken, session.createdAt + lifetimes.refreshFamily);
  return refreshTokenText({ ring }, secret, session, expiresAt, now);
}

/** When the last token of a session that is issued tokens at `now` will have expired. */
export function sessionEnd(lifetimes: TokenLifetimes, refreshExpiresAt: Millis | null, now: Millis): Millis {
  return Math.max(now + lifetimes.accessToken, refreshExpiresAt ?? 0);
}
