import { externalJwtSignerEntity as entity } from '../../../../src/model/entities/external-jwt-signer.ts';
import { Badge } from '../../../parts/screen.tsx';
import { fieldColumn } from '../../lists/columns.tsx';
import { EntityList } from '../../lists/entity-list.tsx';
import { valueText } from '../../texts/fields.ts';
import type { Signer } from '../../types.ts';
import { words } from './words.ts';

const state = fieldColumn<Signer>(entity, 'enabled', ({ enabled }) => (
  <Badge kind={enabled ? 'good' : 'bad'}>{valueText(entity.kind, 'enabled', enabled)}</Badge>
));

export function SignersScreen() {
  return (
    <EntityList
      entity={entity}
      screen="signers"
      columns={['issuer', 'audience', state]}
      words={words}
      filters={['enabled']}
    />
  );
}
