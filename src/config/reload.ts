// The part of a changed configuration that a running controller applies: all settings except those with `restart`.

import type { Config } from './config.ts';
import { formatPath } from './config-error.ts';
import { describedFile, nodesInside, type SettingNode, valueAt } from './described-file.ts';
import { type FileShape, type FileValue, leafPaths, toFile, toFileShape } from './file-shape.ts';
import { deepFreeze } from './load.ts';
import { resolveConfig } from './resolve.ts';
import { fileSchema } from './settings.ts';

/**
 * The configuration of a running controller after a reload: from `fresh` what needs no restart, everything else from
 * `inUse`. If a file gains or loses its `edge` section, nothing in that section changes: its defaults were not chosen.
 */
export function takeOver(inUse: Config, fresh: Config): Config {
  const [before, { edge, ...after }] = [toFile(inUse), toFile(fresh)];
  const section = inUse.edge.present === fresh.edge.present ? edge : before.edge;
  const file = merged(describedFile(), before, section === undefined ? after : { ...after, edge: section });
  // A folder may have a name that no database URL holds. All other paths are absolute.
  const readable = { ...(file as FileShape), db: 'sqlite:unused' };
  return deepFreeze({ ...resolveConfig(fileSchema.parse(readable), '/').config, db: inUse.db });
}

function merged(node: SettingNode, inUse: FileValue | undefined, fresh: FileValue | undefined): unknown {
  if (node.setting?.restart === true) return inUse;
  const { named } = node.setting ?? {};
  if (named !== undefined) return mergedEntries({ node, named }, inUse as FileShape[], fresh as FileShape[]);
  // A map with a default is there even if it is empty.
  const [before = node.default, after = node.default] = [inUse, fresh] as const;
  if (node.properties === undefined || !isMap(before) || !isMap(after)) return fresh;
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    keys.flatMap((key) => {
      const [inside] = nodesInside(node, key, after[key]);
      const value = inside === undefined ? undefined : merged(inside, before[key], after[key]);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

function isMap(value: unknown): value is FileShape {
  return typeof value === 'object' && !Array.isArray(value);
}

/** Entries are matched by a member. Which entries exist is fixed at the start. */
function mergedEntries(
  { node, named }: { readonly node: SettingNode; readonly named: string },
  inUse: readonly FileShape[],
  fresh: readonly FileShape[],
) {
  const entryOf = (list: readonly FileShape[], like: FileShape) =>
    list.find((entry) => entry[named] === like[named]);
  const isSameSet =
    inUse.length === fresh.length && fresh.every((entry) => entryOf(inUse, entry) !== undefined);
  return (isSameSet ? fresh : inUse).map((entry) => {
    const [before, after] = [entryOf(inUse, entry), entryOf(fresh, entry)];
    const [inside] = nodesInside(node, 0, entry);
    return before === undefined || after === undefined || inside === undefined
      ? entry
      : merged(inside, before, after);
  });
}

/** One setting that differs, with its values as in the file; an absent value is null. */
export interface SettingChange {
  /** In the shape of the file: `edge.api.sessionTimeout`, `web[0].apis[1].options.redirectURIs`. A list is one setting. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The settings that differ, in order. They contain paths of secrets only, and a password in a URL is masked. */
export function settingChanges(before: Config, after: Config): readonly SettingChange[] {
  // Another password is a change too, but masked.
  const [old, fresh] = [leafValues(toFile(before)), leafValues(toFile(after))];
  const [oldShown, freshShown] = [leafValues(toFileShape(before)), leafValues(toFileShape(after))];
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .filter((path) => JSON.stringify(old.get(path)) !== JSON.stringify(fresh.get(path)))
    .map((path) => ({ path, before: oldShown.get(path) ?? null, after: freshShown.get(path) ?? null }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function leafValues(shape: FileShape): ReadonlyMap<string, unknown> {
  const paths = leafPaths(shape).map((path) => (typeof path.at(-1) === 'number' ? path.slice(0, -1) : path));
  return new Map(paths.map((path) => [formatPath(path), valueAt(shape, path)]));
}
