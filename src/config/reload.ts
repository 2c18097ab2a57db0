// What a running controller applies of a changed configuration: the one table that says so, and what follows from it.

import type { Config, Listener, ListenerApi } from './config.ts';
import { type ConfigPath, formatPath } from './config-error.ts';
import { type FileValue, leafPaths, toFileShape } from './file-shape.ts';
import { deepFreeze } from './load.ts';

/** When a new value takes effect: at the next reload, or at the next start. */
type Effect = 'live' | 'restart';

/** Every key of the configuration has an entry, or belongs to a section that has one as a whole. */
type Plan<T> =
  | Effect
  | (T extends readonly (infer Entry)[]
      ? EntryPlan<Entry>
      : T extends object
        ? { readonly [Key in keyof T]-?: Plan<T[Key]> }
        : never);

/** Entries of a list are matched by name. Which entries exist is fixed at the start. */
interface EntryPlan<Entry> {
  readonly named: keyof Entry;
  readonly each: Plan<Entry>;
}

type OidcApi = Extract<ListenerApi, { binding: 'edge-oidc' }>;

const apiPlan: Plan<OidcApi> = {
  binding: 'restart',
  explicit: 'live',
  redirectUris: 'live',
  postLogoutUris: 'live',
  browserSession: 'live',
};

const listenerPlan: Plan<Listener> = {
  name: 'restart',
  bindPoints: 'restart',
  identity: 'live',
  tls: 'restart',
  timeouts: 'restart',
  clientCertificates: 'restart',
  proxyProtocol: 'restart',
  apis: { named: 'binding', each: apiPlan },
};

const plan: Plan<Config> = {
  v: 'restart',
  db: 'restart',
  threads: 'restart',
  secrets: 'restart',
  identity: 'live',
  listeners: { named: 'name', each: listenerPlan },
  node: 'restart',
  edge: {
    present: 'restart',
    api: { sessionTimeout: 'live', address: 'restart', disableOidcAutoBinding: 'restart' },
    enrollment: 'live',
    oidc: {
      accessTokenDuration: 'live',
      idTokenDuration: 'live',
      refreshTokenDuration: 'live',
      refreshFamilyDuration: 'live',
      refreshTokenGrace: 'live',
      // Every node must publish its keys before it signs.
      idTokenSigningAlg: 'restart',
      // The profile adds endpoints, and issues refresh tokens that keys must outlive.
      compatibility: { clientIds: 'restart', freshProofForFactors: 'live' },
    },
    // The hashing threads receive it at their start.
    passwordHash: 'restart',
    totp: 'live',
    sessions: 'live',
    loginAttempts: 'live',
    auditEvents: 'live',
    externalJwtSigners: 'live',
  },
  branding: 'live',
  telemetry: 'live',
  log: { format: 'restart', level: 'live' },
};

/**
 * The configuration of a running controller after a reload: from `fresh` what needs no restart, everything else from
 * `inUse`. If a file gains or loses its `edge` section, nothing in that section changes: nobody chose its defaults.
 */
export function takeOver(inUse: Config, fresh: Config): Config {
  const edge = fresh.edge.present === inUse.edge.present ? fresh.edge : inUse.edge;
  return deepFreeze(merged(plan, inUse, { ...fresh, edge }) as Config);
}

type AnyPlan = Effect | EntryPlan<Named> | { readonly [key: string]: AnyPlan };
type Named = Readonly<Record<PropertyKey, unknown>>;

function merged(how: unknown, inUse: unknown, fresh: unknown): unknown {
  const part = how as AnyPlan;
  if (part === 'live') return fresh;
  if (part === 'restart') return inUse;
  if (isOfEntries(part)) return mergedEntries(part, inUse as Named[], fresh as Named[]);
  const after = fresh as Named;
  return Object.fromEntries(
    Object.entries(inUse as Named).map(([key, value]) => [
      key,
      merged(part[key] ?? 'restart', value, after[key]),
    ]),
  );
}

function isOfEntries(part: Exclude<AnyPlan, Effect>): part is EntryPlan<Named> {
  return 'each' in part && 'named' in part;
}

function mergedEntries({ named, each }: EntryPlan<Named>, inUse: readonly Named[], fresh: readonly Named[]) {
  const entryOf = (list: readonly Named[], like: Named) => list.find((one) => one[named] === like[named]);
  const isSameSet = inUse.length === fresh.length && fresh.every((one) => entryOf(inUse, one) !== undefined);
  return (isSameSet ? fresh : inUse).map((one) => {
    const [before, after] = [entryOf(inUse, one), entryOf(fresh, one)];
    return before === undefined || after === undefined ? one : merged(each, before, after);
  });
}

/** One setting that differs, with its values as in the file; an absent value is null. */
export interface SettingChange {
  /** In the shape of the file: `edge.api.sessionTimeout`, `web[0].apis[1].options.redirectURIs`. A list is one setting. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The settings that differ, in order. They contain paths of secrets only, and a database password is masked. */
export function settingChanges(before: Config, after: Config): readonly SettingChange[] {
  const [old, fresh] = [leafValues(before), leafValues(after)];
  // A new database password is a change too, but masked.
  const hasOtherDatabase = JSON.stringify(before.db) !== JSON.stringify(after.db);
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .map((path) => ({ path, before: old.get(path) ?? null, after: fresh.get(path) ?? null }))
    .filter(
      (change) =>
        JSON.stringify(change.before) !== JSON.stringify(change.after) ||
        (change.path === 'db' && hasOtherDatabase),
    )
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function leafValues(config: Config): ReadonlyMap<string, unknown> {
  const shape = toFileShape(config);
  const paths = leafPaths(shape).map((path) => (typeof path.at(-1) === 'number' ? path.slice(0, -1) : path));
  return new Map(paths.map((path) => [formatPath(path), valueAt(shape, path)]));
}

function valueAt(shape: FileValue, path: ConfigPath): unknown {
  let value: unknown = shape;
  for (const segment of path) value = (value as Record<PropertyKey, unknown> | null)?.[segment];
  return value;
}
