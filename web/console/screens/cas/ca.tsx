import { useNavigate, useParams } from '@tanstack/react-router';
import { Card, Facts, Screen } from '../../../parts/screen.tsx';
import { EntityForm } from '../../forms/entity-form.tsx';
import { EntityScreen } from '../../forms/entity-screen.tsx';
import { OnlyAdministrators } from '../../parts/only-administrators.tsx';
import { texts, timeText } from '../../texts/texts.ts';
import type { Authority } from '../../types.ts';
import { type CaDraft, caFlags, draftOf, type NewCaDraft, newCa } from './ca-draft.ts';
import { CaFields } from './ca-fields.tsx';
import { EndOf, VerifiedBadge } from './cas.tsx';
import { EnrollmentJwt } from './enrollment-jwt.tsx';
import { PemField } from './pem-field.tsx';
import { ProveKey } from './prove-key.tsx';
import { words } from './words.ts';

export function CaScreen() {
  const { id = '' } = useParams({ strict: false });
  if (id !== 'new') return <SavedCa key={id} id={id} />;
  return (
    <Screen title={words.create}>
      <OnlyAdministrators>
        <NewCa />
      </OnlyAdministrators>
    </Screen>
  );
}

/** First the certificate; the proof that somebody holds its key comes afterwards. */
function NewCa() {
  const navigate = useNavigate();
  return (
    <EntityForm<NewCaDraft>
      read={{ document: newCa, version: null }}
      path="cas"
      isNew
      mayChange
      labels={words.labels}
      command={(_changes, { name, isAuthEnabled }) => [
        'create',
        'ca',
        name,
        'ca.crt',
        ...(isAuthEnabled ? ['--auth'] : []),
      ]}
      saved={(id) => navigate({ to: '/cas/$id', params: { id: id ?? '' } })}
    >
      {(form) => (
        <>
          <Card id="certificate" title={words.certificate}>
            <PemField
              id="field-certPem"
              label={words.labels.certPem}
              value={form.draft.certPem}
              set={(certPem) => form.set({ certPem })}
            />
          </Card>
          <CaFields form={form} />
        </>
      )}
    </EntityForm>
  );
}

function SavedCa({ id }: { readonly id: string }) {
  return (
    <EntityScreen<Authority, CaDraft>
      id={id}
      collection="cas"
      noun="ca"
      list="/cas"
      listTitle={texts.screens.cas}
      draftOf={draftOf}
      labels={words.labels}
      flags={caFlags}
      fields={(form) => <CaFields form={form} />}
      ends={(changes) => {
        if (changes.isAuthEnabled === false) return words.disableEnds;
        return changes.externalIdClaim === undefined ? null : words.ruleEnds;
      }}
      deletion={{ title: words.deleteTitle, ends: words.deleteEnds }}
    >
      {(ca, mayChange) => (
        <>
          <CaFacts ca={ca} />
          {ca.isVerified && ca.isAutoCaEnrollmentEnabled && <EnrollmentJwt ca={ca} />}
          {mayChange && ca.verificationToken !== null && <ProveKey id={id} token={ca.verificationToken} />}
        </>
      )}
    </EntityScreen>
  );
}

function CaFacts({ ca: { isVerified, verifiedAt, certPem, fingerprint } }: { readonly ca: Authority }) {
  return (
    <Facts
      facts={[
        [
          words.state,
          <span key="state" id="state">
            <VerifiedBadge isVerified={isVerified} />{' '}
            {verifiedAt === null ? '' : words.since(timeText(verifiedAt))}
          </span>,
        ],
        [words.ends, <EndOf key="ends" certPem={certPem} />],
        [words.fingerprint, <code key="fingerprint">{fingerprint}</code>],
      ]}
    />
  );
}
