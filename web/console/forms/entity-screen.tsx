// The screen of one entity: related data, its form, and how to delete it.

import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Screen } from '../../parts/screen.tsx';
import { useIsAdmin } from '../me.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Loaded } from '../parts/loaded.tsx';
import type { Versioned } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import { type Flags, type Labels, optionsFor } from './draft.ts';
import { refreshEntities, rereadEntity, useEntity } from './entity.ts';
import { EntityForm, type FormState } from './entity-form.tsx';

export interface EntityScreenProps<Document extends { readonly name: string }, Draft extends object> {
  readonly id: string;
  /** The collection in the API, such as `oidc-clients`. */
  readonly collection: string;
  /** Its name on the command line, such as `oidc-client`. */
  readonly noun: string;
  /** The address of its list, such as `/clients`. */
  readonly list: '/clients' | '/signers' | '/cas' | '/policies';
  readonly listTitle: string;
  /** The part of the entity that the form changes. */
  readonly draftOf: (document: Document) => Draft;
  readonly labels: Labels<Draft>;
  readonly nullable?: readonly (keyof Draft)[];
  /** The options of `overlay-auth update`, by field. */
  readonly flags: Flags<Draft>;
  readonly fields: (form: FormState<Draft>) => ReactNode;
  /** What a change ends, if anything. */
  readonly ends?: (changes: Partial<Draft>, document: Document) => string | null;
  readonly deletion: { readonly title: (name: string) => string; readonly ends: string };
  /** Shown above the form. */
  readonly children?: (document: Document, mayChange: boolean) => ReactNode;
}

export function EntityScreen<Document extends { readonly name: string }, Draft extends object>(
  props: EntityScreenProps<Document, Draft>,
) {
  const { id, collection, listTitle, draftOf, labels, fields, ends } = props;
  const isAdmin = useIsAdmin();
  const path = `${collection}/${encodeURIComponent(id)}`;
  const query = useEntity<Document>(path);
  const read = ({ document, version }: Versioned<Document>) => ({ document: draftOf(document), version });
  return (
    <Screen title={query.data?.document.name ?? listTitle}>
      <Loaded query={query}>
        {(found) => (
          <>
            {props.children?.(found.document, isAdmin)}
            <EntityForm<Draft>
              read={read(found)}
              path={path}
              isNew={false}
              mayChange={isAdmin}
              labels={labels}
              nullable={props.nullable ?? []}
              command={(changes) => {
                const options = optionsFor<Draft>(changes, props.flags);
                return options === null ? null : ['update', props.noun, id, ...options];
              }}
              ends={(changes) => ends?.(changes, found.document) ?? null}
              reread={async () => read(await rereadEntity<Document>(path))}
              saved={() => undefined}
            >
              {fields}
            </EntityForm>
            {isAdmin && <DeleteEntity {...props} path={path} found={found} />}
          </>
        )}
      </Loaded>
    </Screen>
  );
}

/** The button that deletes an entity, asks before, and then leads to its list. */
export function DeleteEntity({
  id,
  noun,
  list,
  deletion,
  path,
  found: { document, version },
}: Pick<EntityScreenProps<{ readonly name: string }, object>, 'id' | 'noun' | 'list' | 'deletion'> & {
  readonly path: string;
  readonly found: Versioned<{ readonly name: string }>;
}) {
  const navigate = useNavigate();
  return (
    <p className="buttons">
      <Confirm
        id="delete"
        label={texts.forms.delete}
        title={deletion.title(document.name)}
        ends={deletion.ends}
        isDestructive
        change={() => ({ method: 'DELETE', path, version })}
        command={['delete', noun, id]}
        done={texts.forms.deleted}
        whenDone={async () => {
          await navigate({ to: list });
          await refreshEntities();
        }}
      />
    </p>
  );
}
