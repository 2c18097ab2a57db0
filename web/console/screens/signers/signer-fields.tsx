import { useQuery } from '@tanstack/react-query';
import { Card } from '../../../parts/screen.tsx';
import type { FormState } from '../../forms/entity-form.tsx';
import {
  CheckField,
  ChoiceField,
  LinesField,
  NumberField,
  PairsField,
  TextField,
} from '../../forms/fields.tsx';
import { list } from '../../session/api.ts';
import { texts } from '../../texts/texts.ts';
import type { AuthPolicy } from '../../types.ts';
import type { SignerDraft } from './signer-draft.ts';
import { words } from './words.ts';

const { hints } = words;

interface FieldsProps {
  readonly form: FormState<SignerDraft>;
}

export function SignerFields({ form }: FieldsProps) {
  return (
    <>
      <Card id="provider" title={words.provider}>
        <TextField form={form} name="name" isRequired />
        <CheckField form={form} name="enabled" />
        <TextField form={form} name="issuer" isRequired hint={hints.issuer} />
        <TextField
          form={form}
          name="clientId"
          also={(clientId) => (followsClient(form.draft) ? { audience: clientId ?? '' } : {})}
        />
        <TextField form={form} name="audience" isRequired hint={hints.audience} />
        <TextField form={form} name="jwksEndpoint" type="url" hint={hints.jwksEndpoint} />
        <TextField form={form} name="certPem" rows={3} hint={hints.certPem} />
        {form.draft.certPem !== null && <TextField form={form} name="kid" />}
      </Card>
      <Card id="who" title={words.who}>
        <TextField form={form} name="claimsProperty" isRequired hint={hints.claimsProperty} />
        <CheckField form={form} name="useExternalId" hint={hints.useExternalId} />
        <CheckField form={form} name="requireVerifiedEmail" hint={hints.requireVerifiedEmail} />
        <NumberField form={form} name="leewaySeconds" range={[0, 60]} />
        <NumberField
          form={form}
          name="maxLifetimeSeconds"
          range={[1, 316_224_000]}
          hint={hints.maxLifetimeSeconds}
        />
      </Card>
      <Card id="people" title={words.people}>
        <TextField form={form} name="externalAuthUrl" type="url" hint={hints.externalAuthUrl} />
        <LinesField form={form} name="scopes" hint={hints.scopes} />
        <ChoiceField form={form} name="targetToken" choices={words.tokens} />
      </Card>
      <Enrolling form={form} />
    </>
  );
}

/** In ID tokens the audience is the client. Keep an audience that somebody typed. */
function followsClient({ audience, clientId, targetToken }: SignerDraft): boolean {
  return targetToken === 'ID' && (audience === '' || audience === clientId);
}

function Enrolling({ form }: FieldsProps) {
  const policies = useQuery({
    queryKey: ['policies', 'names'],
    queryFn: ({ signal }) => list<AuthPolicy>('auth-policies', { limit: 500, sort: 'name asc' }, signal),
  });
  const names = Object.fromEntries((policies.data?.items ?? []).map(({ id, name }) => [id, name]));
  return (
    <Card id="enrolling" title={words.enrolling}>
      <CheckField form={form} name="enrollToTokenEnabled" />
      <CheckField form={form} name="enrollToCertEnabled" />
      <ChoiceField form={form} name="enrollAuthPolicyId" choices={names} hasNone />
      <TextField form={form} name="enrollNameClaimsSelector" isRequired hint={hints.claimsProperty} />
      <TextField form={form} name="enrollAttributeClaimsSelector" hint={hints.attribute} />
      <PairsField form={form} name="tags" hint={texts.forms.tagsHint} />
    </Card>
  );
}
