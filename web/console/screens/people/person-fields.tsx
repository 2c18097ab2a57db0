import type { ReactNode } from 'react';
import { Card } from '../../../parts/screen.tsx';
import type { FormState } from '../../forms/entity-form.tsx';
import { CheckField, ChoiceField, LinesField, PairsField, TextField } from '../../forms/fields.tsx';
import { texts } from '../../texts/texts.ts';
import type { PersonDraft } from './person-draft.ts';
import { usePolicyNames } from './policy-names.ts';
import { words } from './words.ts';

/** @param policy of the person; the list may not be loaded yet */
export function PersonFields({
  form,
  policy,
  children,
}: {
  readonly form: FormState<PersonDraft>;
  readonly policy: { readonly id: string; readonly name: string };
  readonly children?: ReactNode;
}) {
  const policies = usePolicyNames();
  return (
    <>
      <Card id="who" title={words.who}>
        <TextField form={form} name="name" isRequired hint={words.hints.name} />
        <ChoiceField form={form} name="type" choices={words.types} />
        <TextField form={form} name="externalId" hint={words.hints.externalId} />
        <LinesField form={form} name="roleAttributes" hint={words.hints.roleAttributes} />
        <PairsField form={form} name="tags" hint={texts.forms.tagsHint} />
      </Card>
      <Card id="may" title={words.may}>
        <ChoiceField form={form} name="authPolicyId" choices={{ [policy.id]: policy.name, ...policies }} />
        <RightField form={form} />
        <CheckField form={form} name="passwordMustChange" />
      </Card>
      {children}
    </>
  );
}

/** One choice instead of a checkbox and a list: an administrator needs no permission, and helping includes reading. */
function RightField({ form }: { readonly form: FormState<PersonDraft> }) {
  const { isAdmin, permissions } = form.draft;
  const held = permissions.includes('helpdesk') ? 'helpdesk' : (permissions[0] ?? 'none');
  const problem = form.problemOf('isAdmin') ?? form.problemOf('permissions');
  return (
    <div className="field">
      <label htmlFor="field-right">{words.labels.isAdmin}</label>
      <select
        id="field-right"
        disabled={form.isReadOnly}
        value={isAdmin ? 'all' : held}
        aria-invalid={problem !== null || undefined}
        onChange={({ target: { value } }) =>
          form.set({
            isAdmin: value === 'all',
            permissions: value === 'read' || value === 'helpdesk' ? [value] : [],
          })
        }
      >
        {Object.entries(words.rights).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {problem !== null && <span className="problem">{problem}</span>}
    </div>
  );
}
