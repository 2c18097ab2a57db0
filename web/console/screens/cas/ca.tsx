import { useNavigate, useParams } from '@tanstack/react-router';
import { caEntity as entity } from '../../../../src/model/entities/ca.ts';
import { timeText } from '../../../parts/language.ts';
import { Card, Facts } from '../../../parts/screen.tsx';
import { newDraft } from '../../forms/entity-fields.ts';
import { EntityForm } from '../../forms/entity-form.tsx';
import { EntityScreen, NewEntityScreen } from '../../forms/entity-screen.tsx';
import { factsOf } from '../../lists/columns.tsx';
import { fieldWords } from '../../texts/fields.ts';
import { texts } from '../../texts/texts.ts';
import type { Authority } from '../../types.ts';
import { type CaDraft, CaFields } from './ca-fields.tsx';
import { EndOf, VerifiedBadge } from './cas.tsx';
import { EnrollmentJwt } from './enrollment-jwt.tsx';
import { PemField } from './pem-field.tsx';
import { ProveKey } from './prove-key.tsx';
import { words } from './words.ts';

const { labels, columns = {} } = fieldWords(entity.kind);

export function CaScreen() {
  const { id = '' } = useParams({ strict: false });
  if (id !== 'new') return <SavedCa key={id} id={id} />;
  return (
    <NewEntityScreen title={words.create}>
      <NewCa />
    </NewEntityScreen>
  );
}

/** First the certificate; the proof that somebody holds its key comes afterwards. */
function NewCa() {
  const navigate = useNavigate();
  return (
    <EntityForm<CaDraft>
      entity={entity}
      id={null}
      read={{ document: newDraft(entity, { isAuthEnabled: true }), version: null }}
      mayChange
      saved={(id) => navigate({ to: '/cas/$id', params: { id: id ?? '' } })}
    >
      {(form) => (
        <>
          <Card id="certificate" title={labels.certPem ?? ''}>
            <PemField
              id="field-certPem"
              label={labels.certPem ?? ''}
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
      {...{ id, entity }}
      screen="cas"
      fields={(form) => <CaFields form={form} />}
      ask={(changes) => {
        if (changes.isAuthEnabled === false) return words.disableEnds;
        return changes.externalIdClaim === undefined ? null : words.ruleEnds;
      }}
      deletionEnds={words.deleteEnds}
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

function CaFacts({ ca }: { readonly ca: Authority }) {
  const { isVerified, verifiedAt, certPem } = ca;
  return (
    <Facts
      facts={[
        [
          columns.verifiedAt ?? '',
          <span key="state" id="state">
            <VerifiedBadge isVerified={isVerified} />{' '}
            {verifiedAt === null ? '' : words.since(timeText(verifiedAt))}
          </span>,
        ],
        [texts.person.endsAt, <EndOf key="ends" certPem={certPem} />],
        ...factsOf(entity, ca, ['thumbprint']),
      ]}
    />
  );
}
