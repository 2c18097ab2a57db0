import { useNavigate, useParams } from '@tanstack/react-router';
import { Screen } from '../../../parts/screen.tsx';
import { rereadEntity, useEntity } from '../../forms/entity.ts';
import { EntityForm } from '../../forms/entity-form.tsx';
import { useIsAdmin } from '../../me.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { queries } from '../../queries.ts';
import type { Versioned } from '../../session/api.ts';
import { texts } from '../../texts/texts.ts';
import type { IdentityDetail } from '../../types.ts';
import { draftOf, type PersonDraft, updateCommand } from './person-draft.ts';
import { PersonFields } from './person-fields.tsx';
import { words } from './words.ts';

export function EditPersonScreen() {
  const { id = '' } = useParams({ strict: false });
  return <EditPerson key={id} id={id} />;
}

const draftRead = ({ document, version }: Versioned<IdentityDetail>): Versioned<PersonDraft> => ({
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
          <EntityForm<PersonDraft>
            read={draftRead(found)}
            path={path}
            isNew={false}
            mayChange={isAdmin}
            labels={words.labels}
            nullable={['externalId']}
            command={(changes) => updateCommand(id, changes)}
            ends={endsOf}
            reread={async () => draftRead(await rereadEntity<IdentityDetail>(path))}
            saved={async () => {
              await queries.invalidateQueries({ queryKey: ['person', id] });
              await navigate({ to: '/people/$id', params: { id } });
            }}
          >
            {(form) => <PersonFields form={form} policy={found.document.authPolicy} />}
          </EntityForm>
        )}
      </Loaded>
    </Screen>
  );
}

function endsOf({ isAdmin, authPolicyId }: Partial<PersonDraft>): string | null {
  if (isAdmin === false) return words.endsAdmin;
  return authPolicyId === undefined ? null : words.endsPolicy;
}
