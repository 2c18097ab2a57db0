import { useState } from 'react';
import { externalJwtSignerEntity as entity } from '../../../../src/model/entities/external-jwt-signer.ts';
import { CopyButton } from '../../../parts/keep.tsx';
import { Badge, Button, Facts } from '../../../parts/screen.tsx';
import type { Values } from '../../forms/entity-fields.ts';
import { EntityScreen, NewEntityForm } from '../../forms/entity-screen.tsx';
import { factsOf, fieldColumn } from '../../lists/columns.tsx';
import { EntityList } from '../../lists/entity-list.tsx';
import { InputField, SelectField } from '../../parts/field.tsx';
import { SubmitForm } from '../../parts/submit-form.tsx';
import { make } from '../../session/api.ts';
import { issuer } from '../../session/session.ts';
import { valueText } from '../../texts/fields.ts';
import type { DiscoveredSigner, Signer } from '../../types.ts';
import { providers } from './providers.ts';
import { type SignerDraft, SignerFields } from './signer-fields.tsx';
import { TryToken } from './try-token.tsx';
import { usualOf } from './usual.ts';
import { words } from './words.ts';

/** Fields on which its statements depend: changing them ends the sessions that depend on it. */
const vouching = [
  'issuer',
  'audience',
  'certPem',
  'jwksEndpoint',
  'claimsProperty',
  'useExternalId',
] as const;

const about = { entity, fields: () => <SignerFields /> } as const;

export function SignerScreen() {
  return (
    <EntityScreen<Signer, SignerDraft>
      {...about}
      create={words.create}
      initial={{}}
      begin={<NewSigner />}
      ask={(changes) => {
        if (changes.enabled === false) return words.disableEnds;
        return vouching.some((name) => name in changes) ? words.endsText : null;
      }}
      deletionEnds={words.deleteEnds}
    >
      {(signer) => (
        <>
          <SignerFacts signer={signer} />
          <TryToken signer={signer} />
        </>
      )}
    </EntityScreen>
  );
}

/** First the address, then the settings found there; null: filled in by hand. */
function NewSigner() {
  const [found, setFound] = useState<DiscoveredSigner | null | undefined>(undefined);
  const [provider, setProvider] = useState('');
  if (found === undefined) return <LookUp done={setFound} {...{ provider, setProvider }} />;
  const chosen = providers[provider];
  return (
    <>
      {found !== null && (
        <div className="note" id="found" role="status">
          <p>{words.found(found.issuer, found.keys)}</p>
          {chosen === undefined ? <p>{words.registerThere}</p> : <ProviderNote provider={provider} />}
          {found.claims.length > 0 && <p>{words.claimsFound(found.claims.join(', '))}</p>}
        </div>
      )}
      <NewEntityForm<SignerDraft> {...about} initial={given(found, provider)} usual={usualOf} />
    </>
  );
}

/** The initial values for a new one, beside its defaults. @param found null: to be filled in by hand */
function given(found: DiscoveredSigner | null, provider: string): Values {
  const byHand = { useExternalId: true, clientAuthMethod: 'none' };
  if (found === null) return byHand;
  const { issuer, externalAuthUrl, scopes } = found;
  const chosen = providers[provider];
  return {
    ...byHand,
    name: chosen?.name ?? (URL.canParse(issuer) ? new URL(issuer).hostname : issuer),
    ...(chosen !== undefined && {
      clientAuthMethod: chosen.clientAuthMethod,
      claimsProperty: chosen.claim ?? 'sub',
    }),
    issuer,
    discovery: true,
    externalAuthUrl,
    // People who sign in on the pages bring an ID token, which is made for this server and says who they are.
    ...(externalAuthUrl !== null && { scopes, targetToken: 'ID' }),
  };
}

/** The steps at a well-known provider. */
function ProviderNote({ provider }: { provider: string }) {
  const chosen = providers[provider];
  if (chosen === undefined) return null;
  return (
    <p>
      {chosen.note} {words.redirectLater}{' '}
      <a href={chosen.documentation} target="_blank" rel="noreferrer">
        {words.documentationOf(chosen.name)}
      </a>
    </p>
  );
}

function LookUp({
  done,
  provider,
  setProvider,
}: {
  done: (found: DiscoveredSigner | null) => void;
  /** By its key in `providers`; empty: another one. */
  provider: string;
  setProvider: (provider: string) => void;
}) {
  const [address, setAddress] = useState('');
  const choose = (key: string) => {
    setProvider(key);
    setAddress(providers[key]?.address ?? '');
  };
  return (
    <SubmitForm
      id="look-up"
      label={words.lookUp}
      action={() =>
        make<DiscoveredSigner>({
          method: 'POST',
          path: 'external-jwt-signers/discover',
          body: { address: address.trim() },
        })
      }
      done={done}
      also={
        <Button id="by-hand" onClick={() => done(null)}>
          {words.byHand}
        </Button>
      }
    >
      <p>{words.lookUpText}</p>
      <SelectField
        id="provider"
        label={words.provider}
        first={words.otherProvider}
        choices={Object.fromEntries(Object.entries(providers).map(([key, { name }]) => [key, name]))}
        value={provider}
        set={choose}
      />
      <ProviderNote provider={provider} />
      <InputField
        id="address"
        label={words.address}
        hint={/[A-Z]{4}/.test(address) ? words.addressCapitals : words.addressHint}
        required
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        value={address}
        set={setAddress}
      />
    </SubmitForm>
  );
}

/** Facts from its certificate, and the values that the provider needs if people sign in there from the pages. */
function SignerFacts({ signer }: { signer: Signer }) {
  const facts = factsOf(entity, signer, ['commonName', 'notBefore', 'notAfter', 'fingerprint']);
  const uri = `${issuer}/login/ext-jwt/callback/${signer.id}`;
  const isOnPages = signer.externalAuthUrl !== null && signer.clientId !== null;
  return (
    <Facts
      facts={[
        ...facts,
        isOnPages
          ? [
              words.redirectUri,
              <span key="uri">
                <code id="redirect-uri">{uri}</code> <CopyButton text={uri} />
              </span>,
            ]
          : null,
      ]}
    />
  );
}

const state = fieldColumn<Signer>(entity, 'enabled', ({ enabled }) => (
  <Badge kind={enabled ? 'good' : 'bad'}>{valueText(entity.kind, 'enabled', enabled)}</Badge>
));

export function SignersScreen() {
  return (
    <EntityList entity={entity} columns={['issuer', 'audience', state]} words={words} filters={['enabled']} />
  );
}
