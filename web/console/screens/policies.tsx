import type { Column } from '../lists/data-list.tsx';
import { changedColumn, EntityList, nameColumn } from '../lists/entity-list.tsx';
import { texts } from '../texts/texts.ts';
import type { AuthPolicy } from '../types.ts';
import { policySentences } from '../words.ts';

const { policies: words } = texts;

const columns: readonly Column<AuthPolicy>[] = [
  nameColumn('policies', texts.people.name),
  {
    name: 'rules',
    title: words.rules,
    cell: (policy) => policySentences(policy, new Map())[0],
    text: (policy) => policySentences(policy, new Map()).join(' '),
  },
  changedColumn,
];

export function PoliciesScreen() {
  return (
    <EntityList
      screen="policies"
      path="auth-policies"
      columns={columns}
      words={words}
      nameLabel={texts.people.name}
      createId="new-policy"
    />
  );
}
