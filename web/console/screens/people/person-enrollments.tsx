// What somebody was given to get in with, and has not used yet.

import { timeText } from '../../../parts/language.ts';
import { mayHelp } from '../../me.ts';
import { EntriesCard } from '../../parts/entries.tsx';
import { useList } from '../../queries.ts';
import type { Enrollment, Identity, OfPerson } from '../../types.ts';
import { EnrollDevice } from './enroll-device.tsx';
import { EnrollmentActions, WithdrawLink } from './enrollment-actions.tsx';
import { words } from './words.ts';

type Props = OfPerson & { readonly me: Identity | undefined };

export function PersonEnrollments({ person, me, refresh }: Props) {
  const isAdmin = me?.isAdmin === true;
  const query = useList<Enrollment>(
    ['person', person.id, 'enrollments'],
    `identities/${person.id}/enrollments`,
    { limit: 50 },
  );
  return (
    <EntriesCard
      id="enrollments"
      title={words.enrollments}
      tools={isAdmin && <EnrollDevice person={person} refresh={refresh} />}
      query={query}
      itemsOf={({ items }) => [...(person.invitation === null ? [] : ['invitation' as const]), ...items]}
      keyOf={(one) => (one === 'invitation' ? one : one.id)}
      empty={[words.noEnrollments, words.noEnrollmentsText]}
      kind="rows"
      entry={(one) =>
        one === 'invitation' ? (
          <Invitation person={person} me={me} refresh={refresh} />
        ) : (
          <>
            <EnrollmentFacts enrollment={one} />
            {isAdmin && <EnrollmentActions enrollment={one} refresh={refresh} />}
          </>
        )
      }
    />
  );
}

function Invitation({ person, me, refresh }: Props) {
  const { id, invitation } = person;
  if (invitation === null) return null;
  return (
    <>
      <div>
        <strong>{words.invited}</strong>{' '}
        <span className="hint">
          {words.invitedText(timeText(invitation.expiresAt))} {invitation.endSessions && words.invitedEnds}
        </span>
      </div>
      {mayHelp(me, person) && <WithdrawLink id="withdraw-link" personId={id} refresh={refresh} />}
    </>
  );
}

function EnrollmentFacts({ enrollment: { method, username, expiresAt } }: { enrollment: Enrollment }) {
  const hasEnded = Date.parse(expiresAt) <= Date.now();
  return (
    <div>
      <strong>{words.methods[method]}</strong> {username}{' '}
      <span className="hint">{(hasEnded ? words.ended : words.endsAt)(timeText(expiresAt))}</span>
    </div>
  );
}
