// Calls of the management API as the person who is signed in.

import { reach, Unreachable } from './provider.ts';
import { accessToken, renew, sessionEnded } from './session.ts';

const root = '/edge/management/v1/';

/** A refusal in the envelope of the API. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** For an administrator. */
  readonly reference: string;
  /** The field that was refused, if one was. */
  readonly field: string | null;

  constructor(status: number, error: RefusalBody = {}) {
    super(error.cause?.reason ?? error.message ?? String(status));
    this.status = status;
    this.code = error.code ?? '';
    this.reference = error.requestId ?? '';
    this.field = error.cause?.field ?? null;
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
}

export interface ListQuery {
  readonly filter?: string;
  readonly sort?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** @throws Refusal, Unreachable */
export async function read<Document>(path: string, signal?: AbortSignal): Promise<Document> {
  return (await send('GET', path, undefined, signal)).data;
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
  const { data, meta } = await send('GET', `${path}?${parameters}`, undefined, signal);
  return { items: data, total: meta.pagination.totalCount };
}

/** A request that changes something. */
export interface Change {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the root of the management API. */
  readonly path: string;
  readonly body?: object;
}

/** @throws Refusal, Unreachable */
export async function make<Document>({ method, path, body }: Change): Promise<Document> {
  return (await send(method, path, body)).data;
}

/** The address of a call as other programs write it. */
export function addressOf(path: string): string {
  return `${location.origin}${root}${path}`;
}

/** A text as a filter writes it. */
export function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

// biome-ignore lint/suspicious/noExplicitAny: what comes is typed by whoever asks, as the API describes it
type Answer = any;

async function send(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Answer> {
  for (;;) {
    let response = await once(method, path, body, signal);
    if (response.status === 401) {
      // The token may have ended before its time, such as by new signing keys. Once is enough to find out.
      await renew();
      response = await once(method, path, body, signal);
    }
    if (response.ok) return response.json();
    const { error } = await response.json().catch(() => ({}));
    if (response.status !== 401) throw new Refusal(response.status, error);
    // Another provider's token is missing, which no page can get: signing in again would change nothing.
    const challenge = response.headers.get('www-authenticate') ?? '';
    if (challenge.includes('realm="overlay-secondary-ext-jwt"')) throw new Refusal(401, error);
    sessionEnded();
  }
}

async function once(
  method: string,
  path: string,
  body: object | undefined,
  signal?: AbortSignal,
): Promise<Response> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${await accessToken()}`,
    accept: 'application/json',
  };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await reach(`${root}${path}`, {
    method,
    headers,
    credentials: 'omit',
    signal: signal ?? null,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (response.status === 502 || response.status === 504)
    throw new Unreachable(`gateway: ${response.status}`);
  return response;
}
