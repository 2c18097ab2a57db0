import { Link } from '@tanstack/react-router';
import { Badge, Empty, Screen } from '../../../parts/screen.tsx';
import { allOf, contains } from '../../filter.ts';
import { type Column, DataList, useListAddress } from '../../lists/data-list.tsx';
import { Filters, TextFilter } from '../../lists/filters.tsx';
import { useIsAdmin } from '../../me.ts';
import { notAfter } from '../../parts/certificate.ts';
import { Time } from '../../parts/time.tsx';
import { texts } from '../../texts/texts.ts';
import type { Authority } from '../../types.ts';
import { words } from './words.ts';

const columns: readonly Column<Authority>[] = [
  {
    name: 'name',
    title: words.labels.name,
    sort: 'name',
    cell: ({ id, name }) => (
      <Link to="/cas/$id" params={{ id }}>
        {name}
      </Link>
    ),
    text: ({ name }) => name,
  },
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
  {
    name: 'updatedAt',
    title: texts.policies.changed,
    sort: 'updatedAt',
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    text: ({ updatedAt }) => updatedAt,
  },
];

export function VerifiedBadge({ isVerified }: { readonly isVerified: boolean }) {
  return <Badge kind={isVerified ? 'good' : 'bad'}>{isVerified ? words.verified : words.notVerified}</Badge>;
}

/** When a certificate ends, if that can be read. */
export function EndOf({ certPem }: { readonly certPem: string }) {
  const at = notAfter(certPem);
  return at === null ? null : <Time at={at} />;
}

export function CasScreen() {
  const [{ q }] = useListAddress();
  const isAdmin = useIsAdmin();
  return (
    <Screen
      title={texts.screens.cas}
      lead={words.text}
      tools={
        isAdmin && (
          <Link to="/cas/$id" params={{ id: 'new' }} className="button main" id="new-ca">
            {words.create}
          </Link>
        )
      }
    >
      <Filters>
        <TextFilter name="q" label={words.labels.name} />
      </Filters>
      <DataList
        path="cas"
        caption={texts.screens.cas}
        columns={columns}
        keyOf={({ id }) => id}
        filter={allOf(contains('name', q))}
        defaultSort="name asc"
        empty={
          <Empty title={words.nothing}>
            <p>{words.nothingText}</p>
          </Empty>
        }
      />
    </Screen>
  );
}
