import { setApart } from '../../../src/pages/texts/both-languages.ts';
import { Badge } from '../../parts/screen.tsx';
import {
  actionsColumn,
  type Column,
  codeColumn,
  PersonLink,
  personColumn,
  textColumn,
  timeColumn,
} from '../lists/columns.tsx';
import { useListAddress } from '../lists/data-list.tsx';
import { byPerson, choiceOf, type Filter } from '../lists/filters.tsx';
import { ListScreen } from '../lists/list-screen.tsx';
import { useIsAdmin, useIsReader } from '../me.ts';
import { Time } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';
import type { Enrollment, ListedInvitation } from '../types.ts';
import { EnrollmentActions, WithdrawLink } from './people/enrollment-actions.tsx';
import { IfMayHelp } from './people/if-may-help.tsx';
import { words } from './people/words.ts';

const { list: more } = words;

const until: Column<Enrollment | ListedInvitation> = textColumn('expiresAt', words.until, {
  cell: ({ expiresAt }) =>
    Date.parse(expiresAt) > Date.now() ? (
      <Time at={expiresAt} />
    ) : (
      <Badge kind="bad">
        <Time at={expiresAt} />
      </Badge>
    ),
});

const enrollmentColumns: readonly Column<Enrollment>[] = [
  personColumn,
  textColumn('method', texts.whatIf.method, {
    cell: ({ method, username }) =>
      setApart(`${words.methods[method]}${username === null ? '' : `: ${username}`}`),
  }),
  until,
  codeColumn('id', texts.person.id, null),
];

const enrollmentActions = actionsColumn<Enrollment>((enrollment) => (
  <EnrollmentActions enrollment={enrollment} />
));

const invitationColumns: readonly Column<ListedInvitation>[] = [
  personColumn,
  {
    name: 'madeBy',
    title: more.invitedBy,
    cell: ({ madeBy }) => (madeBy === null ? more.notRecorded : <PersonLink of={madeBy} />),
    text: ({ madeBy }) => madeBy?.name ?? '',
  },
  timeColumn('createdAt', words.invited),
  until,
];

const invitationActions = actionsColumn<ListedInvitation>(({ identityId }) => (
  <IfMayHelp id={identityId}>
    <WithdrawLink id={`withdraw-${identityId}`} personId={identityId} />
  </IfMayHelp>
));

const ofAll: readonly Filter[] = [
  { ...byPerson, hint: more.personHint },
  {
    name: 'kind',
    label: more.kind,
    choices: { invitation: more.invitation },
    usual: texts.screens.enrollments,
    // It chooses the list.
    where: () => null,
  },
];
const byMethod = choiceOf('method', texts.whatIf.method, words.methods);

/** Open enrollments: tokens for devices, and links for people. */
export function EnrollmentsScreen() {
  const [{ kind }] = useListAddress();
  const isAdmin = useIsAdmin();
  const isReader = useIsReader();
  const isInvitations = kind === 'invitation';
  const filters = isInvitations ? ofAll : [...ofAll, byMethod];
  const common = { screen: 'enrollments', filters, defaultSort: 'expiresAt asc' } as const;
  return isInvitations ? (
    <ListScreen
      {...common}
      lead={more.invitationsText}
      path="invitations"
      caption={more.invitation}
      columns={isReader ? invitationColumns : [...invitationColumns, invitationActions]}
      keyOf={({ identityId }) => identityId}
      empty={[more.noInvitations, more.noInvitationsText]}
    />
  ) : (
    <ListScreen
      {...common}
      lead={more.enrollmentsText}
      path="enrollments"
      columns={isAdmin ? [...enrollmentColumns, enrollmentActions] : enrollmentColumns}
      empty={[more.none, more.noneText]}
    />
  );
}
