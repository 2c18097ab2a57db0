import { Link } from '@tanstack/react-router';
import { Badge, Empty, Screen } from '../../../parts/screen.tsx';
import { allOf, contains } from '../../filter.ts';
import { type Column, DataList, useListAddress } from '../../lists/data-list.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../../lists/filters.tsx';
import { useIsAdmin } from '../../me.ts';
import { Time } from '../../parts/time.tsx';
import { texts } from '../../texts/texts.ts';
import type { Signer } from '../../types.ts';
import { words } from './words.ts';

const columns: readonly Column<Signer>[] = [
  {
    name: 'name',
    title: words.labels.name,
    sort: 'name',
    cell: ({ id, name }) => (
      <Link to="/signers/$id" params={{ id }}>
        {name}
      </Link>
    ),
    text: ({ name }) => name,
  },
  {
    name: 'issuer',
    title: words.labels.issuer,
    sort: 'issuer',
    cell: ({ issuer }) => issuer,
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
  {
    name: 'updatedAt',
    title: texts.policies.changed,
    sort: 'updatedAt',
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    text: ({ updatedAt }) => updatedAt,
  },
];

const states = { enabled: words.enabled, disabled: words.disabled } as const;

export function SignersScreen() {
  const [{ q, state }] = useListAddress();
  const isAdmin = useIsAdmin();
  return (
    <Screen
      title={texts.screens.signers}
      lead={words.text}
      tools={
        isAdmin && (
          <Link to="/signers/$id" params={{ id: 'new' }} className="button main" id="new-signer">
            {words.create}
          </Link>
        )
      }
    >
      <Filters>
        <TextFilter name="q" label={words.labels.name} />
        <ChoiceFilter name="state" label={words.state} choices={states} />
      </Filters>
      <DataList
        path="external-jwt-signers"
        caption={texts.screens.signers}
        columns={columns}
        keyOf={({ id }) => id}
        filter={allOf(contains('name', q), stateFilter(state))}
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

function stateFilter(state: string | undefined): string | null {
  if (state === 'enabled') return 'enabled = true';
  return state === 'disabled' ? 'enabled = false' : null;
}
