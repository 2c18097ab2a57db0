import { caEntity as entity } from '../../../../src/model/entities/ca.ts';
import { Badge } from '../../../parts/screen.tsx';
import { type Column, fieldColumn } from '../../lists/columns.tsx';
import { EntityList } from '../../lists/entity-list.tsx';
import { notAfter } from '../../parts/certificate.ts';
import { Time } from '../../parts/time.tsx';
import { texts } from '../../texts/texts.ts';
import type { Authority } from '../../types.ts';
import { words } from './words.ts';

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

export function VerifiedBadge({ isVerified }: { isVerified: boolean }) {
  return <Badge kind={isVerified ? 'good' : 'bad'}>{isVerified ? words.verified : words.notVerified}</Badge>;
}

/** When a certificate expires, if that can be read. */
export function EndOf({ certPem }: { certPem: string }) {
  const at = notAfter(certPem);
  return at === null ? null : <Time at={at} />;
}

export function CasScreen() {
  return <EntityList entity={entity} screen="cas" columns={[state, 'isAuthEnabled', ends]} words={words} />;
}
