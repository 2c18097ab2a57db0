import { CopyButton } from '../../parts/keep.tsx';
import { timeText } from '../../parts/language.ts';
import { Badge } from '../../parts/screen.tsx';
import { equal } from '../filter.ts';
import { type Column, codeColumn, personColumn, timeColumn } from '../lists/columns.tsx';
import { byPerson } from '../lists/filters.tsx';
import { ListScreen } from '../lists/list-screen.tsx';
import { EntriesCard } from '../parts/entries.tsx';
import { Time } from '../parts/time.tsx';
import { useRead } from '../queries.ts';
import { texts } from '../texts/texts.ts';
import type { CertificateAuthenticator, OwnCertificate, SigningKey } from '../types.ts';
import { words } from './running-words.ts';

const { certificates: more } = words;

const soon = 30 * 86_400_000;

const columns: readonly Column<CertificateAuthenticator>[] = [
  personColumn,
  {
    name: 'ends',
    title: more.ends,
    sort: 'certExpiresAt',
    cell: ({ certExpiresAt }) => <End at={certExpiresAt} />,
    text: ({ certExpiresAt }) => certExpiresAt ?? '',
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

function End({ at }: { at: string | null }) {
  if (at === null) return texts.attempts.unknown;
  const left = Date.parse(at) - Date.now();
  if (left >= soon) return <Time at={at} />;
  return (
    <>
      <Time at={at} /> <Badge kind="bad">{left <= 0 ? more.over : more.soon}</Badge>
    </>
  );
}

/** The certificates that the answering node presents to clients, trusts and signs with. */
function OwnCertificates() {
  const query = useRead<readonly OwnCertificate[]>('own-certificates');
  return (
    <EntriesCard
      id="own-certificates"
      title={more.ownTitle}
      lead={more.own}
      query={query}
      keyOf={({ use, fingerprint, listeners }) => [use, fingerprint, ...listeners].join(' ')}
      kind="rows"
      entry={({ use, listeners, subject, names, fingerprint, notAfter, certPem, signs }) => (
        <>
          <div>
            <strong>{more.ownUses[use]}</strong> {listeners.length > 0 && `(${listeners.join(', ')})`}{' '}
            <span className="hint">{more.ends}</span> <End at={notAfter} />{' '}
            {use === 'authority' && (
              <Badge>{signs.map((what) => more.ownSigns[what]).join(', ') || more.ownSignsNothing}</Badge>
            )}
            <span className="hint block">{[subject, ...names].join(', ')}</span>
            <span className="hint block">
              SHA-256 <code>{fingerprint}</code>
            </span>
          </div>
          <div className="buttons">
            <CopyButton text={certPem} label={more.copyPem} />
          </div>
        </>
      )}
    />
  );
}

/** The keys that sign tokens. They rotate automatically, so none of them needs attention. */
function SigningKeys() {
  const query = useRead<readonly SigningKey[]>('signing-keys');
  return (
    <EntriesCard
      id="signing-keys"
      title={more.keysTitle}
      lead={more.keys}
      query={query}
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
  return (
    <ListScreen
      screen="certificates"
      lead={more.text}
      below={
        <>
          <OwnCertificates />
          <SigningKeys />
        </>
      }
      filters={[byPerson]}
      always={equal('method', 'cert')}
      path="authenticators"
      columns={columns}
      defaultSort="certExpiresAt asc"
      empty={[more.nothing, more.nothingText]}
    />
  );
}
