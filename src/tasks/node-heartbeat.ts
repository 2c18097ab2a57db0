// Every ten seconds a node records in the database that it runs. The same write shows whether writing works.

import { type ControllerNode, heartbeatInterval, isOnline, type NodeAuthorities } from '../model/node.ts';
import { type Clock, DAY, type Millis, SECOND } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import type { NodeStore } from '../store/contracts/nodes.ts';
import type { ClockWatch } from './clock-watch.ts';
import { every } from './schedule.ts';

/** A node that was not seen for this long is forgotten. */
const forgottenAfter: Millis = DAY;
/** A check relies on a beat that is at most this old. */
const goodFor: Millis = 5 * SECOND;

export type Announcement = Omit<
  ControllerNode,
  'createdAt' | 'lastSeenAt' | 'leftAt' | 'startedAt' | 'keyIds' | 'authorities'
>;

export type NodeHeartbeat = ReturnType<typeof nodeHeartbeat>;

/**
 * For a thread beside the one that beats: compares the clock as often, and leaves the rest to that thread.
 * @param isCluster as found by the thread with the heartbeat
 */
export function clockComparison(needs: {
  readonly clockWatch: Pick<ClockWatch, 'compare'>;
  readonly isCluster: () => boolean;
  readonly log: Logger;
}): Pick<NodeHeartbeat, 'start' | 'isCluster' | 'stop'> {
  let stop = async () => {};
  return {
    async start({ name }) {
      stop = every(heartbeatInterval, { name: 'clock comparison', log: needs.log }, () =>
        needs.clockWatch.compare(name),
      );
    },
    get isCluster() {
      return needs.isCluster();
    },
    stop: () => stop(),
  };
}

export function nodeHeartbeat(needs: {
  readonly store: { readonly nodes: NodeStore };
  readonly clock: Clock;
  readonly vault: Pick<KeyVault, 'keyIds'>;
  /** By the configuration in use. */
  readonly authorities: () => NodeAuthorities;
  readonly clockWatch: Pick<ClockWatch, 'compare' | 'isWrong'>;
  readonly log: Logger;
}) {
  const { clock, clockWatch, log, vault } = needs;
  const { nodes } = needs.store;
  const startedAt = clock.now();
  let announced: Announcement | null = null;
  let hasFailed = false;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let isCluster = false;
  let stopBeating = async () => {};

  async function beat(): Promise<void> {
    if (announced === null) return;
    await clockWatch.compare(announced.name);
    // By a wrong clock, running nodes would be forgotten.
    if (clockWatch.isWrong || announced === null) return;
    const now = clock.now();
    try {
      const node = { ...announced, startedAt, keyIds: vault.keyIds(), authorities: needs.authorities() };
      await nodes.announce(node, now, now - forgottenAfter);
      if (hasFailed) log.info('the database can be written again', { event: 'store.writable' });
      hasFailed = false;
      writtenAt = clock.monotonic();
    } catch (error) {
      if (!hasFailed) log.error('the database cannot be written', { event: 'store.unwritable', error });
      hasFailed = true;
      throw error;
    }
    isCluster = (await nodes.listAll()).filter((node) => isOnline(node, now)).length > 1;
  }

  return {
    /** Announces the node from now on. Does not fail: if the database cannot be written, logs it and tries again. */
    async start(node: Announcement): Promise<void> {
      announced = node;
      // The beat logs its failure itself, once.
      const tryBeat = () => beat().catch(() => undefined);
      await tryBeat();
      stopBeating = every(heartbeatInterval, { name: 'node heartbeat', log }, tryBeat);
    },
    /** Whether more than one node was online at the last beat. */
    get isCluster() {
      return isCluster;
    },
    /** Resolves when a beat was written recently, or can be written now. @throws StoreUnavailable */
    async check(): Promise<void> {
      if (hasFailed || clock.monotonic() - writtenAt > goodFor) await beat();
    },
    /** Announces the end, so that the other nodes need not find out. */
    async stop(): Promise<void> {
      await stopBeating();
      if (announced === null) return;
      const { name } = announced;
      // Whoever checks from now on does not announce it again.
      announced = null;
      try {
        await nodes.leave(name, startedAt, clock.now());
      } catch (error) {
        log.warn('the other nodes could not be told that this node stops', { error });
      }
    },
  };
}
