import { Link } from '@tanstack/react-router';
import { Badge, Card, Empty, Facts, Screen } from '../../parts/screen.tsx';
import { allOf, contains } from '../filter.ts';
import { type Column, DataList, useListAddress } from '../lists/data-list.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../lists/filters.tsx';
import { rightOf } from '../me.ts';
import { texts } from '../texts/texts.ts';
import type { Identity } from '../types.ts';
import { type Right, rightFilters, rightNames } from './people/rights.ts';
import { words } from './people/words.ts';
import { StateBadge } from './person.tsx';

const { permissions: more } = words;

const columns: readonly Column<Identity>[] = [
  {
    name: 'name',
    title: texts.people.name,
    sort: 'name',
    cell: ({ id, name }) => (
      <Link to="/people/$id" params={{ id }}>
        {name}
      </Link>
    ),
    text: ({ name }) => name,
  },
  {
    name: 'right',
    title: more.right,
    cell: (person) => <Badge>{rightNames[rightOf(person) ?? 'read']}</Badge>,
    text: (person) => rightOf(person) ?? '',
  },
  {
    name: 'state',
    title: texts.people.state,
    cell: (person) => <StateBadge person={person} />,
    text: ({ disabled }) => (disabled ? 'disabled' : 'enabled'),
  },
  {
    name: 'policy',
    title: texts.people.policy,
    cell: ({ authPolicyId, authPolicy }) => (
      <Link to="/policies/$id" params={{ id: authPolicyId }}>
        {authPolicy.name}
      </Link>
    ),
    text: ({ authPolicy }) => authPolicy.name,
  },
  {
    name: 'app',
    title: texts.person.app,
    cell: ({ isMfaEnabled }) => (isMfaEnabled ? texts.person.appSet : texts.person.appMissing),
    text: ({ isMfaEnabled }) => String(isMfaEnabled),
  },
];

/** Who may do more here than sign in, and what each right allows. */
export function PermissionsScreen() {
  const [{ q, right }] = useListAddress();
  const chosen = rightFilters[right as Right];
  return (
    <Screen title={texts.screens.permissions} lead={more.text}>
      <Card id="allows" title={more.allows}>
        <Facts
          facts={Object.entries(rightNames).map(([name, title]) => [title, more.meanings[name as Right]])}
        />
      </Card>
      <Filters>
        <TextFilter name="q" label={texts.people.name} />
        <ChoiceFilter name="right" label={more.right} choices={rightNames} />
      </Filters>
      <DataList
        path="identities"
        caption={texts.screens.permissions}
        columns={columns}
        keyOf={({ id }) => id}
        filter={allOf(contains('name', q), chosen ?? Object.values(rightFilters).join(' or '))}
        defaultSort="name asc"
        empty={
          <Empty title={texts.people.nobody}>
            <p>{more.nobodyText}</p>
          </Empty>
        }
      />
    </Screen>
  );
}
