import { useMutation } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { CopyButton } from '../../../parts/keep.tsx';
import { Facts, Screen } from '../../../parts/screen.tsx';
import { EntityForm } from '../../forms/entity-form.tsx';
import { EntityScreen } from '../../forms/entity-screen.tsx';
import { Failure } from '../../parts/failure.tsx';
import { OnlyAdministrators } from '../../parts/only-administrators.tsx';
import { issuer } from '../../session/addresses.ts';
import { make } from '../../session/api.ts';
import { texts } from '../../texts/texts.ts';
import type { DiscoveredSigner, Signer } from '../../types.ts';
import { createCommand, draftFrom, draftOf, type SignerDraft, signerFlags } from './signer-draft.ts';
import { SignerFields } from './signer-fields.tsx';
import { TryToken } from './try-token.tsx';
import { words } from './words.ts';

const nullable = [
  'certPem',
  'jwksEndpoint',
  'kid',
  'maxLifetimeSeconds',
  'externalAuthUrl',
  'clientId',
  'enrollAuthPolicyId',
  'enrollAttributeClaimsSelector',
] as const;

/** What it vouches with and for: changing this ends the sessions that depend on it. */
const vouching = [
  'issuer',
  'audience',
  'certPem',
  'jwksEndpoint',
  'claimsProperty',
  'useExternalId',
] as const;

export function SignerScreen() {
  const { id = '' } = useParams({ strict: false });
  if (id !== 'new') return <SavedSigner key={id} id={id} />;
  return (
    <Screen title={words.create}>
      <OnlyAdministrators>
        <NewSigner />
      </OnlyAdministrators>
    </Screen>
  );
}

/** First the address, then what was found there; null: filled in by hand. */
function NewSigner() {
  const navigate = useNavigate();
  const [found, setFound] = useState<DiscoveredSigner | null | undefined>(undefined);
  if (found === undefined) return <LookUp done={setFound} />;
  return (
    <>
      {found !== null && (
        <div className="note" id="found" role="status">
          <p>{words.found(found.issuer, found.keys)}</p>
          {found.claims.length > 0 && <p>{words.claimsFound(found.claims.join(', '))}</p>}
        </div>
      )}
      <EntityForm<SignerDraft>
        read={{ document: draftFrom(found), version: null }}
        path="external-jwt-signers"
        isNew
        mayChange
        labels={words.labels}
        nullable={nullable}
        command={(_changes, draft) => createCommand(draft)}
        saved={(id) => navigate({ to: '/signers/$id', params: { id: id ?? '' } })}
      >
        {(form) => <SignerFields form={form} />}
      </EntityForm>
    </>
  );
}

function LookUp({ done }: { readonly done: (found: DiscoveredSigner | null) => void }) {
  const [address, setAddress] = useState('');
  const looking = useMutation({
    mutationFn: () =>
      make<DiscoveredSigner>({
        method: 'POST',
        path: 'external-jwt-signers/discover',
        body: { address: address.trim() },
      }),
    onSuccess: done,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!looking.isPending) looking.mutate();
  };
  return (
    <form onSubmit={submit}>
      <p>{words.lookUpText}</p>
      <div className="field">
        <label htmlFor="address">{words.address}</label>
        <input
          id="address"
          required
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          aria-describedby="address-hint"
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
        <span className="hint" id="address-hint">
          {words.addressHint}
        </span>
      </div>
      {looking.error !== null && <Failure error={looking.error} />}
      <p className="buttons">
        <Button id="look-up" type="submit" kind="main" isBusy={looking.isPending}>
          {words.lookUp}
        </Button>
        <Button id="by-hand" onClick={() => done(null)}>
          {words.byHand}
        </Button>
      </p>
    </form>
  );
}

function SavedSigner({ id }: { readonly id: string }) {
  return (
    <EntityScreen<Signer, SignerDraft>
      id={id}
      collection="external-jwt-signers"
      noun="ext-jwt-signer"
      list="/signers"
      listTitle={texts.screens.signers}
      draftOf={draftOf}
      labels={words.labels}
      nullable={nullable}
      flags={signerFlags}
      fields={(form) => <SignerFields form={form} />}
      ends={(changes) => {
        if (changes.enabled === false) return words.disableEnds;
        return vouching.some((name) => name in changes) ? words.endsText : null;
      }}
      deletion={{ title: words.deleteTitle, ends: words.deleteEnds }}
    >
      {(signer) => (
        <>
          <RedirectUri signer={signer} />
          <TryToken signer={signer} />
        </>
      )}
    </EntityScreen>
  );
}

/** What the provider has to know if people sign in there from the pages. */
function RedirectUri({ signer }: { readonly signer: Signer }) {
  if (signer.externalAuthUrl === null || signer.clientId === null) return null;
  const uri = `${issuer}/login/ext-jwt/callback/${signer.id}`;
  return (
    <Facts
      facts={[
        [
          words.redirectUri,
          <span key="uri">
            <code id="redirect-uri">{uri}</code> <CopyButton text={uri} />
          </span>,
        ],
      ]}
    />
  );
}
