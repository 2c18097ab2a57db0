import { useQuery } from '@tanstack/react-query';
import { PersonLink } from '../lists/columns.tsx';
import { notAfter } from '../parts/certificate.ts';
import { EntriesCard } from '../parts/entries.tsx';
import { Time } from '../parts/time.tsx';
import { list } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { Authority, Enrollment, ListedInvitation } from '../types.ts';

const { overview: words } = texts;

/** How far it looks ahead. */
const ahead = 30 * 86_400_000;

interface Ending {
  readonly id: string;
  readonly what: string;
  readonly at: string;
  /** The person it is about; null if it is not about a person. */
  readonly personId: string | null;
}

/** What stops working soon unless somebody does something. Signing keys replace themselves. */
export function EndsSoon() {
  const query = useQuery({
    queryKey: ['ends soon'],
    queryFn: ({ signal }) => endings(signal),
    refetchInterval: 300_000,
  });
  return (
    <EntriesCard
      id="ends"
      title={words.ends}
      lead={words.endsText}
      query={query}
      itemsOf={(found) => found}
      keyOf={({ id }) => id}
      empty={[words.endsNothing]}
      entry={({ what, at, personId }) => (
        <>
          {personId === null ? <strong>{what}</strong> : <PersonLink of={{ id: personId, name: what }} />}
          <span className="hint">
            <Time at={at} />
          </span>
        </>
      )}
    />
  );
}

async function endings(signal: AbortSignal): Promise<readonly Ending[]> {
  const until = new Date(Date.now() + ahead).toISOString();
  const soon = { filter: `expiresAt < datetime(${until})`, sort: 'expiresAt asc', limit: 10 };
  const [enrollments, invitations, authorities] = await Promise.all([
    list<Enrollment>('enrollments', soon, signal),
    list<ListedInvitation>('invitations', soon, signal),
    list<Authority>('cas', { limit: 500 }, signal),
  ]);
  const ofPerson = (what: (name: string) => string) => (one: Enrollment | ListedInvitation) => ({
    id: `${what('')} ${'id' in one ? one.id : one.identityId}`,
    what: what(one.identity.name),
    at: one.expiresAt,
    personId: one.identityId,
  });
  const found: Ending[] = [
    ...enrollments.items.map(ofPerson(words.enrollmentOf)),
    ...invitations.items.map(ofPerson(words.invitationOf)),
    ...authorities.items
      .map(({ id, name, certPem }) => ({ id, what: name, at: notAfter(certPem), personId: null }))
      .filter((one): one is typeof one & { at: string } => one.at !== null && one.at < until),
  ];
  return found.toSorted((one, other) => one.at.localeCompare(other.at)).slice(0, 10);
}
