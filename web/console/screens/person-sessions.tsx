import type { UseQueryResult } from '@tanstack/react-query';
import { programText } from '../../parts/language.ts';
import { equal } from '../filter.ts';
import { ApplicationName } from '../forms/names.ts';
import { Confirm } from '../parts/confirm.tsx';
import { EntriesCard } from '../parts/entries.tsx';
import { Time } from '../parts/time.tsx';
import { useList } from '../queries.ts';
import type { Page } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { ApiSession, BrowserSession, LastLogin } from '../types.ts';
import { words as more } from './people/words.ts';

const { person: words } = texts;

export function PersonSessions({
  query,
  mayEnd,
  refresh,
}: {
  query: UseQueryResult<Page<ApiSession>>;
  mayEnd: boolean;
  refresh: () => unknown;
}) {
  return (
    <EntriesCard
      id="sessions"
      title={words.sessions}
      query={query}
      empty={[words.noSessions]}
      kind="rows"
      entry={(session) => (
        <>
          <div>
            <strong>
              <bdi>{programText(session) ?? texts.unknownProgram}</bdi>
            </strong>{' '}
            <span className="hint">
              <Application of={session} />. {words.signedInAt} <Time at={session.authTime} />{' '}
              <From address={session.loginIpAddress} />. {words.lastUsed} <Time at={session.lastActivityAt} />{' '}
              <From address={session.ipAddress} />. {words.endsAt} <Time at={session.expiresAt} />.
            </span>
          </div>
          {mayEnd && <EndSession session={session} refresh={refresh} />}
        </>
      )}
    />
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
  const query = useList<LastLogin>(['person', id, 'programs'], 'last-logins', {
    filter: equal('identityId', id) ?? '',
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
        <div>
          <strong>
            <bdi>{programText(login) ?? texts.unknownProgram}</bdi>
          </strong>{' '}
          <span className="hint">
            <Application of={{ ...login, mechanism: login.clientId === '' ? 'legacy' : 'oidc' }} />.{' '}
            {more.list.firstAt} <Time at={login.firstAt} />, {more.list.lastAt} <Time at={login.lastAt} />{' '}
            <From address={login.ipAddress} />.
          </span>
        </div>
      )}
    />
  );
}

/** Browsers that remember the person. */
export function PersonBrowsers({
  id,
  mayEnd,
  refresh,
}: {
  id: string;
  mayEnd: boolean;
  refresh: () => unknown;
}) {
  const query = useList<BrowserSession>(['person', id, 'browsers'], 'browser-sessions', {
    filter: equal('identityId', id) ?? '',
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
          <div>
            <strong>
              <bdi>{programText(session) ?? texts.unknownProgram}</bdi>
            </strong>{' '}
            <span className="hint">
              {words.signedInAt} <Time at={session.authTime} /> <From address={session.ipAddress} />.{' '}
              {words.lastUsed} <Time at={session.lastUsedAt} />. {words.endsAt}{' '}
              <Time at={session.expiresAt} />.
            </span>
          </div>
          {mayEnd && <EndSession session={session} refresh={refresh} />}
        </>
      )}
    />
  );
}

function From({ address }: { address: string | null }) {
  return address === null ? null : `${words.from} ${address}`;
}

export function EndSession({
  session,
  refresh,
}: {
  session: ApiSession | BrowserSession;
  refresh: () => unknown;
}) {
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
      isDestructive
      change={() => ({ method: 'DELETE', path: `${collection}s/${id}` })}
      command={['delete', collection, id]}
      done={words.done.endSession}
      whenDone={refresh}
    />
  );
}
