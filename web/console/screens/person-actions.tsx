import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Card } from '../../parts/screen.tsx';
import { refreshEntities } from '../forms/entity.ts';
import { mayHelp } from '../me.ts';
import { Confirm } from '../parts/confirm.tsx';
import type { Change } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { Identity, IdentityDetail } from '../types.ts';
import { InviteAction } from './invite-action.tsx';
import { PasswordAction } from './password-action.tsx';
import { words as more } from './people/words.ts';

const { person: words } = texts;

export interface PersonActionsProps {
  readonly person: IdentityDetail;
  readonly me: Identity | undefined;
  /** How many sessions are live. */
  readonly sessions: number;
  readonly refresh: () => unknown;
}

/** What whoever is signed in may do for this person, and nothing else. */
export function PersonActions({ person, me, sessions, refresh }: PersonActionsProps) {
  if (!mayHelp(me, person)) return null;
  const isAdmin = me?.isAdmin === true;
  const { id, name, lockedUntil } = person;
  const common = { whenDone: refresh };
  const isLocked = lockedUntil.password !== null || lockedUntil.totp !== null;
  return (
    <Card id="actions" title={words.actions}>
      <div className="buttons">
        {isLocked && (
          <Confirm
            {...common}
            id="unlock"
            label={words.unlock}
            title={words.unlockTitle(name)}
            ends={words.unlockEnds}
            change={() => ({ method: 'POST', path: `identities/${id}/unlock`, body: {} })}
            command={['identity', 'unlock', id]}
            done={words.done.unlock}
          />
        )}
        {isAdmin && <PasswordAction person={person} refresh={refresh} />}
        <InviteAction person={person} refresh={refresh} />
        {person.isMfaEnabled && (
          <Confirm
            {...common}
            id="reset-mfa"
            label={words.resetMfa}
            title={words.resetMfaTitle(name)}
            ends={words.resetMfaEnds}
            isDestructive
            change={() => ({ method: 'DELETE', path: `identities/${id}/mfa` })}
            command={['identity', 'reset-mfa', id]}
            done={words.done.resetMfa}
          />
        )}
        {sessions > 0 && (
          <Confirm
            {...common}
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
        {isAdmin && <DeletePerson person={person} sessions={sessions} />}
      </div>
    </Card>
  );
}

function DeletePerson({ person: { id, name }, sessions }: Pick<PersonActionsProps, 'person' | 'sessions'>) {
  const navigate = useNavigate();
  return (
    <Confirm
      id="delete"
      label={more.delete}
      title={more.deleteTitle(name)}
      ends={more.deleteEnds(sessions)}
      isDestructive
      change={() => ({ method: 'DELETE', path: `identities/${id}` })}
      command={['delete', 'identity', id]}
      done={texts.forms.deleted}
      whenDone={async () => {
        await navigate({ to: '/people' });
        await refreshEntities();
      }}
    />
  );
}

function EnableOrDisable({ person, sessions, refresh }: Omit<PersonActionsProps, 'me'>) {
  const { id, name } = person;
  const [minutes, setMinutes] = useState('');
  if (person.disabled) {
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
  const change = (): Change => ({
    method: 'POST',
    path: `identities/${id}/disable`,
    body: minutes === '' ? {} : { durationMinutes: Number(minutes) },
  });
  return (
    <Confirm
      id="disable"
      label={words.disable}
      title={words.disableTitle(name)}
      ends={words.disableEnds(sessions)}
      fields={
        <div className="field">
          <label htmlFor="disable-minutes">{words.minutes}</label>
          <input
            id="disable-minutes"
            type="number"
            min="1"
            inputMode="numeric"
            value={minutes}
            onChange={(event) => setMinutes(event.target.value)}
          />
        </div>
      }
      isDestructive
      change={change}
      command={['identity', 'disable', id, ...(minutes === '' ? [] : ['--minutes', minutes])]}
      done={words.done.disable}
      whenDone={refresh}
    />
  );
}
