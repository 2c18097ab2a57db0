// Where the programs of a computer keep the authorities they trust, and how to add one.

import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CliPorts } from '../../terminal/ports.ts';
import type { Authority } from './authority.ts';

/** A program and its arguments. */
export type Step = readonly [program: string, ...args: readonly string[]];

export type StoreKind = 'system' | 'browser';

export interface TrustStore {
  /** The owner of the store, such as `Firefox abcd.default`. */
  readonly name: string;
  readonly kind: StoreKind;
  readonly path: string;
  readonly needsRoot: boolean;
  /** @param file the certificate */
  readonly trust: (file: string) => readonly Step[];
  readonly undo: readonly Step[];
  /** Finds out whether the authority is in it. `isIn` reads the step's output when it succeeds. */
  readonly look: { readonly step: Step; readonly isIn: (text: string) => boolean } | (() => boolean);
}

/** A store that exists but cannot be used. */
interface UnusableStore extends Pick<TrustStore, 'name' | 'kind' | 'path'> {
  readonly reason: string;
}

export interface Computer {
  readonly platform: NodeJS.Platform;
  readonly env: CliPorts['env'];
  /** The user whose stores may be changed; undefined where users have no numbers. */
  readonly uid: number | undefined;
  /** Prefix for the folders of the system. */
  readonly root?: string;
}

/** Distributions put their own commands here, which need not be on a user's path. */
const systemFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Where the program is; undefined if it is not installed. */
export function programPath(name: string, env: CliPorts['env']): string | undefined {
  const folders = [
    ...(env.PATH ?? '').split(':').filter((folder) => folder.startsWith('/')),
    ...systemFolders,
  ];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The stores of this computer and this user for `authority`. */
export function trustStores(
  computer: Computer,
  authority: Authority,
): { readonly usable: readonly TrustStore[]; readonly unusable: readonly UnusableStore[] } {
  if (computer.platform === 'darwin') return { usable: keychain(computer, authority), unusable: [] };
  const system = systemStore(computer, authority);
  const databases = computer.platform === 'linux' ? browserDatabases(computer) : [];
  const usable: TrustStore[] = system === undefined ? [] : [system];
  const unusable: UnusableStore[] = [];
  for (const { name, path, isNew } of databases) {
    const found = { name, kind: 'browser', path } as const;
    const reason = whyUnusable(computer, path, isNew);
    if (reason === undefined) usable.push(nssStore(found, authority, isNew));
    else unusable.push({ ...found, reason });
  }
  return { usable, unusable };
}

/** Folders for the administrator's authorities, and what makes the system use them. */
const systemKinds: readonly (readonly [folder: string, take: Step, takeAway: Step])[] = [
  // Debian, Ubuntu, Alpine
  ['/usr/local/share/ca-certificates', ['update-ca-certificates'], ['update-ca-certificates', '--fresh']],
  // Fedora, Red Hat
  ['/etc/pki/ca-trust/source/anchors', ['update-ca-trust', 'extract'], ['update-ca-trust', 'extract']],
  // Arch
  [
    '/etc/ca-certificates/trust-source/anchors',
    ['update-ca-trust', 'extract'],
    ['update-ca-trust', 'extract'],
  ],
  // SUSE
  ['/etc/pki/trust/anchors', ['update-ca-certificates'], ['update-ca-certificates']],
];

function systemStore({ env, root = '', platform }: Computer, authority: Authority): TrustStore | undefined {
  if (platform !== 'linux') return undefined;
  const kind = systemKinds.find(
    ([folder, [program]]) => existsSync(`${root}${folder}`) && programPath(program, env) !== undefined,
  );
  if (kind === undefined) return undefined;
  const [folder, take, takeAway] = kind;
  const path = `${root}${folder}/${authority.name}.crt`;
  return {
    name: 'system',
    kind: 'system',
    path,
    needsRoot: true,
    trust: (file) => [['install', '-m', '644', file, path], take],
    undo: [['rm', '-f', path], takeAway],
    look: () => existsSync(path) && readFileSync(path, 'utf8').trim() === authority.pem.trim(),
  };
}

const chromiumName = 'Chromium, Chrome';
/** Below the home. Newer versions use the XDG folder if the other is missing. */
const chromiumDatabases = ['.pki/nssdb', '.local/share/pki/nssdb', 'snap/chromium/current/.pki/nssdb'];
const chromiumProfiles = ['chromium', 'google-chrome', 'BraveSoftware', 'microsoft-edge'];
const firefoxFolders = [
  '.mozilla/firefox',
  '.config/mozilla/firefox',
  'snap/firefox/common/.mozilla/firefox',
  '.var/app/org.mozilla.firefox/.mozilla/firefox',
];

/**
 * @returns `isNew`: the browser is installed but has not created it yet
 */
function browserDatabases({ env }: Computer) {
  const home = env.HOME;
  if (!home) return [];
  const isDatabase = (path: string) => existsSync(join(path, 'cert9.db'));
  const chromium = chromiumDatabases.map((each) => join(home, each)).filter(isDatabase);
  const configs = env.XDG_CONFIG_HOME || join(home, '.config');
  if (chromium.length === 0 && chromiumProfiles.some((each) => existsSync(join(configs, each))))
    chromium.push(join(home, '.pki/nssdb'));
  const firefox = firefoxFolders
    .map((each) => join(home, each))
    .flatMap((folder) =>
      existsSync(folder)
        ? readdirSync(folder)
            .sort()
            .map((each) => join(folder, each))
        : [],
    )
    .filter(isDatabase);
  return [
    ...chromium.map((path) => ({ name: chromiumName, path, isNew: !isDatabase(path) })),
    ...firefox.map((path) => ({
      name: `Firefox ${path.slice(path.lastIndexOf('/') + 1)}`,
      path,
      isNew: false,
    })),
  ];
}

function whyUnusable({ env, uid }: Computer, path: string, isNew: boolean): string | undefined {
  if (programPath('certutil', env) === undefined)
    return 'certutil is not installed (package libnss3-tools, nss-tools or nss)';
  // As root, this would create a file owned by root in another user's profile.
  if (uid !== undefined && statSync(isNew ? (env.HOME ?? '/') : path).uid !== uid)
    return 'it belongs to another user: run the command as that user';
  return undefined;
}

/** The database of a browser on Linux. @see certutil(1) of NSS; `C,,`: issues certificates of TLS servers */
function nssStore(
  found: Pick<TrustStore, 'name' | 'kind' | 'path'>,
  { name, pem }: Authority,
  isNew: boolean,
): TrustStore {
  const database = `sql:${found.path}`;
  const make: readonly Step[] = isNew
    ? [
        ['mkdir', '-p', '-m', '700', found.path],
        ['certutil', '-N', '-d', database, '--empty-password'],
      ]
    : [];
  return {
    ...found,
    needsRoot: false,
    trust: (file) => [...make, ['certutil', '-A', '-d', database, '-n', name, '-t', 'C,,', '-i', file]],
    undo: [['certutil', '-D', '-d', database, '-n', name]],
    look: {
      step: ['certutil', '-L', '-d', database, '-n', name, '-a'],
      isIn: (text) => withoutSpace(text) === withoutSpace(pem),
    },
  };
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, '');
}

/** Used by Safari, Chrome and most programs of macOS. The system asks for the user's password. @see security(1) */
function keychain({ env }: Computer, { sha1 }: Authority): readonly TrustStore[] {
  const path = join(env.HOME ?? '', 'Library/Keychains/login.keychain-db');
  return [
    {
      name: 'login keychain',
      kind: 'system',
      path,
      needsRoot: false,
      trust: (file) => [['security', 'add-trusted-cert', '-r', 'trustRoot', '-p', 'ssl', '-k', path, file]],
      undo: [['security', 'delete-certificate', '-Z', sha1, '-t', path]],
      look: { step: ['security', 'find-certificate', '-a', '-Z', path], isIn: (text) => text.includes(sha1) },
    },
  ];
}
