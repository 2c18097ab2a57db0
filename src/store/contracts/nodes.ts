import type { ListQuery, Page } from '../../model/list-query.ts';
import type { ControllerNode } from '../../model/node.ts';
import type { Millis } from '../../platform/clock.ts';

export interface NodeStore {
  /**
   * A node announces that it runs, and what it is. It takes over the row and the id of an earlier node of the same
   * name; nodes that were not seen since `forgetBefore` are removed. The change feed reports nodes that are new, have other addresses or are removed.
   */
  announce(
    node: Omit<ControllerNode, 'createdAt' | 'lastSeenAt' | 'leftAt'>,
    now: Millis,
    forgetBefore: Millis,
  ): Promise<void>;
  /** The node of this name stops. Nothing happens when another one has started under the name since. */
  leave(name: string, startedAt: Millis, now: Millis): Promise<void>;
  find(id: string): Promise<ControllerNode | null>;
  list(query: ListQuery): Promise<Page<ControllerNode>>;
  listAll(): Promise<readonly ControllerNode[]>;
  /** What time it is for the database, if it has its own clock that all nodes see; else null. */
  databaseTime(): Promise<Millis | null>;
}
