import type { FormEvent, ReactNode } from 'react';
import { useAction } from '../../parts/action.ts';
import { CloseButton } from '../../parts/dialog.tsx';
import { Button } from '../../parts/screen.tsx';
import { texts } from '../texts/texts.ts';
import { Failure } from './failure.tsx';
import { SameChange, type SameChangeProps } from './same-change.tsx';

interface SubmitFormProps<Made> {
  /** Of the button that submits. */
  readonly id: string;
  readonly label: string;
  readonly action: () => Promise<Made>;
  readonly done?: (made: Made) => unknown;
  /** Shows the result. */
  readonly result?: (made: Made) => ReactNode;
  /** Beside the button. */
  readonly also?: ReactNode;
  /** Whether it is in a dialog, which stays open to show the result. */
  readonly isInDialog?: boolean;
  readonly children: ReactNode;
}

/** A form that never runs twice at once. Its outcome is shown until something is changed afterwards. */
export function SubmitForm<Made>(props: SubmitFormProps<Made>) {
  const { id, label, action, done, result, also, isInDialog = false, children } = props;
  const { mutate, reset, data, error, isPending } = useAction({ mutationFn: action, onSuccess: done });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit} onChange={() => !isPending && reset()}>
      {children}
      {error !== null && <Failure error={error} />}
      {data !== undefined && result?.(data)}
      <p className="buttons">
        <Button id={id} type="submit" kind="main" isBusy={isPending}>
          {label}
        </Button>
        {also}
        {isInDialog && <CloseButton label={texts.close} isDisabled={isPending} />}
      </p>
    </form>
  );
}

/** The form of a dialog that makes something, and stays open to show it. */
export function MakeForm<Made>({ command, change, ...form }: SubmitFormProps<Made> & SameChangeProps) {
  return (
    <>
      <SubmitForm {...form} isInDialog />
      <SameChange command={command} change={change} />
    </>
  );
}
