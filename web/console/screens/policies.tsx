import { authPolicyEntity } from '../../../src/model/entities/auth-policy.ts';
import { useNames } from '../forms/names.ts';
import type { Column } from '../lists/columns.tsx';
import { EntityList } from '../lists/entity-list.tsx';
import type { AuthPolicy } from '../types.ts';
import { policySentences } from '../words.ts';
import { words } from './policies-words.ts';

export function PoliciesScreen() {
  const signers = useNames('ext-jwt-signer');
  const rules: Column<AuthPolicy> = {
    name: 'rules',
    title: words.rules,
    cell: (policy) => policySentences(policy, signers)[0],
    text: (policy) => policySentences(policy, signers).join(' '),
  };
  return <EntityList entity={authPolicyEntity} screen="policies" columns={[rules]} words={words} />;
}
