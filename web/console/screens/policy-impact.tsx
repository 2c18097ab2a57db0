import { Link } from '@tanstack/react-router';
import { useAction } from '../../parts/action.ts';
import { Button } from '../../parts/screen.tsx';
import type { Question } from '../forms/entity-form.tsx';
import { Failure } from '../parts/failure.tsx';
import { make } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { PolicyPreview } from '../types.ts';
import { words } from './policies-words.ts';
import type { PolicyDraft } from './policy-form.tsx';

/** People who would be affected by saving the policy like this. The server computes it on request. */
export function Impact({ draft, id }: { draft: PolicyDraft; id: string | null }) {
  const preview = useAction({ mutationFn: (asked: PolicyDraft) => previewOf(id, asked) });
  const isOfThisDraft = preview.variables === draft;
  return (
    <div id="impact">
      <p className="buttons">
        <Button id="preview" isBusy={preview.isPending} onClick={() => preview.mutate(draft)}>
          {words.whoIsTouched}
        </Button>
      </p>
      {isOfThisDraft && preview.error !== null && <Failure error={preview.error} />}
      {isOfThisDraft && preview.data !== undefined && <ImpactText preview={preview.data} />}
    </div>
  );
}

/** @param id of the policy that has these rules then; null: a new one */
export function previewOf(id: string | null, draft: PolicyDraft): Promise<PolicyPreview> {
  const body = id === null ? draft : { id, ...draft };
  return make<PolicyPreview>({ method: 'POST', path: 'auth-policies/preview', body });
}

/**
 * The last question before saving, after the server has computed who is affected.
 * @param id null: a new policy
 */
export async function saveQuestion(id: string | null, draft: PolicyDraft): Promise<Question> {
  const preview = await previewOf(id, draft);
  return {
    title: words.saveTitle,
    text: words.saveText,
    details: <ImpactText preview={preview} />,
    isHarmless: preview.lockedOut.count === 0 && preview.objection === null,
  };
}

export function ImpactText({
  preview: { touched, joins, leaves, asksMore, lockedOut, objection = null },
  lead = words.touched(touched.count),
}: {
  preview: Omit<PolicyPreview, 'objection'> & Partial<PolicyPreview>;
  /** How many it is about; null: said elsewhere. */
  lead?: string | null;
}) {
  const more = lockedOut.count - lockedOut.first.length;
  return (
    <div
      role="status"
      className={lockedOut.count > 0 || objection !== null ? 'failure impact' : 'note impact'}
    >
      {lead !== null && <p>{lead}</p>}
      {lead !== null && joins.count + leaves.count > 0 && <p>{words.moves(joins.count, leaves.count)}</p>}
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
      <Objection reason={objection} />
    </div>
  );
}

/** Why the server would refuse a change as a whole. @param reason null: it would not */
export function Objection({ reason }: { reason: string | null }) {
  if (reason === null) return null;
  return (
    <p>
      <strong>{words.objection}</strong>{' '}
      {reason.includes('?force=true') ? texts.forms.lastAdministrator : reason}
    </p>
  );
}
