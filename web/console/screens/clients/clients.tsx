import { equal } from '../../filter.ts';
import { type Column, useListAddress } from '../../lists/data-list.tsx';
import { changedColumn, EntityList, nameColumn } from '../../lists/entity-list.tsx';
import { ChoiceFilter } from '../../lists/filters.tsx';
import { texts } from '../../texts/texts.ts';
import type { OidcClient } from '../../types.ts';
import { words } from './words.ts';

const columns: readonly Column<OidcClient>[] = [
  nameColumn('clients', words.labels.name),
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
    cell: ({ redirectUris: [first] }) => (first === undefined ? texts.none : <code>{first}</code>),
    text: ({ redirectUris }) => redirectUris.join(' '),
  },
  changedColumn,
];

export function ClientsScreen() {
  const [{ type }] = useListAddress();
  return (
    <EntityList
      screen="clients"
      path="oidc-clients"
      columns={columns}
      words={words}
      nameLabel={words.labels.name}
      createId="new-client"
      filters={<ChoiceFilter name="type" label={words.type} choices={words.shortTypes} />}
      filter={equal('type', type)}
    />
  );
}
