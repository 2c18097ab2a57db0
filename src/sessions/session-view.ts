// Everything that this node keeps in memory, and what each change of the store drops from it.

import type { ApiSession } from '../model/api-session.ts';
import type { Change } from '../model/change.ts';
import { type ApiSessionId, asId } from '../model/ids.ts';
import type { PasskeyRules } from '../model/passkey.ts';
import { type RecentMap, recentMap, sharedValues } from '../platform/caches.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import type { JwksCache } from '../platform/jwk/jwks-cache.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { PathCertificate } from '../platform/x509/path-certificate.ts';
import type { Store } from '../store/contracts/store.ts';
import {
  type AccountView,
  accountView,
  type ClientView,
  type ClientViewNeeds,
  openClientView,
} from './account-view.ts';
import { type AuthorityView, openAuthorityView } from './authority-view.ts';
import { type FollowedFeed, feedPosition, followFeed } from './follow-feed.ts';
import { type LegacySessionView, legacySessionView } from './legacy-session-view.ts';
import { type OpeningCertificateView, openingCertificateView } from './opening-certificate-view.ts';
import { type OwnSessionView, ownSessionView } from './own-session-view.ts';
import { openRevocationView, type RevocationSource, type RevocationView } from './revocation-view.ts';
import { type SessionCertificateView, sessionCertificateView } from './session-certificate-view.ts';
import { openSignerView, type SignerView } from './signer-view.ts';

/** Withdrawn ids, each until its last token has expired. */
export type DenySet = Map<string, Millis>;

interface Views {
  readonly accounts: AccountView;
  readonly ended: DenySet;
  /** Individually revoked access tokens, by `jti`. */
  readonly revoked: DenySet;
  readonly legacy: LegacySessionView;
  readonly ownSessions: OwnSessionView;
  readonly sessionCertificates: SessionCertificateView;
  readonly openingCertificates: OpeningCertificateView;
  readonly signers: SignerView;
  readonly authorities: AuthorityView;
  readonly revocations: RevocationView;
  readonly clients: ClientView;
  readonly refreshed: RefreshedSessions;
  readonly passkeyRules: { readonly current: PasskeyRules; reload(): Promise<void> };
}

/**
 * Sessions that were refreshed recently, as they were then. What their tokens say never changes; whether they live, and
 * until when, only the store knows, and the statement that replaces the refresh token asks it.
 */
export type RefreshedSessions = Pick<RecentMap<ApiSessionId, ApiSession>, 'get' | 'set' | 'delete' | 'clear'>;

/** @param threads number of request threads: together they keep 20,000 sessions */
function refreshedSessions(threads: number): RefreshedSessions {
  const known = recentMap<ApiSessionId, ApiSession>(Math.ceil(20_000 / threads));
  const { text, list } = sharedValues();
  return {
    ...known,
    set(id, session) {
      const { clientId, issuer, passed, scopes, configTypes, resources } = session;
      const common = { clientId: text(clientId), issuer: text(issuer), passed: list(passed) };
      const lists = { scopes: list(scopes), configTypes: list(configTypes), resources: list(resources) };
      known.set(id, { ...session, ...common, ...lists });
    },
  };
}

export interface SessionView extends Views {
  /** Keeps the views up to date. */
  readonly feed: FollowedFeed;
  /**
   * Remembers ended sessions for longer from now on, if `lifetime` exceeds the one so far. Resolves when already
   * forgotten ones are in memory again: only then may tokens live this long.
   */
  rememberEnded(lifetime: Millis): Promise<void>;
}

export interface SessionViewNeeds extends Pick<ClientViewNeeds, 'readRedirectUri'> {
  readonly store: Store;
  readonly clock: Clock;
  readonly jwks: Pick<JwksCache, 'forget'>;
  /** Gets revocation lists, and answers of responders. */
  readonly revocationSource: RevocationSource;
  /** Of the overlay's own PKI. */
  readonly ownAuthorities: readonly PathCertificate[];
  /** How long after the end of a session one of its tokens may still be unexpired, at first. */
  readonly tokenLifetime: Millis;
  readonly log: Logger;
  /** How long a legacy session lives without being used. */
  readonly sessionTimeout: () => Millis;
  /** Request threads of this process: together they use the memory of one. */
  readonly threads: number;
  /** Filled and kept up to date here. */
  readonly revoked: DenySet;
  /** Called when the signing keys have changed. */
  readonly onSigningKeys: () => Promise<void>;
  /** Called when there is something to deliver. */
  readonly onDelivery: () => void;
  /** Called when an event subscription has changed, and at the start. */
  readonly onEventSubscriptions: () => Promise<void>;
  /** Called when the nodes, or their addresses, have changed. */
  readonly onNodes: () => Promise<void>;
}

/**
 * Loads the deny sets, the signers and the authorities, and follows the feed. Resolves when everything is loaded, so
 * that a restarted node refuses ended sessions from its first request on.
 */
export async function openSessionView(given: SessionViewNeeds): Promise<SessionView> {
  // Never becomes shorter: otherwise a token with the longer life would work again once that is configured again.
  let { tokenLifetime } = given;
  const needs = {
    ...given,
    get tokenLifetime() {
      return tokenLifetime;
    },
  };
  const { store, clock, revoked, threads } = needs;
  const from = await feedPosition(store);
  const ended: DenySet = new Map();
  await readDenied(needs, ended);
  const signers = await openSignerView(store, needs.jwks);
  const authorities = await openAuthorityView(store, needs.ownAuthorities);
  const source = needs.revocationSource;
  const revocations = await openRevocationView({ store, clock, source }, threads);
  const clients = await openClientView(needs);
  await needs.onEventSubscriptions();
  const views: Views = {
    accounts: accountView(store, threads),
    ended,
    revoked,
    legacy: legacySessionView(needs, needs.sessionTimeout, threads),
    ownSessions: ownSessionView(store, threads),
    sessionCertificates: sessionCertificateView(store, authorities, threads),
    openingCertificates: openingCertificateView({ store, authorities, revocations, clock }, threads),
    signers,
    authorities,
    revocations,
    clients,
    refreshed: refreshedSessions(threads),
    passkeyRules: await openPasskeyRules(store),
  };
  const feed = followFeed({
    store,
    clock,
    from,
    apply: dropping(needs, views),
    readEverything: () => readEverything(needs, views),
  });
  return {
    ...views,
    feed,
    async rememberEnded(lifetime) {
      if (lifetime <= tokenLifetime) return;
      tokenLifetime = lifetime;
      await readDenied(needs, ended);
    },
  };
}

/** Login pages and questions for passkeys ask for them each time. */
async function openPasskeyRules({ passkeys }: Pick<Store, 'passkeys'>): Promise<Views['passkeyRules']> {
  let current = await passkeys.rules();
  return {
    get current() {
      return current;
    },
    async reload() {
      current = await passkeys.rules();
    },
  };
}

/** Drops or reloads every entry that a change of the store outdates. */
function dropping(needs: SessionViewNeeds, views: Views): (change: Change) => Promise<void> {
  const { accounts, ended, revoked, legacy, sessionCertificates, signers, authorities, clients } = views;
  const { passkeyRules, refreshed, revocations } = views;
  let latest: Millis = needs.clock.now();
  /** A clock that is set back for a while must not make us forget too early. */
  function latestTime(): Millis {
    latest = Math.max(latest, needs.clock.now());
    return latest;
  }
  return async ({ kind, entityId }) => {
    switch (kind) {
      case 'session-ended':
        ended.set(entityId, latestTime() + needs.tokenLifetime);
        refreshed.delete(asId(entityId));
        return legacy.forget(asId(entityId));
      case 'token-revocation': {
        const revocation = await needs.store.revocations.find(asId(entityId));
        if (revocation === null) revoked.delete(entityId);
        else revoked.set(entityId, revocation.expiresAt);
        return;
      }
      case 'session-certificate':
        return sessionCertificates.forget(entityId);
      case 'identity':
        return accounts.forgetIdentity(asId(entityId));
      case 'auth-policy':
        accounts.forgetAll();
        return passkeyRules.reload();
      case 'external-jwt-signer':
        return signers.reload(asId(entityId));
      case 'ca':
        await authorities.reload(asId(entityId));
        return revocations.reload(asId(entityId));
      case 'revocation-list':
        return revocations.reload(asId(entityId));
      case 'oidc-client':
        return clients.reload(asId(entityId));
      case 'event-subscription':
        return needs.onEventSubscriptions();
      case 'signing-keys':
        return needs.onSigningKeys();
      case 'node':
        return needs.onNodes();
      case 'delivery':
        return needs.onDelivery();
    }
  };
}

/** Does for every kind of change what `dropping` does for one: the changes until now are not looked at one by one. */
async function readEverything(needs: SessionViewNeeds, views: Views): Promise<void> {
  await readDenied(needs, views.ended);
  views.accounts.forgetAll();
  views.refreshed.clear();
  views.legacy.forgetAll();
  views.sessionCertificates.forgetAll();
  await views.signers.reloadAll();
  await views.authorities.reloadAll();
  await views.revocations.reloadAll();
  await views.clients.reloadAll();
  await views.passkeyRules.reload();
  await needs.onEventSubscriptions();
  await needs.onSigningKeys();
  await needs.onNodes();
}

async function readDenied({ store, clock, tokenLifetime, revoked }: SessionViewNeeds, ended: DenySet) {
  const now = clock.now();
  for await (const some of store.apiSessions.listEnded(now, now - tokenLifetime)) {
    for (const { id, expiresAt } of some) ended.set(id, expiresAt);
  }
  for (const { id, expiresAt } of await store.revocations.listTokens(now)) revoked.set(id, expiresAt);
}
