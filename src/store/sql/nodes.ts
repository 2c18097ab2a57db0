import { nodeListFields } from '../../model/list-fields.ts';
import type { ControllerNode } from '../../model/node.ts';
import type { Millis } from '../../platform/clock.ts';
import type { NodeStore } from '../contracts/nodes.ts';
import { recordChange } from './changes.ts';
import { type Database, integer, integerOrNull, text, textOrNull } from './codec.ts';
import { all, first, type Intent, run, type SqlRow } from './intent.ts';
import { listSource } from './list-source.ts';

const listed = listSource('nodes', nodeListFields, {
  columns: { ctrlAddress: 'address', updatedAt: 'last_seen_at', lastJoinedAt: 'started_at' },
});

export const nodeIntents = { announceNode, leaveNode } as const;

export function nodeStore({ dialect, write, read, find, list }: Database<typeof nodeIntents>): NodeStore {
  return {
    announce: (node, now, forgetBefore) => write('announceNode', { node, now, forgetBefore }),
    leave: (name, startedAt, now) => write('leaveNode', { name, startedAt, now }),
    find: (id) => find(nodeOf, 'SELECT * FROM nodes WHERE id = ?', id),
    list: (query) => list(listed, query, nodeOf),
    async listAll() {
      return (await read('SELECT * FROM nodes ORDER BY name')).map(nodeOf);
    },
    async databaseTime() {
      if (dialect.time === null) return null;
      const [row] = await read(`SELECT ${dialect.time} AS now`);
      return row === undefined ? null : integer(row, 'now');
    },
  };
}

function nodeOf(row: SqlRow): ControllerNode {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    address: text(row, 'address'),
    apiAddresses: JSON.parse(text(row, 'api_addresses')) as ControllerNode['apiAddresses'],
    version: text(row, 'version'),
    createdAt: integer(row, 'created_at'),
    startedAt: integer(row, 'started_at'),
    lastSeenAt: integer(row, 'last_seen_at'),
    leftAt: integerOrNull(row, 'left_at'),
    keyIds: JSON.parse(textOrNull(row, 'key_ids') ?? '[]') as string[],
  };
}

function* announceNode(args: {
  readonly node: Omit<ControllerNode, 'createdAt' | 'lastSeenAt' | 'leftAt'>;
  readonly now: Millis;
  readonly forgetBefore: Millis;
}): Intent<void> {
  const { node, now } = args;
  const apiAddresses = JSON.stringify(node.apiAddresses);
  const before = yield* first('SELECT api_addresses FROM nodes WHERE name = ?', node.name);
  yield* run(
    `INSERT INTO nodes
       (id, name, address, api_addresses, version, created_at, started_at, last_seen_at, left_at, key_ids)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)
     ON CONFLICT (name) DO UPDATE SET address = excluded.address, api_addresses = excluded.api_addresses,
       version = excluded.version, started_at = excluded.started_at, last_seen_at = excluded.last_seen_at,
       left_at = NULL, key_ids = excluded.key_ids`,
    node.id,
    node.name,
    node.address,
    apiAddresses,
    node.version,
    now,
    node.startedAt,
    now,
    JSON.stringify(node.keyIds),
  );
  const forgotten = yield* all('DELETE FROM nodes WHERE last_seen_at < ? RETURNING name', args.forgetBefore);
  const isKnown = before !== undefined && text(before, 'api_addresses') === apiAddresses;
  if (!isKnown || forgotten.length > 0) yield* recordChange('node', node.name, now);
}

function* leaveNode(args: {
  readonly name: string;
  readonly startedAt: Millis;
  readonly now: Millis;
}): Intent<void> {
  yield* run(
    'UPDATE nodes SET left_at = ? WHERE name = ? AND started_at = ?',
    args.now,
    args.name,
    args.startedAt,
  );
}
