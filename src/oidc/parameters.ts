// The parameters of a protocol request: how they are read, and what `scope` and `resource` ask for, which mean the same
// in every request.

import { AuthError } from '../errors/auth-error.ts';
import type { ApiSession } from '../model/api-session.ts';
import { clientScopes } from '../model/entities/oidc-client.ts';
import type { Form } from '../platform/formats/strict-input.ts';
import type { Client, ClientRegistry } from './clients.ts';

/** Parameters of a protocol request. */
export type Parameters = Form;

/** The parameters of the query and of the body; the values of the query come first. */
export function joined(query: Form, body: Form): Parameters {
  const twice = Object.keys(body).filter((name) => name in query);
  const both = twice.map((name) => [name, [...valuesOf(query, name), ...valuesOf(body, name)]]);
  return Object.assign(Object.create(null), query, body, Object.fromEntries(both));
}

/** Every value of a parameter, in order. */
export function valuesOf(parameters: Parameters, name: string): readonly string[] {
  const given = parameters[name] ?? [];
  return typeof given === 'string' ? [given] : given;
}

/** The value of a parameter. Null when it is absent or empty, which means the same (RFC 6749 3.1). */
export function parameter(parameters: Parameters, name: string): string | null {
  return valuesOf(parameters, name)[0] || null;
}

/** Whether the parameter was repeated. */
export function isRepeated(parameters: Parameters, name: string): boolean {
  return valuesOf(parameters, name).length > 1;
}

/**
 * The value of a parameter that must occur exactly once.
 * @throws AuthError invalid_request
 */
export function required(parameters: Parameters, name: string): string {
  const value = optional(parameters, name);
  if (value === null)
    throw new AuthError('invalid_request', { description: `the parameter ${name} is missing` });
  return value;
}

/**
 * The value of a parameter, or null. It must not be repeated (RFC 6749 3.1, 3.2).
 * @throws AuthError invalid_request
 */
export function optional(parameters: Parameters, name: string): string | null {
  if (isRepeated(parameters, name))
    throw new AuthError('invalid_request', { description: `the parameter ${name} is given more than once` });
  return parameter(parameters, name);
}

// Which scopes and resources exist, and what requesting them means. Every request ignores scopes that a client does not
// have (OIDC Core 3.1.2.1), so a refresh may repeat the scopes of the beginning.

/** The scopes of the clients of the specification and the configuration. */
const builtInScopes: readonly string[] = ['openid', 'offline_access'];

function scopesOf({ registered }: Client): readonly string[] {
  return registered === null ? builtInScopes : registered.scopes;
}

/** The scopes of the discovery document: a scope for claims is listed only if some client has it. */
export function advertisedScopes(clients: ClientRegistry): readonly string[] {
  const all = new Set([...builtInScopes, ...clients.registered().flatMap(({ scopes }) => scopes)]);
  return clientScopes.filter((scope) => all.has(scope));
}

/** The scopes of a `scope` parameter that exist for the client, in our order. */
export function existingScopes(client: Client, scope: string): readonly string[] {
  const asked = scope.split(' ');
  const own = scopesOf(client);
  return clientScopes.filter((known) => own.includes(known) && asked.includes(known));
}

/** A few of the scopes that were asked for and are not granted, for the record of the login. */
export function droppedScopesOf(granted: readonly string[], asked: string): readonly string[] {
  const dropped = asked.split(' ').filter((scope) => scope !== '' && !granted.includes(scope));
  return [...new Set(dropped)].filter((scope) => scope.length <= 40).slice(0, 10);
}

/**
 * The scopes that the client asks to keep, or null for all. If it names none that exists, that counts as naming none
 * (RFC 6749 6). Checked before anything is used up.
 * @throws AuthError invalid_scope   one exists and was not granted
 */
export function narrowedScope(
  client: Client,
  session: Pick<ApiSession, 'scopes'>,
  scope: string | null,
): readonly string[] | null {
  const asked = scope === null ? [] : existingScopes(client, scope);
  if (!asked.every((entry) => session.scopes.includes(entry))) throw new AuthError('invalid_scope');
  return asked.length === 0 ? null : asked;
}

/**
 * The session with the scopes of this answer: the requested ones that the client still has.
 * The refresh token keeps the original ones (RFC 6749 6).
 */
export function narrowed(client: Client, session: ApiSession, asked: readonly string[] | null): ApiSession {
  const own = scopesOf(client);
  const scopes = session.scopes.filter((scope) => own.includes(scope) && (asked?.includes(scope) ?? true));
  return { ...session, scopes };
}

/**
 * The resources for which a client requests a token (RFC 8707 2). Clients of the configuration have none, so for them
 * the parameter is ignored like any unknown one.
 * @returns undefined when one of them is not registered for the client
 */
export function resourcesOf({ registered }: Client, parameters: Parameters): readonly string[] | undefined {
  if (registered === null) return [];
  const asked = [...new Set(valuesOf(parameters, 'resource').filter((resource) => resource !== ''))];
  return asked.every((resource) => registered.resources.includes(resource)) ? asked : undefined;
}

/**
 * The resources that an access token is for: those that the client names now, all of which the authorization must have
 * granted, or all that were granted if it names none (RFC 8707 2.2). Resources that the client has lost since are
 * omitted.
 * @param granted by the authorization request; empty: all of the client's
 * @throws AuthError invalid_target   one was not granted
 */
export function resourcesWithin(
  { registered }: Client,
  granted: readonly string[],
  asked: readonly string[],
): readonly string[] {
  if (granted.length === 0) return asked;
  if (!asked.every((resource) => granted.includes(resource))) throw new AuthError('invalid_target');
  const wanted = asked.length === 0 ? granted : asked;
  const own = wanted.filter((resource) => registered?.resources.includes(resource) ?? false);
  if (own.length === 0) throw new AuthError('invalid_target');
  return own;
}
