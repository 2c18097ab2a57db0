import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { words } from './language.ts';

interface PopupProps {
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
}

function Popup({ title, text, children, ...props }: PopupProps & AlertDialog.Popup.Props) {
  return (
    <AlertDialog.Portal>
      <AlertDialog.Backdrop className="backdrop" />
      <AlertDialog.Popup className="dialog" onKeyDown={ignoreHeldEnter} {...props}>
        <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
        {text !== undefined && <AlertDialog.Description>{text}</AlertDialog.Description>}
        {children}
      </AlertDialog.Popup>
    </AlertDialog.Portal>
  );
}

/** The press that opened a question neither answers nor closes it, however long it lasts. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.repeat) event.preventDefault();
}

/** A question over the page. @param close what Escape and `CloseButton` do; without it, only the content closes it */
export function Dialog({
  isOpen,
  close,
  ...popup
}: PopupProps & { readonly isOpen: boolean; readonly close?: () => void }) {
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={close}>
      <Popup {...popup} />
    </AlertDialog.Root>
  );
}

/** A button that opens a dialog. Escape closes it where `CloseButton` would. */
export function DialogButton({
  id,
  label,
  isDestructive = false,
  state,
  ...popup
}: PopupProps & {
  readonly id: string;
  readonly label: string;
  readonly isDestructive?: boolean;
  /** For content that closes it. */
  readonly state?: { readonly isOpen: boolean; readonly set: (isOpen: boolean) => void };
}) {
  const shown = useRef<HTMLDivElement>(null);
  const change: AlertDialog.Root.Props['onOpenChange'] = (isOpen, { cancel }) => {
    if (!isOpen && shown.current?.querySelector(':disabled[data-closes]')) cancel();
    else state?.set(isOpen);
  };
  return (
    <AlertDialog.Root {...(state !== undefined && { open: state.isOpen })} onOpenChange={change}>
      <AlertDialog.Trigger
        id={id}
        className={`button ${isDestructive ? 'danger' : 'plain'}`}
        onKeyDown={ignoreHeldEnter}
      >
        {label}
      </AlertDialog.Trigger>
      {/* Where the button is gone, the focus does not go back to what was used before it. */}
      <Popup ref={shown} {...popup} finalFocus={() => document.getElementById(id) ?? false} />
    </AlertDialog.Root>
  );
}

/** @param isDisabled while something is made that only this dialog shows */
export function CloseButton({
  label = words.cancel,
  isDisabled = false,
}: {
  label?: string;
  isDisabled?: boolean;
}) {
  return (
    <AlertDialog.Close className="button plain" data-closes="" disabled={isDisabled}>
      {label}
    </AlertDialog.Close>
  );
}
