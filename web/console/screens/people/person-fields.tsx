import type { ReactNode } from 'react';
import { identityEntity } from '../../../../src/model/entities/identity.ts';
import type { Draft } from '../../forms/entity-fields.ts';
import { EntityField, FieldCard, useForm } from '../../forms/fields.tsx';
import { SelectField } from '../../parts/field.tsx';
import { fieldWords } from '../../texts/fields.ts';
import type { IdentityDetail } from '../../types.ts';
import { words } from './words.ts';

/** The fields of a person that a form sets; of a new one, without the fields that only a change has. */
export type PersonDraft = Omit<Draft<IdentityDetail, typeof identityEntity>, 'authPolicyId'> & {
  /** Null: by role attributes. */
  readonly authPolicyId: string | null;
  readonly type: IdentityDetail['typeId'];
};

/** @param policy of the person; the list may not be loaded yet */
export function PersonFields({
  policy,
  children,
}: {
  policy: { readonly id: string; readonly name: string } | null;
  children?: ReactNode;
}) {
  const { draft } = useForm<PersonDraft>();
  return (
    <>
      <FieldCard
        id="who"
        title={words.who}
        names={[
          ...['name', 'type', 'externalId', 'email'],
          ...(draft.email ? ['emailVerified'] : []),
          ...['roleAttributes', 'tags'],
        ]}
        details={{ email: { also: () => ({ emailVerified: false }) } }}
      />
      <FieldCard
        id="may"
        title={words.may}
        names={['authPolicyId']}
        details={{
          authPolicyId: {
            choices: policy === null ? {} : { [policy.id]: policy.name },
            none: words.byAttributes,
          },
        }}
      >
        <RightField />
        <EntityField name="passwordMustChange" />
      </FieldCard>
      {children}
    </>
  );
}

/** One choice instead of a checkbox and a list: an administrator needs no permission, and helping includes reading. */
function RightField() {
  const form = useForm<PersonDraft>();
  const { isAdmin, permissions } = form.draft;
  const held = permissions.includes('helpdesk') ? 'helpdesk' : (permissions[0] ?? 'none');
  return (
    <SelectField
      id="field-right"
      label={fieldWords(identityEntity.kind).labels.permissions ?? ''}
      problem={form.problemOf('isAdmin') ?? form.problemOf('permissions')}
      isDisabled={form.isReadOnly}
      value={isAdmin ? 'all' : held}
      set={(right) =>
        form.set({
          isAdmin: right === 'all',
          permissions: right === 'read' || right === 'helpdesk' ? [right] : [],
        })
      }
      choices={words.rights}
    />
  );
}
