import { dirname, resolve } from 'node:path';
import { fileErrorReason, isFileError } from '../platform/file-error-reason.ts';
import { MalformedInput } from '../platform/formats/strict-input.ts';
import type { Adjustment } from './adjustments.ts';
import type { Config } from './config.ts';
import { ConfigError, type ConfigPath, formatPath, fromVariable, type Problem } from './config-error.ts';
import { checkConsistency, type ReadableParts } from './consistency.ts';
import { describeIssues, type Finding } from './describe-issues.ts';
import { describedFile, nodesAt, nodesInside, type SettingNode, valueAt } from './described-file.ts';
import { edgeSchema } from './edge-settings.ts';
import { findOrigins, type Origins } from './explain.ts';
import { leafPaths, toFileShape } from './file-shape.ts';
import { listenerSchema } from './listener-settings.ts';
import { findOddities } from './oddities.ts';
import { resolveConfig } from './resolve.ts';
import { fileSchema } from './settings.ts';
import { filePath } from './value-kinds.ts';
import { parseYamlSource, type YamlSource } from './yaml-source.ts';

/** Replaces `db` of the file, so that the file need not contain a database password. */
export const dbVariable = 'OVERLAY_AUTH_DB';
/** The same for the password of the proxy. */
const proxyVariable = 'OVERLAY_AUTH_PROXY';

export interface LoadedConfig {
  /** Deeply frozen. */
  readonly config: Config;
  /** The changes that spec section 5.7 requires; for the log. */
  readonly adjustments: readonly Adjustment[];
  /** Sentences about settings that work but are probably not meant. */
  readonly warnings: readonly string[];
  readonly origins: Origins;
}

/**
 * Reads and checks the configuration file.
 * @param path  relative paths inside the file are relative to this file's folder
 * @param needs `readFile` returns UTF-8 text or throws; `env` is only asked for what replaces settings
 * @throws ConfigError with all problems that were found, not only the first
 */
export function loadConfig(
  path: string,
  needs: { readFile: (path: string) => string; env: Readonly<Record<string, string | undefined>> },
): LoadedConfig {
  const source = withTelemetry(parseYamlSource(readText(path, needs.readFile)));
  if (source.faults.length > 0)
    throw new ConfigError(source.faults.map((fault) => ({ ...fault, file: path, path: '' })));
  const replaced = replacements(source.value, needs.env);
  const file = withEnvironment(source.value, replaced);

  const folder = dirname(resolve(path));
  const parsed = fileSchema.safeParse(withAbsolutePaths(file, [describedFile()], folder));
  const parts = readableParts(file, source);
  const findings = [
    ...(parsed.success ? [] : describeIssues(file, parsed.error.issues)),
    ...checkConsistency(parts),
  ];
  if (!parsed.success || findings.length > 0) {
    const place = (finding: Finding) => placeFinding(finding, { path, source, replaced });
    throw new ConfigError(findings.map(place).sort(byPlace));
  }

  const { config, adjustments } = resolveConfig(parsed.data, folder);
  return {
    config: deepFreeze(config),
    adjustments,
    warnings: findOddities(parts, file).map((finding) => {
      const { line } = source.placeOfValue(finding.path);
      const hint = finding.hint === null ? '' : `. ${finding.hint}`;
      return `${path}:${line}: ${formatPath(finding.path)}: ${finding.message}${hint}`;
    }),
    origins: findOrigins({
      config,
      file: path,
      source,
      adjustments,
      environment: new Map(replaced.map(({ at, variable }) => [formatPath(at), variable])),
    }),
  };
}

function readText(path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path);
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    const missing = code === 'ENOENT';
    const reason = error instanceof MalformedInput ? error.reason : fileErrorReason(error);
    throw new ConfigError([
      {
        message: missing ? 'the file does not exist' : `the file cannot be read: ${reason}`,
        file: path,
        line: null,
        column: null,
        path: '',
        hint: null,
      },
    ]);
  }
}

/**
 * `tracing.otlp` is another name for the part of `telemetry` that is about traces; without that section it stands for
 * it. Problems and origins keep the places in the file.
 */
function withTelemetry(source: YamlSource): YamlSource {
  const otlp = valueAt(source.value, ['tracing', 'otlp']);
  if (!isMap(source.value) || source.value.telemetry !== undefined || !isMap(otlp)) return source;
  const { tracing: _, ...others } = source.value;
  const { sample, headers, ...same } = otlp;
  const hasHeaders = headers !== undefined && !(isMap(headers) && Object.keys(headers).length === 0);
  const telemetry = {
    ...same,
    ...(hasHeaders && { headers }),
    traces: { sampling: sample },
    metrics: { interval: '0s' },
  };
  const written = (path: ConfigPath): ConfigPath => {
    if (path[0] !== 'telemetry') return path;
    return [
      'tracing',
      'otlp',
      ...(formatPath(path) === 'telemetry.traces.sampling' ? ['sample'] : path.slice(1)),
    ];
  };
  return {
    ...source,
    value: { ...others, telemetry },
    has: (path) => source.has(written(path)),
    placeOfValue: (path) => source.placeOfValue(written(path)),
    placeOfKey: (path) => source.placeOfKey(written(path)),
  };
}

/** A setting whose value comes from the environment. */
interface Replacement {
  readonly at: ConfigPath;
  readonly variable: string;
  readonly value: unknown;
}

const jwksFetch = ['edge', 'externalJwtSigners', 'jwksFetch'] as const;

/**
 * The values from the environment. Of other programs' variables for a proxy, those count that the runtime was
 * told to use, and only where the file says nothing.
 */
function replacements(
  file: unknown,
  env: Readonly<Record<string, string | undefined>>,
): readonly Replacement[] {
  const first = (names: readonly string[]) => names.find((name) => env[name]);
  const set = (
    at: ConfigPath,
    names: readonly string[],
    read: (text: string) => unknown = (text) => text,
  ) => {
    const variable = first(names);
    return variable === undefined ? [] : [{ at, variable, value: read(env[variable] ?? '') }];
  };
  const proxy = [...jwksFetch, 'proxy'];
  const ours = [...set(['db'], [dbVariable]), ...set(proxy, [proxyVariable])];
  const usesOthers = env.NODE_USE_ENV_PROXY === '1' && first([proxyVariable]) === undefined;
  if (!usesOthers || valueAt(file, proxy) !== undefined) return ours;
  const spared = set([...jwksFetch, 'noProxy'], ['no_proxy', 'NO_PROXY'], sparedIn);
  if (spared.some(({ value }) => (value as readonly string[]).includes('*'))) return ours;
  return [...ours, ...set(proxy, ['https_proxy', 'HTTPS_PROXY']), ...spared];
}

/** As other programs write the list: `*.example.com` for `.example.com`, and perhaps ports, which do not count here. */
function sparedIn(list: string): readonly string[] {
  const entries = list.split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.map((entry) => entry.replace(/^\*\./, '.').replace(/^([^:]+):\d+$/, '$1'));
}

/** The file's value with the values of the environment. A bare `edge:` counts as a section with defaults only. */
function withEnvironment(value: unknown, replaced: readonly Replacement[]): unknown {
  if (!isMap(value)) return value;
  const file = value.edge === null ? { ...value, edge: {} } : value;
  // Without the section there is no OIDC provider, and nothing that asks other servers.
  const used = replaced.filter(({ at: [section = ''] }) => section === 'db' || file[section] !== undefined);
  return used.reduce<unknown>((changed, { at, value: given }) => withValueAt(changed, at, given), file);
}

function withValueAt(value: unknown, [key, ...rest]: ConfigPath, given: unknown): unknown {
  if (key === undefined) return given;
  const map = value ?? {};
  return isMap(map) ? { ...map, [key]: withValueAt(map[key], rest, given) } : value;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The file's value with the paths of files relative to `folder`. Unacceptable ones stay, to be refused. */
function withAbsolutePaths(value: unknown, nodes: readonly SettingNode[], folder: string): unknown {
  const inside = (key: string | number, child: unknown) =>
    withAbsolutePaths(
      child,
      nodes.flatMap((node) => nodesInside(node, key, child)),
      folder,
    );
  if (Array.isArray(value)) return value.map((entry, index) => inside(index, entry));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, inside(key, child)]));
  const isPath = nodes.some(({ isFile }) => isFile) && filePath.safeParse(value).success;
  return isPath ? resolve(folder, String(value)) : value;
}

function readableParts(file: unknown, source: YamlSource): ReadableParts {
  const { web, edge } = (file ?? {}) as { readonly web?: unknown; readonly edge?: unknown };
  const listeners = Array.isArray(web) ? web.map((entry) => listenerSchema.safeParse(entry).data) : [];
  const edgeParsed = edgeSchema.safeParse(edge);
  return {
    listeners,
    edge: edge === undefined ? 'absent' : edgeParsed.success ? edgeParsed.data : 'unreadable',
    familyDurationGiven: source.has(['edge', 'oidc', 'refreshFamilyDuration']),
  };
}

function placeFinding(
  finding: Finding,
  known: { path: string; source: YamlSource; replaced: readonly Replacement[] },
): Problem {
  const { message, hint } = finding;
  const path = formatPath(finding.path);
  const replaced = known.replaced.find(({ at }) => at.every((key, index) => finding.path[index] === key));
  if (replaced !== undefined)
    return { message, hint, path, file: `${fromVariable}${replaced.variable}`, line: null, column: null };
  const place =
    finding.at === 'key' ? known.source.placeOfKey(finding.path) : known.source.placeOfValue(finding.path);
  return { message, hint, path, file: known.path, line: place.line, column: place.column };
}

function byPlace(a: Problem, b: Problem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

/** Freezes a value with everything inside. @returns the value */
export function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}

/**
 * Tries to read every file that the configuration names, and reports the unreadable ones, so that `config validate` and
 * `run --check` find a wrong path before anything starts. Does not look at the contents.
 */
export function findUnreadableFiles(
  { config, origins }: { readonly config: Config; readonly origins: Origins },
  needs: { readonly readFile: (path: string) => unknown },
): readonly Problem[] {
  const shape = toFileShape(config);
  const named = leafPaths(shape).filter((path) =>
    nodesAt(shape, path).some(({ isFile, isFolder }) => isFile && !isFolder),
  );
  return named.flatMap((at): readonly Problem[] => {
    const path = formatPath(at);
    const file = String(valueAt(shape, at));
    const origin = origins.get(path);
    try {
      needs.readFile(file);
      return [];
    } catch (error) {
      const isMissing = isFileError(error) && error.code === 'ENOENT';
      return [
        {
          message: `${file} ${isMissing ? 'does not exist' : `cannot be read: ${fileErrorReason(error)}`}`,
          file: origin?.kind === 'file' ? origin.file : 'configuration',
          line: origin?.kind === 'file' ? origin.line : null,
          column: origin?.kind === 'file' ? 1 : null,
          path,
          hint: isMissing ? 'Relative paths are relative to the folder of the configuration file.' : null,
        },
      ];
    }
  });
}
