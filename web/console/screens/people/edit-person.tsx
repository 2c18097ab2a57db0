import { useNavigate, useParams } from '@tanstack/react-router';
import { identityEntity as entity } from '../../../../src/model/entities/identity.ts';
import { Screen } from '../../../parts/screen.tsx';
import { rereadEntity, useEntity } from '../../forms/entity.ts';
import type { Values } from '../../forms/entity-fields.ts';
import { EntityForm, type Question } from '../../forms/entity-form.tsx';
import { draftRead } from '../../forms/entity-screen.tsx';
import { FieldCard } from '../../forms/fields.tsx';
import { useIsAdmin } from '../../me.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { queries } from '../../queries.ts';
import { make } from '../../session/api.ts';
import { texts } from '../../texts/texts.ts';
import type { BulkPreview, IdentityDetail } from '../../types.ts';
import { ImpactText } from '../policy-impact.tsx';
import { type PersonDraft, PersonFields } from './person-fields.tsx';
import { words } from './words.ts';

export function EditPersonScreen() {
  const { id = '' } = useParams({ strict: false });
  return <EditPerson key={id} id={id} />;
}

function EditPerson({ id }: { readonly id: string }) {
  const isAdmin = useIsAdmin();
  const navigate = useNavigate();
  const path = `identities/${encodeURIComponent(id)}`;
  const query = useEntity<IdentityDetail>(path);
  return (
    <Screen
      title={query.data === undefined ? texts.screens.people : words.editTitle(query.data.document.name)}
    >
      <Loaded query={query}>
        {(found) => (
          <EntityForm<PersonDraft>
            {...{ entity, id, mayChange: isAdmin }}
            ask={(changes) => endsOf(id, changes)}
            read={draftRead(entity, found)}
            reread={async () => draftRead(entity, await rereadEntity<IdentityDetail>(path))}
            saved={async () => {
              await queries.invalidateQueries({ queryKey: ['person', id] });
              await navigate({ to: '/people/$id', params: { id } });
            }}
          >
            {(form) => (
              <PersonFields form={form} policy={found.document.authPolicy}>
                <FieldCard
                  form={form}
                  id="kept-out"
                  title={words.keptOut}
                  names={['disabled', ...(form.draft.disabled ? ['disabledUntil'] : [])]}
                  details={{ disabled: { also: (isOn) => (isOn === true ? {} : { disabledUntil: null }) } }}
                />
              </PersonFields>
            )}
          </EntityForm>
        )}
      </Loaded>
    </Screen>
  );
}

/** What the changes end. Another policy is asked about as for many people. */
async function endsOf(id: string, { isAdmin, authPolicyId, disabled }: Values): Promise<Question | null> {
  if (disabled === true) return { text: words.endsDisabled };
  if (isAdmin === false) return { text: words.endsAdmin };
  if (authPolicyId === undefined) return null;
  const { policy } = await make<BulkPreview>({
    method: 'POST',
    path: 'identities/bulk/preview',
    body: { ids: [id], change: { authPolicyId } },
  });
  if (policy === null) return { text: words.endsPolicy };
  const isHarmless = policy.lockedOut.count === 0;
  return { text: words.endsPolicy, details: <ImpactText preview={policy} lead={null} />, isHarmless };
}
