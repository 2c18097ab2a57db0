import { z } from 'zod';
import type { Tags } from '../../model/entities/entity.ts';
import { isoTime, type Millis } from '../../platform/clock.ts';
import { schemaNamed } from '../request/route.ts';

// Parts of the documents of the Edge APIs. Links are relative to the root of the API.

/** RFC 3339, UTC. */
export const timeSchema = z.iso.datetime();
const linkSchema = schemaNamed('Link', { href: z.string() });
export const linksSchema = z.record(z.string(), linkSchema);
export const entityRefSchema = schemaNamed('EntityRef', {
  _links: linksSchema,
  entity: z.string(),
  id: z.string(),
  name: z.string(),
});
type EntityRef = z.output<typeof entityRefSchema>;
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
  { id, createdAt, updatedAt, tags = {} }: { id: string; createdAt: Millis; updatedAt: Millis; tags?: Tags },
  links: Readonly<Record<string, Link>> = {},
) {
  return {
    id,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    _links: { self: selfLink(collection, id), ...links },
    tags,
  };
}

/** The members of a document that its value must have: references follow from ids and names, if they are not given. */
type Shown<Shape extends z.ZodRawShape> = {
  readonly [Name in keyof Shape as NonNullable<z.output<Shape[Name]>> extends EntityRef
    ? never
    : undefined extends z.output<Shape[Name]>
      ? never
      : Name]: unknown;
} & { readonly [Name in keyof Shape]?: unknown };

/**
 * Makes documents of values: the members that the schema has, and no others. Times are written as RFC 3339, and
 * `identity` refers to the identity of `identityId` and `identityName`.
 */
export function documentsBy<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) {
  const members = Object.entries(schema.shape).map(([name, member]) => {
    const inner = member instanceof z.ZodNullable ? member.unwrap() : member;
    return { name, isTime: inner instanceof z.ZodISODateTime, isReference: inner === entityRefSchema };
  });
  return (value: Shown<Shape>): z.output<z.ZodObject<Shape>> => {
    const all = value as Readonly<Record<string, unknown>>;
    const shown: Record<string, unknown> = {};
    for (const { name, isTime, isReference } of members) {
      const found = all[name];
      if (isTime && typeof found === 'number') shown[name] = isoTime(found);
      else if (isReference && found === undefined)
        shown[name] = identityRef(all[`${name}Id`] as string | null, all[`${name}Name`] as string | null);
      else if (found !== undefined) shown[name] = found;
    }
    // Sound because the value has the members, and the answers of tests are compared with the schema.
    return shown as z.output<z.ZodObject<Shape>>;
  };
}

function identityRef(id: string | null, name: string | null): EntityRef | null {
  return id === null ? null : entityRef('identities', id, name ?? '');
}

/** How a document refers to another entity. */
export function entityRef(collection: string, id: string, name: string): EntityRef {
  return { _links: { self: selfLink(collection, id) }, entity: collection, id, name };
}
