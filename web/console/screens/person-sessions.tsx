import type { UseQueryResult } from '@tanstack/react-query';
import { Card, Empty } from '../../parts/screen.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Time } from '../parts/time.tsx';
import type { Page } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { ApiSession } from '../types.ts';

const { person: words } = texts;

export function PersonSessions({
  query,
  mayEnd,
  refresh,
}: {
  readonly query: UseQueryResult<Page<ApiSession>>;
  readonly mayEnd: boolean;
  readonly refresh: () => unknown;
}) {
  return (
    <Card id="sessions" title={words.sessions}>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={words.noSessions} />
          ) : (
            <ul className="entries">
              {items.map((session) => (
                <li key={session.id} className="session">
                  <div>
                    <strong>{session.clientId}</strong>{' '}
                    <span className="hint">
                      {texts.attempts.mechanisms[session.mechanism]}. {words.address} {session.ipAddress}.{' '}
                      {words.lastUsed} <Time at={session.lastActivityAt} />. {words.endsAt}{' '}
                      <Time at={session.expiresAt} />.
                    </span>
                  </div>
                  {mayEnd && <EndSession session={session} refresh={refresh} />}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

export function EndSession({
  session: { id, clientId, ipAddress },
  refresh,
}: {
  readonly session: ApiSession;
  readonly refresh: () => unknown;
}) {
  return (
    <Confirm
      id={`end-${id}`}
      label={words.endSession}
      title={words.endSessionTitle}
      ends={words.endSessionEnds(clientId, ipAddress)}
      isDestructive
      change={() => ({ method: 'DELETE', path: `api-sessions/${id}` })}
      command={['delete', 'api-session', id]}
      done={words.done.endSession}
      whenDone={refresh}
    />
  );
}
