import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { texts } from '../texts/texts.ts';
import { CloseButton } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { SameChange, type SameChangeProps } from './same-change.tsx';

/** The form of a dialog that makes something, and stays open to show it. */
export function MakeForm<Made>({
  id,
  label,
  make,
  refresh,
  result,
  children,
  ...same
}: SameChangeProps & {
  /** Of the button that submits. */
  readonly id: string;
  readonly label: string;
  readonly make: () => Promise<Made>;
  readonly refresh: () => unknown;
  readonly result: (made: Made) => ReactNode;
  readonly children: ReactNode;
}) {
  const made = useMutation({ mutationFn: make, onSuccess: () => refresh() });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!made.isPending) made.mutate();
  };
  return (
    <form onSubmit={submit}>
      {children}
      {made.error !== null && <Failure error={made.error} />}
      {made.data !== undefined && result(made.data)}
      <p className="buttons">
        <Button id={id} type="submit" kind="main" isBusy={made.isPending}>
          {label}
        </Button>
        <CloseButton label={texts.close} />
      </p>
      <SameChange {...same} />
    </form>
  );
}
