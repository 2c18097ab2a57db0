import { useParams } from '@tanstack/react-router';
import { identityEntity as entity } from '../../../../src/model/entities/identity.ts';
import { rereadEntity, useEntity } from '../../forms/entity.ts';
import type { Values } from '../../forms/entity-fields.ts';
import { EntityForm, type Question } from '../../forms/entity-form.tsx';
import { draftRead, useGoOn } from '../../forms/entity-screen.tsx';
import { FieldCard, useForm } from '../../forms/fields.tsx';
import { useIsAdmin } from '../../me.ts';
import { LoadedScreen } from '../../parts/loaded.tsx';
import { make, type Versioned } from '../../session/api.ts';
import type { BulkPreview, IdentityDetail } from '../../types.ts';
import { ImpactText } from '../policy-impact.tsx';
import { type PersonDraft, PersonFields } from './person-fields.tsx';
import { words } from './words.ts';

export function EditPersonScreen() {
  const { id = '' } = useParams({ strict: false });
  const isAdmin = useIsAdmin();
  const goOn = useGoOn();
  const path = `identities/${encodeURIComponent(id)}`;
  const query = useEntity<IdentityDetail>(path);
  return (
    <LoadedScreen query={query} list="people" title={({ document }) => words.editTitle(document.name)}>
      {(found) => (
        <EntityForm<PersonDraft>
          {...{ entity, id, mayChange: isAdmin }}
          ask={(changes) => endsOf(id, changes)}
          read={sentRead(found)}
          reread={async () => sentRead(await rereadEntity<IdentityDetail>(path))}
          saved={() => goOn({ to: '/people/$id', params: { id } })}
        >
          <PersonFields policy={found.document.authPolicy}>
            <KeptOut />
          </PersonFields>
        </EntityForm>
      )}
    </LoadedScreen>
  );
}

function KeptOut() {
  const { draft } = useForm<PersonDraft>();
  return (
    <FieldCard
      id="kept-out"
      title={words.keptOut}
      names={['disabled', ...(draft.disabled ? ['disabledUntil'] : [])]}
      details={{ disabled: { also: (isOn) => (isOn === true ? {} : { disabledUntil: null }) } }}
    />
  );
}

/** With the policy that was chosen for the person; null: none was. */
function sentRead({ document, version }: Versioned<IdentityDetail>): Versioned<PersonDraft> {
  const { authPolicyId, authPolicyFrom } = document;
  const chosen = authPolicyFrom === 'identity' ? authPolicyId : null;
  return draftRead(entity, { document: { ...document, authPolicyId: chosen }, version });
}

/** The things that the changes end. A new policy, also by role attributes, is asked about as for many people. */
async function endsOf(
  id: string,
  { isAdmin, authPolicyId, roleAttributes, disabled }: Values,
): Promise<Question | null> {
  if (disabled === true) return { text: words.endsDisabled };
  if (isAdmin === false) return { text: words.endsAdmin };
  if (authPolicyId === undefined && roleAttributes === undefined) return null;
  const { policy } = await make<BulkPreview>({
    method: 'POST',
    path: 'identities/bulk/preview',
    body: { ids: [id], change: { authPolicyId, roleAttributes } },
  });
  if (policy === null) return null;
  const isHarmless = policy.lockedOut.count === 0;
  return { text: words.endsPolicy, details: <ImpactText preview={policy} lead={null} />, isHarmless };
}
