import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Confirm } from '../../parts/confirm.tsx';
import { texts, timeText } from '../../texts/texts.ts';
import type { Enrollment } from '../../types.ts';
import { fileName, HandOver } from './hand-over.tsx';
import { words } from './words.ts';

interface Props {
  readonly enrollment: Enrollment;
  readonly refresh: () => unknown;
}

/** What an administrator may do with an open enrollment. */
export function EnrollmentActions({ enrollment, refresh }: Props) {
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
        whenDone={refresh}
      />
      <Confirm
        id={`withdraw-${id}`}
        label={words.withdraw}
        title={words.withdrawTitle}
        ends={words.withdrawEnds}
        isDestructive
        change={() => ({ method: 'DELETE', path: `enrollments/${id}` })}
        command={['delete', 'enrollment', id]}
        done={words.withdrawn}
        whenDone={refresh}
      />
    </div>
  );
}

/** Withdraws the link with which a person chooses a password. */
export function WithdrawLink({
  id,
  personId,
  refresh,
}: {
  readonly id: string;
  readonly personId: string;
  readonly refresh: () => unknown;
}) {
  return (
    <Confirm
      id={id}
      label={words.withdraw}
      title={words.withdrawLink}
      ends={words.withdrawLinkEnds}
      isDestructive
      change={() => ({ method: 'DELETE', path: `identities/${personId}/invitation` })}
      command={['invite', personId, '--withdraw']}
      done={words.withdrawn}
      whenDone={refresh}
    />
  );
}

function HandOut({ enrollment: { id, identity, jwt = '', expiresAt } }: { readonly enrollment: Enrollment }) {
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger id={`hand-out-${id}`} className="button plain">
        {words.handOut}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title className="dialog-title">{words.handOutTitle(identity.name)}</AlertDialog.Title>
          <HandOver
            says={words.fileText(timeText(expiresAt))}
            text={jwt}
            file={{ name: fileName(identity.name, 'jwt'), type: 'application/jwt' }}
          />
          <p className="buttons">
            <AlertDialog.Close className="button plain">{texts.close}</AlertDialog.Close>
          </p>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
