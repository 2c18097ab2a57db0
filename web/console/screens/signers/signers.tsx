import { Badge } from '../../../parts/screen.tsx';
import { type Column, useListAddress } from '../../lists/data-list.tsx';
import { changedColumn, EntityList, nameColumn } from '../../lists/entity-list.tsx';
import { ChoiceFilter } from '../../lists/filters.tsx';
import type { Signer } from '../../types.ts';
import { words } from './words.ts';

const columns: readonly Column<Signer>[] = [
  nameColumn('signers', words.labels.name),
  {
    name: 'issuer',
    title: words.labels.issuer,
    sort: 'issuer',
    cell: ({ issuer }) => <code>{issuer}</code>,
    text: ({ issuer }) => issuer,
  },
  {
    name: 'audience',
    title: words.labels.audience,
    sort: 'audience',
    cell: ({ audience }) => <code>{audience}</code>,
    text: ({ audience }) => audience,
  },
  {
    name: 'enabled',
    title: words.state,
    cell: ({ enabled }) => (
      <Badge kind={enabled ? 'good' : 'bad'}>{enabled ? words.enabled : words.disabled}</Badge>
    ),
    text: ({ enabled }) => String(enabled),
  },
  changedColumn,
];

const states = { enabled: words.enabled, disabled: words.disabled } as const;

export function SignersScreen() {
  const [{ state }] = useListAddress();
  return (
    <EntityList
      screen="signers"
      path="external-jwt-signers"
      columns={columns}
      words={words}
      nameLabel={words.labels.name}
      createId="new-signer"
      filters={<ChoiceFilter name="state" label={words.state} choices={states} />}
      filter={stateFilter(state)}
    />
  );
}

function stateFilter(state: string | undefined): string | null {
  if (state === 'enabled') return 'enabled = true';
  return state === 'disabled' ? 'enabled = false' : null;
}
