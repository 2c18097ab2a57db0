import { timeText } from '../../parts/language.ts';
import { Badge } from '../../parts/screen.tsx';
import { allOf, equal, ofPerson } from '../filter.ts';
import { codeColumn, personColumn, timeColumn } from '../lists/columns.tsx';
import { type Column, useListAddress } from '../lists/data-list.tsx';
import { TextFilter } from '../lists/filters.tsx';
import { ListScreen } from '../lists/list-screen.tsx';
import { notAfter } from '../parts/certificate.ts';
import { EntriesCard } from '../parts/entries.tsx';
import { Time } from '../parts/time.tsx';
import { useRead } from '../queries.ts';
import { texts } from '../texts/texts.ts';
import type { Authenticator, SigningKey } from '../types.ts';
import { words } from './running-words.ts';

const { certificates: more } = words;

type Certificate = Extract<Authenticator, { readonly method: 'cert' }>;

const soon = 30 * 86_400_000;

const columns: readonly Column<Certificate>[] = [
  personColumn,
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
  timeColumn('createdAt', more.since),
  codeColumn('fingerprint', texts.person.fingerprint, null),
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
  const query = useRead<readonly SigningKey[]>(['signing-keys'], 'signing-keys');
  return (
    <EntriesCard
      id="signing-keys"
      title={more.keysTitle}
      lead={more.keys}
      query={query}
      itemsOf={(keys) => keys}
      keyOf={({ kid }) => kid}
      entry={({ kid, alg, use, signsFrom, signsUntil, removedAt }) => (
        <>
          <span>
            <strong>{alg}</strong>{' '}
            <Badge {...(use === 'signing' ? { kind: 'good' as const } : {})}>{more.uses[use]}</Badge>
          </span>{' '}
          <code>{kid}</code>
          <span className="hint">
            {more.signs(timeText(signsFrom), timeText(signsUntil))}
            {removedAt !== null && ` ${more.removed(timeText(removedAt))}`}
          </span>
        </>
      )}
    />
  );
}

/** The certificates that people and devices sign in with, and when each expires. */
export function CertificatesScreen() {
  const [{ person }] = useListAddress();
  return (
    <ListScreen
      screen="certificates"
      lead={more.text}
      below={<SigningKeys />}
      filters={<TextFilter name="person" label={texts.attempts.person} />}
      path="authenticators"
      columns={columns}
      filter={allOf(equal('method', 'cert'), ofPerson(person))}
      defaultSort="createdAt asc"
      empty={[more.nothing, more.nothingText]}
    />
  );
}
