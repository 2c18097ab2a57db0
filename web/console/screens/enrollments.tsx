import { Link } from '@tanstack/react-router';
import { Badge, Empty, Screen } from '../../parts/screen.tsx';
import { allOf, contains, equal, looksLikeId } from '../filter.ts';
import { refreshEntities } from '../forms/entity.ts';
import { type Column, DataList, useListAddress } from '../lists/data-list.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../lists/filters.tsx';
import { useIsAdmin } from '../me.ts';
import { Time } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';
import type { Enrollment } from '../types.ts';
import { EnrollmentActions } from './people/enrollment-actions.tsx';
import { words } from './people/words.ts';

const columns: readonly Column<Enrollment>[] = [
  {
    name: 'person',
    title: words.list.person,
    sort: 'identityName',
    cell: ({ identityId, identity }) => (
      <Link to="/people/$id" params={{ id: identityId }}>
        {identity.name}
      </Link>
    ),
    text: ({ identity }) => identity.name,
  },
  {
    name: 'method',
    title: words.method,
    sort: 'method',
    cell: ({ method, username }) => `${words.methods[method]}${username === null ? '' : `: ${username}`}`,
    text: ({ method }) => method,
  },
  {
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
  },
  {
    name: 'id',
    title: texts.person.id,
    cell: ({ id }) => <code>{id}</code>,
    text: ({ id }) => id,
  },
];

const actions: Column<Enrollment> = {
  name: 'actions',
  title: words.list.actions,
  cell: (enrollment) => <EnrollmentActions enrollment={enrollment} refresh={refreshEntities} />,
  text: null,
};

export function EnrollmentsScreen() {
  const [{ person, method }] = useListAddress();
  const isAdmin = useIsAdmin();
  return (
    <Screen title={texts.screens.enrollments} lead={words.list.enrollmentsText}>
      <Filters>
        <TextFilter name="person" label={words.list.person} hint={words.list.personHint} />
        <ChoiceFilter name="method" label={words.method} choices={words.methods} />
      </Filters>
      <DataList
        path="enrollments"
        caption={texts.screens.enrollments}
        columns={isAdmin ? [...columns, actions] : columns}
        keyOf={({ id }) => id}
        filter={allOf(ofPerson(person), equal('method', method))}
        defaultSort="expiresAt asc"
        empty={
          <Empty title={words.list.none}>
            <p>{words.list.noneText}</p>
          </Empty>
        }
      />
    </Screen>
  );
}

/** By a part of the name or by the id. */
export function ofPerson(text: string | undefined): string | null {
  const conditions = [
    contains('identityName', text),
    text !== undefined && looksLikeId(text) ? equal('identityId', text) : null,
  ].filter((condition) => condition !== null);
  return conditions.length === 0 ? null : conditions.join(' or ');
}
