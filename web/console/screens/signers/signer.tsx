import { useState } from 'react';
import { externalJwtSignerEntity as entity } from '../../../../src/model/entities/external-jwt-signer.ts';
import { Button } from '../../../parts/button.tsx';
import { CopyButton } from '../../../parts/keep.tsx';
import { Facts } from '../../../parts/screen.tsx';
import type { Values } from '../../forms/entity-fields.ts';
import { EntityScreen, NewEntityForm } from '../../forms/entity-screen.tsx';
import type { FormState } from '../../forms/fields.tsx';
import { factsOf } from '../../lists/columns.tsx';
import { InputField } from '../../parts/field.tsx';
import { SubmitForm } from '../../parts/submit-form.tsx';
import { issuer } from '../../session/addresses.ts';
import { make } from '../../session/api.ts';
import type { DiscoveredSigner, Signer } from '../../types.ts';
import { type SignerDraft, SignerFields } from './signer-fields.tsx';
import { TryToken } from './try-token.tsx';
import { usualOf } from './usual.ts';
import { words } from './words.ts';

/** What it vouches with and for: changing this ends the sessions that depend on it. */
const vouching = [
  'issuer',
  'audience',
  'certPem',
  'jwksEndpoint',
  'claimsProperty',
  'useExternalId',
] as const;

const about = {
  entity,
  screen: 'signers',
  fields: (form: FormState<SignerDraft>) => <SignerFields form={form} />,
} as const;

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

/** First the address, then what was found there; null: filled in by hand. */
function NewSigner() {
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
      <NewEntityForm<SignerDraft> {...about} initial={given(found)} usual={usualOf} />
    </>
  );
}

/** The initial values for a new one, beside its defaults. @param found null: to be filled in by hand */
function given(found: DiscoveredSigner | null): Values {
  const byHand = { useExternalId: true, clientAuthMethod: 'none' };
  if (found === null) return byHand;
  const { issuer, externalAuthUrl, scopes } = found;
  return {
    ...byHand,
    name: URL.canParse(issuer) ? new URL(issuer).hostname : issuer,
    issuer,
    discovery: true,
    externalAuthUrl,
    // People who sign in on the pages bring an ID token, which is made for this server and says who they are.
    ...(externalAuthUrl !== null && { scopes, targetToken: 'ID' }),
  };
}

function LookUp({ done }: { readonly done: (found: DiscoveredSigner | null) => void }) {
  const [address, setAddress] = useState('');
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
      <InputField
        id="address"
        label={words.address}
        hint={words.addressHint}
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

/** What follows from its certificate, and what the provider has to know if people sign in there from the pages. */
function SignerFacts({ signer }: { readonly signer: Signer }) {
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
