// A person's open enrollments and invitations.

import { timeText } from '../../../parts/language.ts';
import { useIsAdmin, useMayHelp } from '../../me.ts';
import { EntriesCard } from '../../parts/entries.tsx';
import { useList } from '../../queries.ts';
import type { Enrollment, OfPerson } from '../../types.ts';
import { EnrollDevice } from './enroll-device.tsx';
import { EnrollmentActions, WithdrawLink } from './enrollment-actions.tsx';
import { words } from './words.ts';

export function PersonEnrollments({ person }: OfPerson) {
  const isAdmin = useIsAdmin();
  const query = useList<Enrollment>(
    ['person', person.id, 'enrollments'],
    `identities/${person.id}/enrollments`,
    { limit: 50 },
  );
  return (
    <EntriesCard
      id="enrollments"
      title={words.enrollments}
      tools={isAdmin && <EnrollDevice person={person} />}
      query={query}
      itemsOf={({ items }) => [...(person.invitation === null ? [] : ['invitation' as const]), ...items]}
      keyOf={(one) => (one === 'invitation' ? one : one.id)}
      empty={[words.noEnrollments, words.noEnrollmentsText]}
      kind="rows"
      entry={(one) =>
        one === 'invitation' ? (
          <Invitation person={person} />
        ) : (
          <>
            <EnrollmentFacts enrollment={one} />
            {isAdmin && <EnrollmentActions enrollment={one} />}
          </>
        )
      }
    />
  );
}

function Invitation({ person }: OfPerson) {
  const { id, invitation } = person;
  const isHelper = useMayHelp(person);
  if (invitation === null) return null;
  return (
    <>
      <div>
        <strong>{words.invited}</strong>{' '}
        <span className="hint">
          {words.invitedText(timeText(invitation.expiresAt))} {invitation.endSessions && words.invitedEnds}
        </span>
      </div>
      {isHelper && <WithdrawLink id="withdraw-link" personId={id} />}
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
