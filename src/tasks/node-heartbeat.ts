// A node says every ten seconds in the database that it runs. The same write shows whether anything can be written.

import { type ControllerNode, heartbeatInterval, isOnline } from '../model/node.ts';
import { type Clock, DAY, type Millis, SECOND } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import type { NodeStore } from '../store/contracts/nodes.ts';
import type { ClockWatch } from './clock-watch.ts';
import { every } from './schedule.ts';

/** What was not seen for so long is no node any more. */
const forgottenAfter: Millis = DAY;
/** A check takes the word of a beat that is no older. */
const goodFor: Millis = 5 * SECOND;

export type Announcement = Omit<
  ControllerNode,
  'createdAt' | 'lastSeenAt' | 'leftAt' | 'startedAt' | 'keyIds'
>;

export interface NodeHeartbeat {
  /** Announces the node from now on. Does not fail: a database that cannot be written is logged and tried again. */
  start(node: Announcement): Promise<void>;
  /** Whether more than one node was online at the last beat. */
  readonly isCluster: boolean;
  /** Resolves when a beat was written lately, or can be now. @throws StoreUnavailable */
  check(): Promise<void>;
  /** Takes leave, so that the others need not find out. */
  stop(): Promise<void>;
}

/**
 * In a thread beside the one that beats: compares the clock as often, and leaves the rest to that one.
 * @param isCluster what the one that beats has found
 */
export function besideHeartbeat(needs: {
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
  readonly clockWatch: Pick<ClockWatch, 'compare' | 'isWrong'>;
  readonly log: Logger;
}): NodeHeartbeat {
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
    // By a wrong clock others would be forgotten that are there.
    if (clockWatch.isWrong) return;
    const now = clock.now();
    try {
      const node = { ...announced, startedAt, keyIds: vault.keyIds() };
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
    async start(node) {
      announced = node;
      // What went wrong is logged by the beat, once.
      const tryBeat = () => beat().catch(() => undefined);
      await tryBeat();
      stopBeating = every(heartbeatInterval, { name: 'node heartbeat', log }, tryBeat);
    },
    get isCluster() {
      return isCluster;
    },
    async check() {
      if (hasFailed || clock.monotonic() - writtenAt > goodFor) await beat();
    },
    async stop() {
      await stopBeating();
      if (announced === null) return;
      try {
        await nodes.leave(announced.name, startedAt, clock.now());
      } catch (error) {
        log.warn('the others could not be told that this node stops', { error });
      }
    },
  };
}
