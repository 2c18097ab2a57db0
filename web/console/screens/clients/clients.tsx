import { oidcClientEntity } from '../../../../src/model/entities/oidc-client.ts';
import { type Column, fieldColumn } from '../../lists/columns.tsx';
import { EntityList } from '../../lists/entity-list.tsx';
import { texts } from '../../texts/texts.ts';
import type { OidcClient } from '../../types.ts';
import { words } from './words.ts';

/** The first one is enough to recognise an application by. */
const redirectUris: Column<OidcClient> = fieldColumn(
  oidcClientEntity,
  'redirectUris',
  ({ redirectUris: [first] }) => (first === undefined ? texts.none : <code>{first}</code>),
);

export function ClientsScreen() {
  return (
    <EntityList
      entity={oidcClientEntity}
      screen="clients"
      columns={['id', 'type', 'apiAccess', redirectUris]}
      words={words}
      filters={['type']}
    />
  );
}
