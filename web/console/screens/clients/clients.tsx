import { Link } from '@tanstack/react-router';
import { Empty, Screen } from '../../../parts/screen.tsx';
import { allOf, contains, equal } from '../../filter.ts';
import { type Column, DataList, useListAddress } from '../../lists/data-list.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../../lists/filters.tsx';
import { useIsAdmin } from '../../me.ts';
import { Time } from '../../parts/time.tsx';
import { texts } from '../../texts/texts.ts';
import type { OidcClient } from '../../types.ts';
import { words } from './words.ts';

const columns: readonly Column<OidcClient>[] = [
  {
    name: 'name',
    title: words.labels.name,
    sort: 'name',
    cell: ({ id, name }) => (
      <Link to="/clients/$id" params={{ id }}>
        {name}
      </Link>
    ),
    text: ({ name }) => name,
  },
  {
    name: 'id',
    title: words.labels.id,
    sort: 'id',
    cell: ({ id }) => <code>{id}</code>,
    text: ({ id }) => id,
  },
  {
    name: 'type',
    title: words.type,
    sort: 'type',
    cell: ({ type }) => words.shortTypes[type],
    text: ({ type }) => type,
  },
  {
    name: 'apiAccess',
    title: words.api,
    cell: ({ apiAccess }) => (apiAccess ? texts.yes : texts.no),
    text: ({ apiAccess }) => String(apiAccess),
  },
  {
    name: 'redirectUris',
    title: words.redirectUris,
    cell: ({ redirectUris }) => redirectUris[0] ?? texts.none,
    text: ({ redirectUris }) => redirectUris.join(' '),
  },
  {
    name: 'updatedAt',
    title: texts.policies.changed,
    sort: 'updatedAt',
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    text: ({ updatedAt }) => updatedAt,
  },
];

export function ClientsScreen() {
  const [{ q, type }] = useListAddress();
  const isAdmin = useIsAdmin();
  return (
    <Screen
      title={texts.screens.clients}
      lead={words.text}
      tools={
        isAdmin && (
          <Link to="/clients/$id" params={{ id: 'new' }} className="button main" id="new-client">
            {words.create}
          </Link>
        )
      }
    >
      <Filters>
        <TextFilter name="q" label={words.labels.name} />
        <ChoiceFilter name="type" label={words.type} choices={words.shortTypes} />
      </Filters>
      <DataList
        path="oidc-clients"
        caption={texts.screens.clients}
        columns={columns}
        keyOf={({ id }) => id}
        filter={allOf(contains('name', q), equal('type', type))}
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
