import { useNavigate, useParams } from '@tanstack/react-router';
import { Card, Screen } from '../../../parts/screen.tsx';
import { rereadEntity, useEntity } from '../../forms/entity.ts';
import { EntityForm, type FormState } from '../../forms/entity-form.tsx';
import { CheckField, TimeField } from '../../forms/fields.tsx';
import { useIsAdmin } from '../../me.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { queries } from '../../queries.ts';
import type { Versioned } from '../../session/api.ts';
import { texts } from '../../texts/texts.ts';
import type { IdentityDetail } from '../../types.ts';
import { draftOf, type EditedPerson, updateCommand } from './person-draft.ts';
import { PersonFields } from './person-fields.tsx';
import { words } from './words.ts';

export function EditPersonScreen() {
  const { id = '' } = useParams({ strict: false });
  return <EditPerson key={id} id={id} />;
}

const draftRead = ({ document, version }: Versioned<IdentityDetail>): Versioned<EditedPerson> => ({
  document: draftOf(document),
  version,
});

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
          <EntityForm<EditedPerson>
            read={draftRead(found)}
            path={path}
            isNew={false}
            mayChange={isAdmin}
            labels={words.labels}
            nullable={['externalId', 'disabledUntil']}
            command={(changes) => updateCommand(id, changes)}
            ends={endsOf}
            reread={async () => draftRead(await rereadEntity<IdentityDetail>(path))}
            saved={async () => {
              await queries.invalidateQueries({ queryKey: ['person', id] });
              await navigate({ to: '/people/$id', params: { id } });
            }}
          >
            {(form) => (
              <PersonFields form={form} policy={found.document.authPolicy}>
                <KeptOut form={form} />
              </PersonFields>
            )}
          </EntityForm>
        )}
      </Loaded>
    </Screen>
  );
}

function KeptOut({ form }: { readonly form: FormState<EditedPerson> }) {
  const takeTimeAway = (disabled: boolean) => (disabled ? {} : { disabledUntil: null });
  return (
    <Card id="kept-out" title={words.keptOut}>
      <CheckField form={form} name="disabled" also={takeTimeAway} />
      {form.draft.disabled && <TimeField form={form} name="disabledUntil" hint={words.hints.disabledUntil} />}
    </Card>
  );
}

function endsOf({ isAdmin, authPolicyId, disabled }: Partial<EditedPerson>): string | null {
  if (disabled === true) return words.endsDisabled;
  if (isAdmin === false) return words.endsAdmin;
  return authPolicyId === undefined ? null : words.endsPolicy;
}
