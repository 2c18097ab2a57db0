import { identityEntity } from '../../../src/model/entities/identity.ts';
import { Badge, Card, Facts } from '../../parts/screen.tsx';
import { anyOf, contains } from '../filter.ts';
import { type Column, fieldColumn, PersonLink } from '../lists/columns.tsx';
import type { Filter } from '../lists/filters.tsx';
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

const filters: readonly Filter[] = [
  { name: 'q', label: texts.name, where: (text) => contains('name', text) },
  { name: 'right', label: right, choices: rightNames, where: (one) => rightFilters[one as Right] ?? null },
];

/** People who may do more here than sign in, and the meaning of each right. */
export function PermissionsScreen() {
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
      filters={filters}
      always={anyOf(...Object.values(rightFilters))}
      path="identities"
      columns={columns}
      defaultSort="name asc"
      empty={[texts.people.noPerson, more.noPersonText]}
    />
  );
}
