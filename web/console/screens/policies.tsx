import { Link } from '@tanstack/react-router';
import { Empty, Screen } from '../../parts/screen.tsx';
import { allOf, contains } from '../filter.ts';
import { type Column, DataList, useListAddress } from '../lists/data-list.tsx';
import { Filters, TextFilter } from '../lists/filters.tsx';
import { useIsAdmin } from '../me.ts';
import { Time } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';
import type { AuthPolicy } from '../types.ts';
import { policySentences } from '../words.ts';

const { policies: words } = texts;

const columns: readonly Column<AuthPolicy>[] = [
  {
    name: 'name',
    title: texts.people.name,
    sort: 'name',
    cell: ({ id, name }) => (
      <Link to="/policies/$id" params={{ id }}>
        {name}
      </Link>
    ),
    text: ({ name }) => name,
  },
  {
    name: 'rules',
    title: words.rules,
    cell: (policy) => policySentences(policy, new Map())[0],
    text: (policy) => policySentences(policy, new Map()).join(' '),
  },
  {
    name: 'updatedAt',
    title: words.changed,
    sort: 'updatedAt',
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    text: ({ updatedAt }) => updatedAt,
  },
];

export function PoliciesScreen() {
  const [{ q }] = useListAddress();
  return (
    <Screen
      title={texts.screens.policies}
      lead={words.text}
      tools={
        useIsAdmin() && (
          <Link to="/policies/$id" params={{ id: 'new' }} className="button main" id="new-policy">
            {words.create}
          </Link>
        )
      }
    >
      <Filters>
        <TextFilter name="q" label={texts.people.name} />
      </Filters>
      <DataList
        path="auth-policies"
        caption={texts.screens.policies}
        columns={columns}
        keyOf={({ id }) => id}
        filter={allOf(contains('name', q))}
        defaultSort="name asc"
        empty={
          <Empty title={words.nothing}>
            <p>{words.nothingText}</p>
          </Empty>
        }
      />
    </Screen>
  );
}
