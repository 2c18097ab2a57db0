import { Badge } from '../../../parts/screen.tsx';
import type { Column } from '../../lists/data-list.tsx';
import { changedColumn, EntityList, nameColumn } from '../../lists/entity-list.tsx';
import { notAfter } from '../../parts/certificate.ts';
import { Time } from '../../parts/time.tsx';
import { texts } from '../../texts/texts.ts';
import type { Authority } from '../../types.ts';
import { words } from './words.ts';

const columns: readonly Column<Authority>[] = [
  nameColumn('cas', words.labels.name),
  {
    name: 'state',
    title: words.state,
    sort: 'verifiedAt',
    cell: ({ isVerified }) => <VerifiedBadge isVerified={isVerified} />,
    text: ({ isVerified }) => String(isVerified),
  },
  {
    name: 'isAuthEnabled',
    title: words.signsIn,
    cell: ({ isAuthEnabled }) => (isAuthEnabled ? texts.yes : texts.no),
    text: ({ isAuthEnabled }) => String(isAuthEnabled),
  },
  {
    name: 'ends',
    title: words.ends,
    cell: ({ certPem }) => <EndOf certPem={certPem} />,
    text: ({ certPem }) => notAfter(certPem) ?? '',
  },
  changedColumn,
];

export function VerifiedBadge({ isVerified }: { readonly isVerified: boolean }) {
  return <Badge kind={isVerified ? 'good' : 'bad'}>{isVerified ? words.verified : words.notVerified}</Badge>;
}

/** When a certificate expires, if that can be read. */
export function EndOf({ certPem }: { readonly certPem: string }) {
  const at = notAfter(certPem);
  return at === null ? null : <Time at={at} />;
}

export function CasScreen() {
  return (
    <EntityList
      screen="cas"
      path="cas"
      columns={columns}
      words={words}
      nameLabel={words.labels.name}
      createId="new-ca"
    />
  );
}
