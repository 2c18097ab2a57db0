// The screen of one entity: related data, its form, and how to delete it.

import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Entity } from '../../../src/model/entities/entity.ts';
import { Screen } from '../../parts/screen.tsx';
import { useIsAdmin } from '../me.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { OnlyAdministrators } from '../parts/only-administrators.tsx';
import type { Versioned } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import { refreshEntities, rereadEntity, useEntity } from './entity.ts';
import { draftOf } from './entity-fields.ts';
import { EntityForm, type EntityFormProps } from './entity-form.tsx';

export interface EntityScreenProps<Document extends { readonly name: string }, Draft extends object>
  extends Pick<EntityFormProps<Draft>, 'ask'> {
  readonly id: string;
  readonly entity: Entity;
  /** The first part of its address, and of that of its list. */
  readonly screen: 'clients' | 'signers' | 'cas' | 'policies';
  readonly fields: EntityFormProps<Draft>['children'];
  /** What deleting it ends; null: it cannot be deleted. */
  readonly deletionEnds: string | null;
  /** Shown above the form. */
  readonly children?: (document: Document, mayChange: boolean) => ReactNode;
}

export function EntityScreen<Document extends { readonly name: string }, Draft extends object>({
  id,
  entity,
  screen,
  fields,
  deletionEnds,
  children,
  ...asks
}: EntityScreenProps<Document, Draft>) {
  const isAdmin = useIsAdmin();
  const path = `${entity.collection}/${encodeURIComponent(id)}`;
  const query = useEntity<Document>(path);
  return (
    <Screen title={query.data?.document.name ?? texts.screens[screen]}>
      <Loaded query={query}>
        {(found) => (
          <>
            {children?.(found.document, isAdmin)}
            <EntityForm<Draft>
              {...{ id, entity, ...asks }}
              read={draftRead(entity, found)}
              mayChange={isAdmin}
              reread={async () => draftRead(entity, await rereadEntity<Document>(path))}
            >
              {fields}
            </EntityForm>
            {isAdmin && deletionEnds !== null && (
              <DeleteEntity {...{ id, entity, found }} list={`/${screen}`} ends={deletionEnds} />
            )}
          </>
        )}
      </Loaded>
    </Screen>
  );
}

/** The screen on which administrators add an entity. */
export function NewEntityScreen({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <Screen title={title}>
      <OnlyAdministrators>{children}</OnlyAdministrators>
    </Screen>
  );
}

export function draftRead<Draft extends object>(
  entity: Entity,
  { document, version }: Versioned<object>,
): Versioned<Draft> {
  return { document: draftOf<Draft>(entity, document), version };
}

/** The button that deletes an entity, asks before, and then leads to its list. */
export function DeleteEntity({
  id,
  entity,
  list,
  ends,
  found: { document, version },
}: {
  readonly id: string;
  readonly entity: Entity;
  readonly list: string;
  readonly ends: string;
  readonly found: Versioned<{ readonly name: string }>;
}) {
  const navigate = useNavigate();
  return (
    <p className="buttons">
      <Confirm
        id="delete"
        label={texts.delete}
        title={texts.deleteTitle(document.name)}
        ends={ends}
        isDestructive
        change={() => ({ method: 'DELETE', path: `${entity.collection}/${encodeURIComponent(id)}`, version })}
        command={['delete', entity.kind, id]}
        done={texts.forms.deleted}
        whenDone={async () => {
          await navigate({ to: list });
          await refreshEntities();
        }}
      />
    </p>
  );
}
