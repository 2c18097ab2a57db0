import type { Config } from '../../config/config.ts';
import { type ConfigPath, formatPath } from '../../config/config-error.ts';
import { type FileValue, leafPaths, toFileShape } from '../../config/file-shape.ts';

/** The settings that differ, as `edge.api.sessionTimeout`; whole entries when something was added or removed. */
export function changedSettings(before: Config, after: Config): readonly string[] {
  const old = leafValues(before);
  const fresh = leafValues(after);
  const paths = new Set([...old.keys(), ...fresh.keys()]);
  return [...paths].filter((path) => old.get(path) !== fresh.get(path)).sort();
}

function leafValues(config: Config): Map<string, string> {
  const shape = toFileShape(config);
  return new Map(leafPaths(shape).map((path) => [formatPath(path), JSON.stringify(valueAt(shape, path))]));
}

function valueAt(shape: FileValue, path: ConfigPath): unknown {
  let value: unknown = shape;
  for (const segment of path) value = (value as Record<PropertyKey, unknown> | null)?.[segment];
  return value;
}
