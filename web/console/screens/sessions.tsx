import { Link } from '@tanstack/react-router';
import { Empty, Screen } from '../../parts/screen.tsx';
import { allOf, contains, equal } from '../filter.ts';
import { refreshEntities } from '../forms/entity.ts';
import { type Column, DataList, useListAddress } from '../lists/data-list.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../lists/filters.tsx';
import { rightOf, useMe } from '../me.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Time } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';
import type { ApiSession, BrowserSession } from '../types.ts';
import { ofPerson } from './enrollments.tsx';
import { IfMayHelp } from './people/if-may-help.tsx';
import { words } from './people/words.ts';
import { EndSession } from './person-sessions.tsx';

const { list: more } = words;

type Either = ApiSession | BrowserSession;

const person: Column<Either> = {
  name: 'person',
  title: more.person,
  sort: 'identityName',
  cell: ({ identityId, identity }) => (
    <Link to="/people/$id" params={{ id: identityId }}>
      {identity.name}
    </Link>
  ),
  text: ({ identity }) => identity.name,
};

const address: Column<Either> = {
  name: 'address',
  title: texts.person.address,
  sort: 'ipAddress',
  cell: ({ ipAddress }) => <code>{ipAddress}</code>,
  text: ({ ipAddress }) => ipAddress,
};

const ends: Column<Either> = {
  name: 'expiresAt',
  title: words.ends,
  sort: 'expiresAt',
  cell: ({ expiresAt }) => <Time at={expiresAt} />,
  text: ({ expiresAt }) => expiresAt,
};

const signedIn: Column<Either> = {
  name: 'authTime',
  title: more.signedIn,
  cell: ({ authTime }) => <Time at={authTime} />,
  text: ({ authTime }) => authTime,
};

const apiColumns: readonly Column<ApiSession>[] = [
  person,
  {
    name: 'application',
    title: more.application,
    cell: ({ clientId }) => clientId,
    text: ({ clientId }) => clientId,
  },
  {
    name: 'mechanism',
    title: more.mechanism,
    sort: 'mechanism',
    cell: ({ mechanism }) => more.mechanisms[mechanism],
    text: ({ mechanism }) => mechanism,
  },
  address,
  signedIn,
  {
    name: 'lastActivityAt',
    title: texts.person.lastUsed,
    sort: 'lastActivityAt',
    cell: ({ lastActivityAt }) => <Time at={lastActivityAt} />,
    text: ({ lastActivityAt }) => lastActivityAt,
  },
  ends,
];

const browserColumns: readonly Column<BrowserSession>[] = [
  person,
  address,
  signedIn,
  {
    name: 'lastUsedAt',
    title: texts.person.lastUsed,
    sort: 'lastUsedAt',
    cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
    text: ({ lastUsedAt }) => lastUsedAt,
  },
  ends,
];

const endApi: Column<ApiSession> = {
  name: 'actions',
  title: more.actions,
  cell: (session) => (
    <IfMayHelp id={session.identityId}>
      <EndSession session={session} refresh={refreshEntities} />
    </IfMayHelp>
  ),
  text: null,
};

const endBrowser: Column<BrowserSession> = {
  name: 'actions',
  title: more.actions,
  cell: ({ id, identityId }) => (
    <IfMayHelp id={identityId}>
      <Confirm
        id={`end-${id}`}
        label={texts.person.endSession}
        title={more.endBrowser}
        ends={more.endBrowserEnds}
        isDestructive
        change={() => ({ method: 'DELETE', path: `browser-sessions/${id}` })}
        command={['delete', 'browser-session', id]}
        done={texts.person.done.endSession}
        whenDone={refreshEntities}
      />
    </IfMayHelp>
  ),
  text: null,
};

/** Who is signed in: in applications, by either mechanism, and in browsers that remember it. */
export function SessionsScreen() {
  const [address] = useListAddress();
  const me = useMe().data;
  const isReader = me === undefined || rightOf(me) === 'read';
  const isBrowser = address.kind === 'browser';
  const filter = allOf(ofPerson(address.person), contains('ipAddress', address.address));
  const empty = (
    <Empty title={more.noSessions}>
      <p>{more.noSessionsText}</p>
    </Empty>
  );
  return (
    <Screen title={texts.screens.sessions} lead={more.sessionsText}>
      <Filters>
        <TextFilter name="person" label={more.person} hint={more.personHint} />
        <ChoiceFilter name="kind" label={more.kind} choices={{ browser: more.browser }} usual={more.api} />
        {!isBrowser && <ChoiceFilter name="mechanism" label={more.mechanism} choices={more.mechanisms} />}
        <TextFilter name="address" label={texts.person.address} />
      </Filters>
      {isBrowser ? (
        <DataList
          key="browser"
          path="browser-sessions"
          caption={texts.screens.sessions}
          columns={isReader ? browserColumns : [...browserColumns, endBrowser]}
          keyOf={({ id }) => id}
          filter={filter}
          defaultSort="lastUsedAt desc"
          empty={empty}
        />
      ) : (
        <DataList
          key="api"
          path="api-sessions"
          caption={texts.screens.sessions}
          columns={isReader ? apiColumns : [...apiColumns, endApi]}
          keyOf={({ id }) => id}
          filter={allOf(filter === '' ? null : filter, equal('mechanism', address.mechanism))}
          defaultSort="lastActivityAt desc"
          empty={empty}
        />
      )}
    </Screen>
  );
}
