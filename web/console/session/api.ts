// Calls to the management API as the signed-in person.

import { Unreachable } from '@overlay-auth/client';
import { accessToken, renewedToken, sessionEnded } from './session.ts';

const root = '/edge/management/v1/';

/** What the refusal of a name says to programs. */
const hint = '; ?force=true gives it all the same';

/** A refusal in the envelope of the API. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** For an administrator. */
  readonly reference: string;
  /** The refused field, if any. */
  readonly field: string | null;
  /** Whether the same change is made if it is forced. */
  readonly mayBeForced: boolean;

  constructor(status: number, error: RefusalBody = {}) {
    const said = error.cause?.reason ?? error.message ?? String(status);
    super(said.replace(hint, ''));
    this.status = status;
    this.code = error.code ?? '';
    this.reference = error.requestId ?? '';
    this.field = error.cause?.field ?? null;
    this.mayBeForced = this.field === 'force' || said.includes(hint);
  }
}

interface RefusalBody {
  readonly code?: string;
  readonly message?: string;
  readonly requestId?: string;
  readonly cause?: { readonly field?: string; readonly reason?: string };
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** The list is too long to be counted. */
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

/** What was read, and its version; null if the API has none. */
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
  const response = await send({ method: 'GET', path }, signal);
  return { document: (await response.json()).data, version: response.headers.get('etag') };
}

/** @throws Refusal, Unreachable */
export async function list<Item>(
  path: string,
  query: ListQuery = {},
  signal?: AbortSignal,
): Promise<Page<Item>> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  }
  const response = await send({ method: 'GET', path: `${path}?${parameters}` }, signal);
  const { data, meta } = await response.json();
  const { totalCount, totalCountIsEstimate = false } = meta.pagination;
  return { items: data, total: totalCount, isEstimate: totalCountIsEstimate };
}

/** The answer as text, if it is not JSON. @throws Refusal, Unreachable */
export async function readText(path: string, signal?: AbortSignal): Promise<string> {
  return (await send({ method: 'GET', path }, signal)).text();
}

/** A request that changes something. */
export interface Change {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the root of the management API. */
  readonly path: string;
  readonly body?: object;
  /** The version that must still be current; otherwise the call is refused with 412. Null or absent: any. */
  readonly version?: string | null;
}

/** @throws Refusal, Unreachable */
export async function make<Document>(change: Change): Promise<Document> {
  return (await (await send(change)).json()).data;
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

async function send(request: Sent, signal?: AbortSignal): Promise<Response> {
  for (;;) {
    const token = await accessToken();
    let response = await once(request, token, signal);
    if (response.status === 401) {
      // The token may have ended early, for example because of new signing keys. Trying once is enough to find out.
      response = await once(request, await renewedToken(token), signal);
    }
    if (response.ok) return response;
    const { error } = await response.json().catch(() => ({}));
    if (response.status !== 401) throw new Refusal(response.status, error);
    // Another provider's token is missing, which a page cannot send: signing in again would change nothing.
    const challenge = response.headers.get('www-authenticate') ?? '';
    if (challenge.includes('realm="overlay-secondary-ext-jwt"')) throw new Refusal(401, error);
    sessionEnded();
  }
}

async function once({ method, path, ...rest }: Sent, token: string, signal?: AbortSignal): Promise<Response> {
  const { body, version }: Pick<Change, 'body' | 'version'> = rest;
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    // Explanations come in the language of the page.
    'accept-language': document.documentElement.lang,
  };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (version != null) headers['if-match'] = version;
  const response = await reach(`${root}${path}`, {
    method,
    headers,
    credentials: 'omit',
    signal: signal ?? null,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (response.status === 502 || response.status === 504)
    throw new Unreachable(location.origin, response.status);
  return response;
}

/** @throws Unreachable when there is no answer */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Unreachable(location.origin, error);
  }
}
