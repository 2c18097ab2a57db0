// The operations of a managed entity, made of its table and its rules.

import type { Managed } from '../../admin/entity-rules.ts';
import type { Entity, New, Stored } from '../../model/entities/entity.ts';
import { listFieldsOf } from '../../model/entities/listed-fields.ts';
import { forReaders } from '../../model/entities/shown.ts';
import type { ListFields } from '../../model/list-fields.ts';
import type { VersionedEntity } from '../../store/contracts/versions.ts';
import {
  type BodySchemas,
  bodySchemas,
  documentSchema,
  entityDocument,
} from '../documents/entity-schemas.ts';
import { mapPage } from '../documents/lists.ts';
import type { Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { operation, type Reader, type Resource, resourceRoutes } from './resource.ts';

interface Described {
  readonly listFields?: ListFields;
  readonly document?: Resource['document'];
}

/** The resource of a managed entity: its address, names, document, lists and versions. */
export function describedResource(
  entity: Entity,
  needs: Pick<EdgeServices, 'store'>,
  { listFields = listFieldsOf(entity), document = documentSchema(entity) }: Described = {},
): Pick<Resource, 'collection' | 'noun' | 'document' | 'listFields' | 'versioned'> {
  const { collection, noun } = entity;
  // Sound for every entity that can change.
  const versioned = { entity: collection as VersionedEntity, versions: needs.store.versions };
  return { collection, noun, document, listFields, versioned };
}

interface EntityResource<E extends Entity> extends Pick<Resource, 'ignoredMembers' | 'created'> {
  readonly described?: Described;
  /** How a document looks, where it has members that no field has. */
  readonly documentOf?: (stored: Stored<E>) => object;
  /** The same, where something has to be read first for all documents of an answer. */
  readonly documents?: () => Promise<(stored: Stored<E>) => object>;
}

export function entityRoutes<E extends Entity>(
  rules: Managed<E>,
  needs: EdgeServices,
  { described = {}, documentOf, documents, ...rest }: EntityResource<E> = {},
): readonly Route[] {
  const { entity } = rules;
  const { fresh, whole, some } = bodiesOf(entity);
  const shown = documents ?? (async () => documentOf ?? ((stored) => entityDocument(entity, stored)));
  const documentsFor = async ({ isAdmin }: Reader) => {
    const document = await shown();
    return (stored: Stored<E>) => document(isAdmin ? stored : forReaders(entity.fields, stored));
  };
  return resourceRoutes({
    ...describedResource(entity, needs, described),
    ...rest,
    list: async (query, reader) => mapPage(await rules.list(needs, query), await documentsFor(reader)),
    get: async (id, reader) => (await documentsFor(reader))(await rules.get(needs, id)),
    create: operation(fresh, (by, fields) => rules.create(needs, by, fields)),
    replace: operation(whole, (by, fields, id) => rules.replace(needs, by, { id, fields: fields as New<E> })),
    patch: operation(some, (by, fields, id) => rules.update(needs, by, { id, fields })),
    remove: (by, id) => rules.remove(needs, by, id),
  });
}

const knownBodies = new WeakMap<Entity, unknown>();

/** Made once for each entity: it takes half of the time in which the endpoints are made. */
function bodiesOf<E extends Entity>(entity: E): BodySchemas<E> {
  const bodies = knownBodies.get(entity) ?? bodySchemas(entity);
  knownBodies.set(entity, bodies);
  // Sound because only bodies of this entity are kept under it.
  return bodies as BodySchemas<E>;
}
