import type { externalJwtSignerEntity } from '../../../../src/model/entities/external-jwt-signer.ts';
import { type ClientAuthMethod, usesSecret } from '../../../../src/model/entities/oidc-client.ts';
import { Card } from '../../../parts/screen.tsx';
import type { Draft } from '../../forms/entity-fields.ts';
import { EntityField, FieldCard, useForm } from '../../forms/fields.tsx';
import { CheckField } from '../../parts/field.tsx';
import type { Signer } from '../../types.ts';
import { words } from './words.ts';

export type SignerDraft = Draft<Signer, typeof externalJwtSignerEntity>;

const url = { type: 'url' } as const;

export function SignerFields() {
  const { draft } = useForm<SignerDraft>();
  return (
    <>
      <FieldCard
        id="provider"
        title={words.provider}
        names={[
          ...['name', 'enabled', 'issuer', 'clientId', 'audience', 'discovery', 'jwksEndpoint', 'certPem'],
          ...(draft.certPem === null ? [] : ['kid']),
        ]}
        details={{
          clientId: { also: (clientId) => (followsClient(draft) ? { audience: clientId ?? '' } : {}) },
          jwksEndpoint: url,
        }}
      />
      <FieldCard
        id="who"
        title={words.who}
        names={[
          'claimsProperty',
          'useExternalId',
          'requireVerifiedEmail',
          'leewaySeconds',
          'maxLifetimeSeconds',
        ]}
        details={{ leewaySeconds: { max: 60 }, maxLifetimeSeconds: { min: 1, max: 316_224_000 } }}
      />
      <FieldCard
        id="people"
        title={words.people}
        names={[
          ...['externalAuthUrl', 'scopes', 'targetToken', 'clientAuthMethod'],
          ...(usesSecret(draft.clientAuthMethod) ? ['clientSecret'] : []),
        ]}
        details={{
          externalAuthUrl: url,
          clientAuthMethod: {
            also: (method) => (usesSecret(method as ClientAuthMethod) ? {} : { clientSecret: null }),
          },
        }}
      />
      <Card id="newcomers" title={words.newcomers}>
        <p className="hint">{words.newcomersText}</p>
        <NewcomerFields />
      </Card>
      <FieldCard
        id="enrolling"
        title={words.enrolling}
        names={[
          'enrollToTokenEnabled',
          'enrollToCertEnabled',
          'enrollAuthPolicyId',
          'enrollNameClaimsSelector',
          'enrollAttributeClaimsSelector',
          'tags',
        ]}
      />
    </>
  );
}

/** In ID tokens the audience is the client. Keep an audience that was typed. */
function followsClient({ audience, clientId, targetToken }: SignerDraft): boolean {
  return targetToken === 'ID' && (audience === '' || audience === clientId);
}

const usualCreation = { name: 'name', email: 'email', roleAttributes: null, authPolicyId: null };

function NewcomerFields() {
  const form = useForm<SignerDraft>();
  const { createIdentities } = form.draft;
  const names = [
    ...['name', 'email', 'roleAttributes'],
    ...(createIdentities?.roleAttributes ? ['allowedRoleAttributes'] : []),
    'authPolicyId',
  ];
  return (
    <>
      <CheckField
        id="creates-identities"
        label={words.createThem}
        isDisabled={form.isReadOnly}
        isOn={createIdentities !== null}
        set={(isOn) =>
          form.set({ createIdentities: isOn ? usualCreation : null, ...(isOn && { useExternalId: true }) })
        }
      />
      {createIdentities !== null &&
        names.map((name) => <EntityField key={name} name={`createIdentities.${name}`} />)}
    </>
  );
}
