import { z } from 'zod';
import type { Tags } from '../../model/entities/entity.ts';
import { isoTime, type Millis } from '../../platform/clock.ts';

// Parts of the documents of the Edge APIs. Links are relative to the root of the API.

/** RFC 3339, UTC. */
export const timeSchema = z.iso.datetime();
const linkSchema = z.strictObject({ href: z.string() }).meta({ id: 'Link' });
export const linksSchema = z.record(z.string(), linkSchema);
export const entityRefSchema = z
  .strictObject({ _links: linksSchema, entity: z.string(), id: z.string(), name: z.string() })
  .meta({ id: 'EntityRef' });
const tagsSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
/** The members that documents of all entities have. */
export const entityMembers = {
  id: z.string(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  _links: linksSchema,
  tags: tagsSchema,
};

export interface Link {
  readonly href: string;
}

/** @param collection the last part of the collection's path, such as `identities` */
export function selfLink(collection: string, id: string): Link {
  return { href: `./${collection}/${id}` };
}

/**
 * The members with which the document of every entity begins (`entityMembers`).
 * @param links to more than itself
 */
export function entityHead(
  collection: string,
  entity: {
    readonly id: string;
    readonly createdAt: Millis;
    readonly updatedAt: Millis;
    readonly tags?: Tags;
  },
  links: Readonly<Record<string, Link>> = {},
) {
  const { id, createdAt, updatedAt, tags = {} } = entity;
  return {
    id,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    _links: { self: selfLink(collection, id), ...links },
    tags,
  };
}

/** How a document refers to another entity. */
export function entityRef(collection: string, id: string, name: string): Readonly<Record<string, unknown>> {
  return { _links: { self: selfLink(collection, id) }, entity: collection, id, name };
}
