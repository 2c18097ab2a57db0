import { Link } from '@tanstack/react-router';
import { programText } from '../../parts/program-words.ts';
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

const program: Column<Either> = {
  name: 'program',
  title: texts.person.program,
  cell: (session) => <bdi>{programText(session) ?? more.notNamed}</bdi>,
  text: (session) => programText(session) ?? '',
};

/** In the table, addresses are next to the times; an export has separate columns for them. */
function fromColumn<Session>(title: string, address: (session: Session) => string | null): Column<Session> {
  return { name: title, title, cell: null, text: (session) => address(session) ?? '' };
}

function TimeAndPlace({ at, address }: { readonly at: string; readonly address: string | null }) {
  return (
    <>
      <Time at={at} />
      {address !== null && (
        <>
          {' '}
          {texts.person.from} <code>{address}</code>
        </>
      )}
    </>
  );
}

const ends: Column<Either> = {
  name: 'expiresAt',
  title: words.ends,
  sort: 'expiresAt',
  cell: ({ expiresAt }) => <Time at={expiresAt} />,
  text: ({ expiresAt }) => expiresAt,
};

const apiColumns: readonly Column<ApiSession>[] = [
  person,
  { ...program, sort: 'program' },
  {
    name: 'application',
    title: more.application,
    // A legacy session belongs to no particular application.
    cell: ({ clientId, mechanism }) =>
      clientId === '' ? more.mechanisms[mechanism] : <code>{clientId}</code>,
    text: ({ clientId }) => clientId,
  },
  {
    name: 'mechanism',
    title: more.mechanism,
    cell: null,
    text: ({ mechanism }) => mechanism,
  },
  {
    name: 'authTime',
    title: more.signedIn,
    cell: ({ authTime, loginIpAddress }) => <TimeAndPlace at={authTime} address={loginIpAddress} />,
    text: ({ authTime }) => authTime,
  },
  fromColumn(more.signedInFrom, ({ loginIpAddress }) => loginIpAddress),
  {
    name: 'lastActivityAt',
    title: texts.person.lastUsed,
    sort: 'lastActivityAt',
    cell: ({ lastActivityAt, ipAddress }) => <TimeAndPlace at={lastActivityAt} address={ipAddress} />,
    text: ({ lastActivityAt }) => lastActivityAt,
  },
  fromColumn(more.lastUsedFrom, ({ ipAddress }) => ipAddress),
  ends,
];

const browserColumns: readonly Column<BrowserSession>[] = [
  person,
  program,
  {
    name: 'authTime',
    title: more.signedIn,
    cell: ({ authTime, ipAddress }) => <TimeAndPlace at={authTime} address={ipAddress} />,
    text: ({ authTime }) => authTime,
  },
  fromColumn(more.signedInFrom, ({ ipAddress }) => ipAddress),
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
        {!isBrowser && <TextFilter name="program" label={texts.person.program} hint={more.programHint} />}
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
          filter={allOf(
            filter === '' ? null : filter,
            equal('mechanism', address.mechanism),
            contains('program', address.program),
          )}
          defaultSort="lastActivityAt desc"
          empty={empty}
        />
      )}
    </Screen>
  );
}
