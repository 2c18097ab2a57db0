import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge, Card, Empty, Screen } from '../../parts/screen.tsx';
import { allOf, equal } from '../filter.ts';
import { type Column, DataList, useListAddress } from '../lists/data-list.tsx';
import { Filters, TextFilter } from '../lists/filters.tsx';
import { notAfter } from '../parts/certificate.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Time } from '../parts/time.tsx';
import { read } from '../session/api.ts';
import { texts, timeText } from '../texts/texts.ts';
import type { Authenticator, SigningKey } from '../types.ts';
import { ofPerson } from './enrollments.tsx';
import { words } from './running-words.ts';

const { certificates: more } = words;

type Certificate = Extract<Authenticator, { readonly method: 'cert' }>;

const soon = 30 * 86_400_000;

const columns: readonly Column<Certificate>[] = [
  {
    name: 'person',
    title: more.person,
    sort: 'identityName',
    cell: ({ identityId, identity }) => (
      <Link to="/people/$id" params={{ id: identityId }}>
        {identity.name}
      </Link>
    ),
    text: ({ identity }) => identity.name,
  },
  {
    name: 'ends',
    title: more.ends,
    cell: ({ certPem }) => <End at={notAfter(certPem)} />,
    text: ({ certPem }) => notAfter(certPem) ?? '',
  },
  {
    name: 'asked',
    title: more.asked,
    cell: ({ isExtendRequested }) => (isExtendRequested ? texts.yes : texts.no),
    text: ({ isExtendRequested }) => String(isExtendRequested),
  },
  {
    name: 'createdAt',
    title: more.since,
    sort: 'createdAt',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    text: ({ createdAt }) => createdAt,
  },
  {
    name: 'fingerprint',
    title: texts.person.fingerprint,
    cell: ({ fingerprint }) => <code>{fingerprint}</code>,
    text: ({ fingerprint }) => fingerprint,
  },
];

function End({ at }: { readonly at: string | null }) {
  if (at === null) return texts.attempts.unknown;
  const left = Date.parse(at) - Date.now();
  if (left >= soon) return <Time at={at} />;
  return (
    <>
      <Time at={at} /> <Badge kind="bad">{left <= 0 ? more.over : more.soon}</Badge>
    </>
  );
}

/** What signs tokens. The keys rotate automatically, so none of them needs attention. */
function SigningKeys() {
  const query = useQuery({
    queryKey: ['signing-keys'],
    queryFn: ({ signal }) => read<readonly SigningKey[]>('signing-keys', signal),
  });
  return (
    <Card id="signing-keys" title={more.keysTitle}>
      <p className="hint">{more.keys}</p>
      <Loaded query={query}>
        {(keys) => (
          <ul className="entries">
            {keys.map(({ kid, alg, use, signsFrom, signsUntil, removedAt }) => (
              <li key={kid}>
                <span>
                  <strong>{alg}</strong>{' '}
                  <Badge {...(use === 'signing' ? { kind: 'good' as const } : {})}>{more.uses[use]}</Badge>
                </span>{' '}
                <code>{kid}</code>
                <span className="hint">
                  {more.signs(timeText(signsFrom), timeText(signsUntil))}
                  {removedAt !== null && ` ${more.removed(timeText(removedAt))}`}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

/** The certificates that people and devices sign in with, and when each expires. */
export function CertificatesScreen() {
  const [{ person }] = useListAddress();
  return (
    <Screen title={texts.screens.certificates} lead={more.text}>
      <SigningKeys />
      <Filters>
        <TextFilter name="person" label={more.person} />
      </Filters>
      <DataList
        path="authenticators"
        caption={texts.screens.certificates}
        columns={columns}
        keyOf={({ id }) => id}
        filter={allOf(equal('method', 'cert'), ofPerson(person))}
        defaultSort="createdAt asc"
        empty={
          <Empty title={more.nothing}>
            <p>{more.nothingText}</p>
          </Empty>
        }
      />
    </Screen>
  );
}
