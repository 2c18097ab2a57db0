import type { CaId } from '../../model/ids.ts';
import { isOlderList, type ListState } from '../../model/list-state.ts';
import type { Millis } from '../../platform/clock.ts';
import type { FetchedList, KeptList, RevocationListStore } from '../contracts/revocation-lists.ts';
import { recordChange } from './changes.ts';
import { type Database, excluded, insertOr, reader } from './codec.ts';
import { affects, all, first, type Intent } from './intent.ts';

export const revocationListIntents = { keepList, noteListFailure, keepOnlyLists } as const;

const facts =
  'ca_id, url, tried_at, error, fetched_at, issuer, is_delta, list_number, this_update, next_update, entries';
const stateOf = reader<ListState & { readonly caId: CaId }>()(
  'caId url triedAt error? fetchedAt? issuer? isDelta:flag? listNumber? thisUpdate? nextUpdate? entries?',
);
const listOf = reader<FetchedList>()(
  'caId url issuerPem der issuer isDelta:flag listNumber? thisUpdate nextUpdate entries',
);

const listSql = 'SELECT * FROM revocation_lists WHERE ca_id = ? AND url = ?';

export function revocationListStore({
  write,
  read,
  find,
}: Database<typeof revocationListIntents>): RevocationListStore {
  return {
    async describe(caId) {
      const sql = `SELECT ${facts} FROM revocation_lists WHERE coalesce(?, ca_id) = ca_id ORDER BY ca_id, url`;
      return (await read(sql, caId)).map(stateOf);
    },
    find: (caId, url) => find(listOf, `${listSql} AND der IS NOT NULL`, caId, url),
    keep: (list, now) => write('keepList', { list, now }),
    noteFailure: (failed, now) => write('noteListFailure', { ...failed, now }),
    keepOnly: (caId, urls, now) => write('keepOnlyLists', { caId, urls, now }),
  };
}

function* keepList({ list, now }: { readonly list: FetchedList; readonly now: Millis }): Intent<KeptList> {
  const { caId, url } = list;
  if ((yield* first('SELECT id FROM cas WHERE id = ?', caId)) === undefined) return 'gone';
  const row = yield* first(listSql, caId, url);
  const before = row === undefined || row.der === null ? undefined : listOf(row);
  if (before !== undefined && before.issuer !== list.issuer) return 'other-issuer';
  if (before !== undefined && isOlderList(list, before)) return 'older';
  const kept = { ...list, triedAt: now, fetchedAt: now, error: null };
  const set = excluded(
    ...['tried_at', 'error', 'fetched_at', 'issuer_pem', 'der', 'issuer', 'is_delta', 'list_number'],
    ...['this_update', 'next_update', 'entries'],
  );
  yield* insertOr('revocation_lists', kept, `ON CONFLICT (ca_id, url) DO UPDATE SET ${set}`);
  if (before?.der === list.der) return 'known';
  yield* recordChange('revocation-list', caId, now);
  return 'new';
}

function* noteListFailure(failed: {
  readonly caId: CaId;
  readonly url: string;
  readonly error: string;
  readonly now: Millis;
}): Intent<void> {
  const { caId, url, error, now } = failed;
  if ((yield* first('SELECT id FROM cas WHERE id = ?', caId)) === undefined) return;
  const row = { caId, url, error, triedAt: now };
  yield* insertOr(
    'revocation_lists',
    row,
    `ON CONFLICT (ca_id, url) DO UPDATE SET ${excluded('tried_at', 'error')}`,
  );
}

function* keepOnlyLists(args: {
  readonly caId: CaId;
  readonly urls: readonly string[];
  readonly now: Millis;
}): Intent<void> {
  const { caId, urls, now } = args;
  const rows = yield* all('SELECT url FROM revocation_lists WHERE ca_id = ?', caId);
  for (const { url = null } of rows) {
    if (urls.includes(String(url))) continue;
    const sql = 'DELETE FROM revocation_lists WHERE ca_id = ? AND url = ? RETURNING url';
    if (yield* affects(sql, caId, url)) yield* recordChange('revocation-list', caId, now);
  }
}
