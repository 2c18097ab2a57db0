// Keeps what this node holds in memory true: follows the ordered change feed of the store.

import type { Change } from '../model/change.ts';
import { asId } from '../model/ids.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import type { JwksCache } from '../platform/jwks-cache.ts';
import type { Logger } from '../platform/logger.ts';
import type { TrustAnchor } from '../platform/path-validation.ts';
import type { Store } from '../store/contracts/store.ts';
import { type AccountView, accountView } from './account-view.ts';
import { type AuthorityView, openAuthorityView } from './authority-view.ts';
import { type EndedSessions, endedSessions } from './ended-sessions.ts';
import { type LegacySessionView, legacySessionView } from './legacy-session-view.ts';
import { type SessionCertificateView, sessionCertificateView } from './session-certificate-view.ts';
import { openSignerView, type SignerView } from './signer-view.ts';

export interface SessionView {
  readonly accounts: AccountView;
  readonly ended: EndedSessions;
  readonly legacy: LegacySessionView;
  readonly sessionCertificates: SessionCertificateView;
  readonly signers: SignerView;
  readonly authorities: AuthorityView;
  /** Reads and applies what is new in the feed; resolves when memory is as new as the store was at the call. */
  catchUp(): Promise<void>;
  /** Whether the feed could not be read the last time: memory may be older than the store. */
  readonly isBehind: boolean;
  stop(): void;
}

/**
 * Loads the deny set, the signers and the authorities, and follows the feed. Resolves when it is complete, so that a restarted node refuses
 * ended sessions from its first request on.
 * @param tokenLifetime the longest life of an access token
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
  /** Called when the signing keys have changed. */
  readonly onSigningKeys: () => Promise<void>;
}): Promise<SessionView> {
  const { store, clock } = needs;
  // The position is read before the rest: what happens in between is then seen twice, never missed.
  let seq = await store.changes.latestSeq();
  const ended = endedSessions(await store.apiSessions.listEnded(clock.now()));
  const accounts = accountView(store);
  const legacy = legacySessionView(needs, needs.sessionTimeout);
  const signers = await openSignerView(store, needs.jwks);
  const authorities = await openAuthorityView(store, needs.ownAuthorities);

  const sessionCertificates = sessionCertificateView(store, authorities);

  async function apply(change: Change): Promise<void> {
    if (change.kind === 'session-ended') {
      ended.add(asId(change.entityId), clock.now() + needs.tokenLifetime);
      legacy.forget(asId(change.entityId));
    }
    if (change.kind === 'session-certificate') sessionCertificates.forget(change.entityId);
    if (change.kind === 'identity') accounts.forgetIdentity(asId(change.entityId));
    if (change.kind === 'auth-policy') accounts.forgetAll();
    if (change.kind === 'external-jwt-signer') await signers.reload(asId(change.entityId));
    if (change.kind === 'ca') await authorities.reload(asId(change.entityId));
    if (change.kind === 'signing-keys') await needs.onSigningKeys();
  }

  let running: Promise<void> = Promise.resolve();
  let isBehind = false;
  async function readNew(): Promise<void> {
    try {
      for (const change of await store.changes.readAfter(seq)) {
        await apply(change);
        seq = change.seq;
      }
      isBehind = false;
    } catch (error) {
      isBehind = true;
      throw error;
    }
  }
  // One reader at a time, in order; a call that comes while another runs gets a round of its own after it.
  function catchUp(): Promise<void> {
    running = running.then(readNew, readNew);
    return running;
  }

  const stop = store.changes.onChange(catchUp);
  return {
    accounts,
    ended,
    legacy,
    sessionCertificates,
    signers,
    authorities,
    catchUp,
    get isBehind() {
      return isBehind;
    },
    stop,
  };
}
