// A person's open enrollments and invitations, and how to make one.

import { useState } from 'react';
import { DialogButton } from '../../../parts/dialog.tsx';
import { timeText } from '../../../parts/language.ts';
import { useNames } from '../../forms/names.ts';
import { useHasBeen, useIsAdmin, useMayHelp } from '../../me.ts';
import { EntriesCard } from '../../parts/entries.tsx';
import { InputField, SelectField } from '../../parts/field.tsx';
import { MakeForm } from '../../parts/submit-form.tsx';
import { refresh, useList } from '../../queries.ts';
import { fieldWords } from '../../texts/fields.ts';
import { texts } from '../../texts/texts.ts';
import type { Enrollment, OfPerson } from '../../types.ts';
import { EnrollmentActions, WithdrawLink } from './enrollment-actions.tsx';
import { type EnrollmentWish, enroll, enrollmentOf } from './first-access.ts';
import { DeviceToken, fileName } from './hand-over.tsx';
import { words } from './words.ts';

export function PersonEnrollments({ person }: OfPerson) {
  const isAdmin = useIsAdmin();
  const query = useList<Enrollment>(`identities/${person.id}/enrollments`, { limit: 50 });
  return (
    <EntriesCard
      id="enrollments"
      title={words.enrollments}
      tools={useHasBeen(isAdmin) && <EnrollDevice person={person} />}
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

/** A token with which a device gets its certificate. */
function EnrollDevice(props: OfPerson) {
  return (
    <DialogButton
      id="enroll"
      label={words.enroll}
      title={words.enrollTitle(props.person.name)}
      text={words.enrollText}
    >
      <EnrollForm {...props} />
    </DialogButton>
  );
}

type Method = Enrollment['method'];

function EnrollForm({ person: { id, name } }: OfPerson) {
  const [method, setMethod] = useState<Method>('ott');
  const [caId, setCaId] = useState('');
  const [username, setUsername] = useState(name);
  const authorities = useNames('ca');
  const wish: EnrollmentWish = {
    method,
    ...(method === 'ottca' && { caId }),
    ...(method === 'updb' && { username }),
  };
  const options = { ott: [], ottca: ['--ca', caId], updb: ['--username', username] }[method];
  return (
    <MakeForm
      id="enroll-confirm"
      label={words.make}
      action={() => enroll(id, wish)}
      done={refresh}
      result={(made) => <DeviceToken name={name} enrollment={made} />}
      command={['create', 'enrollment', method, id, ...options, '--output-jwt', fileName(name, 'jwt')]}
      change={enrollmentOf(id, wish)}
    >
      <SelectField
        id="enroll-method"
        label={texts.whatIf.method}
        value={method}
        set={(chosen) => setMethod(chosen as Method)}
        choices={words.methods}
      />
      {method === 'ottca' && (
        <SelectField
          id="enroll-ca"
          label={words.ca}
          isRequired
          value={caId}
          set={setCaId}
          choices={authorities}
          first={texts.none}
        />
      )}
      {method === 'updb' && (
        <InputField
          id="enroll-username"
          label={fieldWords('authenticator').labels.username ?? ''}
          required
          autoComplete="off"
          value={username}
          set={setUsername}
        />
      )}
    </MakeForm>
  );
}
