import { Link } from '@tanstack/react-router';
import { programText } from '../../../parts/language.ts';
import { equal } from '../../filter.ts';
import { PersonLink } from '../../lists/columns.tsx';
import { EntriesCard } from '../../parts/entries.tsx';
import { Time } from '../../parts/time.tsx';
import { useList } from '../../queries.ts';
import { texts } from '../../texts/texts.ts';
import type { ApiSession } from '../../types.ts';
import { words } from './words.ts';

/** Who signed in to the application last, among those whose session is alive. */
export function ClientSessions({ id }: { readonly id: string }) {
  const query = useList<ApiSession>(['client sessions', id], 'api-sessions', {
    filter: equal('clientId', id) ?? '',
    sort: 'createdAt desc',
    limit: 10,
  });
  return (
    <EntriesCard
      id="sign-ins"
      title={words.signIns}
      tools={
        <Link to="/sessions" search={{ client: id }}>
          {words.allSignIns}
        </Link>
      }
      query={query}
      empty={[words.noSignIns]}
      entry={(session) => (
        <>
          <PersonLink of={{ id: session.identityId, name: session.identity.name }} />
          <span className="hint">
            <Time at={session.createdAt} /> · <bdi>{programText(session) ?? texts.unknownProgram}</bdi>
            {session.loginIpAddress !== null && ` · ${session.loginIpAddress}`}
          </span>
        </>
      )}
    />
  );
}
