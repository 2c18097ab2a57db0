// Keeps what this node holds in memory true: follows the ordered change feed of the store.

import type { Change } from '../model/change.ts';
import { asId } from '../model/ids.ts';
import { type Clock, MINUTE, type Millis, SECOND } from '../platform/clock.ts';
import type { JwksCache } from '../platform/jwk/jwks-cache.ts';
import type { Logger } from '../platform/log/logger.ts';
import { withinTime } from '../platform/within-time.ts';
import type { TrustAnchor } from '../platform/x509/path-validation.ts';
import type { Store } from '../store/contracts/store.ts';
import { type AccountView, accountView } from './account-view.ts';
import { type AuthorityView, openAuthorityView } from './authority-view.ts';
import { type DenySet, denySet } from './deny-set.ts';
import { type LegacySessionView, legacySessionView } from './legacy-session-view.ts';
import { type SessionCertificateView, sessionCertificateView } from './session-certificate-view.ts';
import { openSignerView, type SignerView } from './signer-view.ts';

/** A node that has not heard from the database for so long accepts no token until it has. */
const longestSilence: Millis = 30 * SECOND;
/** How often a node listens, also when nothing happens. */
export const listeningInterval: Millis = 5 * SECOND;
/** Entries of the feed are kept for an hour: whoever was silent for longer than this reads everything anew. */
const feedReach: Millis = 30 * MINUTE;
/** A caller waits no longer than this for a database that does not answer. */
const longestWait: Millis = 2 * SECOND;
/** A node that has stood still for so long (stopped, starved, asleep) first reads what happened meanwhile. */
const longestStandstill: Millis = 2 * SECOND;
const pulse: Millis = 250;

export interface SessionView {
  readonly accounts: AccountView;
  readonly ended: DenySet;
  /** Access tokens that were revoked by themselves, by `jti`. */
  readonly revoked: DenySet;
  readonly legacy: LegacySessionView;
  readonly sessionCertificates: SessionCertificateView;
  readonly signers: SignerView;
  readonly authorities: AuthorityView;
  /** Reads and applies what is new in the feed; resolves when memory is as new as the store was at the call. */
  catchUp(): Promise<void>;
  /**
   * Whether memory may be older than the store: the feed could not be read the last time, nothing was heard for thirty
   * seconds, this process has stood still, or the database is another one. Nobody is let in then before `beFresh` has resolved.
   */
  readonly isBehind: boolean;
  /** Whether this process has stood still, and has not read since what happened meanwhile. */
  readonly hasStoodStill: boolean;
  /** Resolves when memory is true. @throws when it cannot be had, two seconds later at most */
  beFresh(): Promise<void>;
  /** Reads the feed, and whether the database was restored, although nobody has said that there is something new. @throws as `beFresh` */
  listen(): Promise<void>;
  /** Reads everything anew: what was read by a wrong clock says too little. @throws as `beFresh` */
  startOver(): Promise<void>;
  stop(): void;
}

/**
 * Loads the deny set, the signers and the authorities, and follows the feed. Resolves when it is complete, so that a restarted node refuses
 * ended sessions from its first request on.
 * @param tokenLifetime how long after the end of a session a token of it may still be unexpired
 */
export async function openSessionView(needs: {
  readonly store: Store;
  readonly clock: Clock;
  readonly jwks: Pick<JwksCache, 'forget'>;
  /** Of the overlay's own PKI. */
  readonly ownAuthorities: readonly TrustAnchor[];
  readonly tokenLifetime: Millis;
  readonly log: Logger;
  /** How long a legacy session lives without being used. */
  readonly sessionTimeout: Millis;
  /** Filled and kept true here. */
  readonly revoked: DenySet;
  /** Called when the signing keys have changed. */
  readonly onSigningKeys: () => Promise<void>;
  /** Called when the nodes, or their addresses, have changed. */
  readonly onNodes: () => Promise<void>;
}): Promise<SessionView> {
  const { store, clock, revoked } = needs;
  // The position is read before the rest: what happens in between is then seen twice, never missed.
  let seq = await store.changes.latestSeq();
  const restoreAtStart = await store.restores.latest();
  const listEnded = () => {
    const now = clock.now();
    return store.apiSessions.listEnded(now, now - needs.tokenLifetime);
  };
  const ended = denySet(await listEnded());
  const readRevoked = async () => {
    for (const { id, expiresAt } of await store.revocations.listTokens(clock.now()))
      revoked.add(id, expiresAt);
  };
  await readRevoked();
  const accounts = accountView(store);
  const legacy = legacySessionView(needs, needs.sessionTimeout);
  const signers = await openSignerView(store, needs.jwks);
  const authorities = await openAuthorityView(store, needs.ownAuthorities);

  const sessionCertificates = sessionCertificateView(store, authorities);

  let latest: Millis = clock.now();
  /** A clock that is set back for a while must not make us forget too early. */
  function latestTime(): Millis {
    latest = Math.max(latest, clock.now());
    return latest;
  }

  async function apply(change: Change): Promise<void> {
    if (change.kind === 'session-ended') {
      ended.add(asId(change.entityId), latestTime() + needs.tokenLifetime);
      legacy.forget(asId(change.entityId));
    }
    if (change.kind === 'token-revocation') {
      const revocation = await store.revocations.find(asId(change.entityId));
      if (revocation === null) revoked.remove(change.entityId);
      else revoked.add(revocation.id, revocation.expiresAt);
    }
    if (change.kind === 'session-certificate') sessionCertificates.forget(change.entityId);
    if (change.kind === 'identity') accounts.forgetIdentity(asId(change.entityId));
    if (change.kind === 'auth-policy') accounts.forgetAll();
    if (change.kind === 'external-jwt-signer') await signers.reload(asId(change.entityId));
    if (change.kind === 'ca') await authorities.reload(asId(change.entityId));
    if (change.kind === 'signing-keys') await needs.onSigningKeys();
    if (change.kind === 'node') await needs.onNodes();
  }

  let heard = momentOf(clock);
  let ran = heard;
  let hasFailed = false;
  let isReplaced = false;
  let isOtherHistory = false;

  /** The feed does not reach back to what was read last. */
  async function readEverything(): Promise<void> {
    const latest = await store.changes.latestSeq();
    for (const { id, expiresAt } of await listEnded()) ended.add(id, expiresAt);
    await readRevoked();
    accounts.forgetAll();
    legacy.forgetAll();
    await signers.reloadAll();
    await authorities.reloadAll();
    await needs.onSigningKeys();
    await needs.onNodes();
    seq = latest;
  }

  async function readNew(): Promise<void> {
    const begun = momentOf(clock);
    const hasToStartOver = isOtherHistory;
    isOtherHistory = false;
    try {
      // By the clock of before it was set back, more had expired than has by now.
      const isSetBack = begun.wall < heard.wall - longestStandstill;
      if (hasToStartOver || isSetBack || since(heard, clock) > feedReach) await readEverything();
      for (const change of await store.changes.readAfter(seq)) {
        await apply(change);
        seq = change.seq;
      }
      hasFailed = false;
      heard = begun;
      ran = begun;
    } catch (error) {
      hasFailed = true;
      isOtherHistory ||= hasToStartOver;
      throw error;
    }
  }

  // One reader at a time, in order. Calls that come while it reads share the round after it: it must begin later than
  // they did, and when the database hangs they must not become one round each.
  let current: Promise<void> = Promise.resolve();
  let upcoming: Promise<void> | null = null;
  function catchUp(): Promise<void> {
    const round = () => {
      current = upcoming ?? current;
      upcoming = null;
      return readNew();
    };
    upcoming ??= current.then(round, round);
    return upcoming;
  }

  let listening: Promise<void> | null = null;
  function listen(): Promise<void> {
    listening ??= readAll().finally(() => {
      listening = null;
    });
    return listening;
  }

  const listenForAWhile = () => withinTime(listen(), longestWait, 'the database does not answer');

  async function readAll(): Promise<void> {
    isReplaced ||= (await store.restores.latest()) !== restoreAtStart;
    if (isReplaced) throw new Error(replacedMessage);
    await catchUp();
  }

  const hasStoodStill = () => since(ran, clock) > longestStandstill;
  const isBehind = () => isReplaced || hasFailed || hasStoodStill() || since(heard, clock) > longestSilence;

  const beat = setInterval(() => {
    // Whoever finds that it stood still has to read first.
    if (since(ran, clock) <= longestStandstill) ran = momentOf(clock);
  }, pulse).unref();
  const stopFollowing = store.changes.onChange((notice) => {
    isOtherHistory ||= notice === 'perhaps-another-history';
    return catchUp();
  });
  return {
    accounts,
    ended,
    revoked,
    legacy,
    sessionCertificates,
    signers,
    authorities,
    catchUp,
    get isBehind() {
      return isBehind();
    },
    get hasStoodStill() {
      return hasStoodStill();
    },
    async beFresh() {
      if (isBehind()) await listenForAWhile();
    },
    listen: listenForAWhile,
    startOver() {
      isOtherHistory = true;
      return listenForAWhile();
    },
    stop() {
      clearInterval(beat);
      stopFollowing();
    },
  };
}

const replacedMessage =
  'the database was restored from a backup while this controller ran: its keys are not those of the database any more; restart it';

interface Moment {
  readonly wall: Millis;
  readonly monotonic: Millis;
}

function momentOf(clock: Clock): Moment {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/** How long ago, by both clocks: one stands still while the machine sleeps, the other one may be set back. */
function since(moment: Moment, clock: Clock): Millis {
  return Math.max(clock.now() - moment.wall, clock.monotonic() - moment.monotonic);
}
