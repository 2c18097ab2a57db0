import { useState } from 'react';
import { identityEntity } from '../../../src/model/entities/identity.ts';
import { Card } from '../../parts/screen.tsx';
import { DeleteButton } from '../forms/entity-screen.tsx';
import { mayHelp } from '../me.ts';
import { Confirm, type ConfirmProps } from '../parts/confirm.tsx';
import { InputField } from '../parts/field.tsx';
import { localTime, timeOfLocal } from '../parts/local-time.ts';
import type { Change } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { Identity, OfPerson } from '../types.ts';
import { InviteAction } from './invite-action.tsx';
import { PasswordAction } from './password-action.tsx';
import { words as more } from './people/words.ts';

const { person: words } = texts;

interface PersonActionsProps extends OfPerson {
  readonly me: Identity | undefined;
  /** How many sessions are live. */
  readonly sessions: number;
}

/** What the signed-in person may do for this one, and nothing else. */
export function PersonActions({ person, me, sessions, refresh }: PersonActionsProps) {
  if (!mayHelp(me, person)) return null;
  const isAdmin = me?.isAdmin === true;
  const { id, name } = person;
  return (
    <Card id="actions" title={words.actions}>
      <div className="buttons">
        <Unlock person={person} refresh={refresh} />
        {isAdmin && <PasswordAction person={person} refresh={refresh} />}
        <InviteAction person={person} refresh={refresh} />
        <ResetMfa person={person} refresh={refresh} />
        {sessions > 0 && (
          <Confirm
            whenDone={refresh}
            id="end-sessions"
            label={words.endSessions}
            title={words.endSessionsTitle(name)}
            ends={words.endSessionsEnds(sessions)}
            isDestructive
            change={() => ({ method: 'DELETE', path: `identities/${id}/api-sessions` })}
            command={['identity', 'end-sessions', id]}
            done={words.done.endSessions}
          />
        )}
        {isAdmin && <EnableOrDisable person={person} sessions={sessions} refresh={refresh} />}
        {isAdmin && (
          <DeleteButton entity={identityEntity} of={person} list="/people" ends={more.deleteEnds(sessions)} />
        )}
      </div>
    </Card>
  );
}

/** Nothing if nothing is locked. */
export function Unlock({ person: { id, name, lockedUntil }, refresh }: OfPerson) {
  if (lockedUntil.password === null && lockedUntil.totp === null) return null;
  return (
    <Confirm
      id="unlock"
      label={words.unlock}
      title={words.unlockTitle(name)}
      ends={words.unlockEnds}
      change={() => ({ method: 'POST', path: `identities/${id}/unlock`, body: {} })}
      command={['identity', 'unlock', id]}
      done={words.done.unlock}
      whenDone={refresh}
    />
  );
}

/** Nothing if there is no authenticator app. */
export function ResetMfa({ person: { id, name, isMfaEnabled }, refresh }: OfPerson) {
  if (!isMfaEnabled) return null;
  return (
    <Confirm
      id="reset-mfa"
      label={words.resetMfa}
      title={words.resetMfaTitle(name)}
      ends={words.resetMfaEnds}
      isDestructive
      change={() => ({ method: 'DELETE', path: `identities/${id}/mfa` })}
      command={['identity', 'reset-mfa', id]}
      done={words.done.resetMfa}
      whenDone={refresh}
    />
  );
}

export function Enable({ person: { id, name }, refresh }: OfPerson) {
  return (
    <Confirm
      id="enable"
      label={words.enable}
      title={words.enableTitle(name)}
      ends={words.enableEnds}
      change={() => ({ method: 'POST', path: `identities/${id}/enable`, body: {} })}
      command={['identity', 'enable', id]}
      done={words.done.enable}
      whenDone={refresh}
    />
  );
}

function EnableOrDisable({ person, sessions, refresh }: Omit<PersonActionsProps, 'me'>) {
  const { name, disabled, disabledUntil } = person;
  if (!disabled) {
    const title = words.disableTitle(name);
    const question = { id: 'disable', label: words.disable, title, ends: words.disableEnds(sessions) };
    return <Disable {...question} person={person} refresh={refresh} isDestructive />;
  }
  const title = words.changeUntilTitle(name);
  const question = { id: 'until', label: words.changeUntil, title, ends: words.changeUntilEnds };
  return (
    <>
      <Enable person={person} refresh={refresh} />
      <Disable {...question} key={disabledUntil} person={person} refresh={refresh} />
    </>
  );
}

/** Disables, or changes until when. */
function Disable({
  person: { id: identityId, disabledUntil },
  refresh,
  ...question
}: OfPerson & Pick<ConfirmProps, 'id' | 'label' | 'title' | 'ends' | 'isDestructive'>) {
  const [local, setLocal] = useState(disabledUntil === null ? '' : localTime(disabledUntil));
  const until = timeOfLocal(local);
  return (
    <Confirm
      {...question}
      fields={
        <InputField
          id={`${question.id}-time`}
          label={words.until}
          type="datetime-local"
          value={local}
          set={setLocal}
        />
      }
      change={(): Change => ({
        method: 'POST',
        path: `identities/${identityId}/disable`,
        body: until === null ? {} : { until },
      })}
      command={['identity', 'disable', identityId, ...(until === null ? [] : ['--until', until])]}
      done={words.done.disable}
      whenDone={refresh}
    />
  );
}
