import { Link } from '@tanstack/react-router';
import { Badge, Empty, Screen } from '../../parts/screen.tsx';
import { allOf, contains, equal, looksLikeId } from '../filter.ts';
import { refreshEntities } from '../forms/entity.ts';
import { type Column, DataList, useListAddress } from '../lists/data-list.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../lists/filters.tsx';
import { rightOf, useIsAdmin, useMe } from '../me.ts';
import { Time } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';
import type { Enrollment, ListedInvitation } from '../types.ts';
import { EnrollmentActions, WithdrawLink } from './people/enrollment-actions.tsx';
import { IfMayHelp } from './people/if-may-help.tsx';
import { words } from './people/words.ts';

const { list: more } = words;

type Either = Enrollment | ListedInvitation;

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

const until: Column<Either> = {
  name: 'expiresAt',
  title: words.until,
  sort: 'expiresAt',
  cell: ({ expiresAt }) =>
    Date.parse(expiresAt) > Date.now() ? (
      <Time at={expiresAt} />
    ) : (
      <Badge kind="bad">
        <Time at={expiresAt} />
      </Badge>
    ),
  text: ({ expiresAt }) => expiresAt,
};

const enrollmentColumns: readonly Column<Enrollment>[] = [
  person,
  {
    name: 'method',
    title: words.method,
    sort: 'method',
    cell: ({ method, username }) => `${words.methods[method]}${username === null ? '' : `: ${username}`}`,
    text: ({ method }) => method,
  },
  until,
  {
    name: 'id',
    title: texts.person.id,
    cell: ({ id }) => <code>{id}</code>,
    text: ({ id }) => id,
  },
];

const enrollmentActions: Column<Enrollment> = {
  name: 'actions',
  title: more.actions,
  cell: (enrollment) => <EnrollmentActions enrollment={enrollment} refresh={refreshEntities} />,
  text: null,
};

const invitationColumns: readonly Column<ListedInvitation>[] = [
  person,
  {
    name: 'madeBy',
    title: more.invitedBy,
    cell: ({ madeBy }) =>
      madeBy === null ? (
        more.notRecorded
      ) : (
        <Link to="/people/$id" params={{ id: madeBy.id }}>
          {madeBy.name}
        </Link>
      ),
    text: ({ madeBy }) => madeBy?.name ?? '',
  },
  {
    name: 'createdAt',
    title: more.invitedAt,
    sort: 'createdAt',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    text: ({ createdAt }) => createdAt,
  },
  until,
];

const invitationActions: Column<ListedInvitation> = {
  name: 'actions',
  title: more.actions,
  cell: ({ identityId }) => (
    <IfMayHelp id={identityId}>
      <WithdrawLink id={`withdraw-${identityId}`} personId={identityId} refresh={refreshEntities} />
    </IfMayHelp>
  ),
  text: null,
};

/** What was handed out and not used yet: tokens for devices, and links for people. */
export function EnrollmentsScreen() {
  const [{ person: who, kind, method }] = useListAddress();
  const isInvitations = kind === 'invitation';
  return (
    <Screen
      title={texts.screens.enrollments}
      lead={isInvitations ? more.invitationsText : more.enrollmentsText}
    >
      <Filters>
        <TextFilter name="person" label={more.person} hint={more.personHint} />
        <ChoiceFilter
          name="kind"
          label={more.kind}
          choices={{ invitation: more.invitation }}
          usual={more.tokens}
        />
        {!isInvitations && <ChoiceFilter name="method" label={words.method} choices={words.methods} />}
      </Filters>
      {isInvitations ? <Invitations who={who} /> : <Enrollments who={who} method={method} />}
    </Screen>
  );
}

interface Asked {
  readonly who: string | undefined;
}

function Invitations({ who }: Asked) {
  const me = useMe().data;
  const isReader = me === undefined || rightOf(me) === 'read';
  return (
    <DataList
      key="invitations"
      path="invitations"
      caption={more.invitation}
      columns={isReader ? invitationColumns : [...invitationColumns, invitationActions]}
      keyOf={({ identityId }) => identityId}
      filter={allOf(ofPerson(who))}
      defaultSort="expiresAt asc"
      empty={
        <Empty title={more.noInvitations}>
          <p>{more.noInvitationsText}</p>
        </Empty>
      }
    />
  );
}

function Enrollments({ who, method }: Asked & { readonly method: string | undefined }) {
  const isAdmin = useIsAdmin();
  return (
    <DataList
      key="enrollments"
      path="enrollments"
      caption={texts.screens.enrollments}
      columns={isAdmin ? [...enrollmentColumns, enrollmentActions] : enrollmentColumns}
      keyOf={({ id }) => id}
      filter={allOf(ofPerson(who), equal('method', method))}
      defaultSort="expiresAt asc"
      empty={
        <Empty title={more.none}>
          <p>{more.noneText}</p>
        </Empty>
      }
    />
  );
}

/** By part of the name or by id. */
export function ofPerson(text: string | undefined): string | null {
  const conditions = [
    contains('identityName', text),
    text !== undefined && looksLikeId(text) ? equal('identityId', text) : null,
  ].filter((condition) => condition !== null);
  return conditions.length === 0 ? null : conditions.join(' or ');
}
