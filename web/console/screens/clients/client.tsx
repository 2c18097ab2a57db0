import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import {
  oidcClientEntity as entity,
  isFapiClient,
  usesSecret,
} from '../../../../src/model/entities/oidc-client.ts';
import { programText } from '../../../parts/language.ts';
import { Card, Facts, Screen } from '../../../parts/screen.tsx';
import { equal } from '../../filter.ts';
import { updateCommand } from '../../forms/command.ts';
import type { Draft } from '../../forms/entity-fields.ts';
import { EntityScreen } from '../../forms/entity-screen.tsx';
import { EntityField, FieldCard, useForm } from '../../forms/fields.tsx';
import { type Column, factsOf, fieldColumn, PersonLink } from '../../lists/columns.tsx';
import { EntityList } from '../../lists/entity-list.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Deliveries } from '../../parts/deliveries.tsx';
import { EntriesCard } from '../../parts/entries.tsx';
import { Sample } from '../../parts/same-change.tsx';
import { Time } from '../../parts/time.tsx';
import { useList } from '../../queries.ts';
import { issuer } from '../../session/session.ts';
import { fieldWords } from '../../texts/fields.ts';
import { texts } from '../../texts/texts.ts';
import type { LastLogin, LogoutDelivery, OidcClient } from '../../types.ts';
import { usualMethod } from './auth-method.ts';
import { ClientSecrets, type Created, FirstSecret, newSecretOf, withSecret } from './client-secrets.tsx';
import { TemplateFields } from './template-fields.tsx';
import { secretPlaceholder, templates } from './templates.ts';
import { words } from './words.ts';

type ClientDraft = Draft<OidcClient, typeof entity>;

export function ClientScreen() {
  const [created, setCreated] = useState<Omit<RegisteredProps, 'template'> | null>(null);
  const [template, setTemplate] = useState('');
  if (created !== null) return <Registered {...created} template={template} />;
  return (
    <EntityScreen<OidcClient, ClientDraft>
      entity={entity}
      create={words.create}
      initial={{ ...choiceOf('public'), idTokenSigningAlg: 'RS256' }}
      usual={(draft) => ({
        tokenEndpointAuthMethod: usualMethod(draft.type),
        idTokenSigningAlg: isFapiClient(draft) ? 'ES256' : 'RS256',
      })}
      // A client that authenticates with a secret gets its first one at once.
      created={async (id, { name, redirectUris, tokenEndpointAuthMethod: method }) => {
        setCreated(await withSecret({ id, name, redirectUris }, usesSecret(method) ? newSecretOf(id) : null));
      }}
      fields={(isNew) => (
        <>
          {isNew && <TemplateFields {...{ template, setTemplate, choiceOf }} />}
          <ClientFields>{isNew && <EntityField name="id" />}</ClientFields>
        </>
      )}
      deletionEnds={words.deleteEnds}
    >
      {({ id, ...client }, mayChange) => (
        <>
          <ClientFacts id={id} />
          {client.droppedScopes.length > 0 && <DroppedScopes of={{ id, ...client }} mayChange={mayChange} />}
          <ClientSessions id={id} />
          {usesSecret(client.tokenEndpointAuthMethod) && <ClientSecrets id={id} mayChange={mayChange} />}
          {client.backchannelLogoutUri !== null && <ClientDeliveries id={id} />}
        </>
      )}
    </EntityScreen>
  );
}

/** Which sessions the application was told to end. */
function ClientDeliveries({ id }: { id: string }) {
  return (
    <Deliveries<LogoutDelivery>
      collection="oidc-clients"
      id={id}
      words={words}
      entry={({ createdAt, sessionId }, outcome) => (
        <>
          <Time at={createdAt} isPrecise /> {outcome}{' '}
          <span className="hint">
            {words.session} <code>{sessionId}</code>
          </span>
        </>
      )}
    />
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

function ClientFields({ children }: { children?: ReactNode }) {
  const { type, tokenEndpointAuthMethod: method } = useForm<ClientDraft>().draft;
  return (
    <>
      <FieldCard id="what" title={words.how} names={['name']}>
        {children}
        <EntityField
          name="type"
          also={(chosen) => choiceOf(chosen === 'public' ? 'public' : 'confidential')}
        />
        <EntityField name="redirectUris" />
        <EntityField name="postLogoutRedirectUris" />
        {type === 'confidential' && (
          <>
            <EntityField name="tokenEndpointAuthMethod" choices={methods} />
            {method === 'private_key_jwt' && <EntityField name="jwksUri" type="url" />}
            <EntityField name="requirePkce" />
            <EntityField name="requirePushedAuthorizationRequests" />
          </>
        )}
        <EntityField name="requireDpop" />
      </FieldCard>
      <FieldCard id="may" title={words.apart} names={['allowedRoleAttributes', 'apiAccess', 'resources']} />
      <FieldCard
        id="found"
        title={words.found}
        names={['clientUri', 'initiateLoginUri', 'logoUri']}
        details={{ clientUri: { type: 'url' }, initiateLoginUri: { type: 'url' } }}
      />
      <FieldCard
        id="logout"
        title={words.logout}
        names={['backchannelLogoutUri', 'backchannelLogoutSessionRequired']}
        details={{ backchannelLogoutUri: { type: 'url' } }}
      />
      <FieldCard
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

type RegisteredProps = Created & { readonly redirectUris: readonly string[]; readonly template: string };

function Registered({ template, redirectUris, ...created }: RegisteredProps) {
  const { id, name } = created;
  const known = templates[template];
  const settings = known?.settings({ issuer, id, redirectUri: redirectUris[0] ?? '' }) ?? '';
  return (
    <Screen title={words.createdTitle(name)} lead={words.createdText}>
      <ClientFacts id={id} />
      <FirstSecret {...created} label={words.secretOnce} />
      {known !== undefined && (
        <Card id="settings" title={words.settings(known.name)}>
          <p>
            {known.note}{' '}
            <a href={known.documentation} target="_blank" rel="noreferrer">
              {words.documentation(known.name)}
            </a>
          </p>
          {settings.includes(secretPlaceholder) && (
            <p className="hint">{words.placeholder(secretPlaceholder)}</p>
          )}
          <Sample label="" text={settings} />
        </Card>
      )}
      <p className="buttons">
        <Link to="/clients/$id" params={{ id }} className="button main" id="open-client">
          {words.open}
        </Link>
      </p>
    </Screen>
  );
}

/** The scopes that it asked for and may not have, and the way to allow them. */
function DroppedScopes({
  of: { id, name, scopes, droppedScopes },
  mayChange,
}: {
  of: OidcClient;
  mayChange: boolean;
}) {
  const asked = droppedScopes.join(', ');
  const changes = { scopes: [...scopes, ...droppedScopes] };
  return (
    <>
      <p id="dropped-scopes">{words.dropped(asked)}</p>
      {mayChange && (
        <p className="buttons">
          <Confirm
            id="allow-scopes"
            label={words.allowScopes}
            title={words.allowScopesTitle(name)}
            ends={words.allowScopesText(asked)}
            change={() => ({
              method: 'PATCH',
              path: `oidc-clients/${encodeURIComponent(id)}`,
              body: changes,
            })}
            command={updateCommand(entity, id, changes)}
            done={words.scopesAllowed}
          />
        </p>
      )}
    </>
  );
}

/** The values to enter in the application. */
function ClientFacts({ id }: { id: string }) {
  return (
    <Facts
      facts={[
        [texts.attempts.issuer, <code key="issuer">{issuer}</code>],
        ...factsOf(entity, { id }, ['id']),
      ]}
    />
  );
}

/** The first one is enough to recognise an application by. */
const redirectUris: Column<OidcClient> = fieldColumn(entity, 'redirectUris', ({ redirectUris: [first] }) =>
  first === undefined ? texts.none : <code>{first}</code>,
);

export function ClientsScreen() {
  return (
    <EntityList
      entity={entity}
      columns={['id', 'type', 'apiAccess', redirectUris]}
      words={words}
      filters={['type']}
    />
  );
}

/** The last sign-ins to the application, with their programs. */
export function ClientSessions({ id }: { id: string }) {
  const query = useList<LastLogin>('last-logins', {
    filter: equal('clientId', id),
    sort: 'lastAt desc',
    limit: 10,
  });
  return (
    <EntriesCard
      id="sign-ins"
      title={words.signIns}
      tools={
        <Link to="/sessions" search={{ client: id }}>
          {words.allSignIns}
        </Link>
      }
      query={query}
      empty={[words.noSignIns]}
      entry={(login) => (
        <>
          <PersonLink of={{ id: login.identityId, name: login.identity.name }} />
          <span className="hint">
            <Time at={login.lastAt} /> · <bdi>{programText(login) ?? texts.unknownProgram}</bdi> ·{' '}
            {login.ipAddress}
          </span>
        </>
      )}
    />
  );
}
