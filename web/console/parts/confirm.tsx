import { Refusal } from '@overlay-auth/client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useAction, useIsHere } from '../../parts/action.ts';
import { announce } from '../../parts/announce.tsx';
import { CloseButton, DialogButton } from '../../parts/dialog.tsx';
import { Button } from '../../parts/screen.tsx';
import { refresh } from '../queries.ts';
import { type Change, make } from '../session/api.ts';
import { failureText, Refused } from './failure.tsx';
import { SameChange } from './same-change.tsx';

export interface ConfirmProps {
  readonly id: string;
  readonly label: string;
  readonly title: string;
  /** Says what ends. */
  readonly ends: string;
  /** Fields of the change, if any. */
  readonly fields?: ReactNode;
  /** Default: whether the change deletes something. */
  readonly isDestructive?: boolean;
  readonly change: () => Change;
  /** The same change as a command and an API call, without secrets. */
  readonly shown?: () => Change;
  readonly command: readonly string[] | null;
  readonly done: string;
  /** Instead of reading everything again. */
  readonly whenDone?: () => unknown;
}

/** A button that asks first. Nothing happens before the answer, and a failure stays readable. */
export function Confirm(props: ConfirmProps) {
  const [isOpen, set] = useState(false);
  const { id, label, title, ends, change, isDestructive = change().method === 'DELETE' } = props;
  return (
    <DialogButton {...{ id, label, title, isDestructive, state: { isOpen, set } }} text={ends}>
      <Question {...props} isDestructive={isDestructive} close={() => set(false)} />
    </DialogButton>
  );
}

function Question(props: ConfirmProps & { readonly close: () => void }) {
  const {
    id,
    label,
    fields,
    isDestructive,
    change,
    shown = change,
    command,
    done,
    whenDone = refresh,
  } = props;
  const isHere = useIsHere();
  const asked = useAction({
    mutationFn: (isForced: boolean) => {
      const asked = change();
      return make(isForced ? { ...asked, path: `${asked.path}?force=true` } : asked);
    },
    onError(error) {
      const status = error instanceof Refusal ? error.status : 0;
      // A dialog about what is gone goes with it.
      if (!isHere() || status === 404) announce(`${label}: ${failureText(error)}`);
      // The next answer is about what the person then sees.
      return [404, 409, 412].includes(status) ? refresh() : undefined;
    },
    async onSuccess() {
      await whenDone();
      announce(done);
      props.close();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    asked.mutate(false);
  };
  return (
    <form onSubmit={submit} onChange={() => asked.isError && asked.reset()}>
      {fields}
      {asked.error !== null && (
        <Refused id={`${id}-forced`} error={asked.error} force={() => asked.mutate(true)} />
      )}
      <p className="buttons">
        <Button
          id={`${id}-confirm`}
          type="submit"
          kind={isDestructive === true ? 'danger' : 'main'}
          isBusy={asked.isPending}
        >
          {label}
        </Button>
        <CloseButton />
      </p>
      <SameChange command={command} change={shown()} />
    </form>
  );
}
