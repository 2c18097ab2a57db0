import { Link } from '@tanstack/react-router';
import { programText } from '../../../parts/language.ts';
import { equal } from '../../filter.ts';
import { PersonLink } from '../../lists/columns.tsx';
import { EntriesCard } from '../../parts/entries.tsx';
import { Time } from '../../parts/time.tsx';
import { useList } from '../../queries.ts';
import { texts } from '../../texts/texts.ts';
import type { LastLogin } from '../../types.ts';
import { words } from './words.ts';

/** Who signed in to the application last, with which program. */
export function ClientSessions({ id }: { id: string }) {
  const query = useList<LastLogin>(['client sign-ins', id], 'last-logins', {
    filter: equal('clientId', id) ?? '',
    sort: 'lastAt desc',
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
      entry={(login) => (
        <>
          <PersonLink of={{ id: login.identityId, name: login.identity.name }} />
          <span className="hint">
            <Time at={login.lastAt} /> · <bdi>{programText(login) ?? texts.unknownProgram}</bdi> ·{' '}
            {login.ipAddress}
          </span>
        </>
      )}
    />
  );
}
