import { Refusal, Unreachable } from '@overlay-auth/client';
import { StorageDenied, WindowBlocked } from '@overlay-auth/client/browser';
import { Button } from '../../parts/screen.tsx';
import { mayBeForced, reasonOf } from '../session/api.ts';
import { texts } from '../texts/texts.ts';

/** The failure in words. A refused field says why, in the server's words and the language of the page. */
export function failureText(error: unknown): string {
  const { failures } = texts;
  if (error instanceof WindowBlocked) return texts.session.blocked;
  if (error instanceof Unreachable) return failures.unreachable;
  if (error instanceof StorageDenied) return texts.cookies;
  if (!(error instanceof Refusal)) return failures.other;
  if (error.field === 'force') return texts.forms.lastAdministrator;
  if (error.status === 401) return failures.secondToken;
  if (error.status === 412) return failures.changed;
  if (error.status === 403) return failures.forbidden;
  if (error.status === 404) return failures.notFound;
  // Also of a provider that is too busy to renew the session.
  if (error.status === 429 || error.status === 503) return failures.busy;
  if (error.status === 502 || error.status === 504) return failures.unreachable;
  // Not of the API but of something on the way, such as a proxy, in whatever language.
  if (error.code === '') return error.status === 413 ? failures.tooLarge : failures.other;
  return error.status < 500 ? capitalised(reasonOf(error)) : failures.other;
}

/** The server's sentences about a field go on after its name; here they begin. */
function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Shows a failure with its reference id, in place of what could not be loaded. */
export function Failure({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const refusal = error instanceof Refusal ? error : null;
  const { forbiddenTitle, notFoundTitle } = texts.failures;
  const title = refusal?.status === 403 ? forbiddenTitle : refusal?.status === 404 ? notFoundTitle : null;
  const mayHelp = refusal === null || ![403, 404].includes(refusal.status);
  return (
    <div className="failure" role="alert">
      {title !== null && <strong>{title}</strong>}
      <p>{failureText(error)}</p>
      {refusal !== null && refusal.requestId !== undefined && (
        <p className="hint">
          {texts.reference} <code>{refusal.requestId}</code>
        </p>
      )}
      {retry !== undefined && mayHelp && <Button onClick={retry}>{texts.retry}</Button>}
    </div>
  );
}

/** Shows why a change was refused, and offers to force it where the server would then make it. */
export function Refused({
  id,
  error,
  label,
  force,
}: {
  /** Of the button that forces it. */
  id: string;
  error: unknown;
  /** Of the refused field. */
  label?: string | undefined;
  force: () => void;
}) {
  return (
    <>
      {label === undefined || !(error instanceof Refusal) ? (
        <Failure error={error} />
      ) : (
        <p className="failure" role="alert">
          <strong>{label}</strong>: {reasonOf(error)}
        </p>
      )}
      {mayBeForced(error) && (
        <p className="buttons">
          <Button id={id} kind="danger" onClick={force}>
            {texts.forms.allTheSame}
          </Button>
        </p>
      )}
    </>
  );
}
