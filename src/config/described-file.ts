import * as z from 'zod';
import type { ConfigPath } from './config-error.ts';
import type { Facts } from './setting.ts';
import { fileSchema } from './settings.ts';

// The settings of settings.ts as data: the JSON Schema of the file with the facts of each setting.

export interface SettingNode {
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SettingNode>>;
  readonly required?: readonly string[];
  readonly items?: SettingNode;
  readonly oneOf?: readonly SettingNode[];
  readonly setting?: Facts;
  /** Whether the value is the path of a file. */
  readonly isFile?: true;
  /** Whether it is that of a folder, which is made when it is needed. */
  readonly isFolder?: true;
}

let described: SettingNode | undefined;

export function describedFile(): SettingNode {
  described ??= z.toJSONSchema(fileSchema, { io: 'input' }) as SettingNode;
  return described;
}

/** The file's JSON Schema (draft 2020-12), for editors and for `config schema`. */
export function jsonSchema(): Record<string, unknown> {
  const isOurs = (key: string) => ['setting', 'isFile', 'isFolder'].includes(key);
  return JSON.parse(JSON.stringify(describedFile(), (key, value) => (isOurs(key) ? undefined : value)));
}

/** The node of a map's member or a list's entry; several while the choice of a binding is still open. */
export function nodesInside(node: SettingNode, segment: string | number, value: unknown) {
  const child =
    typeof segment === 'number'
      ? node.items
      : Object.hasOwn(node.properties ?? {}, segment)
        ? node.properties?.[segment]
        : undefined;
  return child === undefined ? [] : choicesFor(child, value);
}

/** The nodes of a value in the file, by its path. */
export function nodesAt(file: unknown, path: ConfigPath): readonly SettingNode[] {
  let nodes: readonly SettingNode[] = [describedFile()];
  let value = file;
  for (const segment of path) {
    value = memberOf(value, segment);
    nodes = nodes.flatMap((node) => nodesInside(node, segment, value));
  }
  return nodes;
}

/** The alternatives of a choice that the value's `binding` allows; all of them if it allows none. */
function choicesFor(node: SettingNode, value: unknown): readonly SettingNode[] {
  if (node.oneOf === undefined) return [node];
  const binding = memberOf(value, 'binding');
  const matching = node.oneOf.filter(({ properties }) => {
    const wanted = properties?.binding;
    return wanted?.const === binding || wanted?.enum?.includes(binding) === true;
  });
  return matching.length > 0 ? matching : node.oneOf;
}

/** The value at a path of plain values; undefined where there is nothing. */
export function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce(memberOf, value);
}

function memberOf(value: unknown, segment: string | number): unknown {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, segment)) return undefined;
  return (value as Record<string | number, unknown>)[segment];
}
