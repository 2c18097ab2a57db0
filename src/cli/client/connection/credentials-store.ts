// The logins of this user on this computer, in one file that only this user can read.

import { chmod, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProofKey } from '../../../../packages/client/src/oidc/proof-key.ts';
import type { Millis } from '../../../platform/clock.ts';
import { asObject, parseJson } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { makeFolder } from '../../../platform/make-folder.ts';
import { ownerOnly, writeWhole } from '../../../platform/whole-file.ts';
import { CliError } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';

/** A login: the tokens, and the data to use and renew them. */
export interface SavedLogin {
  /** Origin of the server, such as `https://localhost:1280`. */
  readonly url: string;
  readonly issuer: string;
  /** Origin of the Edge APIs. */
  readonly apiUrl: string;
  readonly tokenEndpoint: string;
  readonly identityId: string;
  readonly name: string;
  /** Factors that were passed, as in the ID token. */
  readonly amr: readonly string[];
  readonly accessToken: string;
  readonly accessTokenExpiresAt: Millis;
  /** Counted from when it was issued. */
  readonly accessTokenLifetime: Millis;
  readonly idToken: string;
  /** Null once the server has refused it: the session has ended, and only its owner is remembered. */
  readonly refreshToken: string | null;
  /** The key to which access and refresh token are bound; undefined for bearer tokens. */
  readonly key?: ProofKey;
  /** The arguments after the URL, without secrets, to suggest them again. */
  readonly loginArguments: readonly string[];
  /** Absolute paths. Presented on every connection, because tokens of such a login are bound to it. */
  readonly clientCertificate?: { readonly certFile: string; readonly keyFile: string };
  /**
   * Absolute path of the external JWT that was the second factor. Every call needs it (spec 5.4). The file is read each
   * time, so every program that renews the token there keeps the login usable.
   */
  readonly secondaryJwtFile?: string;
}

/** The key under which a login is saved. An identity has one login per server. */
export function loginKey({ url, identityId }: Pick<SavedLogin, 'url' | 'identityId'>): string {
  return `${identityId}@${url}`;
}

/** The trust anchors for a server's certificate: the roots of the system, or only this authority. */
export type Trust = 'system' | { readonly caPem: string };

export interface Credentials {
  /** Key of the login that commands use by default. */
  readonly current: string | null;
  /** By `loginKey`, in the order in which they were last made or chosen. */
  readonly logins: Readonly<Record<string, SavedLogin>>;
  /** By origin; outlives logins. For an origin without an entry, Node's own roots decide. */
  readonly trust: Readonly<Record<string, Trust>>;
}

const nothing: Credentials = { current: null, logins: {}, trust: {} };
const fileVersion = 1;

/** The folder of the saved logins: OVERLAY_AUTH_CONFIG_DIR, or the usual place for configuration. */
export function configDirectory({ env, platform }: Pick<CliPorts, 'env' | 'platform'>): string {
  const own = env.OVERLAY_AUTH_CONFIG_DIR;
  if (own !== undefined && own !== '') return own;
  const usual = platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME;
  return join(usual || join(env.HOME || homeOfUser(), '.config'), 'overlay-auth');
}

function homeOfUser(): string {
  try {
    return homedir();
  } catch (cause) {
    // A container may run as a user without a name.
    throw new CliError('This user has no home folder.', {
      next: 'set HOME or OVERLAY_AUTH_CONFIG_DIR',
      cause,
    });
  }
}

/** The saved logins of the user with this environment. */
export function credentialsStore(ports: Pick<CliPorts, 'env' | 'platform'>) {
  const directory = configDirectory(ports);
  const path = join(directory, 'credentials.json');
  const read = () => readCredentials(path);
  return {
    /** The path of the file, for messages. */
    path,
    /** @throws CliError when the file cannot be understood */
    read,
    /**
     * Reads, changes and saves while no other process does. `change` always gets the current state, so a refresh token is
     * used once. It returns what to save and what to return.
     */
    async update<T>(change: (credentials: Credentials) => Promise<readonly [Credentials, T]>) {
      makeFolder(directory);
      return withFileLock(join(directory, 'credentials.lock'), async () => {
        const before = await read();
        const [after, result] = await change(before);
        if (after !== before)
          writeWhole(path, JSON.stringify({ v: fileVersion, ...after }, null, 2), ownerOnly);
        return result;
      });
    },
  };
}

async function readCredentials(path: string): Promise<Credentials> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
    // The file may have been copied with looser permissions.
    if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return nothing;
    throw new CliError(`The saved logins in ${path} cannot be read.`, {
      code: 'credentials_unreadable',
      next: 'check the permissions of the file',
      cause: error,
    });
  }
  const { v, current, logins, trust } = asObject(parseJson(text));
  if (v !== fileVersion)
    throw new CliError(`The saved logins in ${path} are damaged or of another version.`, {
      code: 'credentials_unreadable',
      next: `rm ${shellWord(path)}   (then log in again)`,
    });
  // This program wrote the file. An attacker who can write here can do worse than use a wrong shape.
  return {
    current: typeof current === 'string' ? current : null,
    logins: asObject(logins) as Credentials['logins'],
    trust: asObject(trust) as Credentials['trust'],
  };
}

const pauseMs = 50;
const mostAttempts = 600;

/**
 * Runs `action` while no other process holds the same lock. Waits up to half a minute.
 * @throws CliError when the lock stays taken
 */
async function withFileLock<T>(path: string, action: () => Promise<T>): Promise<T> {
  // Loaded only by the commands that need it.
  const { tryFileLock } = await import('../../../platform/file-lock.ts');
  let lock = tryFileLock(path);
  for (let attempt = 1; lock === null; attempt += 1) {
    if (attempt === mostAttempts)
      throw new CliError(`Another overlay-auth holds the lock ${path}.`, {
        code: 'locked',
        next: 'let the other command finish, then run this one again',
      });
    await delay(pauseMs);
    lock = tryFileLock(path);
  }
  using _taken = lock;
  return await action();
}
