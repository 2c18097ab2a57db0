import type { Adjustment } from './adjustments.ts';
import type { Config } from './config.ts';
import { type ConfigPath, formatPath } from './config-error.ts';
import { leafPaths, toFileShape } from './file-shape.ts';
import type { YamlSource } from './yaml-source.ts';

/** Where an effective value comes from. */
export interface Origin {
  /**
   * `controller.yml:12`, `default`, `environment variable X`, `adjusted from 30s (controller.yml:12)`, or `automatic
   * binding`, which spec section 5.7 adds.
   */
  readonly text: string;
  /** Its place in the file; null: the file does not have it as it is. */
  readonly at: { readonly file: string; readonly line: number } | null;
}

/** By the value's path in the shape of the file: `web[0].options.idleTimeout`. */
export type Origins = ReadonlyMap<string, Origin>;

/**
 * Finds where each effective value comes from.
 * @param environment the variable that replaced a value, by the value's path
 */
export function findOrigins(known: {
  readonly config: Config;
  readonly file: string;
  readonly source: YamlSource;
  readonly adjustments: readonly Adjustment[];
  readonly environment: ReadonlyMap<string, string>;
}): Origins {
  const { config, file, source, adjustments, environment } = known;
  const isAutomatic = (path: ConfigPath) =>
    path[0] === 'web' && path[2] === 'apis' && !source.has(path.slice(0, 4));
  const origins = new Map<string, Origin>();
  for (const path of leafPaths(toFileShape(config))) {
    const text = formatPath(path);
    const line = source.has(path) ? source.placeOfValue(path).line : null;
    const adjustment = adjustments.find((made) => made.path === text);
    const variable = environment.get(text) ?? environment.get(formatPath(path.slice(0, -1)));
    const place = line === null ? 'default' : `${file}:${line}`;
    const from = (origin: string) => origins.set(text, { text: origin, at: null });
    if (variable !== undefined) from(`environment variable ${variable}`);
    else if (adjustment) from(`adjusted from ${adjustment.oldValue} (${place})`);
    else if (line !== null) origins.set(text, { text: place, at: { file, line } });
    else from(isAutomatic(path) ? 'automatic binding' : place);
  }
  return origins;
}
