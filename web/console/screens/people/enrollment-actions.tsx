import { CloseButton, DialogButton } from '../../../parts/dialog.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { texts } from '../../texts/texts.ts';
import type { Enrollment } from '../../types.ts';
import { DeviceToken } from './hand-over.tsx';
import { words } from './words.ts';

/** An administrator's actions on an open enrollment. */
export function EnrollmentActions({ enrollment }: { enrollment: Enrollment }) {
  const { id } = enrollment;
  return (
    <div className="buttons">
      {enrollment.jwt !== undefined && <HandOut enrollment={enrollment} />}
      <Confirm
        id={`renew-${id}`}
        label={words.renew}
        title={words.renewTitle}
        ends={words.renewEnds}
        change={() => ({ method: 'POST', path: `enrollments/${id}/refresh`, body: {} })}
        command={['enrollment', 'refresh', id]}
        done={words.renewed}
      />
      <Confirm
        id={`withdraw-${id}`}
        label={words.withdraw}
        title={words.withdrawTitle}
        ends={words.withdrawEnds}
        change={() => ({ method: 'DELETE', path: `enrollments/${id}` })}
        command={['delete', 'enrollment', id]}
        done={words.withdrawn}
      />
    </div>
  );
}

/** Withdraws the link with which a person chooses a password. */
export function WithdrawLink({ id, personId }: { id: string; personId: string }) {
  return (
    <Confirm
      id={id}
      label={words.withdraw}
      title={words.withdrawLink}
      ends={words.withdrawLinkEnds}
      change={() => ({ method: 'DELETE', path: `identities/${personId}/invitation` })}
      command={['invite', personId, '--withdraw']}
      done={words.withdrawn}
    />
  );
}

function HandOut({ enrollment }: { enrollment: Enrollment }) {
  const { id, identity } = enrollment;
  return (
    <DialogButton id={`hand-out-${id}`} label={words.handOut} title={words.handOutTitle(identity.name)}>
      <DeviceToken name={identity.name} enrollment={enrollment} />
      <p className="buttons">
        <CloseButton label={texts.close} />
      </p>
    </DialogButton>
  );
}
