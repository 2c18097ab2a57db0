import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Facts, Screen } from '../../../parts/screen.tsx';
import { EntityForm } from '../../forms/entity-form.tsx';
import { EntityScreen } from '../../forms/entity-screen.tsx';
import { TextField } from '../../forms/fields.tsx';
import { Failure } from '../../parts/failure.tsx';
import { OnlyAdministrators } from '../../parts/only-administrators.tsx';
import { issuer } from '../../session/addresses.ts';
import { make } from '../../session/api.ts';
import { texts } from '../../texts/texts.ts';
import type { OidcClient } from '../../types.ts';
import {
  type ClientDraft,
  clientFlags,
  createCommand,
  draftOf,
  type NewClientDraft,
  newClient,
  usesSecrets,
} from './client-draft.ts';
import { ClientFields } from './client-fields.tsx';
import { ClientSecrets, newSecretOf, ShownOnce } from './client-secrets.tsx';
import { words } from './words.ts';

const nullable = ['jwksUri', 'accessTokenDuration', 'refreshTokenDuration'] as const;

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
    <Screen title={words.create}>
      <OnlyAdministrators>
        <EntityForm<NewClientDraft>
          read={{ document: newClient, version: null }}
          path="oidc-clients"
          isNew
          mayChange
          labels={words.labels}
          nullable={[...nullable, 'id']}
          command={(_changes, draft) => createCommand(draft)}
          saved={async (id, draft) => setCreated(await withSecret(id ?? '', draft))}
        >
          {(form) => (
            <ClientFields form={form}>
              <TextField form={form} name="id" hint={words.hints.id} />
            </ClientFields>
          )}
        </EntityForm>
      </OnlyAdministrators>
    </Screen>
  );
}

/** An application that authenticates with a secret gets its first one at once. */
async function withSecret(id: string, draft: NewClientDraft): Promise<Created> {
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
      <Facts
        facts={[
          [words.issuer, <code key="issuer">{issuer}</code>],
          [words.labels.id, <code key="id">{id}</code>],
        ]}
      />
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

function SavedClient({ id }: { readonly id: string }) {
  return (
    <EntityScreen<OidcClient, ClientDraft>
      id={id}
      collection="oidc-clients"
      noun="oidc-client"
      list="/clients"
      listTitle={texts.screens.clients}
      draftOf={draftOf}
      labels={words.labels}
      nullable={nullable}
      flags={clientFlags}
      fields={(form) => <ClientFields form={form} />}
      deletion={{ title: words.deleteTitle, ends: words.deleteEnds }}
    >
      {(document, mayChange) => (
        <>
          <Facts
            facts={[
              [words.issuer, <code key="issuer">{issuer}</code>],
              [words.labels.id, <code key="id">{id}</code>],
            ]}
          />
          {usesSecrets(document) && <ClientSecrets id={id} mayChange={mayChange} />}
        </>
      )}
    </EntityScreen>
  );
}
