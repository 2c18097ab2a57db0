// What somebody was given to get in with, and has not used yet.

import { useQuery } from '@tanstack/react-query';
import { timeText } from '../../../parts/language.ts';
import { Card, Empty } from '../../../parts/screen.tsx';
import { mayHelp } from '../../me.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { list } from '../../session/api.ts';

import type { Enrollment, Identity, IdentityDetail } from '../../types.ts';
import { EnrollDevice } from './enroll-device.tsx';
import { EnrollmentActions, WithdrawLink } from './enrollment-actions.tsx';
import { words } from './words.ts';

interface Props {
  readonly person: IdentityDetail;
  readonly me: Identity | undefined;
  readonly refresh: () => unknown;
}

export function PersonEnrollments({ person, me, refresh }: Props) {
  const isAdmin = me?.isAdmin === true;
  const query = useQuery({
    queryKey: ['person', person.id, 'enrollments'],
    queryFn: ({ signal }) => list<Enrollment>(`identities/${person.id}/enrollments`, { limit: 50 }, signal),
  });
  return (
    <Card
      id="enrollments"
      title={words.enrollments}
      tools={isAdmin && <EnrollDevice person={person} refresh={refresh} />}
    >
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 && person.invitation === null ? (
            <Empty title={words.noEnrollments}>
              <p>{words.noEnrollmentsText}</p>
            </Empty>
          ) : (
            <ul className="entries">
              <Invitation person={person} me={me} refresh={refresh} />
              {items.map((one) => (
                <li key={one.id} className="session">
                  <EnrollmentFacts enrollment={one} />
                  {isAdmin && <EnrollmentActions enrollment={one} refresh={refresh} />}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function Invitation({ person, me, refresh }: Props) {
  const { id, invitation } = person;
  if (invitation === null) return null;
  return (
    <li className="session">
      <div>
        <strong>{words.invited}</strong>{' '}
        <span className="hint">
          {words.invitedText(timeText(invitation.expiresAt))} {invitation.endSessions && words.invitedEnds}
        </span>
      </div>
      {mayHelp(me, person) && <WithdrawLink id="withdraw-link" personId={id} refresh={refresh} />}
    </li>
  );
}

function EnrollmentFacts({
  enrollment: { method, username, expiresAt },
}: {
  readonly enrollment: Enrollment;
}) {
  const hasEnded = Date.parse(expiresAt) <= Date.now();
  return (
    <div>
      <strong>{words.methods[method]}</strong> {username}{' '}
      <span className="hint">{(hasEnded ? words.ended : words.endsAt)(timeText(expiresAt))}</span>
    </div>
  );
}
