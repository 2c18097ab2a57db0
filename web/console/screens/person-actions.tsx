import { useState } from 'react';
import { identityEntity } from '../../../src/model/entities/identity.ts';
import { Card } from '../../parts/screen.tsx';
import { DeleteButton } from '../forms/entity-screen.tsx';
import { useHasBeen, useIsAdmin, useMayHelp } from '../me.ts';
import { Confirm, type ConfirmProps } from '../parts/confirm.tsx';
import { InputField } from '../parts/field.tsx';
import { localTime, timeOfLocal } from '../parts/local-time.ts';
import type { Change } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { OfPerson } from '../types.ts';
import { InviteAction } from './invite-action.tsx';
import { PasswordAction } from './password-action.tsx';
import { words as more } from './people/words.ts';

const { person: words } = texts;

interface PersonActionsProps extends OfPerson {
  /** How many sessions are live. */
  readonly sessions: number;
}

/** The actions that the signed-in person may use on this one. */
export function PersonActions({ person, sessions }: PersonActionsProps) {
  // A question stays with what was typed.
  const isAdmin = useHasBeen(useIsAdmin());
  if (!useHasBeen(useMayHelp(person))) return null;
  return (
    <Card id="actions" title={words.actions}>
      <div className="buttons">
        <Unlock person={person} />
        {isAdmin && <PasswordAction person={person} />}
        <InviteAction person={person} />
        <ResetMfa person={person} />
        {sessions > 0 && <ActOn act="endSessions" person={person} ends={words.endSessionsEnds(sessions)} />}
        {isAdmin && <EnableOrDisable person={person} sessions={sessions} />}
        {isAdmin && (
          <DeleteButton entity={identityEntity} of={person} list="/people" ends={more.deleteEnds(sessions)} />
        )}
      </div>
    </Card>
  );
}

type Act = 'unlock' | 'resetMfa' | 'enable' | 'endSessions';

const requests: Readonly<Record<Act, readonly [Change['method'], path: string, command: string]>> = {
  unlock: ['POST', 'unlock', 'unlock'],
  resetMfa: ['DELETE', 'mfa', 'reset-mfa'],
  enable: ['POST', 'enable', 'enable'],
  endSessions: ['DELETE', 'api-sessions', 'end-sessions'],
};

/** A change of a person about which nothing has to be chosen. */
function ActOn({ act, person: { id, name }, ends }: OfPerson & { act: Act; ends: string }) {
  const [method, part, command] = requests[act];
  return (
    <Confirm
      id={command}
      label={words[act]}
      title={words[`${act}Title`](name)}
      ends={ends}
      change={() => ({ method, path: `identities/${id}/${part}`, ...(method === 'POST' && { body: {} }) })}
      command={['identity', command, id]}
      done={words.done[act]}
    />
  );
}

/** Nothing if nothing is locked. */
export function Unlock(props: OfPerson) {
  const { password, totp } = props.person.lockedUntil;
  return (password ?? totp) !== null && <ActOn act="unlock" {...props} ends={words.unlockEnds} />;
}

/** Nothing if there is no authenticator app. */
export function ResetMfa(props: OfPerson) {
  return props.person.isMfaEnabled && <ActOn act="resetMfa" {...props} ends={words.resetMfaEnds} />;
}

export function Enable(props: OfPerson) {
  return <ActOn act="enable" {...props} ends={words.enableEnds} />;
}

function EnableOrDisable({ person, sessions }: PersonActionsProps) {
  const { name, disabled, disabledUntil } = person;
  if (!disabled) {
    const title = words.disableTitle(name);
    const question = { id: 'disable', label: words.disable, title, ends: words.disableEnds(sessions) };
    return <Disable {...question} person={person} isDestructive />;
  }
  const title = words.changeUntilTitle(name);
  const question = { id: 'until', label: words.changeUntil, title, ends: words.changeUntilEnds };
  return (
    <>
      <Enable person={person} />
      <Disable {...question} key={disabledUntil} person={person} />
    </>
  );
}

/** Disables, or changes until when. */
function Disable({
  person: { id: identityId, disabledUntil },
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
    />
  );
}
