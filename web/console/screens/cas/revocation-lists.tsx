import { timeText } from '../../../parts/language.ts';
import { Badge } from '../../../parts/screen.tsx';
import { EntriesCard } from '../../parts/entries.tsx';
import { useRead } from '../../queries.ts';
import type { RevocationListState } from '../../types.ts';
import { words } from './words.ts';

/** How the revocation lists of a CA stand. */
export function RevocationLists({ id }: { id: string }) {
  const path = `cas/${encodeURIComponent(id)}/revocation`;
  const query = useRead<readonly RevocationListState[]>(['cas', id, 'revocation'], path);
  return (
    <EntriesCard
      id="revocation-lists"
      title={words.lists}
      query={query}
      keyOf={({ url }) => url}
      empty={[words.noList]}
      entry={(list) => <ListEntry list={list} />}
    />
  );
}

function ListEntry({ list }: { list: RevocationListState }) {
  const { url, issuer, entries, thisUpdate, nextUpdate, fetchedAt, triedAt, error, isDelta } = list;
  const isOutdated = nextUpdate === null || Date.parse(nextUpdate) <= Date.now();
  return (
    <>
      <code>{url}</code> {isOutdated && <Badge kind="bad">{words.outdated}</Badge>}
      {issuer !== null && (
        <span className="hint block">
          {words.entriesOf(issuer, entries ?? 0)}
          {isDelta === true && `, ${words.delta}`}
        </span>
      )}
      {thisUpdate !== null && nextUpdate !== null && fetchedAt !== null && (
        <span className="hint block">
          {words.listTimes(timeText(thisUpdate), timeText(nextUpdate), timeText(fetchedAt))}
        </span>
      )}
      {error !== null && <span className="hint block">{words.listProblem(timeText(triedAt), error)}</span>}
    </>
  );
}
