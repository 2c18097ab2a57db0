import { programText } from '../../parts/language.ts';
import { contains } from '../filter.ts';
import { ApplicationName, useNames } from '../forms/names.ts';
import { actionsColumn, type Column, personColumn, textColumn, timeColumn } from '../lists/columns.tsx';
import { useListAddress } from '../lists/data-list.tsx';
import { byAddress, byPerson, choiceOf, type Filter } from '../lists/filters.tsx';
import { ListScreen } from '../lists/list-screen.tsx';
import { useIsReader } from '../me.ts';
import { Time } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';
import type { ApiSession, BrowserSession } from '../types.ts';
import { IfMayHelp } from './people/if-may-help.tsx';
import { words } from './people/words.ts';
import { EndSession } from './person-sessions.tsx';

const { list: more } = words;

const program: Column<ApiSession | BrowserSession> = {
  name: 'program',
  title: texts.person.program,
  cell: (session) => <bdi>{programText(session) ?? more.notNamed}</bdi>,
  text: (session) => programText(session) ?? '',
};

/** In the table, addresses are next to the times; an export has separate columns for them. */
function placeColumn<Name extends string>(name: Name, title: string) {
  return textColumn<Name, { readonly [Of in Name]: string | null }>(name, title, { cell: null });
}

function timeAndPlace<At extends string, Address extends string>(
  name: At,
  title: string,
  { address, sort = name }: { address: Address; sort?: string | null },
): Column<{ readonly [Of in At]: string } & { readonly [Of in Address]: string | null }> {
  return {
    ...timeColumn(name, title, { sort }),
    cell: (session) => (
      <>
        <Time at={session[name]} />
        {session[address] !== null && (
          <>
            {' '}
            {texts.person.from} <code>{session[address]}</code>
          </>
        )}
      </>
    ),
  };
}

const ends = timeColumn('expiresAt', texts.person.endsAt);

const apiColumns: readonly Column<ApiSession>[] = [
  personColumn,
  { ...program, sort: 'program' },
  {
    name: 'application',
    title: texts.person.client,
    // A legacy session belongs to no particular application.
    cell: ({ clientId, mechanism }) =>
      clientId === '' ? texts.attempts.mechanisms[mechanism] : <ApplicationName id={clientId} />,
    sort: 'clientId',
    text: ({ clientId }) => clientId,
  },
  textColumn('mechanism', texts.attempts.mechanism, { cell: null }),
  timeAndPlace('authTime', texts.person.signedInAt, { address: 'loginIpAddress', sort: null }),
  placeColumn('loginIpAddress', more.signedInFrom),
  timeAndPlace('lastActivityAt', texts.person.lastUsed, { address: 'ipAddress' }),
  placeColumn('ipAddress', more.lastUsedFrom),
  ends,
];

const browserColumns: readonly Column<BrowserSession>[] = [
  personColumn,
  program,
  timeAndPlace('authTime', texts.person.signedInAt, { address: 'ipAddress', sort: null }),
  placeColumn('ipAddress', more.signedInFrom),
  timeColumn('lastUsedAt', texts.person.lastUsed),
  ends,
];

const endSession = actionsColumn<ApiSession | BrowserSession>((session) => (
  <IfMayHelp id={session.identityId}>
    <EndSession session={session} />
  </IfMayHelp>
));

/** Chooses the list. */
const kindFilter: Filter = {
  name: 'kind',
  label: more.kind,
  choices: { browser: more.browser },
  usual: more.api,
  where: () => null,
};

const programFilter: Filter = {
  name: 'program',
  label: texts.person.program,
  hint: more.programHint,
  where: (text) => contains('program', text),
};

/** Sessions: in applications, by either mechanism, and in browsers that remember them. */
export function SessionsScreen() {
  const [{ kind }] = useListAddress();
  const actions = useIsReader() ? [] : [endSession];
  const applications = useNames('oidc-client');
  const isBrowser = kind === 'browser';
  const filters: readonly Filter[] = [
    { ...byPerson, hint: more.personHint },
    kindFilter,
    ...(isBrowser
      ? []
      : [
          choiceOf('mechanism', texts.attempts.mechanism, mechanisms),
          { ...choiceOf('clientId', texts.person.client, applications), name: 'client' },
          programFilter,
        ]),
    byAddress,
  ];
  const empty = [more.noSessions, more.noSessionsText] as const;
  const common = { screen: 'sessions', lead: more.sessionsText, filters, empty } as const;
  return isBrowser ? (
    <ListScreen
      {...common}
      path="browser-sessions"
      columns={[...browserColumns, ...actions]}
      defaultSort="lastUsedAt desc"
    />
  ) : (
    <ListScreen
      {...common}
      path="api-sessions"
      columns={[...apiColumns, ...actions]}
      defaultSort="lastActivityAt desc"
    />
  );
}

const { enrollment: _none, request: _neither, ...mechanisms } = texts.attempts.mechanisms;
