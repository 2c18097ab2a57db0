import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { PersonLink } from '../lists/columns.tsx';
import { notAfter } from '../parts/certificate.ts';
import { EntriesCard } from '../parts/entries.tsx';
import { Time } from '../parts/time.tsx';
import { list, read } from '../session/api.ts';
import type {
  Authority,
  CertificateAuthenticator,
  Enrollment,
  ListedInvitation,
  OwnCertificate,
} from '../types.ts';
import { words } from './overview-words.ts';

/** How far it looks ahead. */
const ahead = 30 * 86_400_000;
/** The same of the overlay's own authorities: clients need time to learn others. */
const aheadOfAuthorities = 180 * 86_400_000;
/** How long a certificate that has expired stays. */
const behind = 7 * 86_400_000;

interface Ending {
  readonly id: string;
  readonly what: string;
  readonly at: string;
  /** Milliseconds; other than usual. */
  readonly ahead?: number;
  /** The person it is about, or the screen that shows it. */
  readonly on: { readonly personId: string } | '/certificates' | '/cas';
}

/** The things that stop working soon unless an administrator acts. Signing keys replace themselves. */
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
      empty={[words.endsNothing]}
      entry={({ what, at, on }) => (
        <>
          {typeof on === 'string' ? (
            <Link to={on} search={{}}>
              {what}
            </Link>
          ) : (
            <PersonLink of={{ id: on.personId, name: what }} />
          )}
          <span className="hint">
            <Time at={at} />
          </span>
        </>
      )}
    />
  );
}

async function endings(signal: AbortSignal): Promise<readonly Ending[]> {
  const now = Date.now();
  const [since, until] = [now - behind, now + ahead].map((time) => new Date(time).toISOString());
  const soon = { filter: `expiresAt < datetime(${until})`, sort: 'expiresAt asc', limit: 10 };
  const [enrollments, invitations, certificates, authorities, own] = await Promise.all([
    list<Enrollment>('enrollments', soon, signal),
    list<ListedInvitation>('invitations', soon, signal),
    list<CertificateAuthenticator>(
      'authenticators',
      {
        filter: `certExpiresAt < datetime(${until}) and certExpiresAt > datetime(${since})`,
        sort: 'certExpiresAt asc',
        limit: 10,
      },
      signal,
    ),
    list<Authority>('cas', { limit: 500 }, signal),
    read<readonly OwnCertificate[]>('own-certificates', signal),
  ]);
  const ofPerson =
    (what: (name: string) => string) =>
    (one: Enrollment | ListedInvitation | CertificateAuthenticator): Ending => ({
      id: `${what('')} ${'id' in one ? one.id : one.identityId}`,
      what: what(one.identity.name),
      at: 'certExpiresAt' in one ? (one.certExpiresAt ?? '') : one.expiresAt,
      on: { personId: one.identityId },
    });
  const found: readonly Ending[] = [
    ...enrollments.items.map(ofPerson(words.enrollmentOf)),
    ...invitations.items.map(ofPerson(words.invitationOf)),
    ...certificates.items.map(ofPerson(words.certificateOf)),
    ...authorities.items.map(({ id, name, certPem }) => ({
      ...{ id, what: words.authority(name), at: notAfter(certPem) ?? '', on: '/cas' as const },
    })),
    ...own.map(({ use, fingerprint, listeners, subject, notAfter: at }) => ({
      id: [use, fingerprint, ...listeners].join(' '),
      ...{
        what: words.ownCertificates[use]([...listeners, subject].join(', ')),
        at,
        on: '/certificates' as const,
        ...(use === 'server' ? {} : { ahead: aheadOfAuthorities }),
      },
    })),
  ];
  return found
    .filter(({ at, ahead: ofThis = ahead }) => Date.parse(at) < now + ofThis)
    .toSorted((one, other) => one.at.localeCompare(other.at))
    .slice(0, 10);
}
