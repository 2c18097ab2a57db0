import { Refusal } from '@overlay-auth/client';
import { Button } from '../parts/screen.tsx';
import { texts } from './texts.ts';

/** The words for an unexpected failure. */
export function failureText(error: unknown): string {
  if (!(error instanceof Refusal)) return texts.unreachable;
  const reference = error.requestId ?? '';
  if (error.status === 429) return texts.tooMany(reference);
  return error.status === 503 ? texts.busy(reference) : texts.failed(reference);
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
