// The screen of one entity: related data, its form, and how to delete it.

import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Entity } from '../../../src/model/entities/entity.ts';
import { useIsHere } from '../../parts/action.ts';
import { Screen } from '../../parts/screen.tsx';
import { useIsAdmin } from '../me.ts';
import { Confirm } from '../parts/confirm.tsx';
import { LoadedScreen } from '../parts/loaded.tsx';
import { OnlyAdministrators } from '../parts/only-administrators.tsx';
import { refresh } from '../queries.ts';
import type { Versioned } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import { rereadEntity, useEntity } from './entity.ts';
import { draftOf, newDraft, type Values } from './entity-fields.ts';
import { EntityForm, type EntityFormProps } from './entity-form.tsx';
import { type Named, screenOf } from './names.ts';

type AboutEntity<Draft extends object> = Pick<EntityFormProps<Draft>, 'usual'> & {
  readonly entity: Entity;
  readonly fields: (isNew: boolean) => ReactNode;
  /** The things that saving these changes ends. @param id null: it is new */
  readonly ask?: (
    changes: Values,
    draft: Draft,
    id: string | null,
  ) => ReturnType<NonNullable<EntityFormProps<Draft>['ask']>>;
};

interface NewEntityProps<Draft extends object> extends AboutEntity<Draft> {
  /** The values of a new one, beside its defaults. */
  readonly initial: Values;
  /** Instead of the screen of the new one. Not called once the person has left the form. */
  readonly created?: (id: string, draft: Draft) => unknown;
}

/** Its changes are made, and the back button leads to the screen before it. */
const insteadOfForm = { replace: true, ignoreBlocker: true } as const;

/** Leads to another screen after a change, unless the person has left this one meanwhile. */
export function useGoOn(): ReturnType<typeof useNavigate> {
  const navigate = useNavigate();
  const isHere = useIsHere();
  return async (next) => {
    if (isHere()) await navigate(next);
  };
}

/** The form that adds an entity, and then leads to its screen. */
export function NewEntityForm<Draft extends object>({
  entity,
  fields,
  ask,
  usual,
  initial,
  created,
}: NewEntityProps<Draft>) {
  const navigate = useNavigate();
  const isHere = useIsHere();
  const toScreen = (id: string) =>
    navigate({ to: `/${screenOf(entity)}/$id`, params: { id }, ...insteadOfForm });
  return (
    <EntityForm<Draft>
      {...{ entity, id: null, usual, mayChange: true }}
      read={{ document: newDraft(entity, initial), version: null }}
      ask={(changes, draft) => ask?.(changes, draft, null) ?? null}
      saved={(id, draft) => isHere() && (created ?? toScreen)(id ?? '', draft)}
    >
      {fields(true)}
    </EntityForm>
  );
}

interface EntityScreenProps<Document extends Named, Draft extends object> extends NewEntityProps<Draft> {
  /** The title of the screen that adds one. */
  readonly create: string;
  /** Instead of the form that adds one. */
  readonly begin?: ReactNode;
  /** The things that deleting it ends; null: it cannot be deleted. */
  readonly deletionEnds: string | null;
  /** Shown above the form. */
  readonly children?: (document: Document, mayChange: boolean) => ReactNode;
}

/** The screen of the entity in the address, or that of a new one. */
export function EntityScreen<Document extends Named, Draft extends object>(
  props: EntityScreenProps<Document, Draft>,
) {
  const { id = '' } = useParams({ strict: false });
  if (id !== 'new') return <SavedEntity {...props} id={id} />;
  return (
    <Screen title={props.create}>
      <OnlyAdministrators>{props.begin ?? <NewEntityForm<Draft> {...props} />}</OnlyAdministrators>
    </Screen>
  );
}

function SavedEntity<Document extends Named, Draft extends object>({
  id,
  entity,
  fields,
  ask,
  deletionEnds,
  children,
}: EntityScreenProps<Document, Draft> & { readonly id: string }) {
  const isAdmin = useIsAdmin();
  const path = `${entity.collection}/${encodeURIComponent(id)}`;
  const query = useEntity<Document>(path);
  return (
    <LoadedScreen query={query} list={screenOf(entity)} title={({ document }) => document.name}>
      {(found) => (
        <>
          {children?.(found.document, isAdmin)}
          <EntityForm<Draft>
            {...{ id, entity, mayChange: isAdmin }}
            read={draftRead(entity, found)}
            ask={(changes, draft) => ask?.(changes, draft, id) ?? null}
            reread={async () => draftRead(entity, await rereadEntity<Document>(path))}
          >
            {fields(false)}
          </EntityForm>
          {isAdmin && deletionEnds !== null && (
            <p className="buttons">
              <DeleteButton
                {...{ entity, version: found.version, ends: deletionEnds }}
                of={found.document}
                list={`/${screenOf(entity)}`}
              />
            </p>
          )}
        </>
      )}
    </LoadedScreen>
  );
}

export function draftRead<Draft extends object>(
  entity: Entity,
  { document, version }: Versioned<object>,
): Versioned<Draft> {
  return { document: draftOf<Draft>(entity, document), version };
}

/** The button that deletes an entity, asks before, and then leads to its list. */
export function DeleteButton({
  entity: { collection, kind },
  of: { id, name },
  version = null,
  list,
  ends,
}: {
  entity: Entity;
  of: Named;
  /** That must still be current; null: any. */
  version?: string | null;
  /** The address of the list. */
  list: string;
  ends: string;
}) {
  const goOn = useGoOn();
  return (
    <Confirm
      id="delete"
      label={texts.delete}
      title={texts.deleteTitle(name)}
      ends={ends}
      change={() => ({ method: 'DELETE', path: `${collection}/${encodeURIComponent(id)}`, version })}
      command={['delete', kind, id]}
      done={texts.forms.deleted}
      whenDone={async () => {
        await goOn({ to: list, ...insteadOfForm });
        await refresh();
      }}
    />
  );
}
