import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { make } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { PolicyDraft, PolicyPreview } from '../types.ts';

const { policies: words } = texts;

/** Who would be affected if the policy were saved like this. The server computes it on request. */
export function Impact({ draft, id }: { readonly draft: PolicyDraft; readonly id: string | null }) {
  const preview = usePreview();
  const isOfThisDraft = preview.variables?.draft === draft;
  return (
    <div id="impact">
      <p className="buttons">
        <Button id="preview" isBusy={preview.isPending} onClick={() => preview.mutate({ draft, id })}>
          {words.whoIsTouched}
        </Button>
      </p>
      {isOfThisDraft && preview.error !== null && <Failure error={preview.error} />}
      {isOfThisDraft && preview.data !== undefined && <ImpactText preview={preview.data} />}
    </div>
  );
}

export function usePreview() {
  return useMutation({
    mutationFn: ({ draft, id }: { readonly draft: PolicyDraft; readonly id: string | null }) =>
      make<PolicyPreview>({
        method: 'POST',
        path: 'auth-policies/preview',
        body: id === null ? draft : { id, ...draft },
      }),
  });
}

export function ImpactText({
  preview: { touched, asksMore, lockedOut },
}: {
  readonly preview: PolicyPreview;
}) {
  const more = lockedOut.count - lockedOut.first.length;
  return (
    <div role="status" className={lockedOut.count > 0 ? 'failure impact' : 'note impact'}>
      <p>{words.touched(touched.count)}</p>
      <p>{words.asksMore(asksMore.count)}</p>
      <p>
        <strong>{words.lockedOut(lockedOut.count)}</strong>
      </p>
      {lockedOut.count > 0 && (
        <ul>
          {lockedOut.first.map(({ id, name }) => (
            <li key={id}>
              <Link to="/people/$id" params={{ id }}>
                {name}
              </Link>
            </li>
          ))}
          {more > 0 && <li>{words.andMore(more)}</li>}
        </ul>
      )}
    </div>
  );
}
