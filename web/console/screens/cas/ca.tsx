import { caEntity as entity } from '../../../../src/model/entities/ca.ts';
import { timeText } from '../../../parts/language.ts';
import { Badge, Card, Facts } from '../../../parts/screen.tsx';
import { EntityScreen } from '../../forms/entity-screen.tsx';
import type { FormState } from '../../forms/fields.tsx';
import { type Column, factsOf, fieldColumn } from '../../lists/columns.tsx';
import { EntityList } from '../../lists/entity-list.tsx';
import { notAfter } from '../../parts/certificate.ts';
import { Time } from '../../parts/time.tsx';
import { fieldWords } from '../../texts/fields.ts';
import { texts } from '../../texts/texts.ts';
import type { Authority } from '../../types.ts';
import { type CaDraft, CaFields } from './ca-fields.tsx';
import { EnrollmentJwt } from './enrollment-jwt.tsx';
import { PemField } from './pem-field.tsx';
import { ProveKey } from './prove-key.tsx';
import { RevocationLists } from './revocation-lists.tsx';
import { words } from './words.ts';

const { labels, columns = {} } = fieldWords(entity.kind);

export function CaScreen() {
  return (
    <EntityScreen<Authority, CaDraft>
      entity={entity}
      screen="cas"
      create={words.create}
      initial={{ isAuthEnabled: true }}
      // First the certificate; the proof that somebody holds its key comes afterwards.
      fields={(form, isNew) => (
        <>
          {isNew && <CertificateCard form={form} />}
          <CaFields form={form} />
        </>
      )}
      ask={(changes, _draft, id) => {
        if (id === null) return null;
        if (changes.isAuthEnabled === false) return words.disableEnds;
        return changes.externalIdClaim === undefined ? null : words.ruleEnds;
      }}
      deletionEnds={words.deleteEnds}
    >
      {(ca, mayChange) => (
        <>
          <CaFacts ca={ca} />
          {ca.revocation.mode !== 'off' && <RevocationLists id={ca.id} />}
          {ca.isVerified && ca.isAutoCaEnrollmentEnabled && <EnrollmentJwt ca={ca} />}
          {mayChange && ca.verificationToken !== null && <ProveKey id={ca.id} token={ca.verificationToken} />}
        </>
      )}
    </EntityScreen>
  );
}

function CertificateCard({ form }: { form: FormState<CaDraft> }) {
  const title = labels.certPem ?? '';
  return (
    <Card id="certificate" title={title}>
      <PemField
        id="field-certPem"
        label={title}
        value={form.draft.certPem}
        set={(certPem) => form.set({ certPem })}
      />
    </Card>
  );
}

function CaFacts({ ca }: { ca: Authority }) {
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

const state: Column<Authority> = {
  ...fieldColumn<Authority>(entity, 'verifiedAt', ({ isVerified }) => (
    <VerifiedBadge isVerified={isVerified} />
  )),
  text: ({ isVerified }) => String(isVerified),
};

const ends: Column<Authority> = {
  name: 'ends',
  title: texts.person.endsAt,
  cell: ({ certPem }) => <EndOf certPem={certPem} />,
  text: ({ certPem }) => notAfter(certPem) ?? '',
};

function VerifiedBadge({ isVerified }: { isVerified: boolean }) {
  return <Badge kind={isVerified ? 'good' : 'bad'}>{isVerified ? words.verified : words.notVerified}</Badge>;
}

/** When a certificate expires, if that can be read. */
function EndOf({ certPem }: { certPem: string }) {
  const at = notAfter(certPem);
  return at === null ? null : <Time at={at} />;
}

export function CasScreen() {
  return <EntityList entity={entity} screen="cas" columns={[state, 'isAuthEnabled', ends]} words={words} />;
}
