import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { SameChange } from '../parts/same-change.tsx';
import { make } from '../session/api.ts';
import { texts, timeText } from '../texts/texts.ts';
import type { IdentityDetail } from '../types.ts';
import { type Invited, invitationOf } from './people/first-access.ts';
import { fileName, HandOver } from './people/hand-over.tsx';

const { person: words } = texts;

interface Props {
  readonly person: IdentityDetail;
  readonly refresh: () => unknown;
}

/** A link with which somebody sets up how they sign in: no administrator ever knows the password. */
export function InviteAction(props: Props) {
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger id="invite" className="button plain">
        {words.invite}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <Invitation {...props} />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function Invitation({ person, refresh }: Props) {
  const [hours, setHours] = useState('24');
  const [endSessions, setEndSessions] = useState(false);
  const change = invitationOf(person.id, hours, endSessions);
  const made = useMutation({
    mutationFn: () => make<Invited>(change),
    onSuccess: () => refresh(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!made.isPending) made.mutate();
  };
  return (
    <form onSubmit={submit}>
      <AlertDialog.Title className="dialog-title">{words.inviteTitle(person.name)}</AlertDialog.Title>
      <AlertDialog.Description>{words.inviteText}</AlertDialog.Description>
      <div className="field">
        <label htmlFor="invite-hours">{words.inviteHours}</label>
        <input
          id="invite-hours"
          type="number"
          min="1"
          max="720"
          required
          value={hours}
          onChange={(event) => setHours(event.target.value)}
        />
      </div>
      <label className="check">
        <input
          type="checkbox"
          checked={endSessions}
          onChange={(event) => setEndSessions(event.target.checked)}
        />
        {words.inviteEndSessions}
      </label>
      {made.error !== null && <Failure error={made.error} />}
      {made.data !== undefined && (
        <HandOver
          says={words.inviteLink(timeText(made.data.expiresAt))}
          text={made.data.url}
          file={{ name: fileName(person.name, 'txt'), type: 'text/plain' }}
        />
      )}
      <p className="buttons">
        <Button id="invite-confirm" type="submit" kind="main" isBusy={made.isPending}>
          {words.inviteMake}
        </Button>
        <AlertDialog.Close className="button plain">{texts.close}</AlertDialog.Close>
      </p>
      <SameChange
        command={['invite', person.id, '--expires', `${hours}h`, ...(endSessions ? ['--end-sessions'] : [])]}
        change={change}
      />
    </form>
  );
}
