import { stringify } from 'yaml';
import type { Adjustment } from './adjustments.ts';
import type { Config } from './config.ts';
import { type ConfigPath, formatPath, type Problem } from './config-error.ts';
import { type FileValue, leafPaths, toFileShape } from './file-shape.ts';
import type { YamlSource } from './yaml-source.ts';

// The output of the commands `config validate`, `config show` and `config schema`.

export { jsonSchema } from './described-file.ts';

/**
 * All problems, one paragraph each: `file:line:column: path: message`, then the hint. Ends with a newline.
 * @param outcome the consequence for the command
 */
export function renderProblems(problems: readonly Problem[], outcome = 'nothing was started'): string {
  const paragraphs = problems.map(({ file, line, column, path, message, hint }) => {
    const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
    const head = [place, ...(path === '' ? [] : [path]), `${message}.`].join(': ');
    return printable(hint === null ? head : `${head}\n    ${hint}`);
  });
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return `${paragraphs.join('\n')}\n${count}; ${outcome}.\n`;
}

/** One sentence for the log: the setting, its old and new value, and the reason. */
export function renderAdjustment({ path, oldValue, newValue, reason }: Adjustment): string {
  return `${path} was changed from ${oldValue} to ${newValue}: ${reason}`;
}

/**
 * The effective configuration as YAML in the shape of the file. It contains paths of secrets but no secrets; a
 * database password is masked.
 * @param options.origin adds to each value, as a comment, where it comes from
 */
export function renderShow(config: Config, origins: Origins, options: { readonly origin: boolean }): string {
  const comment = (path: ConfigPath): string => {
    const origin = options.origin ? origins.get(formatPath(path)) : undefined;
    return origin === undefined ? '' : printable(`  # ${describeOrigin(origin)}`);
  };
  return `${yamlLines(toFileShape(config), [], comment).join('\n')}\n`;
}

/** Block style throughout, so that each value has its own line with room for a comment. */
function yamlLines(value: FileValue, path: ConfigPath, comment: (path: ConfigPath) => string): string[] {
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, child]: [string, FileValue]): string[] => {
    const childPath = [...path, isList ? Number(key) : key];
    const isLeaf = typeof child !== 'object' || Object.keys(child).length === 0;
    const lines = isLeaf
      ? [`${scalarText(child)}${comment(childPath)}`]
      : yamlLines(child, childPath, comment);
    if (isList) return lines.map((line, index) => `${index === 0 ? '- ' : '  '}${line}`);
    return isLeaf ? [`${key}: ${lines[0] ?? ''}`] : [`${key}:`, ...lines.map((line) => `  ${line}`)];
  });
}

function scalarText(value: FileValue): string {
  // A JSON string is a YAML string too, and stays on one line.
  if (typeof value === 'string' && /[\p{C}\p{Zl}\p{Zp}]/u.test(value)) return JSON.stringify(value);
  return stringify(value, { lineWidth: 0 }).trimEnd();
}

/** Text for a terminal or a log line: escapes all characters that could move the cursor or begin another line. */
function printable(text: string): string {
  return text.replaceAll(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (char) => {
    return `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

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
