// The bytes of a body or query become typed values here, and are trusted afterwards.
import type { z } from 'zod';
import { AuthError, type FieldProblem } from '../../errors/auth-error.ts';
import { MalformedInput } from '../../platform/formats/malformed-input.ts';
import { type Fields, formFields, jsonFields } from './decode.ts';
import { fieldProblems, knownNames } from './field-problems.ts';
import { type MediaType, parseMediaType } from './media-type.ts';
import type { RequestContext } from './request-context.ts';
import type { BodyRule } from './route.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

type Received = Pick<RequestContext, 'headers' | 'rawBody'>;

/**
 * Reads a JSON or form body and applies the schema.
 * An empty body is an empty record, with or without one of the accepted media types.
 * @throws AuthError unsupported_media_type   another media type, a charset other than UTF-8, a content coding
 * @throws AuthError could_not_parse_body     not well-formed, duplicate names in JSON included
 * @throws AuthError could_not_validate       does not fit the schema; names the fields
 */
export function readBody<Schema extends z.ZodType>(
  request: Received,
  rule: BodyRule<Schema>,
): z.output<Schema> {
  return validate(readFields(request, rule), rule.schema);
}

/**
 * The bytes of a body that is neither JSON nor a form, such as a certificate request.
 * @param mediaTypes those that the endpoint accepts, in lower case
 * @throws AuthError unsupported_media_type
 */
export function readRawBody(request: Received, mediaTypes: readonly string[]): Buffer {
  const mediaType = mediaTypeOf(request);
  if (mediaType === null || !mediaTypes.includes(mediaType.essence)) {
    throw new AuthError('unsupported_media_type', { detail: request.headers['content-type'] ?? 'none' });
  }
  return request.rawBody ?? Buffer.alloc(0);
}

/**
 * Reads a query string and applies the schema.
 * @param text without the question mark
 * @throws AuthError could_not_validate   not well-formed, or does not fit the schema; names the fields
 */
export function readQuery<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
  let fields: Fields;
  try {
    fields = formFields(text);
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    throw new AuthError('could_not_validate', { fields: [{ field: 'query', reason: error.reason }] });
  }
  return validate(fields, schema);
}

/**
 * Applies a schema to what a client sent.
 * @throws AuthError could_not_validate   with one problem per field, secrets left out
 */
export function validate<Schema extends z.ZodType>(value: unknown, schema: Schema): z.output<Schema> {
  const names = knownNames();
  const result = schema.safeParse(value, { error: names.note });
  if (result.success) return result.data;
  throw new AuthError('could_not_validate', { fields: fieldProblems(result.error, value, names) });
}

function readFields(request: Received, rule: BodyRule): Fields {
  const bytes = request.rawBody;
  const isEmpty = bytes === undefined || bytes.length === 0;
  if (isEmpty && request.headers['content-type'] === undefined) return Object.create(null);
  const mediaType = mediaTypeOf(request);
  const isJson = rule.json && mediaType?.essence === JSON_TYPE;
  const isForm = rule.form && mediaType?.essence === FORM_TYPE;
  if (!isJson && !isForm) {
    throw new AuthError('unsupported_media_type', { detail: request.headers['content-type'] ?? 'none' });
  }
  if (isEmpty) return Object.create(null);
  try {
    return isJson ? jsonFields(bytes) : formFields(bytes);
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    const problem: FieldProblem = { field: 'body', reason: error.reason };
    throw new AuthError('could_not_parse_body', { fields: [problem] });
  }
}

/** The media type of the body; null when it is missing or one that nobody here decodes. */
function mediaTypeOf({ headers }: Received): MediaType | null {
  const coding = headers['content-encoding'];
  // Nothing is ever decompressed: a small body would stand for a large one.
  if (coding !== undefined && coding.toLowerCase() !== 'identity') return null;
  const mediaType = parseMediaType(headers['content-type'] ?? '');
  if (mediaType === null) return null;
  const isUtf8 = mediaType.charset === null || mediaType.charset === 'utf-8' || mediaType.charset === 'utf8';
  return isUtf8 ? mediaType : null;
}
