import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { programText } from '../../parts/language.ts';
import { equal } from '../filter.ts';
import { ApplicationName } from '../forms/names.ts';
import { useMayHelp } from '../me.ts';
import { Confirm } from '../parts/confirm.tsx';
import { EntriesCard } from '../parts/entries.tsx';
import { Time } from '../parts/time.tsx';
import { useList } from '../queries.ts';
import type { Page } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { ApiSession, BrowserSession, LastLogin, OfPerson } from '../types.ts';
import { words as more } from './people/words.ts';

const { person: words } = texts;

export function PersonSessions({ person, query }: OfPerson & { query: UseQueryResult<Page<ApiSession>> }) {
  const mayEnd = useMayHelp(person);
  return (
    <EntriesCard
      id="sessions"
      title={words.sessions}
      query={query}
      empty={[words.noSessions]}
      kind="rows"
      entry={(session) => (
        <>
          <Program of={session}>
            <Application of={session} />. {words.signedInAt} <Time at={session.authTime} />{' '}
            <From address={session.loginIpAddress} />. {words.lastUsed} <Time at={session.lastActivityAt} />{' '}
            <From address={session.ipAddress} />. {words.endsAt} <Time at={session.expiresAt} />.
          </Program>
          {mayEnd && <EndSession session={session} />}
        </>
      )}
    />
  );
}

/** The program that signed in, and when. */
function Program({ of, children }: { of: Parameters<typeof programText>[0]; children: ReactNode }) {
  return (
    <div>
      <strong>
        <bdi>{programText(of) ?? texts.unknownProgram}</bdi>
      </strong>{' '}
      <span className="hint">{children}</span>
    </div>
  );
}

/** A legacy session belongs to no particular application. */
function Application({ of: { clientId, mechanism } }: { of: Pick<ApiSession, 'clientId' | 'mechanism'> }) {
  const name = texts.attempts.mechanisms[mechanism];
  if (clientId === '') return name;
  return (
    <>
      {words.client} <ApplicationName id={clientId} /> ({name})
    </>
  );
}

/** With which programs the person signs in, and to what; also when the session has ended. */
export function PersonPrograms({ id }: { id: string }) {
  const query = useList<LastLogin>('last-logins', {
    filter: equal('identityId', id),
    sort: 'lastAt desc',
    limit: 50,
  });
  if (query.data?.total === 0) return null;
  return (
    <EntriesCard
      id="programs"
      title={more.list.programs}
      query={query}
      entry={(login) => (
        <Program of={login}>
          <Application of={{ ...login, mechanism: login.clientId === '' ? 'legacy' : 'oidc' }} />.{' '}
          {more.list.firstAt} <Time at={login.firstAt} />, {more.list.lastAt} <Time at={login.lastAt} />{' '}
          <From address={login.ipAddress} />.
        </Program>
      )}
    />
  );
}

/** Browsers that remember the person. */
export function PersonBrowsers({ person }: OfPerson) {
  const { id } = person;
  const mayEnd = useMayHelp(person);
  const query = useList<BrowserSession>('browser-sessions', {
    filter: equal('identityId', id),
    sort: 'lastUsedAt desc',
    limit: 50,
  });
  if (query.data?.total === 0) return null;
  return (
    <EntriesCard
      id="browsers"
      title={more.list.browsers}
      query={query}
      kind="rows"
      entry={(session) => (
        <>
          <Program of={session}>
            {words.signedInAt} <Time at={session.authTime} /> <From address={session.ipAddress} />.{' '}
            {words.lastUsed} <Time at={session.lastUsedAt} />. {words.endsAt} <Time at={session.expiresAt} />.
          </Program>
          {mayEnd && <EndSession session={session} />}
        </>
      )}
    />
  );
}

function From({ address }: { address: string | null }) {
  return address === null ? null : `${words.from} ${address}`;
}

export function EndSession({ session }: { session: ApiSession | BrowserSession }) {
  const { id } = session;
  const collection = 'clientId' in session ? 'api-session' : 'browser-session';
  return (
    <Confirm
      id={`end-${id}`}
      label={words.endSession}
      title={'clientId' in session ? words.endSessionTitle : more.list.endBrowser}
      ends={
        'clientId' in session
          ? words.endSessionEnds(session.clientId, session.ipAddress)
          : more.list.endBrowserEnds
      }
      change={() => ({ method: 'DELETE', path: `${collection}s/${id}` })}
      command={['delete', collection, id]}
      done={words.done.endSession}
    />
  );
}
