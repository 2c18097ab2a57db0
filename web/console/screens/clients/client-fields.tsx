import type { ReactNode } from 'react';
import { Card } from '../../../parts/screen.tsx';
import type { FormState } from '../../forms/entity-form.tsx';
import { CheckField, ChoiceField, LinesField, PairsField, TextField } from '../../forms/fields.tsx';
import { texts } from '../../texts/texts.ts';
import type { ClientDraft } from './client-draft.ts';
import { words } from './words.ts';

const { hints } = words;
const algorithms = { RS256: 'RS256', ES256: 'ES256' } as const;

export function ClientFields({
  form,
  children,
}: {
  readonly form: FormState<ClientDraft>;
  readonly children?: ReactNode;
}) {
  return (
    <>
      <Card id="what" title={words.how}>
        <TextField form={form} name="name" isRequired />
        {children}
        <ChoiceField
          form={form}
          name="type"
          choices={words.types}
          also={(type): Partial<ClientDraft> => ({
            tokenEndpointAuthMethod: type === 'public' ? 'none' : 'client_secret_basic',
            ...(type === 'public' && { requirePkce: true }),
          })}
        />
        <LinesField form={form} name="redirectUris" hint={hints.redirectUris} />
        <LinesField form={form} name="postLogoutRedirectUris" hint={hints.postLogoutRedirectUris} />
        {form.draft.type === 'confidential' && <Proof form={form} />}
      </Card>
      <Card id="may" title={words.apart}>
        <LinesField form={form} name="allowedRoleAttributes" hint={hints.allowedRoleAttributes} />
        <CheckField form={form} name="apiAccess" hint={hints.apiAccess} />
        <LinesField form={form} name="resources" hint={hints.resources} />
      </Card>
      <Card id="tokens" title={words.rights}>
        <LinesField form={form} name="scopes" hint={hints.scopes} />
        <PairsField form={form} name="claims" hint={hints.claims} />
        <ChoiceField form={form} name="idTokenSigningAlg" choices={algorithms} />
        <TextField form={form} name="accessTokenDuration" hint={hints.duration} />
        <TextField form={form} name="refreshTokenDuration" hint={hints.duration} />
        <PairsField form={form} name="tags" hint={texts.forms.tagsHint} />
      </Card>
    </>
  );
}

function Proof({ form }: { readonly form: FormState<ClientDraft> }) {
  const { none: _none, ...methods } = words.methods;
  return (
    <>
      <ChoiceField form={form} name="tokenEndpointAuthMethod" choices={methods} />
      {form.draft.tokenEndpointAuthMethod === 'private_key_jwt' && (
        <TextField form={form} name="jwksUri" type="url" hint={hints.jwksUri} />
      )}
      <CheckField form={form} name="requirePkce" />
    </>
  );
}
