// Calls to the management API as the signed-in person.

import { createManagementApi, Refusal, secondaryTokenChallenge, Unreachable } from '@overlay-auth/client';
import { setApart } from '../../../src/pages/texts/both-languages.ts';
import { language } from '../../parts/language.ts';
import { session } from './session.ts';

const root = '/edge/management/v1/';

/** The hint for programs in the refusal of a name, in any language. */
const hint = /; \?force=true .*$/;

/** Why a call was refused, for people to read. */
export function reasonOf({ reason, message }: Refusal): string {
  return setApart((reason ?? message).replace(hint, ''));
}

/** Whether the same change is made if it is forced. */
export function mayBeForced(error: unknown): boolean {
  return error instanceof Refusal && (error.field === 'force' || hint.test(error.reason ?? ''));
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** The list is too long to be counted: a multiple of 1000 says about how many there are, another number that there are more. */
  readonly isEstimate: boolean;
}

export interface ListQuery {
  readonly filter?: string;
  readonly sort?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** @throws Refusal, Unreachable */
export async function read<Document>(path: string, signal?: AbortSignal): Promise<Document> {
  return (await readVersioned<Document>(path, signal)).document;
}

/** The document that was read, and its version; null if the API has none. */
export interface Versioned<Document> {
  readonly document: Document;
  /** The form that `If-Match` takes. */
  readonly version: string | null;
}

/** @throws Refusal, Unreachable */
export async function readVersioned<Document>(
  path: string,
  signal?: AbortSignal,
): Promise<Versioned<Document>> {
  const { data, response } = await send({ method: 'GET', path }, { signal });
  return { document: (data as { readonly data: Document }).data, version: response.headers.get('etag') };
}

interface Listed<Item> {
  readonly data: readonly Item[];
  readonly meta: {
    readonly pagination: { readonly totalCount: number; readonly totalCountIsEstimate?: boolean };
  };
}

/** @throws Refusal, Unreachable */
export async function list<Item>(
  path: string,
  query: ListQuery = {},
  signal?: AbortSignal,
): Promise<Page<Item>> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  const { data: found } = await send({ method: 'GET', path: `${path}?${parameters}` }, { signal });
  const { data, meta } = found as Listed<Item>;
  const { totalCount, totalCountIsEstimate = false } = meta.pagination;
  return { items: data, total: totalCount, isEstimate: totalCountIsEstimate };
}

/** The answer as text, if it is not JSON. @throws Refusal, Unreachable */
export async function readText(path: string, signal?: AbortSignal): Promise<string> {
  return String((await send({ method: 'GET', path }, { signal, parseAs: 'text' })).data);
}

/** A request that changes something. */
export interface Change {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the root of the management API. */
  readonly path: string;
  readonly body?: object;
  /** A table instead of a body, in UTF-8. */
  readonly csv?: ArrayBuffer;
  /** The version that must still be current; otherwise the call is refused with 412. Null or absent: any. */
  readonly version?: string | null;
}

/** @throws Refusal, Unreachable */
export async function make<Document>(change: Change): Promise<Document> {
  return ((await send(change)).data as { readonly data: Document }).data;
}

/** The address of a call, as other programs write it. */
export function addressOf(path: string): string {
  return `${location.origin}${root}${path}`;
}

/** A text literal in the filter language. */
export function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

type Sent = Change | { readonly method: 'GET'; readonly path: string };

interface Answer {
  readonly data: unknown;
  readonly response: Response;
}

const api = createManagementApi({ baseUrl: location.origin, token: session.token });

/** Waits for a sign-in when the session has ended. @param more how to read the answer, and when to stop */
async function send({ method, path, ...change }: Sent, more: object = {}): Promise<Answer> {
  const { body, csv, version }: Pick<Change, 'body' | 'csv' | 'version'> = change;
  // Paths are made here, so their types say nothing.
  const call = api[method] as unknown as (path: string, init: object) => Promise<Answer>;
  const headers = {
    // Explanations come in the language of the page.
    'accept-language': language,
    ...(version != null && { 'if-match': version }),
    ...(csv !== undefined && { 'content-type': 'text/csv' }),
  };
  const sent = csv === undefined ? { body } : { body: csv, bodySerializer: (bytes: ArrayBuffer) => bytes };
  for (;;) {
    try {
      return await call(`/${path}`, { ...sent, headers, ...more });
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 401) throw error;
      // A page cannot send another provider's token: signing in again would change nothing.
      if (secondaryTokenChallenge(error) !== undefined) throw error;
      session.sessionEnded();
    }
  }
}

/** An answer that is not of the API. @throws Unreachable when there is none */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, init).catch((error) => {
    throw init.signal?.aborted ? error : new Unreachable(location.origin, error);
  });
}
