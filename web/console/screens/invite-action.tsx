import { useState } from 'react';
import { DialogButton } from '../../parts/dialog.tsx';
import { CheckField, InputField } from '../parts/field.tsx';
import { MakeForm } from '../parts/submit-form.tsx';
import { refresh, useRead } from '../queries.ts';
import { make } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { AuthPolicy, OfPerson } from '../types.ts';
import { opensByPasskey } from '../words.ts';
import { type Invited, invitationOf } from './people/first-access.ts';
import { InvitationLink } from './people/hand-over.tsx';

const { person: words } = texts;

/**
 * A link with which a person sets up their sign-in: no administrator ever knows the password. Not shown where there is
 * nothing to set up, by the rule of the server, or where the right is missing.
 */
export function InviteAction(props: OfPerson) {
  const { authPolicyId, disabled } = props.person;
  const policy = useRead<AuthPolicy>(`auth-policies/${authPolicyId}`).data;
  if (disabled || policy === undefined) return null;
  if (!policy.primary.updb.allowed && !opensByPasskey(policy)) return null;
  return (
    <DialogButton
      id="invite"
      label={words.invite}
      title={words.inviteTitle(props.person.name)}
      text={words.inviteText}
    >
      <Invitation {...props} />
    </DialogButton>
  );
}

function Invitation({ person: { id, name, email } }: OfPerson) {
  const [hours, setHours] = useState('24');
  const [endSessions, setEndSessions] = useState(false);
  const [send, setSend] = useState(false);
  const change = invitationOf(id, hours, { endSessions, send });
  return (
    <MakeForm
      id="invite-confirm"
      label={words.inviteMake}
      action={() => make<Invited>(change)}
      done={refresh}
      result={(made) => <InvitationLink name={name} invited={made} />}
      command={[
        'invite',
        id,
        '--expires',
        `${hours}h`,
        ...(endSessions ? ['--end-sessions'] : []),
        ...(send ? ['--send'] : []),
      ]}
      change={change}
    >
      <InputField
        id="invite-hours"
        label={words.inviteHours}
        type="number"
        min="1"
        max="720"
        required
        value={hours}
        set={setHours}
      />
      {email != null && (
        <CheckField id="invite-send" label={words.inviteSend(email)} isOn={send} set={setSend} />
      )}
      <CheckField
        id="invite-end-sessions"
        label={words.inviteEndSessions}
        isOn={endSessions}
        set={setEndSessions}
      />
    </MakeForm>
  );
}
