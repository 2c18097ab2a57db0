import { identityEntity } from '../../../src/model/entities/identity.ts';
import { Badge, Card, Facts } from '../../parts/screen.tsx';
import { allOf, contains } from '../filter.ts';
import { type Column, fieldColumn, PersonLink } from '../lists/columns.tsx';
import { useListAddress } from '../lists/data-list.tsx';
import { ChoiceFilter, TextFilter } from '../lists/filters.tsx';
import { ListScreen } from '../lists/list-screen.tsx';
import { rightOf } from '../me.ts';
import { fieldWords } from '../texts/fields.ts';
import { texts } from '../texts/texts.ts';
import type { Identity } from '../types.ts';
import { type Right, rightFilters, rightNames } from './people/rights.ts';
import { words } from './people/words.ts';
import { policyColumn, stateColumn } from './people.tsx';

const { permissions: more } = words;
const right = fieldWords(identityEntity.kind).labels.permissions ?? '';

const columns: readonly Column<Identity>[] = [
  fieldColumn(identityEntity, 'name', (person) => <PersonLink of={person} />),
  {
    name: 'right',
    title: right,
    cell: (person) => <Badge>{rightNames[rightOf(person) ?? 'read']}</Badge>,
    text: (person) => rightOf(person) ?? '',
  },
  stateColumn,
  policyColumn,
  {
    name: 'app',
    title: texts.app,
    cell: ({ isMfaEnabled }) => (isMfaEnabled ? texts.person.appSet : texts.person.appMissing),
    text: ({ isMfaEnabled }) => String(isMfaEnabled),
  },
];

/** People who may do more here than sign in, and the meaning of each right. */
export function PermissionsScreen() {
  const [{ q, right: asked }] = useListAddress();
  const chosen = rightFilters[asked as Right];
  return (
    <ListScreen
      screen="permissions"
      lead={more.text}
      below={
        <Card id="allows" title={more.allows}>
          <Facts
            facts={Object.entries(rightNames).map(([name, title]) => [title, more.meanings[name as Right]])}
          />
        </Card>
      }
      filters={
        <>
          <TextFilter name="q" label={texts.name} />
          <ChoiceFilter name="right" label={right} choices={rightNames} />
        </>
      }
      path="identities"
      columns={columns}
      filter={allOf(contains('name', q), chosen ?? Object.values(rightFilters).join(' or '))}
      defaultSort="name asc"
      empty={[texts.people.noPerson, more.noPersonText]}
    />
  );
}
