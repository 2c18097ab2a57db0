// Everything that this node keeps in memory, and what each change of the store drops from it.

import { isDeepStrictEqual } from 'node:util';
import type { ApiSession } from '../model/api-session.ts';
import type { ChangeKind } from '../model/change.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import { type ApiSessionId, asId } from '../model/ids.ts';
import {
  type Followed,
  openWholeView,
  type RecentMap,
  recentMap,
  sharedValues,
  type WholeView,
} from '../platform/caches.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import type { JwksCache } from '../platform/jwk/jwks-cache.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { PathCertificate } from '../platform/x509/path-certificate.ts';
import type { ExternalJwtSignerStore } from '../store/contracts/entities.ts';
import type { Store } from '../store/contracts/store.ts';
import { accountView, type ClientViewNeeds, openClientView } from './account-view.ts';
import { openAuthorityView } from './authority-view.ts';
import { type FollowedFeed, feedPosition, followFeed } from './follow-feed.ts';
import { legacySessionView } from './legacy-session-view.ts';
import { openingCertificateView } from './opening-certificate-view.ts';
import { ownSessionView } from './own-session-view.ts';
import { openRevocationView, type RevocationSource } from './revocation-view.ts';
import { sessionCertificateView } from './session-certificate-view.ts';

/** Withdrawn ids, each until its last token has expired. */
export type DenySet = Map<string, Millis>;

type Views = Awaited<ReturnType<typeof openViews>>;

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
  const { store, clock } = needs;
  const from = await feedPosition(store);
  const views = await openViews(needs);
  const follow = followers(needs, views);
  const feed = followFeed({
    store,
    clock,
    from,
    // A newer release, beside which this node still runs, may have kinds that this one does not know.
    apply: ({ kind, entityId }) => follow[kind]?.changed(entityId),
    async readEverything() {
      for (const each of Object.values(follow)) await each.allChanged();
    },
    onLoss() {
      const message =
        'the database lacks changes that were acknowledged, as after a failover to a replica that was behind: what was ended may be valid again, until you stop all controllers and run overlay-auth ops db restored';
      needs.log.error(message, { event: 'store.changes_lost' });
    },
  });
  return {
    ...views,
    feed,
    async rememberEnded(lifetime) {
      if (lifetime <= tokenLifetime) return;
      tokenLifetime = lifetime;
      await readEnded(needs, views.ended);
    },
  };
}

async function openViews(needs: SessionViewNeeds) {
  const { store, clock, revoked, threads } = needs;
  const ended: DenySet = new Map();
  await readEnded(needs, ended);
  await readRevoked(needs);
  const signers = await openSignerView(store, needs.jwks);
  const authorities = await openAuthorityView(store, needs.ownAuthorities);
  const source = needs.revocationSource;
  const revocations = await openRevocationView({ store, clock, source }, threads);
  const clients = await openClientView(needs);
  await needs.onEventSubscriptions();
  return {
    accounts: accountView(store, threads),
    ended,
    /** Individually revoked access tokens, by `jti`. */
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
}

/** Login pages and questions for passkeys ask for them each time. */
async function openPasskeyRules({ passkeys }: Pick<Store, 'passkeys'>) {
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

/**
 * Resolves when all signers are in memory. A login that waits for keys is refused when its signer changes, which it
 * recognizes by the object's identity.
 */
export function openSignerView(
  store: { externalJwtSigners: ExternalJwtSignerStore },
  jwks: Pick<JwksCache, 'forget'>,
): Promise<WholeView<ExternalJwtSigner>> {
  return openWholeView({
    store: store.externalJwtSigners,
    ready: (signer) => signer,
    onChange(id, before, now) {
      // Other changes keep the keys: the provider may be unreachable just now.
      if (!isDeepStrictEqual(keySourceOf(before), keySourceOf(now))) jwks.forget(id);
    },
  });
}

/** The fields that decide where the keys are fetched. */
function keySourceOf(signer: ExternalJwtSigner | null): readonly unknown[] {
  return [signer?.jwksEndpoint, signer?.discovery, signer?.discovery === true ? signer.issuer : null];
}

/** The follower of each kind of change, in the order in which everything is read again. */
function followers(needs: SessionViewNeeds, views: Views): Readonly<Record<ChangeKind, Followed>> {
  const { accounts, ended, revoked, legacy, sessionCertificates, signers, authorities, clients } = views;
  const { passkeyRules, refreshed, revocations } = views;
  let latest: Millis = needs.clock.now();
  /** A clock that is set back for a while must not make us forget too early. */
  function latestTime(): Millis {
    latest = Math.max(latest, needs.clock.now());
    return latest;
  }
  const atAnyChange = (react: () => void | Promise<void>): Followed => ({
    changed: react,
    allChanged: react,
  });
  return {
    'session-ended': {
      changed(id) {
        ended.set(id, latestTime() + needs.tokenLifetime);
        refreshed.delete(asId(id));
        legacy.changed(asId(id));
      },
      async allChanged() {
        await readEnded(needs, ended);
        refreshed.clear();
        legacy.allChanged();
      },
    },
    'token-revocation': {
      async changed(id) {
        const revocation = await needs.store.revocations.find(asId(id));
        if (revocation === null) revoked.delete(id);
        else revoked.set(id, revocation.expiresAt);
      },
      allChanged: () => readRevoked(needs),
    },
    'session-certificate': sessionCertificates,
    identity: accounts,
    'auth-policy': atAnyChange(() => {
      accounts.allChanged();
      return passkeyRules.reload();
    }),
    'external-jwt-signer': signers,
    ca: {
      async changed(id) {
        await authorities.changed(asId(id));
        await revocations.changed(asId(id));
      },
      allChanged: authorities.allChanged,
    },
    'revocation-list': revocations,
    'oidc-client': clients,
    'event-subscription': atAnyChange(needs.onEventSubscriptions),
    'signing-keys': atAnyChange(needs.onSigningKeys),
    node: atAnyChange(needs.onNodes),
    delivery: atAnyChange(needs.onDelivery),
  };
}

async function readEnded({ store, clock, tokenLifetime }: SessionViewNeeds, ended: DenySet): Promise<void> {
  const now = clock.now();
  for await (const some of store.apiSessions.listEnded(now, now - tokenLifetime)) {
    for (const { id, expiresAt } of some) ended.set(id, expiresAt);
  }
}

/** A revocation that was deleted counts no more. */
async function readRevoked({ store, clock, revoked }: SessionViewNeeds): Promise<void> {
  const tokens = await store.revocations.listTokens(clock.now());
  revoked.clear();
  for (const { id, expiresAt } of tokens) revoked.set(id, expiresAt);
}
