// All managed entities, where each is stored, and the fields by which they refer to each other.

import { authPolicyEntity } from './auth-policy.ts';
import { authenticatorEntity } from './authenticator.ts';
import { caEntity } from './ca.ts';
import { configTypeEntity } from './config-type.ts';
import { enrollmentEntity } from './enrollment.ts';
import {
  type Entity,
  type EntityKind,
  type Field,
  type Fields,
  isReference,
  type RefersTo,
} from './entity.ts';
import { eventSubscriptionEntity } from './event-subscription.ts';
import { externalJwtSignerEntity } from './external-jwt-signer.ts';
import { identityEntity } from './identity.ts';
import { oidcClientEntity } from './oidc-client.ts';

/** Entities all of whose columns are those of their fields. */
export const describedEntities: readonly Entity[] = [
  authPolicyEntity,
  identityEntity,
  externalJwtSignerEntity,
  caEntity,
  configTypeEntity,
  eventSubscriptionEntity,
  oidcClientEntity,
];

const allEntities = [...describedEntities, authenticatorEntity, enrollmentEntity];
const byName = new Map(
  allEntities.flatMap((entity) => [[entity.kind as string, entity] as const, [entity.collection, entity]]),
);

/** @param name its kind, or that of its collection */
export function entityNamed(name: string): Entity {
  const entity = byName.get(name);
  if (entity === undefined) throw new Error(`no entity ${name}`);
  return entity;
}

/** A field that refers to other entities. */
export interface ReferenceField {
  readonly from: Entity;
  /** The names that lead to it, first that of the entity's own field. */
  readonly path: readonly [top: string, ...members: string[]];
  readonly field: RefersTo;
}

/** All fields that refer to other entities, without further names of the same field. */
export const referenceFields: readonly ReferenceField[] = allEntities.flatMap((from) =>
  fieldsAt(from.fields).flatMap(([path, field]) =>
    isReference(field) && field.sameAs === undefined ? [{ from, path, field }] : [],
  ),
);

type FieldAt = readonly [ReferenceField['path'], Field];

function fieldsAt(fields: Fields): readonly FieldAt[] {
  return Object.entries(fields).flatMap(([name, field]): readonly FieldAt[] =>
    field.kind === 'group' || field.kind === 'object'
      ? fieldsAt(field.members).map(([path, member]) => [[name, ...path], member])
      : [[[name], field]],
  );
}

/** An entity to which another one refers. */
export interface Referred {
  readonly to: EntityKind;
  readonly id: string;
}

/** An id in a value of an entity. */
export interface Reference extends Referred {
  /** Such as `secondary.requireExtJwt`. */
  readonly field: string;
}

/** The ids of other entities in some values of an entity. */
export function referencesIn(fields: Fields, values: object, prefix = ''): readonly Reference[] {
  return Object.entries(values).flatMap(([name, value]): readonly Reference[] => {
    const of = fields[name];
    const field = `${prefix}${name}`;
    if (of === undefined || value === undefined || value === null) return [];
    if (of.kind === 'group' || of.kind === 'object')
      return referencesIn(of.members, value as object, `${field}.`);
    return isReference(of) ? [value].flat().map((id) => ({ field, to: of.to, id: String(id) })) : [];
  });
}
