// Opens and finds browser sessions: the proofs given in a browser, kept for the next authorization there. See
// continue-signed-in.ts for how one is used.

import type { AuditTrail, RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { BrowserSession, BrowserSessionRules } from '../../model/browser-session.ts';
import { asId, type BrowserSessionId, type IdentityId } from '../../model/ids.ts';
import type { Clock, Millis } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import type { NewBrowserSession } from '../../store/contracts/auth-requests.ts';
import type { BrowserSessionStore } from '../../store/contracts/browser-sessions.ts';
import { mintOpaqueToken, readOpaqueToken } from '../../tokens/opaque-token.ts';
import type { ClientRegistry } from '../clients.ts';
import { isOnOwnDevice } from '../redirect-uri.ts';

/**
 * Whether an authorization may be answered without a question: only at a registered https address that is not on the
 * person's own device.
 */
export function mayBeSilent({ redirectUri }: Pick<AuthRequest, 'redirectUri'>): boolean {
  return redirectUri.startsWith('https:') && !isOnOwnDevice(redirectUri);
}

/**
 * The application that an authorization leads to. A web address that only this client has identifies a registered
 * client, as long as it is the same one: ids can be given again. Many programs share the built-in client, so there the
 * address counts too.
 */
export function applicationKey(
  clients: ClientRegistry,
  { clientId, redirectUri }: Pick<AuthRequest, 'clientId' | 'redirectUri'>,
): string {
  const registered = clients.find(clientId)?.registered ?? null;
  const isOne = registered !== null && mayBeSilent({ redirectUri });
  return `${clientId} ${isOne ? registered.createdAt : redirectUri}`;
}

/** When a session that is used now will end. */
export function endOfSession(rules: BrowserSessionRules, createdAt: Millis, now: Millis): Millis {
  return Math.min(now + rules.idle, createdAt + rules.absolute);
}

/**
 * The browser session that a complete login opens where people stay signed in, with its cookie. Every login gets
 * a new cookie, so that an attacker cannot know it in advance.
 */
export function newBrowserSession(
  needs: {
    clients: ClientRegistry;
    clock: Clock;
    random: Random;
    tagKey: Buffer;
    maxSessionsPerIdentity: number;
  },
  {
    authRequest,
    wanted: { rules, replaces },
  }: { authRequest: AuthRequest; wanted: NonNullable<AuthRequest['browserSession']> },
  { ipAddress }: RequestOrigin,
): { readonly stored: NewBrowserSession; readonly cookie: string } {
  const id = asId<BrowserSessionId>(needs.random.id());
  const token = mintOpaqueToken(needs, 'browser-session', { id, generation: 1 });
  const now = needs.clock.now();
  const stored = {
    id,
    tokenHash: token.hash,
    application: applicationKey(needs.clients, authRequest),
    ipAddress,
    now,
    expiresAt: endOfSession(rules, now, now),
    replaces: replaces ?? null,
    most: needs.maxSessionsPerIdentity,
  };
  return { stored, cookie: token.text };
}

/**
 * The request with the browser session that its login replaces: the one that the browser has by now, since the person
 * may have signed in in another tab meanwhile. Reads no row; a session that has ended is replaced without effect.
 * @param cookie its value, or null
 */
export function replacingSession<Of extends AuthRequest>(
  { tagKey }: { tagKey: Buffer },
  authRequest: Of,
  cookie: string | null,
): Of {
  const { browserSession } = authRequest;
  const token = cookie === null ? undefined : readOpaqueToken(tagKey, 'browser-session', cookie);
  if (browserSession === undefined || token === undefined) return authRequest;
  return { ...authRequest, browserSession: { ...browserSession, replaces: asId(token.id) } };
}

export function noteOpened(
  { audit }: { audit: AuditTrail },
  {
    browserSessionId,
    authRequest: { clientId },
    identityId,
  }: {
    browserSessionId: BrowserSessionId;
    authRequest: Pick<AuthRequest, 'clientId'>;
    identityId: IdentityId;
  },
  origin: RequestOrigin,
): void {
  audit.record({ event: 'browser-session.opened', identityId, browserSessionId, clientId }, origin);
}

/** A session whose cookie a browser has presented. */
export type PresentedSession = BrowserSession & { readonly tokenHash: string };

/**
 * The session of a cookie; null if none is valid at this bind point now. A shorter time in the configuration also
 * applies to open sessions. Garbage costs no query.
 * @param cookie its value, or null
 */
export async function presentedSession(
  needs: {
    store: { browserSessions: Pick<BrowserSessionStore, 'findByToken'> };
    clock: Clock;
    tagKey: Buffer;
  },
  { issuer, browserSession: rules }: { issuer: string; browserSession: BrowserSessionRules | null },
  cookie: string | null,
): Promise<PresentedSession | null> {
  if (rules === null || cookie === null) return null;
  const token = readOpaqueToken(needs.tagKey, 'browser-session', cookie);
  if (token === undefined) return null;
  const now = needs.clock.now();
  const session = await needs.store.browserSessions.findByToken(asId(token.id), token.hash, now);
  if (session === null || session.issuer !== issuer) return null;
  if (now >= endOfSession(rules, session.createdAt, session.lastUsedAt)) return null;
  return { ...session, tokenHash: token.hash };
}
