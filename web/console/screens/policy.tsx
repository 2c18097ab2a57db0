// An auth policy: its rules in words while they are edited, and who would be affected before it is saved.

import { useParams } from '@tanstack/react-router';
import { authPolicyEntity as entity } from '../../../src/model/entities/auth-policy.ts';
import { usualPolicyId } from '../../../src/model/usual-policy.ts';
import { Card } from '../../parts/screen.tsx';
import { EntityScreen } from '../forms/entity-screen.tsx';
import { EntityField, useForm } from '../forms/fields.tsx';
import { useNames } from '../forms/names.ts';
import type { Column } from '../lists/columns.tsx';
import { EntityList } from '../lists/entity-list.tsx';
import type { AuthPolicy } from '../types.ts';
import { policySentences } from '../words.ts';
import { words } from './policies-words.ts';
import { type PolicyDraft, PolicyRules, PolicySentences } from './policy-form.tsx';
import { saveQuestion } from './policy-impact.tsx';

export function PolicyScreen() {
  const { id } = useParams({ strict: false });
  return (
    <EntityScreen<AuthPolicy, PolicyDraft>
      entity={entity}
      create={words.create}
      // Signers are off until the administrator chooses them, although the API would allow all of them.
      initial={{ 'primary.extJwt.allowed': false }}
      fields={() => <PolicyFields />}
      ask={(_changes, draft, own) => saveQuestion(own, draft)}
      deletionEnds={id === usualPolicyId ? null : words.deleteEnds}
    />
  );
}

function PolicyFields() {
  const { draft } = useForm<PolicyDraft>();
  return (
    <>
      <Card id="rules" title={words.rules}>
        <EntityField name="name" />
        <EntityField name="assignTo" />
        <PolicyRules />
        <EntityField name="tags" />
      </Card>
      <Card id="in-words" title={words.inWords}>
        <PolicySentences draft={draft} />
      </Card>
    </>
  );
}

export function PoliciesScreen() {
  const signers = useNames('ext-jwt-signer');
  const rules: Column<AuthPolicy> = {
    name: 'rules',
    title: words.rules,
    cell: (policy) => policySentences(policy, signers)[0],
    text: (policy) => policySentences(policy, signers).join(' '),
  };
  return <EntityList entity={entity} columns={[rules]} words={words} />;
}
