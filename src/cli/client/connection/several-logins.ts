// Several logins side by side, even to one server: how they are told apart, and which one a person means.

import { CliError, exitCodes, usageError } from '../../terminal/output.ts';
import { type Credentials, loginKey, type SavedLogin } from './credentials-store.ts';
import { serverOrigin } from './server-url.ts';

/** The text that selects exactly this login: `ada@localhost:1280`. */
export function loginWord({ url, name }: Pick<SavedLogin, 'url' | 'name'>): string {
  return `${name}@${new URL(url).host}`;
}

/** The credentials with this login, replacing an earlier one of the same identity at the same server. */
export function withLogin(credentials: Credentials, login: SavedLogin): Credentials {
  return { ...credentials, logins: { ...credentials.logins, [loginKey(login)]: login } };
}

/** The same, and commands use this login from now on. It becomes the last one, also of its server. */
export function withCurrentLogin(credentials: Credentials, login: SavedLogin): Credentials {
  const key = loginKey(login);
  const { [key]: _before, ...others } = credentials.logins;
  return { ...credentials, logins: { ...others, [key]: login }, current: key };
}

/** The credentials without these logins. If the current one goes, the one used before it becomes current. */
export function withoutLogins(credentials: Credentials, gone: readonly SavedLogin[]): Credentials {
  const keys = new Set(gone.map(loginKey));
  const kept = Object.entries(credentials.logins).filter(([key]) => !keys.has(key));
  const isGone = credentials.current !== null && keys.has(credentials.current);
  return {
    ...credentials,
    logins: Object.fromEntries(kept),
    current: isGone ? (kept.at(-1)?.[0] ?? null) : credentials.current,
  };
}

/** The login that commands use by default. */
export function currentLogin({ logins, current }: Credentials): SavedLogin | undefined {
  return current === null ? undefined : logins[current];
}

/**
 * The logins that a word may mean: the name of an identity, the address of a server, or both as in
 * `ada@localhost:1280`. The login used last comes last.
 */
export function loginsMeantBy(credentials: Credentials, word: string): readonly SavedLogin[] {
  const logins = Object.values(credentials.logins);
  const named = logins.filter(({ name }) => name === word);
  if (named.length > 0) return named;
  // A name may contain an @ itself; an address cannot.
  const at = word.lastIndexOf('@');
  const origin = originIn(word.slice(at + 1));
  if (origin === undefined) return [];
  const there = logins.filter(({ url }) => url === origin);
  return at < 0 ? there : there.filter(({ name }) => name === word.slice(0, at));
}

/** The address in a word; undefined if it is not one. */
export function originIn(word: string): string | undefined {
  try {
    return serverOrigin(word);
  } catch {
    return undefined;
  }
}

/**
 * The login that a word means. Among several at one server, the current one, otherwise the one used last.
 * @throws CliError exit 3 when there is none, exit 2 when a name is known at several servers
 */
export function loginMeantBy(credentials: Credentials, word: string): SavedLogin {
  const meant = loginsMeantBy(credentials, word);
  const current = meant.find((login) => loginKey(login) === credentials.current);
  const login = current ?? meant.at(-1);
  if (login === undefined) throw noSuchLogin(word);
  if (new Set(meant.map(({ url }) => url)).size > 1)
    throw usageError(
      `"${word}" is logged in to several servers: ${meant.map(loginWord).join(', ')}.`,
      `name one of them, such as ${loginWord(login)}`,
    );
  return login;
}

function noSuchLogin(word: string): CliError {
  const at = word.lastIndexOf('@');
  const server = word.slice(at + 1);
  // What stands before the server in a URL is not the name of a login, and may be a password.
  const isNamed = /[.:/]|^localhost$/.test(server) && !word.slice(0, at).includes('://');
  const origin = isNamed ? originIn(server) : undefined;
  const who = at > 0 && origin !== undefined ? ` as ${word.slice(0, at)}` : '';
  return new CliError(
    origin === undefined
      ? `No saved login is called "${word}".`
      : `You are not logged in to ${origin}${who}.`,
    {
      exitCode: exitCodes.notAuthenticated,
      code: 'not_logged_in',
      next: origin === undefined ? 'overlay-auth login list' : `overlay-auth login ${origin}`,
    },
  );
}
