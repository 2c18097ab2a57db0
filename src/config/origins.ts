import type { Adjustment } from './adjustments.ts';
import type { Config } from './config.ts';
import { type ConfigPath, formatPath } from './config-error.ts';
import { leafPaths, toFileShape } from './file-shape.ts';
import type { YamlSource } from './yaml-source.ts';

/** Where an effective value comes from. */
export type Origin =
  | { readonly kind: 'file'; readonly file: string; readonly line: number }
  | { readonly kind: 'default' }
  | { readonly kind: 'environment'; readonly variable: string }
  /** Added by the auto-binding rule of spec section 5.7. */
  | { readonly kind: 'auto-binding' }
  /** `line` is null if the adjusted value was a default. */
  | {
      readonly kind: 'adjusted';
      readonly oldValue: string;
      readonly file: string;
      readonly line: number | null;
    };

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
    if (variable !== undefined) origins.set(text, { kind: 'environment', variable });
    else if (adjustment) origins.set(text, { kind: 'adjusted', oldValue: adjustment.oldValue, file, line });
    else if (line !== null) origins.set(text, { kind: 'file', file, line });
    else if (isAutomatic(path)) origins.set(text, { kind: 'auto-binding' });
    else origins.set(text, { kind: 'default' });
  }
  return origins;
}

/** `controller.yml:12`, `default`, `automatic binding`, `adjusted from 30s (controller.yml:12)`. */
export function describeOrigin(origin: Origin): string {
  switch (origin.kind) {
    case 'file':
      return `${origin.file}:${origin.line}`;
    case 'default':
      return 'default';
    case 'environment':
      return `environment variable ${origin.variable}`;
    case 'auto-binding':
      return 'automatic binding';
    case 'adjusted':
      return `adjusted from ${origin.oldValue} (${origin.line === null ? 'default' : `${origin.file}:${origin.line}`})`;
  }
}
