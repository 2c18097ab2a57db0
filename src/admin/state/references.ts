// Turns the names of other entities in a document into the ids that the rules of single entities take.

import type { EntityKind, Fields } from '../../model/entities/entity.ts';
import { translated } from '../../model/entities/state-fields.ts';
import type { StateKind } from '../../model/entities/state-kinds.ts';
import type { StoredName } from '../../model/ids.ts';
import { typedName } from '../../model/names.ts';
import type { Random } from '../../platform/random.ts';
import { namesNothing } from '../acceptable-values.ts';
import type { StoredEntity, StoredState } from './read-state.ts';
import type { NamedState } from './state.ts';

/** An entity of the document with its stored counterpart. */
export interface Matched {
  readonly kind: StateKind;
  readonly given: NamedState;
  readonly stored: StoredEntity | undefined;
}

/** Ids by name, of stored entities and of those that will be created: policies and signers refer to one another. */
export type References = ReturnType<typeof referencesOf>;

export function referencesOf(random: Random, matched: readonly Matched[], { ids }: Pick<StoredState, 'ids'>) {
  const all = new Map([...ids].map(([kind, stored]) => [kind, new Map(stored)]));
  for (const { kind, given, stored } of matched)
    if (stored === undefined) all.get(kind)?.set(given.name, random.id());
  const known = new Set([...all.values()].flatMap((ofKind) => [...ofKind.values()]));
  return {
    /** The id that a new entity will have. */
    plannedId: (kind: StateKind, name: StoredName) => all.get(kind)?.get(name) ?? random.id(),
    /** Whether there is, or will be, an entity with this id to which others may refer. */
    isKnown: (id: string) => known.has(id),
    /** @throws AuthError could_not_validate */
    idOf(kind: EntityKind, field: string, name: string) {
      const id = all.get(kind)?.get(typedName(name));
      if (id === undefined) throw namesNothing(field, kind, name);
      return id;
    },
  };
}

/** The fields that members of a document set, with ids instead of names. @throws AuthError could_not_validate */
export function fieldsOf(
  references: References,
  fields: Fields,
  members: object,
): Readonly<Record<string, unknown>> {
  const reference = (to: EntityKind, name: string, path: string) => references.idOf(to, path, name);
  return translated(fields, members, { from: 'member', reference });
}
