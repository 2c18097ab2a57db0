import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Button } from '../../parts/button.tsx';
import { texts } from '../texts/texts.ts';

/** Says what saving a form would end, before it does. */
export function SaveQuestion({
  ends,
  close,
  save,
}: {
  /** Null: no question. */
  readonly ends: string | null;
  readonly close: () => void;
  readonly save: () => void;
}) {
  return (
    <AlertDialog.Root open={ends !== null} onOpenChange={close}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title className="dialog-title">{texts.forms.saveTitle}</AlertDialog.Title>
          <AlertDialog.Description>{ends}</AlertDialog.Description>
          <p className="buttons">
            <Button id="save-confirm" kind="danger" onClick={save}>
              {texts.save}
            </Button>
            <AlertDialog.Close className="button plain">{texts.cancel}</AlertDialog.Close>
          </p>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
