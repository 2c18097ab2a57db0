// The schemas of a managed entity, made of its table (model/entities/): bodies that create, replace and change one, and
// its document.

import { z } from 'zod';
import { longestName } from '../../admin/acceptable-values.ts';
import {
  type Change,
  defaultOf,
  type Entity,
  type Field,
  type Fields,
  type IntegerBounds,
  mayBeNull,
  type New,
  sentFields,
} from '../../model/entities/entity.ts';
import { shownValue, shownValues } from '../../model/entities/shown.ts';
import { stateFields } from '../../model/entities/state-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import { formatDuration } from '../../platform/formats/durations.ts';
import { durationField, durationText, idText, someTime } from '../request/fields.ts';
import { schemaNamed } from '../request/route.ts';
import { entityHead, entityMembers, type Link, timeSchema } from './wire.ts';

/** Which body a field is in. In declarative state, references are names; an object is always complete. */
type Body = 'new' | 'whole' | 'some' | 'state' | 'object' | 'object-of-state';

/** Schemas of the bodies of an entity. */
export interface BodySchemas<E extends Entity> {
  readonly fresh: z.ZodType<New<E> & { readonly id?: string | undefined }>;
  readonly whole: z.ZodType<New<E>>;
  readonly some: z.ZodType<Change<E>>;
}

interface OwnSchemas {
  /** Of fields that accept more than their kind says. */
  readonly own?: Readonly<Record<string, z.ZodType>>;
  /** Further members of a new one. */
  readonly fresh?: Readonly<Record<string, z.ZodType>>;
}

export function bodySchemas<E extends Entity>(
  { fields, hasChosenId }: E,
  { own = {}, fresh = {} }: OwnSchemas = {},
): BodySchemas<E> {
  const id = hasChosenId ? { id: idText.optional() } : {};
  const shapeOf = (body: Body) => {
    const theirs = Object.entries(own).map(([name, schema]) => {
      const field = fields[name];
      return [name, field === undefined ? schema : ruledSchema(schema, field, body)] as const;
    });
    return { ...bodyShape(fields, body), ...Object.fromEntries(theirs) };
  };
  // Sound because the shapes follow from the fields from which the types follow.
  return {
    fresh: z.strictObject({ ...shapeOf('new'), ...id, ...fresh }),
    whole: z.strictObject(shapeOf('whole')),
    some: z.strictObject(shapeOf('some')),
  } as unknown as BodySchemas<E>;
}

export function bodyShape(fields: Fields, body: Body): Readonly<Record<string, z.ZodType>> {
  const sent = isOfState(body)
    ? stateFields(fields).map(({ member, field }) => [member, field] as const)
    : sentFields(fields).filter(([, { isForChange }]) => !(isForChange && body === 'new'));
  return Object.fromEntries(
    sent.map(([name, field]) => [name, ruledSchema(sentSchema(field, body), field, body)]),
  );
}

/** References are names there. */
function isOfState(body: Body): boolean {
  return body === 'state' || body === 'object-of-state';
}

/** The schema of a value with the rules of its field: whether it may be missing, and its default. */
function ruledSchema(schema: z.ZodType, field: Field, body: Body): z.ZodType {
  const usual = defaultOf(field);
  if ((body === 'object' || body === 'object-of-state') && usual !== undefined)
    return field.isNullable ? schema.default(usual).meta({ default: usual }) : schema.default(usual);
  if (!mayBeMissing(field, body)) return schema;
  const isDefault = body === 'new' || (body === 'whole' && field.whenLeftOut === undefined);
  // Only described here: the rules set it, also where no body is parsed.
  return isDefault && usual !== undefined && usual !== null
    ? schema.optional().meta({ default: shownValue(field, usual) })
    : schema.optional();
}

function mayBeMissing(field: Field, body: Body): boolean {
  if (body === 'some' || body === 'state') return true;
  if (body === 'whole' && field.whenLeftOut !== undefined) return field.whenLeftOut === 'kept';
  return field.isOptional || field.sameAs !== undefined || defaultOf(field) !== undefined;
}

function sentSchema(field: Field, body: Body): z.ZodType {
  const given = defaultOf(field);
  const schema = described(field, kindSchema(field, body));
  // Some clients send an empty text for none.
  if (field.isNullable && field.kind === 'reference' && !isOfState(body))
    return z.union([z.literal('').transform(() => null), schema]).nullable();
  if (field.isNullable && isText(field)) return schema.transform((text) => text || null).nullable();
  if (field.isNullable) return schema.nullable();
  return field.nullIsDefault ? schema.nullable().transform((value) => value ?? given) : schema;
}

function kindSchema(field: Field, body: Body): z.ZodType {
  switch (field.kind) {
    case 'time':
      return someTime;
    case 'duration':
      return boundedDuration(field);
    case 'integer':
      return boundedInteger(field);
    case 'reference':
      return isOfState(body) ? nameSchema : idText;
    case 'references':
      return listOf(isOfState(body) ? nameSchema : idText, field);
    case 'group':
      return z.strictObject(bodyShape(field.members, body === 'state' ? 'state' : 'some'));
    case 'object':
      return z.strictObject(bodyShape(field.members, isOfState(body) ? 'object-of-state' : 'object'));
    case 'text':
    case 'pem':
      return textSchema(field);
    case 'texts':
      return listOf(z.string().meta({ minLength: 1 }), field);
    default:
      return plainSchema(field);
  }
}

function isText({ kind }: Field): boolean {
  return kind === 'text' || kind === 'pem' || kind === 'picture';
}

/** Empty only where that means none. */
function textSchema(field: Field): z.ZodType {
  if (field.isNullable || defaultOf(field) === '') return z.string();
  const some = z.string().min(1, 'must not be empty');
  // Only described: the rule counts the characters of the form that is stored.
  return field.isName ? some.meta({ maxLength: longestName }) : some;
}

function boundedInteger({ least, most, zeroMeans }: IntegerBounds): z.ZodType {
  const problem = zeroMeans === undefined ? undefined : `must be at least 0, which means ${zeroMeans}`;
  return z.int().min(least, problem).max(most);
}

const nameSchema = z.string().describe('A name');

function boundedDuration({ least = 0, most = Number.POSITIVE_INFINITY }: Bounds): z.ZodType {
  if (most === Number.POSITIVE_INFINITY) return durationField;
  const problem = `must be between ${formatDuration(least)} and ${formatDuration(most)}`;
  return durationField.refine((millis) => millis >= least && millis <= most, problem);
}

interface Bounds {
  readonly least?: Millis;
  readonly most?: Millis;
}

function listOf(of: z.ZodType, { maxItems }: Field): z.ZodType {
  return maxItems === undefined ? z.array(of) : z.array(of).max(maxItems);
}

/** Kinds that look the same in bodies and documents. */
function plainSchema(field: Field): z.ZodType {
  switch (field.kind) {
    case 'flag':
      return z.boolean();
    case 'number':
      return z.int('must be a whole number').min(0, 'must be a whole number');
    case 'texts':
      return listOf(z.string(), field);
    case 'choice':
      return z.enum(field.choices as [string]);
    case 'choices':
      return z.array(z.enum(field.choices as [string])).max(field.choices.length);
    case 'tags':
      return entityMembers.tags;
    case 'pairs':
      return z.record(z.string(), z.string());
    case 'jwks':
      return z.looseObject({ keys: z.array(z.looseObject({})).meta({ minItems: 1 }) });
    default:
      return z.string();
  }
}

function described({ description, examples }: Field, schema: z.ZodType): z.ZodType {
  if (description === undefined && examples === undefined) return schema;
  return schema.meta({ ...(description && { description }), ...(examples && { examples: [...examples] }) });
}

/** The members of a document. */
function documentShape(fields: Fields): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, { isSecret }]) => !isSecret)
      .map(([name, field]) => {
        const schema = described(field, shownSchema(field));
        const shown = mayBeNull(field) && !field.isShownIfSet ? schema.nullable() : schema;
        return [field.shownAs ?? name, field.isShownIfSet ? shown.optional() : shown];
      }),
  );
}

function shownSchema(field: Field): z.ZodType {
  switch (field.kind) {
    case 'time':
      return timeSchema;
    case 'duration':
      return durationText;
    case 'integer':
      return z.int();
    case 'references':
      return z.array(z.string());
    case 'group':
    case 'object':
      return z.strictObject(documentShape(field.members));
    default:
      return plainSchema(field);
  }
}

/** @param more members that do not follow from fields */
export function documentSchema(
  { document, fields }: Entity,
  more: Readonly<Record<string, z.ZodType>> = {},
): z.ZodObject {
  return schemaNamed(document, { ...entityMembers, ...documentShape(fields), ...more });
}

/** An entity as the APIs show it, without what must not be shown. */
export function entityDocument(
  { collection, fields }: Entity,
  stored: { id: string; createdAt: Millis; updatedAt: Millis },
  links: Readonly<Record<string, Link>> = {},
): object {
  return { ...entityHead(collection, stored, links), ...shownValues(fields, stored) };
}

/** The member names that an object of the schema may have; for a union, those of all its members. */
export function membersOf(schema: z.ZodType): readonly string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodPipe) return membersOf(schema.in as z.ZodType);
  return schema instanceof z.ZodUnion
    ? schema.options.flatMap((option) => membersOf(option as z.ZodType))
    : [];
}

/** Accepted members of a body that only repeat the document that was read, and so choose nothing. */
export type Repeated = (body: Readonly<Record<string, unknown>>) => readonly string[];

/**
 * A schema for bodies that may also have these members, which are removed before it is applied.
 * @param known those that the schema itself accepts are not removed
 */
export function ignoring(known: readonly string[], schema: z.ZodType, again: Repeated = () => []): z.ZodType {
  const taken = new Set(membersOf(schema));
  const unknown = known.filter((name) => !taken.has(name));
  return z.preprocess((body) => {
    if (typeof body !== 'object' || body === null) return body;
    const ignored = new Set([...unknown, ...again(body as Record<string, unknown>)]);
    return Object.fromEntries(Object.entries(body).filter(([name]) => !ignored.has(name)));
  }, schema);
}
