import type { Column } from '../lists/data-list.tsx';
import { changedColumn, EntityList, nameColumn } from '../lists/entity-list.tsx';
import { texts } from '../texts/texts.ts';
import type { AuthPolicy } from '../types.ts';
import { policySentences } from '../words.ts';
import { useSignerNames } from './policy-form.tsx';

const { policies: words } = texts;

/** @param signers names by id */
function columnsWith(signers: ReadonlyMap<string, string>): readonly Column<AuthPolicy>[] {
  return [
    nameColumn('policies', texts.people.name),
    {
      name: 'rules',
      title: words.rules,
      cell: (policy) => policySentences(policy, signers)[0],
      text: (policy) => policySentences(policy, signers).join(' '),
    },
    changedColumn,
  ];
}

export function PoliciesScreen() {
  const signers = useSignerNames();
  return (
    <EntityList
      screen="policies"
      path="auth-policies"
      columns={columnsWith(signers)}
      words={words}
      nameLabel={texts.people.name}
      createId="new-policy"
    />
  );
}
