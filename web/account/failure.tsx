import { Refusal } from '@overlay-auth/client';
import { StorageDenied } from '@overlay-auth/client/browser';
import { Button } from '../parts/screen.tsx';
import { texts } from './texts.ts';

/** The words for an unexpected failure. */
export function failureText(error: unknown): string {
  if (error instanceof StorageDenied) return texts.cookies;
  // Every answer of the server has a reference. One without is of something on the way, such as a proxy.
  if (!(error instanceof Refusal) || error.requestId === undefined) return texts.unreachable;
  if (isOutdated(error)) return texts.changed;
  const reference = error.requestId;
  if (error.status === 429) return texts.tooMany(reference);
  return error.status === 503 ? texts.busy(reference) : texts.failed(reference);
}

/** Whether the page shows what is no longer so, as where the answer to the first try was lost. */
export function isOutdated(error: unknown): boolean {
  return error instanceof Refusal && (error.status === 404 || error.code === 'MFA_EXISTS');
}

/** Shows a failure in place of what could not be loaded, or next to what did not work. */
export function Failure({ error, retry }: { error: unknown; retry?: () => unknown }) {
  return (
    <div className="failure" role="alert">
      <p>{failureText(error)}</p>
      {retry !== undefined && (
        <Button id="retry" onClick={retry}>
          {texts.retry}
        </Button>
      )}
    </div>
  );
}
