import { nodeListFields } from '../../model/list-fields.ts';
import type { ControllerNode } from '../../model/node.ts';
import type { NodeStore } from '../contracts/nodes.ts';
import { recordChange } from './changes.ts';
import { excluded, insertOr, integer, reader, text } from './codec.ts';
import { concern } from './concern.ts';
import { all, first, run } from './intent.ts';
import { listSource } from './list-source.ts';

const listed = listSource('nodes', nodeListFields, {
  columns: { ctrlAddress: 'address', updatedAt: 'last_seen_at', lastJoinedAt: 'started_at' },
});

export const nodes = concern<NodeStore>()({
  writes: {
    *announce(node, now, forgetBefore) {
      const before = yield* first('SELECT api_addresses FROM nodes WHERE name = ?', node.name);
      const set = excluded('address api_addresses version started_at last_seen_at key_ids authorities');
      yield* insertOr(
        'nodes',
        { ...node, createdAt: now, lastSeenAt: now, leftAt: null },
        `ON CONFLICT (name) DO UPDATE SET left_at = NULL, ${set}`,
      );
      const forgotten = yield* all('DELETE FROM nodes WHERE last_seen_at < ? RETURNING name', forgetBefore);
      const isKnown =
        before !== undefined && text(before, 'api_addresses') === JSON.stringify(node.apiAddresses);
      if (!isKnown || forgotten.length > 0) yield* recordChange('node', node.name, now);
    },
    leave(name, startedAt, now) {
      return run('UPDATE nodes SET left_at = ? WHERE name = ? AND started_at = ?', now, name, startedAt);
    },
  },
  methods: ({ dialect, read, find, all, list }) => ({
    find: (id) => find(nodeOf, 'SELECT * FROM nodes WHERE id = ?', id),
    list: (query) => list(listed, query, nodeOf),
    listAll: () => all(nodeOf, 'SELECT * FROM nodes ORDER BY name'),
    async databaseTime() {
      if (dialect.time === null) return null;
      const [row] = await read(`SELECT ${dialect.time} AS now`);
      return row === undefined ? null : integer(row, 'now');
    },
  }),
});

const nodeOf = reader<ControllerNode>()(
  'id name address apiAddresses:json version createdAt startedAt lastSeenAt leftAt? keyIds:list authorities:json?',
);
