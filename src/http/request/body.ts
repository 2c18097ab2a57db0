// Turns the bytes of a body or query into typed values, which are trusted afterwards.
import { z } from 'zod';
import { nearestKey } from '../../config/nearest-key.ts';
import { AuthError, type FieldProblem } from '../../errors/auth-error.ts';
import {
  decodeUtf8,
  MalformedInput,
  parseStrictForm,
  parseStrictJson,
} from '../../platform/formats/strict-input.ts';
import { jsonType } from './answer.ts';
import { unsupportedBody } from './errors.ts';
import type { RequestContext } from './request-context.ts';
import type { BodyRule, Route } from './route.ts';

export const formType = 'application/x-www-form-urlencoded';

/** Largest body in bytes, unless an endpoint has another one. */
export const bodyLimit = 64 * 1024;
/** The OIDC endpoints take a few short fields. */
const oidcBodyLimit = 16 * 1024;

/** The largest body that an endpoint reads, in bytes. */
export function bodyLimitOf({ bodyLimit: own, api }: Pick<Route, 'bodyLimit' | 'api'>): number {
  return own ?? (api === 'oidc' ? oidcBodyLimit : bodyLimit);
}

type Received = Pick<RequestContext, 'headers' | 'rawBody'>;

/**
 * Reads a JSON or form body and applies the schema.
 * An empty body is an empty record, with or without an accepted media type.
 * @throws AuthError unsupported_media_type   another media type, a charset other than UTF-8, a content coding
 * @throws AuthError could_not_parse_body     not well-formed, duplicate names in JSON included
 * @throws AuthError could_not_validate       does not fit the schema; names the fields
 */
export function readBody<Schema extends z.ZodType>(from: Received, rule: BodyRule<Schema>): z.output<Schema> {
  return validate(readFields(from, rule), rule.schema);
}

/**
 * The bytes of a body that is neither JSON nor a form, such as a certificate request.
 * @param mediaTypes those that the endpoint accepts, in lower case
 * @throws AuthError unsupported_media_type
 */
export function readRawBody(request: Received, mediaTypes: readonly string[]): Buffer {
  const mediaType = mediaTypeOf(request);
  if (mediaType === null || !mediaTypes.includes(mediaType.essence))
    throw unsupportedBody(request.headers['content-type'], mediaTypes);
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
    fields = text === '' ? Object.create(null) : parseStrictForm(text);
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    throw new AuthError('could_not_validate', { fields: [{ field: 'query', reason: error.reason }] });
  }
  return validate(fields, schema);
}

/**
 * Applies a schema to the client's input.
 * @throws AuthError could_not_validate   with one problem per field, without secrets
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
  const essence = mediaTypeOf(request)?.essence;
  const mediaTypes = bodyTypesOf({ body: rule });
  if (essence === undefined || !mediaTypes.includes(essence))
    throw unsupportedBody(request.headers['content-type'], mediaTypes);
  const isJson = essence === jsonType;
  if (isEmpty) return Object.create(null);
  try {
    return isJson ? jsonFields(bytes) : parseStrictForm(decodeUtf8(bytes));
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    const problem: FieldProblem = { field: 'body', reason: error.reason };
    throw new AuthError('could_not_parse_body', { fields: [problem] });
  }
}

/** The media types of the bodies that an endpoint reads. */
export function bodyTypesOf({
  body,
  rawBody = [],
}: Partial<Pick<Route, 'body' | 'rawBody'>>): readonly string[] {
  return [...(body?.json ? [jsonType] : []), ...(body?.form ? [formType] : []), ...rawBody];
}

/** The media type of the body; null when it is missing or unsupported. */
function mediaTypeOf({ headers }: Received): MediaType | null {
  const coding = headers['content-encoding'];
  // Nothing is ever decompressed: a small body could become a large one.
  if (coding !== undefined && coding.toLowerCase() !== 'identity') return null;
  const mediaType = parseMediaType(headers['content-type'] ?? '');
  if (mediaType === null) return null;
  const isUtf8 = mediaType.charset === null || mediaType.charset === 'utf-8' || mediaType.charset === 'utf8';
  return isUtf8 ? mediaType : null;
}

/** Names and values without a prototype. */
type Fields = Readonly<Record<string, unknown>>;

/** The members of a JSON object. @throws MalformedInput as the strict parser, not UTF-8, or not an object */
function jsonFields(bytes: Uint8Array): Fields {
  const value = parseStrictJson(decodeUtf8(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MalformedInput('not a JSON object');
  return value as Fields;
}

interface MediaType {
  /** `type/subtype` in lower case. */
  readonly essence: string;
  /** In lower case; null when not given. */
  readonly charset: string | null;
}

const tokenPattern = "[!#$%&'*+.^_`|~\\w-]+";
const essencePattern = new RegExp(`^${tokenPattern}/${tokenPattern}$`);
const parameterPattern = new RegExp(`^(${tokenPattern})=(?:(${tokenPattern})|"((?:[^"\\\\]|\\\\.)*)")$`);

/**
 * Reads a Content-Type; null when it is not one, or names a parameter twice.
 * @see RFC 9110 section 8.3.1
 */
export function parseMediaType(text: string): MediaType | null {
  if (text.length > 256) return null;
  const [essence = '', ...parameters] = text.split(';').map((part) => part.trim());
  if (!essencePattern.test(essence)) return null;
  const values = new Map<string, string>();
  for (const parameter of parameters) {
    if (parameter === '') continue;
    const parts = parameterPattern.exec(parameter);
    const name = parts?.[1]?.toLowerCase();
    if (parts === null || name === undefined || values.has(name)) return null;
    values.set(name, (parts[2] ?? (parts[3] ?? '').replace(/\\(.)/g, '$1')).toLowerCase());
  }
  return { essence: essence.toLowerCase(), charset: values.get('charset') ?? null };
}

/** The values of these fields never appear in an answer, wherever the name contains the word. */
const secretField = /pass|secret|token|code|verifier|assertion|jwt|key|hint|credential|cert|seed/i;
const longestValue = 100;
const longestName = 80;
const mostProblems = 10;

/** The known names, for suggestions about an unknown member: zod tells them only while it validates. */
type KnownNames = ReturnType<typeof knownNames>;

function knownNames() {
  const byPath = new Map<string, readonly string[]>();
  return {
    /** For `safeParse`. */
    note({ code, inst, path = [] }: z.core.$ZodRawIssue) {
      if (code === 'unrecognized_keys' && inst instanceof z.ZodObject)
        byPath.set(JSON.stringify(path), Object.keys(inst.shape));
      return undefined;
    },
    at: (path: readonly PropertyKey[]) => byPath.get(JSON.stringify(path)) ?? [],
  };
}

/**
 * The problems of each field, for the client.
 * @param sent the value that the schema was applied to
 */
function fieldProblems(error: z.ZodError, sent: unknown, names: KnownNames): FieldProblem[] {
  // Each issue has at least one problem, and a body can have a million issues.
  const first = error.issues.slice(0, mostProblems);
  return first.flatMap((issue) => problemsOf(issue, sent, names)).slice(0, mostProblems);
}

function problemsOf(issue: z.core.$ZodIssue, sent: unknown, names: KnownNames): FieldProblem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, mostProblems).map((key) => ({
      field: [...path, key.toWellFormed().slice(0, longestName)].join('.'),
      reason: unknownName(key, names.at(issue.path)),
    }));
  const value = valueAt(sent, path);
  const field = path.join('.') || 'body';
  const reason = reasonOf(issue, value);
  const shown = shownValue(path, value);
  return [shown === undefined ? { field, reason } : { field, reason, value: shown }];
}

function unknownName(key: string, known: readonly string[]): string {
  if (known.length === 0) return 'is not known: nothing is taken here';
  const nearest = nearestKey(key, known);
  return nearest === undefined
    ? `is not known here: known are ${known.join(', ')}`
    : `is not known here: the nearest known name is ${nearest}`;
}

function reasonOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'custom') return issue.message;
  if (value === undefined) return 'is required';
  if (issue.code === 'invalid_type' && issue.expected === 'string' && Array.isArray(value))
    return 'must be a single text value';
  return lowerFirst(issue.message);
}

// Own properties only: a path must never lead into a prototype.
function valueAt(sent: unknown, path: readonly string[]): unknown {
  let value = sent;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function shownValue(path: readonly string[], value: unknown): string | number | boolean | undefined {
  if (path.length === 0 || path.some((name) => secretField.test(name))) return undefined;
  if (typeof value === 'string') return value.toWellFormed().slice(0, longestValue);
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

const tokenField = {
  json: false,
  form: true,
  schema: z.looseObject({ access_token: z.string().optional() }),
};

/**
 * Treats the access token that a form brings in its body (RFC 6750 2.2) like an Authorization header. Looks only at
 * POST requests with a form; other bodies are not read.
 * @throws AuthError could_not_validate, could_not_parse_body   it appears twice, or the form cannot be read
 * @throws AuthError invalid_request   an Authorization header has one too: only one way may be used (RFC 6750 2)
 */
export function takeFormToken(context: RequestContext): void {
  if (context.method !== 'POST') return;
  const mediaType = parseMediaType(context.headers['content-type'] ?? '');
  if (mediaType?.essence !== formType) return;
  const { access_token: token } = readBody(context, tokenField);
  if (token === undefined) return;
  if (context.authorization.length > 0)
    throw new AuthError('invalid_request', {
      description: 'The access token is given more than once: send it in the header or in the body',
    });
  context.authorization = [`Bearer ${token}`];
}
