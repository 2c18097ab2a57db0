import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { oidcClientEntity as entity } from '../../../../src/model/entities/oidc-client.ts';
import { Facts, Screen } from '../../../parts/screen.tsx';
import { type Draft, newDraft } from '../../forms/entity-fields.ts';
import { EntityForm } from '../../forms/entity-form.tsx';
import { EntityScreen, NewEntityScreen } from '../../forms/entity-screen.tsx';
import { EntityField, FieldCard, type FormState } from '../../forms/fields.tsx';
import { factsOf } from '../../lists/columns.tsx';
import { Failure } from '../../parts/failure.tsx';
import { issuer } from '../../session/addresses.ts';
import { make } from '../../session/api.ts';
import { fieldWords } from '../../texts/fields.ts';
import { texts } from '../../texts/texts.ts';
import type { OidcClient } from '../../types.ts';
import { usesSecrets, usualMethod } from './auth-method.ts';
import { ClientSecrets, newSecretOf, ShownOnce } from './client-secrets.tsx';
import { words } from './words.ts';

type ClientDraft = Draft<OidcClient, typeof entity>;

export function ClientScreen() {
  const { id = '' } = useParams({ strict: false });
  return id === 'new' ? <NewClient /> : <SavedClient key={id} id={id} />;
}

interface Created {
  readonly id: string;
  readonly name: string;
  /** Null: it needs none. */
  readonly secret: string | null;
  /** Why there is no secret yet. */
  readonly failure: unknown;
}

function NewClient() {
  const [created, setCreated] = useState<Created | null>(null);
  if (created !== null) return <Registered {...created} />;
  return (
    <NewEntityScreen title={words.create}>
      <EntityForm<ClientDraft>
        entity={entity}
        id={null}
        read={{ document: newDraft(entity, choiceOf('public')), version: null }}
        mayChange
        usual={({ type }) => ({ tokenEndpointAuthMethod: usualMethod(type) })}
        saved={async (id, draft) => setCreated(await withSecret(id ?? '', draft))}
      >
        {(form) => (
          <ClientFields form={form}>
            <EntityField form={form} name="id" />
          </ClientFields>
        )}
      </EntityForm>
    </NewEntityScreen>
  );
}

/** A kind of application, and how it then authenticates. Jwk sets are left to the command line and the API. */
function choiceOf(type: OidcClient['type']) {
  return {
    type,
    tokenEndpointAuthMethod: usualMethod(type),
    ...(type === 'public' && { requirePkce: true }),
  };
}

function ClientFields({
  form,
  children,
}: {
  readonly form: FormState<ClientDraft>;
  readonly children?: ReactNode;
}) {
  const { type, tokenEndpointAuthMethod: method } = form.draft;
  return (
    <>
      <FieldCard form={form} id="what" title={words.how} names={['name']}>
        {children}
        <EntityField
          form={form}
          name="type"
          also={(chosen) => choiceOf(chosen === 'public' ? 'public' : 'confidential')}
        />
        <EntityField form={form} name="redirectUris" />
        <EntityField form={form} name="postLogoutRedirectUris" />
        {type === 'confidential' && (
          <>
            <EntityField form={form} name="tokenEndpointAuthMethod" choices={methods} />
            {method === 'private_key_jwt' && <EntityField form={form} name="jwksUri" type="url" />}
            <EntityField form={form} name="requirePkce" />
            <EntityField form={form} name="requirePushedRequests" />
          </>
        )}
      </FieldCard>
      <FieldCard
        form={form}
        id="may"
        title={words.apart}
        names={['allowedRoleAttributes', 'apiAccess', 'resources']}
      />
      <FieldCard
        form={form}
        id="tokens"
        title={words.rights}
        names={[
          'scopes',
          'claims',
          'idTokenSigningAlg',
          'accessTokenDuration',
          'refreshTokenDuration',
          'tags',
        ]}
      />
    </>
  );
}

const { none: _ofPublicOnes, ...methods } = fieldWords(entity.kind).choices.tokenEndpointAuthMethod ?? {};

/** An application that authenticates with a secret gets its first one at once. */
async function withSecret(id: string, draft: ClientDraft): Promise<Created> {
  const created = { id, name: draft.name, secret: null, failure: null };
  if (!usesSecrets(draft)) return created;
  try {
    return { ...created, secret: (await make<{ readonly secret: string }>(newSecretOf(id))).secret };
  } catch (failure) {
    return { ...created, failure };
  }
}

function Registered({ id, name, secret, failure }: Created) {
  return (
    <Screen title={words.createdTitle(name)} lead={words.createdText}>
      <ClientFacts id={id} />
      {secret !== null && <ShownOnce label={words.secretOnce} text={secret} />}
      {failure !== null && <Failure error={failure} />}
      <p className="buttons">
        <Link to="/clients/$id" params={{ id }} className="button main" id="open-client">
          {words.open}
        </Link>
      </p>
    </Screen>
  );
}

/** What to enter in the application. */
function ClientFacts({ id }: { readonly id: string }) {
  return (
    <Facts
      facts={[
        [texts.attempts.issuer, <code key="issuer">{issuer}</code>],
        ...factsOf(entity, { id }, ['id']),
      ]}
    />
  );
}

function SavedClient({ id }: { readonly id: string }) {
  return (
    <EntityScreen<OidcClient, ClientDraft>
      {...{ id, entity }}
      screen="clients"
      fields={(form) => <ClientFields form={form} />}
      deletionEnds={words.deleteEnds}
    >
      {(document, mayChange) => (
        <>
          <ClientFacts id={id} />
          {usesSecrets(document) && <ClientSecrets id={id} mayChange={mayChange} />}
        </>
      )}
    </EntityScreen>
  );
}
