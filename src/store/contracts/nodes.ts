import type { ListQuery, Page } from '../../model/list-query.ts';
import type { ControllerNode } from '../../model/node.ts';
import type { Millis } from '../../platform/clock.ts';

export interface NodeStore {
  /**
   * A node announces that it runs, and its facts. It takes over the row and the id of an earlier node of the same
   * name. Nodes not seen since `forgetBefore` are removed. The change feed reports nodes that are new, have new
   * addresses or are removed.
   */
  announce(
    node: Omit<ControllerNode, 'createdAt' | 'lastSeenAt' | 'leftAt'>,
    now: Millis,
    forgetBefore: Millis,
  ): Promise<void>;
  /** The node of this name stops. Nothing happens if another one has started under the name since. */
  leave(name: string, startedAt: Millis, now: Millis): Promise<void>;
  find(id: string): Promise<ControllerNode | null>;
  list(query: ListQuery): Promise<Page<ControllerNode>>;
  listAll(): Promise<readonly ControllerNode[]>;
  /** The time by the database's clock, if it has one that all nodes see; otherwise null. */
  databaseTime(): Promise<Millis | null>;
}
