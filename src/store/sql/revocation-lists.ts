import type { CaId } from '../../model/ids.ts';
import { isOlderList, type ListState } from '../../model/list-state.ts';
import type { FetchedList, RevocationListStore } from '../contracts/revocation-lists.ts';
import { recordChange } from './changes.ts';
import { excluded, insertOr, reader } from './codec.ts';
import { concern } from './concern.ts';
import { affects, all, first } from './intent.ts';

const facts =
  'ca_id, url, tried_at, error, fetched_at, issuer, is_delta, list_number, this_update, next_update, entries';
const stateOf = reader<ListState & { readonly caId: CaId }>()(
  'caId url triedAt error? fetchedAt? issuer? isDelta:flag? listNumber? thisUpdate? nextUpdate? entries?',
);
const listOf = reader<FetchedList>()(
  'caId url issuerPem der issuer isDelta:flag listNumber? thisUpdate nextUpdate entries',
);

const replacing = 'ON CONFLICT (ca_id, url) DO UPDATE SET';
const wholeList = excluded(
  'tried_at error fetched_at issuer_pem der issuer is_delta list_number this_update next_update entries',
);

const listSql = 'SELECT * FROM revocation_lists WHERE ca_id = ? AND url = ?';

export const revocationLists = concern<RevocationListStore>()({
  writes: {
    *keep(list, now) {
      const { caId, url } = list;
      if ((yield* first('SELECT id FROM cas WHERE id = ?', caId)) === undefined) return 'gone';
      const row = yield* first(listSql, caId, url);
      const before = row === undefined || row.der === null ? undefined : listOf(row);
      if (before !== undefined && before.issuer !== list.issuer) return 'other-issuer';
      if (before !== undefined && isOlderList(list, before)) return 'older';
      const kept = { ...list, triedAt: now, fetchedAt: now, error: null };
      yield* insertOr('revocation_lists', kept, `${replacing} ${wholeList}`);
      if (before?.der === list.der) return 'known';
      yield* recordChange('revocation-list', caId, now);
      return 'new';
    },
    *noteFailure({ caId, url, error }, now) {
      if ((yield* first('SELECT id FROM cas WHERE id = ?', caId)) === undefined) return;
      const set = excluded('tried_at error');
      yield* insertOr('revocation_lists', { caId, url, error, triedAt: now }, `${replacing} ${set}`);
    },
    *keepOnly(caId, urls, now) {
      const rows = yield* all('SELECT url FROM revocation_lists WHERE ca_id = ?', caId);
      for (const { url = null } of rows) {
        if (urls.includes(String(url))) continue;
        const sql = 'DELETE FROM revocation_lists WHERE ca_id = ? AND url = ? RETURNING url';
        if (yield* affects(sql, caId, url)) yield* recordChange('revocation-list', caId, now);
      }
    },
  },
  methods: ({ find, all }) => ({
    describe: (caId) =>
      all(
        stateOf,
        `SELECT ${facts} FROM revocation_lists WHERE coalesce(?, ca_id) = ca_id ORDER BY ca_id, url`,
        caId,
      ),
    find: (caId, url) => find(listOf, `${listSql} AND der IS NOT NULL`, caId, url),
  }),
});
